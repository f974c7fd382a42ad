/* deputy.h: a thread that does what cannot wait while the main thread or those
 * that drain wait: for a disk that stalls, the reader of a pipe, a terminal.
 *
 *	main thread			deputy
 *	rec_deputy_start()
 *	rec_deputy_arm()
 *	  works, waits ...		after 2 ms, in calm after 20,
 *					and every 2 ms until
 *	rec_deputy_disarm()		while others drain, every 20 ms
 *	rec_deputy_end()
 *
 * Whenever it is called, it
 *
 * - moves records from rings that fill to spare memory, and packs what waits
 *   there if that becomes scarce (spill_buffer.h);
 * - if a system call on the output (rec_io_begin()) has been going on for
 *   REC_DEPUTY_PATIENCE_NS: feeds the service manager's watchdog, since a
 *   restart would wait for the same disk, and says what is waited for
 *   (STATUS=);
 * - if a signal that ends the recording has come meanwhile, or the recording is
 *   ending: disables the events, and prints a line.  The signal stays for the
 *   main thread, which ends the recording as soon as the output answers.
 *
 * The deputy writes to no file: a thread of its own prints the line, since
 * stderr may be on the same disk.  In calm it costs two system calls for each
 * turn of the main loop, and does not run.
 */
#ifndef REC_DEPUTY_H
#define REC_DEPUTY_H

#include "format/base/err.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_drain_schedule;
struct rec_service;
struct rec_session;

#define REC_DEPUTY_PATIENCE_NS UINT64_C(500000000)

struct rec_deputy {
	struct rec_drain_schedule *schedule; /* borrowed, as the next two */
	const struct rec_session *session;
	const struct rec_service *service;
	int away_fd; /* timers */
	int busy_fd;
	bool is_on;
	bool is_busy;	/* the second timer runs */
	bool stop;	/* atomic */
	bool is_ending; /* atomic; set by rec_deputy_end_soon() */
	bool has_told;	/* atomic: the manager's status is to be reset */
	pthread_t thread;
	/* The thread's own. */
	bool has_said; /* to the terminal */
	uint64_t fed_ns;
	uint64_t told_ns;
};

/* Start the thread, armed.  rec_deputy_end() is safe on a zeroed struct. */
int rec_deputy_start(struct rec_deputy *deputy,
		     struct rec_drain_schedule *schedule,
		     const struct rec_session *session,
		     const struct rec_service *service, struct pd_err *err);
void rec_deputy_end(struct rec_deputy *deputy);

/* The main thread has got this priority of SCHED_FIFO: so does the deputy. */
void rec_deputy_follow(const struct rec_deputy *deputy,
		       const struct sched_param *param);

/* Called by the main thread before it does what may wait; and when it is done,
 * if nobody drains.  is_calm: little came of late, and no ring woke it. */
void rec_deputy_arm(struct rec_deputy *deputy, bool is_calm);
void rec_deputy_disarm(struct rec_deputy *deputy);

/* The recording ends, whoever asked for it. */
void rec_deputy_end_soon(struct rec_deputy *deputy);
/* Return true once it does, or a signal for that waits to be read; any thread.
 */
bool rec_deputy_is_ending(const struct rec_deputy *deputy);

#endif
