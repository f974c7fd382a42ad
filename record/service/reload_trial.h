/* reload_trial.h: try the options of a reload while the recording goes on.
 *
 *	rec_reload_trial_open()		before there are threads, events or
 *					blocked signals
 *	rec_reload_trial_start()	SIGHUP
 *	rec_reload_trial_poll()		at each turn of the main loop
 *	rec_reload_trial_close()	when the recording ends
 *
 * A trial is this program, executed as it was started, with --dry-run: it opens
 * what the options ask for, as the recording after a reload would.  A process
 * that is forked at the start waits until one is asked for, starts it, looks at
 * the time, and tells what came out in one message.  So the recorder's memory
 * is not copied by a fork, which takes milliseconds that rings do not have, the
 * trial begins as the recorder began, whatever that has changed of itself
 * since, and nothing here is waited for.  The manager's variables are gone from
 * the environment (service.h); if memory is short, the trial is killed first.
 *
 * What only one recording may have, such as a CPU's last breakpoint, cannot be
 * tried beside the recording that has it: such a reload is refused.
 */
#ifndef REC_RELOAD_TRIAL_H
#define REC_RELOAD_TRIAL_H

#include "record/cmdline/args.h"

#include <sys/types.h>

struct rec_reload_trial {
	int fd;	   /* socket to that process; -1: there is none */
	pid_t pid; /* its id, if there is one */
	bool runs;
};

/* Fork the process that will try the options with which args was started;
 * args->config is not NULL.  A trial that takes longer than limit_ns is killed.
 * Return 0 or a negative errno, with err set. */
int rec_reload_trial_open(struct rec_reload_trial *ret,
			  const struct rec_args *args, uint64_t limit_ns,
			  struct pd_err *err);

/* Begin a trial, of which rec_reload_trial_poll() will tell; none runs. */
void rec_reload_trial_start(struct rec_reload_trial *trial);

/* Return 1 while it runs, 0 if the options can be used, or -ECANCELED with err
 * set to what the trial said, or to how it ended. */
int rec_reload_trial_poll(struct rec_reload_trial *trial, struct pd_err *err);

/* End the process, and kill a trial that runs.  If they do not end within a
 * tenth of a second, the process stays a child to be reaped. */
void rec_reload_trial_close(struct rec_reload_trial *trial);

#endif
