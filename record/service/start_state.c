#include "record/service/start_state.h"

#include <signal.h>

void rec_start_state_note(struct rec_start_state *ret)
{
	ret->policy = sched_getscheduler(0);
	if (sched_getparam(0, &ret->param))
		ret->policy = -1;
	ret->has_cpus = !sched_getaffinity(0, sizeof(ret->cpus), &ret->cpus);
	getrlimit(RLIMIT_NOFILE, &ret->files);
	getrlimit(RLIMIT_RTPRIO, &ret->priority);
	getrlimit(RLIMIT_RTTIME, &ret->real_time);
}

void rec_start_state_restore(const struct rec_start_state *start)
{
	if (start->policy >= 0)
		(void)!sched_setscheduler(0, start->policy, &start->param);
	if (start->has_cpus)
		(void)!sched_setaffinity(0, sizeof(start->cpus), &start->cpus);
	(void)!setrlimit(RLIMIT_NOFILE, &start->files);
	(void)!setrlimit(RLIMIT_RTPRIO, &start->priority);
	(void)!setrlimit(RLIMIT_RTTIME, &start->real_time);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}
