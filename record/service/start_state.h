/* start_state.h: what execve(2) keeps of a process and a recording changes, as
 * it was when the program started: a program that is started again by a
 * recording (reload.h) begins as the first one did.
 */
#ifndef REC_START_STATE_H
#define REC_START_STATE_H

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

struct rec_start_state {
	int policy; /* below 0: not known */
	struct sched_param param;
	cpu_set_t cpus;
	bool has_cpus;
	struct rlimit files, priority, real_time;
};

/* Call it before the recording changes anything. */
void rec_start_state_note(struct rec_start_state *ret);

/* Set it again, as far as that is allowed, and what a signal does by default.
 * The signals that are blocked stay so.  System calls alone: it may be called
 * after a fork. */
void rec_start_state_restore(const struct rec_start_state *start);

#endif
