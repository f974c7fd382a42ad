#include "record/carry/follower.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "record/base/runtime.h"
#include "record/targets/privileges.h"

/* Between looks, at least; if little came and nothing will soon be gone. */
#define LOOK_NS	     UINT64_C(800000000)
#define LOOK_NS_CALM UINT64_C(2000000000)
/* So many bytes of the file are no little. */
#define MUCH_LEN UINT64_C(131072)

/* The share of a CPU that it takes from others: half a per cent, beyond what
 * the start takes, when all files are read for the first time. */
enum { CPU_SHARE = 200, CPU_AT_START_NS = 100000000 };

/* Atomic: those that were left alone and have not ended. */
static unsigned left_nr;

/* Whoever leaves it last frees it. */
struct rec_follower {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	sem_t go; /* to look */
	unsigned user_nr;
	pid_t tid; /* atomic; 0: it has not begun */
	int fd;	   /* owned */
	size_t memory_len;
	uint64_t fed_len;	       /* atomic */
	bool is_wanted;		       /* atomic: the reader is */
	bool is_parked;		       /* the reader is not in use any more */
	struct rec_hit_reader *reader; /* owned; NULL: nothing was read */
	struct rec_known_files *known; /* owned; NULL: none */
	bool is_left;		       /* nobody waits for it any more */
	/* The last look that was asked for, for the thread that feeds it. */
	uint64_t asked_len;
	uint64_t asked_ns;
};

/* With the lock, which is released. */
static void leave(struct rec_follower *f)
{
	bool is_last = !--f->user_nr;

	if (is_last && f->is_left)
		__atomic_fetch_sub(&left_nr, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&f->lock);
	if (!is_last)
		return;
	rec_hit_reader_free(f->reader);
	rec_known_files_free(f->known);
	close(f->fd);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	sem_destroy(&f->go);
	free(f);
}

bool rec_follower_hangs(void)
{
	return __atomic_load_n(&left_nr, __ATOMIC_RELAXED) > 0;
}

static bool is_wanted(const void *ctx)
{
	const struct rec_follower *f = ctx;

	return __atomic_load_n(&f->is_wanted, __ATOMIC_RELAXED);
}

static int set_policy(pid_t tid, int policy)
{
	const struct sched_param param = { .sched_priority = 0 };

	return sched_setscheduler(tid, policy, &param) ? -errno : 0;
}

/* Beyond its share it takes what nobody else wants. */
static int look_at_share(uint64_t begin_ns, bool *is_idle)
{
	if (*is_idle ||
	    rec_thread_cpu_ns() <=
		    CPU_AT_START_NS + (rec_now_ns() - begin_ns) / CPU_SHARE)
		return 0;
	*is_idle = true;
	return set_policy(0, SCHED_IDLE);
}

/* Read what was fed.  Return 0, or the error that ends this. */
static int catch_up(struct rec_follower *f, uint64_t begin_ns, bool *is_idle)
{
	uint64_t now_ns = rec_now_ns();
	uint64_t len = __atomic_load_n(&f->fed_len, __ATOMIC_RELAXED);
	int rc = 0;

	if (!f->reader && len)
		rc = rec_hit_reader_new(&f->reader, f->fd, len, f->memory_len,
					NULL);
	if (!len || rc)
		return rc;
	do {
		rc = rec_hit_reader_read(f->reader, len);
		if (rc >= 0 && look_at_share(begin_ns, is_idle))
			rc = -EPERM;
	} while (rc > 0 && !is_wanted(f));
	if (rc < 0 || is_wanted(f) || !f->known)
		return rc < 0 ? rc : 0;
	rec_hit_reader_peek(f->reader);
	rec_known_files_look(f->known, rec_hit_reader_hits(f->reader), now_ns,
			     is_wanted, f);
	return 0;
}

static void *follower_main(void *arg)
{
	struct rec_follower *f = arg;
	uint64_t begin_ns = rec_now_ns();
	bool is_idle = false;
	int rc = set_policy(0, SCHED_BATCH);

	__atomic_store_n(&f->tid, gettid(), __ATOMIC_RELAXED);
	rec_privileges_keep_reading(0);
	while (!rc && !is_wanted(f)) {
		rc = catch_up(f, begin_ns, &is_idle);
		while (!rc && sem_wait(&f->go))
			continue;
	}
	pthread_mutex_lock(&f->lock);
	if (rc) {
		rec_hit_reader_free(f->reader);
		f->reader = NULL;
	}
	f->is_parked = true;
	pthread_cond_broadcast(&f->changed);
	leave(f);
	return NULL;
}

struct rec_follower *rec_follower_start(int fd, size_t memory_len,
					struct rec_known_files *known)
{
	struct rec_follower *f = calloc(1, sizeof(*f));
	pthread_t thread;

	if (!f)
		return NULL;
	f->memory_len = memory_len;
	f->known = known;
	f->user_nr = 2;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_init(&f->lock, NULL);
	rec_cond_init(&f->changed);
	sem_init(&f->go, 0, 0);
	if (f->fd >= 0 &&
	    !rec_thread_start(&thread, "follower", follower_main, f)) {
		pthread_detach(thread);
		return f;
	}
	f->user_nr = 1;
	f->known = NULL;
	pthread_mutex_lock(&f->lock);
	leave(f);
	return NULL;
}

void rec_follower_feed(struct rec_follower *f, uint64_t len, bool hurries)
{
	uint64_t now_ns = rec_now_ns(), after_ns = now_ns - f->asked_ns;

	__atomic_store_n(&f->fed_len, len, __ATOMIC_RELAXED);
	if (len == f->asked_len || after_ns < LOOK_NS ||
	    (!hurries && after_ns < LOOK_NS_CALM &&
	     len - f->asked_len < MUCH_LEN))
		return;
	f->asked_len = len;
	f->asked_ns = now_ns;
	sem_post(&f->go);
}

uint64_t rec_follower_due_ns(const struct rec_follower *f)
{
	uint64_t len = __atomic_load_n(&f->fed_len, __ATOMIC_RELAXED);

	return len == f->asked_len ? UINT64_MAX : f->asked_ns + LOOK_NS_CALM;
}

struct rec_hit_reader *rec_follower_take(struct rec_follower *f,
					 uint64_t until_ns,
					 struct rec_known_files **ret_known)
{
	struct rec_hit_reader *reader = NULL;
	pid_t tid;

	pthread_mutex_lock(&f->lock);
	__atomic_store_n(&f->is_wanted, true, __ATOMIC_RELAXED);
	sem_post(&f->go);
	tid = __atomic_load_n(&f->tid, __ATOMIC_RELAXED);
	if (tid && !f->is_parked) /* if not, it may be another thread's */
		(void)!set_policy(tid, SCHED_OTHER);
	while (!f->is_parked && rec_cond_wait(&f->changed, &f->lock, until_ns))
		continue;
	if (f->is_parked) {
		reader = f->reader;
		f->reader = NULL;
		*ret_known = f->known;
		f->known = NULL;
	} else {
		*ret_known = NULL;
		f->is_left = true;
		__atomic_fetch_add(&left_nr, 1, __ATOMIC_RELAXED);
	}
	leave(f);
	return reader;
}
