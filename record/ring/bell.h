/* bell.h: rings when a program starts, so that nobody has to look for one.
 *
 * The files of a program of half a second have to be seen while it lives
 * (carry.h): once one has started, rings are looked at four times a second for
 * a while, and not before.
 *
 *	rec_bell_open()
 *	bell.fd is readable	a program has started
 *	rec_bell_note()
 *	rec_bell_due_ns()	when to look at the rings
 *	rec_bell_is_over()	wait for bell.fd again
 *	rec_bell_close()
 *
 * On each CPU a dummy event writes the COMM records of all tasks, which exec(2)
 * causes (and prctl(2)), to a ring of one page.  The kernel wakes whoever waits
 * for it at each of them, and overwrites it: nobody reads it, and nothing of it
 * is recorded.  While nobody waits (EPOLLONESHOT) it costs the kernel a
 * microsecond for each program.
 */
#ifndef REC_BELL_H
#define REC_BELL_H

#include "record/ring/ring_set.h"

#include <stdbool.h>

struct rec_bell {
	bool is_on;
	int fd; /* epoll of all CPUs */
	struct rec_open_set open;
	struct rec_ring_set rings;
	uint64_t rung_ns; /* 0: not since somebody waits for it */
};

/* Open it on the CPUs where the target's tasks are followed.  Return 0 or a
 * negative errno; then there is none. */
int rec_bell_open(struct rec_bell *ret, const struct rec_target *target);
/* Safe on a zeroed struct. */
void rec_bell_close(struct rec_bell *bell);

/* Note that the bell rang at now_ns. */
static inline void rec_bell_note(struct rec_bell *bell, uint64_t now_ns)
{
	bell->rung_ns = now_ns;
}

/* Return when rings that were drained at drained_ns are to be looked at, those
 * of a program that has just started once it has mapped its files; UINT64_MAX:
 * when it rings. */
uint64_t rec_bell_due_ns(const struct rec_bell *bell, uint64_t drained_ns);

/* Return true if no program has started for a while.  The caller waits for fd
 * again. */
bool rec_bell_is_over(struct rec_bell *bell, uint64_t now_ns);

#endif
