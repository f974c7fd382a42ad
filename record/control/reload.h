/* reload.h: SIGHUP to a service: record with the options of --config as they
 * are now.
 *
 * The recording ends, with its file whole, and the program starts itself again
 * in the same process, as it was started: a service manager sees no new one.
 * Events cannot be changed while they record, and what starts anew has nothing
 * left of what was before.
 */
#ifndef REC_RELOAD_H
#define REC_RELOAD_H

#include "record/control/args.h"
#include "record/control/service.h"

#include <sched.h>
#include <sys/resource.h>

/* What execve(2) keeps and a recording changes, as it was at the start. */
struct rec_reload_start {
	int policy; /* below 0: not known */
	struct sched_param param;
	cpu_set_t cpus;
	bool has_cpus;
	struct rlimit files, priority, real_time;
};

void rec_reload_note(struct rec_reload_start *start);

/* Return whether SIGHUP asks for this: there is a file of options, a manager
 * that is told, no command that was started, and no --control fd:N, which would
 * be closed.  Else SIGHUP ends the recording. */
bool rec_reload_is_possible(const struct rec_args *args,
			    const struct rec_service *service);

/* Parse the options as they are now.  Return 0, or what rec_args_parse()
 * returns, with err set. */
int rec_reload_check(const struct rec_args *args, struct pd_err *err);

/* Start again, once all is closed but service.  Return only if that fails: a
 * negative errno, with err set. */
int rec_reload_exec(char **argv, const struct rec_service *service,
		    const struct rec_reload_start *start, struct pd_err *err);

#endif
