/* reload.h: SIGHUP to a service: record with the options of --config as they
 * are now.
 *
 *	SIGHUP		the options are tried beside the recording
 *			(reload_trial.h)
 *	refused		a message, a STATUS= to the manager; the recording goes
 *			on, and has not noticed
 *	else		the recording ends, with its file whole, and this
 *			process executes the program again, as it was started: a
 *			manager sees no new one
 *
 * Events cannot be changed while they record, and what starts anew has nothing
 * left of what was before.  What was right when it was tried and is wrong half
 * a second later, such as a process that has ended, still ends the service.
 */
#ifndef REC_RELOAD_H
#define REC_RELOAD_H

#include "record/cmdline/args.h"
#include "record/service/service.h"

#include <sched.h>
#include <sys/resource.h>

/* State that execve(2) keeps of a process and a recording changes, as it was
 * when the program started. */
struct rec_start_state {
	int policy; /* below 0: not known */
	struct sched_param param;
	cpu_set_t cpus;
	bool has_cpus;
	struct rlimit files, priority, real_time;
};

/* Call it before the recording changes anything. */
void rec_start_state_note(struct rec_start_state *ret);

/* Return whether SIGHUP asks for this: it can be had (args.h), and there is a
 * manager that is told, or --reload says so.  Else SIGHUP ends the recording.
 */
bool rec_reload_is_possible(const struct rec_args *args,
			    const struct rec_service *service);

/* Start again, once all is closed but service.  Return only if that fails: a
 * negative errno, with err set. */
int rec_reload_exec(char **argv, const struct rec_service *service,
		    const struct rec_start_state *start, struct pd_err *err);

#endif
