#include "record/control/reload.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

void rec_reload_note(struct rec_reload_start *start)
{
	start->policy = sched_getscheduler(0);
	if (sched_getparam(0, &start->param))
		start->policy = -1;
	start->has_cpus =
		!sched_getaffinity(0, sizeof(start->cpus), &start->cpus);
	getrlimit(RLIMIT_NOFILE, &start->files);
	getrlimit(RLIMIT_RTPRIO, &start->priority);
	getrlimit(RLIMIT_RTTIME, &start->real_time);
}

/* As far as it is allowed. */
static void restore(const struct rec_reload_start *start)
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

bool rec_reload_is_possible(const struct rec_args *args,
			    const struct rec_service *service)
{
	bool has_fd = args->control && !strncmp(args->control, "fd:", 3);

	return args->config && !args->workload && !has_fd && service->fd >= 0;
}

int rec_reload_check(const struct rec_args *args, struct pd_err *err)
{
	struct rec_args now;
	int rc = rec_args_parse(&now, args->argc, args->argv, err);

	rec_args_release(&now);
	return rc;
}

int rec_reload_exec(char **argv, const struct rec_service *service,
		    const struct rec_reload_start *start, struct pd_err *err)
{
	restore(start);
	rec_service_export(service);
	execvp(argv[0], argv);
	return pd_err_set(err, -errno, "%s: %s", argv[0], strerror(errno));
}
