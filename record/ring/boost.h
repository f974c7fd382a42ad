/* boost.h: real-time priority for moments, while a ring fills.
 *
 * A ring of 512 KiB of stack copies can be full in half a millisecond, and a
 * thread that waits for its turn on a busy CPU waits for several.  So, where
 * that is allowed and nobody refused it, the threads that empty rings get
 * SCHED_RR of the lowest priority, the main thread one more,
 *
 *	from the moment that a ring is found half full
 *	until none was for REC_BOOST_HOLD_NS,
 *	for a second of CPU time of all threads at most, of which comes back
 *	REC_BOOST_SHARE_PCT of the time that passes; with a --cpu-limit below
 *	that, for that share of a second, and that share comes back,
 *
 * and then their own again.  The main thread takes it back, which has the
 * higher priority and so is never kept from it.  Should that be wrong,
 * RLIMIT_RTTIME has the kernel send a SIGXCPU to whoever ran for a second
 * without waiting for anything, which takes it back as well, and after two
 * seconds for good; after three it kills the recorder.  The kernel goes on
 * counting from one moment to the next if the thread waited in none of them.
 *
 * The right to it is RLIMIT_RTPRIO, which is raised at the start where we may;
 * else it is CAP_SYS_NICE, the only capability that is kept for it.
 */
#ifndef REC_BOOST_H
#define REC_BOOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { REC_BOOST_THREADS_MAX = 64, REC_BOOST_SHARE_PCT = 20 };
#define REC_BOOST_HOLD_NS UINT64_C(1000000000)

/* Of one process there is one, which must stay: a signal handler knows it. */
struct rec_boost {
	bool is_allowed;
	bool needs_capability; /* CAP_SYS_NICE has to be kept for it */
	bool is_on;	       /* atomic */
	bool is_over;	       /* atomic; signals have ended it for good */
	int signal_nr;	       /* the handler's */
	double share;	       /* of one CPU */
	uint64_t most_ns;      /* CPU time at once */
	uint64_t credit_ns;    /* that it may still take */
	uint64_t seen_ns;      /* when that was so */
	uint64_t seen_cpu_ns;
	uint64_t wanted_ns;		   /* until then */
	uint32_t thread_nr;		   /* atomic */
	pid_t tids[REC_BOOST_THREADS_MAX]; /* atomic; the first is main's */
};

/* cpu_limit_pct: 0 for none.  By the main thread, which joins.  Where it is not
 * allowed, nothing else here does anything. */
void rec_boost_init(struct rec_boost *boost, double cpu_limit_pct);
/* By each other thread that is to have it. */
void rec_boost_join(struct rec_boost *boost);
/* fills: a ring is half full.  By the main thread. */
void rec_boost_look(struct rec_boost *boost, bool fills, uint64_t now_ns);
/* When to look again; UINT64_MAX: it is off. */
uint64_t rec_boost_due_ns(const struct rec_boost *boost);
void rec_boost_end(struct rec_boost *boost);

#endif
