/* boost.h: real-time priority for short times, while a ring fills.
 *
 * A ring of 512 KiB of stack copies can be full in half a millisecond, and a
 * thread that waits for its turn on a busy CPU waits for several.  So, if it is
 * allowed and not switched off, the threads that empty rings get SCHED_RR of
 * the lowest priority, the main thread one more,
 *
 *	from the moment that a ring is found half full
 *	until none was for REC_BOOST_HOLD_NS,
 *	for a second of CPU time of all threads at most, of which comes back
 *	REC_BOOST_SHARE_PCT of the time that passes; with a --cpu-limit below
 *	that, for that share of a second, and that share comes back,
 *
 * and then their own priority again.  The main thread resets it: it has the
 * highest priority, so it is never delayed.  As a safeguard, RLIMIT_RTTIME has
 * the kernel send a SIGXCPU to a thread that ran for a second without waiting
 * for anything, which resets it as well, and after two seconds for good; after
 * three it kills the recorder.  The kernel continues to count from one boost to
 * the next if the thread waited in none of them.
 *
 * The right to it is RLIMIT_RTPRIO, which is raised at the start if we may;
 * else it is CAP_SYS_NICE, the only capability that is kept for it.
 */
#ifndef REC_BOOST_H
#define REC_BOOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { REC_BOOST_THREADS_MAX = 64 };
#define REC_BOOST_SHARE_PCT 20.0
#define REC_BOOST_HOLD_NS   UINT64_C(1000000000)

/* The boost of the process, which must stay valid: a signal handler uses it. */
struct rec_boost {
	bool is_allowed;       /* atomic */
	bool needs_capability; /* CAP_SYS_NICE has to be kept for it */
	bool is_on;	       /* atomic */
	bool is_over;	       /* atomic; signals have ended it for good */
	int signal_nr;	       /* the handler's */
	double share;	       /* of one CPU */
	uint64_t most_ns;      /* CPU time of one boost */
	uint64_t credit_ns;    /* CPU time that is left */
	uint64_t seen_ns;      /* when credit_ns was computed */
	uint64_t seen_cpu_ns;
	uint64_t wanted_ns;		   /* on until then */
	uint32_t thread_nr;		   /* atomic */
	pid_t tids[REC_BOOST_THREADS_MAX]; /* atomic; the first is the main
					    * thread */
};

/* Prepare a zeroed boost and join; called by the main thread. cpu_limit_pct: 0
 * for none.  If it is not allowed, the other functions do nothing. */
void rec_boost_init(struct rec_boost *boost, double cpu_limit_pct);
/* Called by each other thread that is to get the priority, from then on. */
void rec_boost_join(struct rec_boost *boost);
/* Start or end the boost, by the main thread or, while that waits, by another.
 * fills: a ring is half full. */
void rec_boost_look(struct rec_boost *boost, bool fills, uint64_t now_ns);
/* Return when to look again; UINT64_MAX if the boost is off. */
uint64_t rec_boost_due_ns(const struct rec_boost *boost);
void rec_boost_end(struct rec_boost *boost);

#endif
