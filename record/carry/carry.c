#include "record/carry/carry.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "record/base/memory_limit.h"
#include "record/base/runtime.h"
#include "record/carry/collector.h"
#include "record/carry/follower.h"
#include "record/carry/keeper.h"
#include "record/carry/symbol_index.h"
#include "record/targets/privileges.h"

/* The memory of the recorder, its tables and zstd beside what is collected; the
 * shares of the rest: addresses, names and frames, as they are found and as
 * they are written, and two for spare memory; a share below which there are no
 * names. */
#define FIXED_LEN      (UINT64_C(6) << 20)
#define SHARES	       8
#define MEMORY_LEN_MIN (UINT64_C(256) << 10)

/* So long things wait for a turn that comes anyway. */
#define TURN_NS UINT64_C(1000000000)
/* The thread is looked at so many times before it counts as hanging. */
enum { STEPS_OF_HANG = 20 };
/* So long a follower may take to end with all. */
#define DROP_NS UINT64_C(100000000)

int rec_carry_parse(const char *text, unsigned *ret)
{
	static const struct {
		const char *word;
		unsigned what;
	} words[] = { { "names", REC_CARRY_NAMES }, { "cfi", REC_CARRY_CFI } };
	unsigned found = 0;

	for (bool more = strcmp(text, "none") != 0; more; text++) {
		size_t len = strcspn(text, ","), i = 0;

		while (i < 2 && (strlen(words[i].word) != len ||
				 memcmp(words[i].word, text, len) != 0))
			i++;
		if (i == 2)
			return -EINVAL;
		found |= words[i].what;
		text += len;
		more = *text;
	}
	*ret = found;
	return 0;
}

/* The thread's task and its result: the thread's while it runs, and if nobody
 * waits for it any more, for good. */
struct rec_carry_request {
	int fd; /* owned */
	uint64_t len;
	struct rec_follower *follower; /* owned; NULL: none */
	struct rec_known_files *known; /* owned; NULL: the follower's */
	struct pd_buf b;
	struct pd_carried_sections sections;
	struct pd_err err;
	int rc;
	bool is_done;
	bool is_given_up; /* the thread frees it */
};

static void drop(struct rec_follower *follower, uint64_t until_ns)
{
	struct rec_known_files *known;

	if (!follower)
		return;
	rec_hit_reader_free(rec_follower_take(follower, until_ns, &known));
	rec_known_files_free(known);
}

static void free_request(struct rec_carry_request *r)
{
	drop(r->follower, 0);
	rec_known_files_free(r->known);
	if (r->fd >= 0)
		close(r->fd);
	pd_buf_release(&r->b);
	free(r);
}

size_t rec_carry_memory_len(uint64_t room_len)
{
	uint64_t len;

	if (room_len < FIXED_LEN + SHARES * MEMORY_LEN_MIN)
		return 0;
	len = (room_len - FIXED_LEN) / SHARES;
	return len < REC_CARRY_MEMORY_LEN ? (size_t)len : REC_CARRY_MEMORY_LEN;
}

