#include "record/carry/follower.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "record/base/runtime.h"
#include "record/targets/privileges.h"

#define LOOK_NS UINT64_C(1000000000)

/* Whoever leaves it last frees it. */
struct rec_follower {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned user_nr;
	pid_t tid; /* atomic; 0: it has not begun */
	int fd;	   /* owned */
	size_t memory_len;
	uint64_t fed_len;	       /* atomic */
	bool is_wanted;		       /* atomic: the reader is */
	bool is_parked;		       /* the reader is not in use any more */
	struct rec_hit_reader *reader; /* owned; NULL: nothing was read */
};

/* With the lock, which is released. */
static void leave(struct rec_follower *f)
{
	bool is_last = !--f->user_nr;

	pthread_mutex_unlock(&f->lock);
	if (!is_last)
		return;
	rec_hit_reader_free(f->reader);
	close(f->fd);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

static bool is_wanted(const struct rec_follower *f)
{
	return __atomic_load_n(&f->is_wanted, __ATOMIC_RELAXED);
}

/* Read what was fed.  Return 0, or the error that ends this. */
static int catch_up(struct rec_follower *f)
{
	uint64_t len = __atomic_load_n(&f->fed_len, __ATOMIC_RELAXED);
	int rc = 0;

	if (!f->reader && len)
		rc = rec_hit_reader_new(&f->reader, f->fd, len, f->memory_len,
					NULL);
	if (!len || rc)
		return rc;
	do
		rc = rec_hit_reader_read(f->reader, len);
	while (rc > 0 && !is_wanted(f));
	return rc < 0 ? rc : 0;
}

static void *follower_main(void *arg)
{
	const struct sched_param param = { .sched_priority = 0 };
	struct rec_follower *f = arg;
	int rc = sched_setscheduler(0, SCHED_IDLE, &param);

	__atomic_store_n(&f->tid, gettid(), __ATOMIC_RELAXED);
	(void)!rec_privileges_drop(0);
	while (!rc && !is_wanted(f)) {
		rc = catch_up(f);
		pthread_mutex_lock(&f->lock);
		if (!rc && !is_wanted(f))
			rec_cond_wait(&f->changed, &f->lock,
				      rec_now_ns() + LOOK_NS);
		pthread_mutex_unlock(&f->lock);
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

struct rec_follower *rec_follower_start(int fd, size_t memory_len)
{
	struct rec_follower *f = calloc(1, sizeof(*f));
	pthread_t thread;

	if (!f)
		return NULL;
	f->memory_len = memory_len;
	f->user_nr = 2;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_init(&f->lock, NULL);
	rec_cond_init(&f->changed);
	if (f->fd >= 0 &&
	    !rec_thread_start(&thread, "follower", follower_main, f)) {
		pthread_detach(thread);
		return f;
	}
	f->user_nr = 1;
	pthread_mutex_lock(&f->lock);
	leave(f);
	return NULL;
}

void rec_follower_feed(struct rec_follower *f, uint64_t len)
{
	__atomic_store_n(&f->fed_len, len, __ATOMIC_RELAXED);
}

struct rec_hit_reader *rec_follower_take(struct rec_follower *f,
					 uint64_t until_ns)
{
	const struct sched_param param = { .sched_priority = 0 };
	struct rec_hit_reader *reader = NULL;
	pid_t tid;

	pthread_mutex_lock(&f->lock);
	__atomic_store_n(&f->is_wanted, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&f->changed);
	tid = __atomic_load_n(&f->tid, __ATOMIC_RELAXED);
	if (tid && !f->is_parked) /* if not, it may be another thread's */
		(void)!sched_setscheduler(tid, SCHED_OTHER, &param);
	while (!f->is_parked && rec_cond_wait(&f->changed, &f->lock, until_ns))
		continue;
	if (f->is_parked) {
		reader = f->reader;
		f->reader = NULL;
	}
	leave(f);
	return reader;
}
