#include "record/service/reload.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

bool rec_reload_is_possible(const struct rec_args *args,
			    const struct rec_service *service)
{
	return rec_args_can_reload(args) && (args->reload || service->fd >= 0);
}

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

/* Set it again, as far as that is allowed, and what a signal does by default.
 * The signals that are blocked stay so. */
static void restore(const struct rec_start_state *start)
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

int rec_reload_exec(char **argv, const struct rec_service *service,
		    const struct rec_start_state *start, struct pd_err *err)
{
	restore(start);
	rec_service_export(service);
	execvp(argv[0], argv);
	return pd_err_set(err, -errno, "%s: %s", argv[0], strerror(errno));
}