/* Freed memory counts for a control group until the system has it back. */
static void return_memory(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

/* Lower the limits to what the control groups leave now.  Return false if that
 * is too little: names are given up before the kernel ends the process. */
static bool fit_memory(struct rec_carry_conf *conf, struct pd_err *err)
{
	struct rec_memory_limit limit;
	size_t len;

	rec_memory_limit_read(&limit, "/proc");
	len = rec_carry_memory_len(limit.room_len);
	if (len < conf->memory_len)
		conf->memory_len = len;
	if (conf->memory_len < REC_CARRY_MEMORY_LEN &&
	    conf->memory_len < conf->len_max)
		conf->len_max = conf->memory_len;
	if (!len)
		pd_err_set(err, -ENOMEM, "%s leaves %.1f MB of memory",
			   limit.is_own ? "--budget" : "the control group",
			   (double)limit.room_len / 1024.0 / 1024.0);
	return len > 0;
}

static struct rec_known_files *new_known(const struct rec_carry *carry,
					 size_t memory_len)
{
	const struct rec_known_conf conf = {
		.what = carry->conf.what,
		.memory_len = memory_len,
		.from = { .proc_fd = carry->proc_fd, .keeper = carry->keeper },
		.look_cpu_ns = carry->conf.time_ns / 2,
		.index_fd = carry->index_fd,
	};

	return rec_known_files_new(&conf);
}

/* With as much memory as there is: what is known is given up if that is less
 * than before. */
static void collect(const struct rec_carry *carry,
		    struct rec_collector_conf *conf,
		    struct rec_carry_request *r)
{
	if (conf->known &&
	    conf->limits.memory_len < conf->known->conf.memory_len) {
		if (conf->reader)
			rec_known_files_leave(
				rec_hit_reader_hits(conf->reader));
		rec_known_files_free(conf->known);
		conf->known = NULL;
	}
	if (!conf->known)
		conf->known = new_known(carry, conf->limits.memory_len);
	r->known = conf->known;
	if (!conf->known) {
		rec_hit_reader_free(conf->reader);
		r->rc = pd_err_set(&r->err, -ENOMEM, "out of memory");
		return;
	}
	r->rc = rec_collector_run(conf, r->fd, r->len, &r->b, &r->sections,
				  &r->err);
	rec_known_files_next(r->known);
}

static void run(struct rec_carry *carry, struct rec_carry_request *r)
{
	uint64_t now_ns = rec_now_ns();
	struct rec_collector_conf conf = {
		.limits = carry->conf,
		.kallsyms = &carry->kallsyms,
		.known = r->known,
		.read_until_ns = now_ns + carry->conf.time_ns / 2,
		.until_ns = now_ns + carry->conf.time_ns,
		.is_cut = carry->is_cut,
	};

	/* If it does not get the CPU, there is time to begin again. */
	if (r->follower)
		conf.reader = rec_follower_take(
			r->follower, now_ns + carry->conf.time_ns / 4,
			&conf.known);
	r->follower = NULL;
	if (carry->keeper)
		rec_keeper_settle(carry->keeper, carry->conf.time_ns);
	return_memory();
	if (fit_memory(&conf.limits, &r->err)) {
		collect(carry, &conf, r);
	} else {
		rec_hit_reader_free(conf.reader);
		rec_known_files_free(conf.known);
		r->rc = -ENOMEM;
	}
	if (carry->keeper)
		rec_keeper_let_go(carry->keeper);
	return_memory();
}

/* With the lock, which is given back while names are collected. */
static void do_request(struct rec_carry *carry, struct rec_carry_request *r)
{
	carry->request = NULL;
	carry->is_busy = true;
	pthread_mutex_unlock(&carry->lock);
	run(carry, r);
	pthread_mutex_lock(&carry->lock);
	carry->is_busy = false;
	if (!carry->known) {
		carry->known = r->known;
		r->known = NULL;
	}
	r->is_done = true;
	if (r->is_given_up)
		free_request(r);
	pthread_cond_broadcast(&carry->changed);
}

static void *carry_main(void *arg)
{
	struct rec_carry *carry = arg;

	rec_privileges_keep_reading(PD_BIT(CAP_SYS_NICE)); /* follower.h */
	pthread_mutex_lock(&carry->lock);
	carry->tid = gettid();
	while (!carry->stop) {
		if (carry->request)
			do_request(carry, carry->request);
		else
			pthread_cond_wait(&carry->changed, &carry->lock);
	}
	pthread_mutex_unlock(&carry->lock);
	return NULL;
}

int rec_carry_start(struct rec_carry *carry, const struct rec_carry_conf *conf)
{
	int rc;

	*carry = (struct rec_carry){ .conf = *conf, .index_fd = -1 };
	carry->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (conf->index_dir)
		carry->index_fd = rec_symbol_index_dir(conf->index_dir);
	/* A copy of it is memory, too. */
	rec_kallsyms_open(&carry->kallsyms,
			  conf->is_rotated &&
				  conf->memory_len == REC_CARRY_MEMORY_LEN);
	pthread_mutex_init(&carry->lock, NULL);
	rec_cond_init(&carry->changed);
	rc = rec_thread_start(&carry->thread, "names", carry_main, carry);
	carry->is_on = !rc;
	/* Without it what is there at the end has names. */
	if (!rc && rec_keeper_start(&carry->keeper, conf->id_len))
		carry->keeper = NULL;
	return rc;
}

void rec_carry_release(struct rec_carry *carry)
{
	bool hangs;

	if (!carry->is_on)
		return;
	pthread_mutex_lock(&carry->lock);
	carry->stop = true;
	hangs = carry->is_busy;
	pthread_cond_broadcast(&carry->changed);
	pthread_mutex_unlock(&carry->lock);
	carry->is_on = false;
	drop(carry->follower, rec_now_ns() + DROP_NS);
	carry->follower = NULL;
	rec_known_files_free(carry->known);
	carry->known = NULL;
	if (hangs) {
		pthread_detach(carry->thread);
		return;
	}
	pthread_join(carry->thread, NULL);
	if (rec_follower_hangs()) /* it uses what follows */
		return;
	rec_keeper_free(carry->keeper);
	carry->keeper = NULL;
	if (carry->proc_fd >= 0)
		close(carry->proc_fd);
	if (carry->index_fd >= 0)
		close(carry->index_fd);
	rec_kallsyms_close(&carry->kallsyms);
}

void rec_carry_see(struct rec_carry *carry, const struct pd_record *rec,
		   bool is_new)
{
	if (carry->keeper)
		rec_keeper_see(carry->keeper, rec, is_new);
}

/* One that hangs has the table, and the next one would hang, too. */
static struct rec_known_files *take_known(struct rec_carry *carry)
{
	struct rec_known_files *known;

	pthread_mutex_lock(&carry->lock);
	known = carry->known;
	carry->known = NULL;
	pthread_mutex_unlock(&carry->lock);
	if (known && known->conf.memory_len < carry->conf.memory_len) {
		rec_known_files_free(known);
		known = NULL;
	}
	return known || rec_follower_hangs()
		       ? known
		       : new_known(carry, carry->conf.memory_len);
}

void rec_carry_begin(struct rec_carry *carry, int fd)
{
	struct rec_known_files *known;

	drop(carry->follower, 0);
	carry->follower = NULL;
	if (!carry->is_on || fd < 0 || carry->conf.maps_come_last)
		return;
	known = take_known(carry);
	carry->follower = rec_follower_start(fd, carry->conf.memory_len, known);
	if (!carry->follower)
		rec_known_files_free(known);
}

void rec_carry_feed(struct rec_carry *carry, uint64_t len)
{
	bool hurries = !carry->keeper || rec_keeper_hurries(carry->keeper);

	if (carry->follower)
		rec_follower_feed(carry->follower, len, hurries);
}

void rec_carry_turn(struct rec_carry *carry, uint64_t newest_ns)
{
	if (carry->keeper)
		rec_keeper_turn(carry->keeper, newest_ns);
}

uint64_t rec_carry_due_ns(const struct rec_carry *carry)
{
	uint64_t pin_ns = UINT64_MAX, look_ns = UINT64_MAX, due_ns;

	if (carry->keeper)
		pin_ns = rec_keeper_due_ns(carry->keeper);
	if (carry->follower)
		look_ns = rec_follower_due_ns(carry->follower);
	due_ns = pin_ns < look_ns ? pin_ns : look_ns;
	return due_ns == UINT64_MAX ? due_ns : due_ns + TURN_NS;
}

/* Return whether the thread runs, or would if it had a CPU. */
static bool is_runnable(const struct rec_carry *carry)
{
	char path[64], text[64] = "";
	const char *state;
	int fd;

	if (!carry->tid)
		return true;
	snprintf(path, sizeof(path), "self/task/%d/stat", (int)carry->tid);
	fd = openat(carry->proc_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	state = strrchr(text, ')');
	return state && strncmp(state, ") R", 3) == 0;
}

/* Wait for the request, with the lock.  Return false if a file system hangs:
 * what counts is for how long the thread stood still, since on a machine with
 * too much work, or an emulated one, it may only be slow. */
static bool wait_done(struct rec_carry *carry,
		      const struct rec_carry_request *r)
{
	const uint64_t step_ns = carry->conf.hang_ns / STEPS_OF_HANG;
	uint64_t left_ns = carry->conf.time_ns + carry->conf.hang_ns;

	while (!r->is_done && left_ns) {
		uint64_t cpu_ns = rec_cpu_of_thread_ns(carry->thread);
		uint64_t until_ns = rec_now_ns() + step_ns, still_ns;

		while (!r->is_done &&
		       rec_cond_wait(&carry->changed, &carry->lock, until_ns))
			continue;
		if (r->is_done || is_runnable(carry))
			continue;
		cpu_ns = rec_cpu_of_thread_ns(carry->thread) - cpu_ns;
		still_ns = cpu_ns < step_ns ? step_ns - cpu_ns : 0;
		left_ns -= still_ns < left_ns ? still_ns : left_ns;
	}
	return r->is_done;
}

static struct rec_carry_request *new_request(int fd, uint64_t len)
{
	struct rec_carry_request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->len = len;
	r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return r;
}

int rec_carry_collect(struct rec_carry *carry, int fd, uint64_t len,
		      struct pd_buf *b, struct pd_carried_sections *ret,
		      struct pd_err *err)
{
	struct rec_carry_request *r = new_request(fd, len);
	bool is_done;
	int rc;

	if (r) {
		r->follower = carry->follower;
		carry->follower = NULL;
	}
	if (!r)
		return pd_err_set(err, -ENOMEM, "out of memory");
	pthread_mutex_lock(&carry->lock);
	if (carry->is_busy) { /* with a file before, and nobody waits */
		pthread_mutex_unlock(&carry->lock);
		free_request(r);
		return pd_err_set(err, -EBUSY, "a file system does not answer");
	}
	carry->request = r;
	pthread_cond_broadcast(&carry->changed);
	is_done = wait_done(carry, r);
	r->is_given_up = !is_done;
	pthread_mutex_unlock(&carry->lock);
	if (!is_done)
		return pd_err_set(err, -ETIMEDOUT,
				  "a file system does not answer");
	rc = r->rc;
	if (rc && err)
		*err = r->err;
	pd_buf_bytes(b, r->b.data, r->b.len);
	*ret = r->sections;
	free_request(r);
	return rc;
}

int rec_carry_collect_left(const struct rec_carry_conf *limits,
			   const struct rec_carry_left *left, int fd,
			   uint64_t len, struct pd_buf *b,
			   struct pd_carried_sections *ret)
{
	const uint64_t now_ns = rec_now_ns();
	struct rec_known_conf known = {
		.what = limits->what,
		.from = { .proc_fd = open("/proc",
					  O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			  .left = left },
		.index_fd = -1,
	};
	struct rec_kallsyms kallsyms;
	struct rec_collector_conf conf = {
		.limits = *limits,
		.kallsyms = &kallsyms,
		.read_until_ns = now_ns + 5 * limits->time_ns,
		.until_ns = now_ns + 10 * limits->time_ns,
	};
	struct pd_err err = PD_ERR_INIT;
	int rc = -ENOMEM;

	rec_kallsyms_open(&kallsyms, false);
	/* A thread at idle priority returns none: it would hold locks. */
	if (fit_memory(&conf.limits, &err)) {
		known.memory_len = conf.limits.memory_len;
		conf.known = rec_known_files_new(&known);
	}
	if (conf.known)
		rc = rec_collector_run(&conf, fd, len, b, ret, &err);
	rec_known_files_free(conf.known);
	rec_kallsyms_close(&kallsyms);
	if (known.from.proc_fd >= 0)
		close(known.from.proc_fd);
	return rc;
}
