#include "record/ring/boost.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/ring/affinity.h"
#include "record/base/runtime.h"

enum {
	PRIORITY = 1,
	SECONDS_TO_SIGNAL = 1,
	SECONDS_TO_KILL = 3,
	SIGNALS_MAX = 2
};

static const uint64_t second_ns = 1000000000;
static const uint64_t least_ns = 1000000;

static struct rec_boost *the_boost; /* for the signal handler */
/* Guards all but what is atomic: another thread looks while the main thread
 * waits. */
static pthread_mutex_t look_lock = PTHREAD_MUTEX_INITIALIZER;

/* Set or reset the priorities; safe in a signal handler. */
static void apply(struct rec_boost *boost, bool on)
{
	uint32_t nr = __atomic_load_n(&boost->thread_nr, __ATOMIC_ACQUIRE);

	__atomic_store_n(&boost->is_on, on, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < nr && i < REC_BOOST_THREADS_MAX; i++) {
		pid_t tid = __atomic_load_n(&boost->tids[i], __ATOMIC_SEQ_CST);

		if (tid)
			rec_set_priority(tid, on ? PRIORITY + !i : 0);
	}
}

static void on_signal(int signal)
{
	int saved_errno = errno;

	(void)signal;
	if (the_boost && ++the_boost->signal_nr >= SIGNALS_MAX)
		__atomic_store_n(&the_boost->is_over, true, __ATOMIC_SEQ_CST);
	if (the_boost)
		apply(the_boost, false);
	errno = saved_errno;
}

/* Limit the time without a wait; only privileged processes can raise the hard
 * limit again. */
static bool limit_time(rlim_t soft_us, rlim_t hard_us)
{
	struct rlimit now, wanted = { soft_us, hard_us };

	if (getrlimit(RLIMIT_RTTIME, &now))
		return false;
	if (now.rlim_max < hard_us)
		return now.rlim_cur != RLIM_INFINITY;
	return !setrlimit(RLIMIT_RTTIME, &wanted);
}

/* Return true if our priorities are allowed, whatever the hard limit was. */
static bool may_have_priority(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTPRIO, &limit))
		return false;
	limit.rlim_cur = PRIORITY + 1;
	if (limit.rlim_max < limit.rlim_cur)
		limit.rlim_max = limit.rlim_cur;
	return !setrlimit(RLIMIT_RTPRIO, &limit);
}

static void join(struct rec_boost *boost)
{
	uint32_t idx =
		__atomic_fetch_add(&boost->thread_nr, 1, __ATOMIC_ACQ_REL);
	if (idx >= REC_BOOST_THREADS_MAX)
		return;
	__atomic_store_n(&boost->tids[idx], gettid(), __ATOMIC_SEQ_CST);
	/* A thread that switches it either sees us, or we see the new state. */
	if (__atomic_load_n(&boost->is_on, __ATOMIC_SEQ_CST))
		rec_set_priority(0, PRIORITY + !idx);
}

void rec_boost_init(struct rec_boost *boost, double cpu_limit_pct)
{
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = SA_RESTART };
	bool needs_capability;

	boost->share = REC_BOOST_SHARE_PCT / 100;
	boost->most_ns = second_ns;
	if (cpu_limit_pct > 0 && cpu_limit_pct < REC_BOOST_SHARE_PCT) {
		boost->share = cpu_limit_pct / 100;
		boost->most_ns = (uint64_t)(boost->share * (double)second_ns);
	}
	boost->credit_ns = boost->most_ns;
	needs_capability = !may_have_priority();
	if (!rec_is_at_own_priority() ||
	    !limit_time(SECONDS_TO_SIGNAL * 1000000,
			SECONDS_TO_KILL * 1000000) ||
	    sigaction(SIGXCPU, &action, NULL) || !rec_set_priority(0, PRIORITY))
		return;
	rec_set_priority(0, 0);
	pthread_mutex_lock(&look_lock);
	the_boost = boost;
	boost->needs_capability = needs_capability;
	__atomic_store_n(&boost->is_allowed, true, __ATOMIC_RELAXED);
	join(boost);
	pthread_mutex_unlock(&look_lock);
}

void rec_boost_join(struct rec_boost *boost)
{
	pthread_mutex_lock(&look_lock);
	if (boost->is_allowed)
		join(boost);
	pthread_mutex_unlock(&look_lock);
}

/* Subtract the CPU time used since the last look, add what was earned. */
static void update_credit(struct rec_boost *boost, uint64_t now_ns,
			  uint64_t cpu_ns)
{
	uint64_t used_ns = cpu_ns - boost->seen_cpu_ns;
	double earned = boost->share * (double)(now_ns - boost->seen_ns);

	if (__atomic_load_n(&boost->is_on, __ATOMIC_RELAXED))
		boost->credit_ns -=
			used_ns < boost->credit_ns ? used_ns : boost->credit_ns;
	if (earned < (double)(boost->most_ns - boost->credit_ns))
		boost->credit_ns += (uint64_t)earned;
	else
		boost->credit_ns = boost->most_ns;
	boost->seen_ns = now_ns;
	boost->seen_cpu_ns = cpu_ns;
}

static void look(struct rec_boost *boost, bool fills, uint64_t now_ns)
{
	bool is_on = __atomic_load_n(&boost->is_on, __ATOMIC_RELAXED);

	fills = fills && !__atomic_load_n(&boost->is_over, __ATOMIC_SEQ_CST);
	if (!boost->is_allowed || (!is_on && !fills))
		return;
	update_credit(boost, now_ns, rec_own_cpu_ns());
	if (fills)
		boost->wanted_ns = now_ns + REC_BOOST_HOLD_NS;
	if (is_on && (boost->wanted_ns <= now_ns || !boost->credit_ns))
		apply(boost, false);
	/* Do not start with too little credit. */
	if (is_on || boost->credit_ns <= least_ns)
		return;
	apply(boost, true);
	/* A signal reset it meanwhile, but not for all threads. */
	if (!__atomic_load_n(&boost->is_on, __ATOMIC_SEQ_CST))
		apply(boost, false);
}

void rec_boost_look(struct rec_boost *boost, bool fills, uint64_t now_ns)
{
	pthread_mutex_lock(&look_lock);
	look(boost, fills, now_ns);
	pthread_mutex_unlock(&look_lock);
}

uint64_t rec_boost_due_ns(const struct rec_boost *boost)
{
	uint32_t nr = __atomic_load_n(&boost->thread_nr, __ATOMIC_RELAXED);
	uint64_t due_ns;

	if (!__atomic_load_n(&boost->is_on, __ATOMIC_RELAXED))
		return UINT64_MAX;
	pthread_mutex_lock(&look_lock);
	due_ns = boost->seen_ns + least_ns + boost->credit_ns / (1 + nr);
	if (boost->wanted_ns < due_ns)
		due_ns = boost->wanted_ns;
	pthread_mutex_unlock(&look_lock);
	return due_ns;
}

void rec_boost_end(struct rec_boost *boost)
{
	pthread_mutex_lock(&look_lock);
	if (boost->is_allowed) {
		apply(boost, false);
		the_boost = NULL;
		__atomic_store_n(&boost->is_allowed, false, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&look_lock);
}
