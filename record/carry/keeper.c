#include "record/carry/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "format/base/hash.h"
#include "format/records/record_body.h"
#include "format/symtab/jit_code.h"
#include "format/symtab/perf_map_line.h"
#include "record/base/runtime.h"
#include "record/carry/address_spaces.h"
#include "record/carry/carry.h"
#include "record/carry/kept_maps.h"
#include "record/carry/pins.h"
#include "record/names/jitdump_codes.h"
#include "record/targets/privileges.h"

enum {
	JOBS_MAX = 1024,
	JOBS_MANY = 256, /* do not wait for the end of a drain */
	KNOWN_NR = 8192,
	/* A five hundredth of a CPU, beyond what the start of a recording
	 * takes, when all that runs is seen at once. */
	CPU_SHARE = 500,
	/* Clocks gain on each other by less than one part in so many. */
	CLOCK_DRIFT = 10000,
	CPU_AT_START_NS = 20000000,
};

#define SETTLE_NS UINT64_C(100000000)
/* So long the end of a process that only mapped files waits, and that a pinned
 * one was mapped again: nothing is lost meanwhile. */
#define PATIENCE_NS UINT64_C(1000000000)
/* A clock that gains so much at once was set, or went on while the machine
 * slept. */
#define CLOCK_STEP_NS INT64_C(4000000000)

enum job_kind { JOB_FILE, JOB_AGAIN, JOB_MAP, JOB_END };

/* A file that is mapped for the first time, or again while it is pinned; the
 * perf map or the end of a process. */
struct job {
	enum job_kind kind;
	bool is_new; /* it was mapped after the recording began */
	uint64_t key;
	struct rec_mapped mapped;
	struct rec_build_id id;
	char *path; /* owned; mapped.path, of a file's first time */
};

/* How the recording's clock goes by ours; all are atomic. */
struct keeper_clock {
	int64_t add;	    /* the recording's less ours, about ... */
	uint64_t seen_ns;   /* ... as of then; 0: not known */
	int64_t add_before; /* add until step_ns, 0: always one */
	uint64_t step_ns;
};

struct rec_keeper {
	pthread_mutex_t lock;
	pthread_cond_t idle;
	pthread_t thread;
	sem_t go;	/* posted once for each is_called */
	bool is_called; /* atomic */
	bool stop;
	bool is_busy;
	bool wants_look;
	bool is_urgent;		/* one of the jobs is */
	uint64_t ran_ns;	/* when the jobs before were taken */
	uint64_t held_to_ns;	/* until then no pin is let go */
	uint64_t due_ns;	/* of the next look at pins and maps */
	uint64_t ends_ns;	/* of the next pin that is to be let go */
	uint64_t hurries_to_ns; /* atomic: rec_keeper_hurries() */
	struct keeper_clock clock;
	int proc_fd;
	size_t id_len;
	uint64_t begin_ns;
	struct job *jobs; /* owned */
	size_t nr;
	struct job *batch; /* owned; the thread's, which does them */
	/* Owned: what was asked for already, by its hash; what falls into the
	 * same place is asked for again. */
	uint64_t *known;
	struct rec_pins pins;
	struct rec_kept_maps maps;
};

static uint64_t key_of_pid(uint32_t pid)
{
	return pd_hash_of(&pid, sizeof(pid)) | 1;
}

/* The key of a process of which a file was asked for. */
static uint64_t key_of_owner(uint32_t pid)
{
	return key_of_pid(~pid);
}

/* With the lock: its end is of interest. */
static void note_owner(struct rec_keeper *k, uint32_t pid)
{
	uint64_t owner = key_of_owner(pid);

	k->known[owner % KNOWN_NR] = owner;
}

/* Any thread: have the keeper run, once for all who call it until then. */
static void call(struct rec_keeper *k)
{
	if (!__atomic_exchange_n(&k->is_called, true, __ATOMIC_ACQ_REL))
		sem_post(&k->go);
}

/* The keeper's thread. */

static void hurry(struct rec_keeper *k, uint64_t for_ns)
{
	uint64_t to_ns = rec_now_ns() + for_ns;

	if (to_ns > k->hurries_to_ns)
		__atomic_store_n(&k->hurries_to_ns, to_ns, __ATOMIC_RELAXED);
}

static bool is_over_share(const struct rec_keeper *k)
{
	return rec_thread_cpu_ns() >
	       CPU_AT_START_NS + (rec_now_ns() - k->begin_ns) / CPU_SHARE;
}

/* Also of a pin that is let go: whoever maps the file next has it pinned again.
 */
static void forget(void *ctx, uint64_t key)
{
	struct rec_keeper *k = ctx;

	pthread_mutex_lock(&k->lock);
	if (k->known[key % KNOWN_NR] == key)
		k->known[key % KNOWN_NR] = 0;
	pthread_mutex_unlock(&k->lock);
}

static bool is_dump(const struct job *job)
{
	return pd_is_jitdump((struct pd_str){ job->path, strlen(job->path) });
}

/* Return whether the file may be held: nothing of a mount that a user made, and
 * no jitdump of another user, whose text is believed later. */
static bool may_be_held(const struct rec_keeper *k, const struct job *job,
			int fd, bool is_here)
{
	uint32_t pid = (uint32_t)job->mapped.pid;

	/* on one of ours, whatever its process had */
	return rec_pins_may_hold(&k->pins, is_here ? 0 : pid, fd) &&
	       (!is_dump(job) || !rec_jitdump_judge(k->proc_fd, pid, fd));
}

/* Return whether that is done for good.  here: what stands at the path, if
 * is_here. */
static bool pin_file(struct rec_keeper *k, const struct job *job, bool is_here,
		     const struct stat *here)
{
	struct rec_pin pin = {
		.keys = { rec_pin_key_of_inode(&job->mapped),
			  rec_pin_key_of_id(&job->id, job->path), job->key },
		.pid = (uint32_t)job->mapped.pid,
		.since_ns = rec_now_ns(),
	};
	struct stat st;

	hurry(k, REC_PIN_NEW_NS);
	if (rec_pins_has(&k->pins, job->key))
		return true;
	pin.fd = rec_mapped_open(k->proc_fd, &job->mapped, &job->id);
	if (pin.fd < 0)
		return false;
	is_here = is_here && !fstat(pin.fd, &st) && st.st_ino == here->st_ino &&
		  st.st_dev == here->st_dev;
	if (!may_be_held(k, job, pin.fd, is_here)) {
		close(pin.fd);
		return true;
	}
	/* The follower reads it soon, or when something in it was hit. */
	if (!is_dump(job) && is_here)
		pin.until_ns = pin.since_ns + REC_PIN_NEW_NS;
	rec_pins_add(&k->pins, &pin);
	return true;
}

/* Return whether that is done for good.  A file that was mapped before, or of
 * root's that has stood for so long, will stand until it is read. */
static bool keep_file(struct rec_keeper *k, const struct job *job)
{
	struct stat here = { .st_ino = 0 };
	bool is_here = rec_mapped_stands(&job->mapped, &here);

	return (is_here && !is_dump(job) &&
		(!job->is_new || rec_is_settled(&here))) ||
	       pin_file(k, job, is_here, &here);
}

/* Return whether that is done for good. */
static bool keep(struct rec_keeper *k, const struct job *job)
{
	if (is_over_share(k))
		return false;
	if (job->kind == JOB_FILE)
		return keep_file(k, job);
	rec_kept_maps_add(&k->maps, (uint32_t)job->mapped.pid);
	return true;
}

static void do_job(struct rec_keeper *k, const struct job *job)
{
	uint32_t pid = (uint32_t)job->mapped.pid;

	if (job->kind == JOB_END) {
		rec_kept_maps_end(&k->maps, pid);
		rec_pins_end_process(&k->pins, pid, rec_now_ns());
		hurry(k, REC_PIN_END_NS_MAX);
	} else if (job->kind == JOB_AGAIN) {
		rec_pins_renew(&k->pins, job->key, pid, rec_now_ns());
	} else if (!keep(k, job)) {
		forget(k, job->key);
	}
	free(job->path);
}

/* With the lock, which is given back meanwhile: do what is to be done. */
static void run_next(struct rec_keeper *k)
{
	bool may_let_go = rec_now_ns() >= k->held_to_ns;
	bool is_all = k->wants_look;
	struct job *jobs = k->jobs;
	size_t nr = k->nr;

	k->jobs = k->batch;
	k->batch = jobs;
	k->nr = 0;
	k->wants_look = k->is_urgent = false;
	k->ran_ns = rec_now_ns();
	k->is_busy = true;
	(void)__atomic_exchange_n(&k->is_called, false, __ATOMIC_ACQ_REL);
	pthread_mutex_unlock(&k->lock);
	for (size_t i = 0; i < nr; i++)
		do_job(k, &jobs[i]);
	rec_kept_maps_look(&k->maps, is_all);
	if (may_let_go)
		rec_pins_tend(&k->pins, rec_now_ns());
	pthread_mutex_lock(&k->lock);
	k->is_busy = false;
	k->ends_ns = rec_pins_ends_ns(&k->pins);
	k->due_ns = rec_kept_maps_due_ns(&k->maps);
	if (rec_pins_due_ns(&k->pins) < k->due_ns)
		k->due_ns = rec_pins_due_ns(&k->pins);
	if (!k->nr && !k->wants_look)
		pthread_cond_broadcast(&k->idle);
}

static void *keeper_main(void *arg)
{
	struct rec_keeper *k = arg;

	rec_privileges_keep_reading(0);
	for (;;) {
		while (sem_wait(&k->go))
			continue;
		pthread_mutex_lock(&k->lock);
		if (k->stop)
			break;
		run_next(k);
		pthread_mutex_unlock(&k->lock);
	}
	pthread_cond_broadcast(&k->idle);
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

/* The others. */

/* Return how many descriptors may be kept: a quarter of those that are free at
 * most, since events, rings and files were opened before. */
static size_t descriptors_of(int highest_fd)
{
	struct rlimit limit;
	rlim_t free_nr;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur <= (rlim_t)highest_fd)
		return 0;
	free_nr = (limit.rlim_cur - (rlim_t)highest_fd) / 4;
	return free_nr < REC_PINS_MAX ? (size_t)free_nr : REC_PINS_MAX;
}

static void destroy(struct rec_keeper *k)
{
	rec_pins_release(&k->pins);
	pthread_mutex_destroy(&k->lock);
	pthread_cond_destroy(&k->idle);
	sem_destroy(&k->go);
	if (k->proc_fd >= 0)
		close(k->proc_fd);
	free(k->jobs);
	free(k->batch);
	free(k->known);
	free(k);
}

int rec_keeper_start(struct rec_keeper **ret, size_t id_len)
{
	struct rec_keeper *k = calloc(1, sizeof(*k));
	int rc;

	if (!k)
		return -ENOMEM;
	k->id_len = id_len;
	k->begin_ns = rec_now_ns();
	k->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rec_pins_init(&k->pins, k->proc_fd, descriptors_of(k->proc_fd));
	k->pins.let_go = forget;
	k->pins.ctx = k;
	k->maps.pins = &k->pins;
	k->maps.begin_ns = k->begin_ns;
	pthread_mutex_init(&k->lock, NULL);
	rec_cond_init(&k->idle);
	sem_init(&k->go, 0, 0);
	k->due_ns = k->ends_ns = UINT64_MAX;
	k->jobs = calloc(JOBS_MAX, sizeof(*k->jobs));
	k->batch = calloc(JOBS_MAX, sizeof(*k->batch));
	k->known = calloc(KNOWN_NR, sizeof(*k->known));
	rc = k->jobs && k->batch && k->known ? 0 : -ENOMEM;
	if (!rc)
		rc = rec_thread_start(&k->thread, "keeper", keeper_main, k);
	if (rc)
		destroy(k);
	else
		*ret = k;
	return rc;
}

/* With the lock: until nothing is to be done, or until then. */
static void wait_idle(struct rec_keeper *k)
{
	uint64_t until_ns = rec_now_ns() + SETTLE_NS;

	while ((k->nr || k->wants_look || k->is_busy) &&
	       rec_cond_wait(&k->idle, &k->lock, until_ns))
		continue;
}

void rec_keeper_free(struct rec_keeper *keeper)
{
	bool hangs;

	if (!keeper)
		return;
	pthread_mutex_lock(&keeper->lock);
	keeper->stop = true;
	while (keeper->nr)
		free(keeper->jobs[--keeper->nr].path);
	keeper->wants_look = false;
	call(keeper);
	wait_idle(keeper);
	hangs = keeper->is_busy;
	pthread_mutex_unlock(&keeper->lock);
	if (hangs) {
		pthread_detach(keeper->thread);
		return;
	}
	pthread_join(keeper->thread, NULL);
	destroy(keeper);
}

static uint64_t key_of_file(const struct pd_mmap *map)
{
	struct {
		uint64_t ino, ino_generation, path;
		uint32_t maj, min;
		uint8_t id[24];
	} key;

	memset(&key, 0, sizeof(key));
	key.ino = map->ino;
	key.ino_generation = map->ino_generation;
	key.maj = map->maj;
	key.min = map->min;
	memcpy(key.id, map->build_id, map->build_id_len);
	/* many files may have one build-id */
	if (map->build_id_len)
		key.path = pd_hash_of(map->filename.ptr, map->filename.len);
	return pd_hash_of(&key, sizeof(key)) | 1;
}

/* With the lock. */
static void add_job(struct rec_keeper *k, const struct job *job)
{
	if (k->nr == JOBS_MAX) {
		free(job->path);
		return;
	}
	k->jobs[k->nr++] = *job;
	if (k->nr == JOBS_MANY)
		call(k);
	k->is_urgent |= job->kind == JOB_FILE || job->kind == JOB_MAP;
	if (job->kind != JOB_END)
		k->known[job->key % KNOWN_NR] = job->key;
	if (job->kind == JOB_FILE)
		note_owner(k, (uint32_t)job->mapped.pid);
}

/* With the lock.  Of all who map it in one drain the last one counts. */
static void add_again(struct rec_keeper *k, struct job *job)
{
	note_owner(k, (uint32_t)job->mapped.pid);
	for (size_t i = k->nr; i--;)
		if (k->jobs[i].kind == JOB_AGAIN &&
		    k->jobs[i].key == job->key) {
			k->jobs[i].mapped.pid = job->mapped.pid;
			return;
		}
	job->kind = JOB_AGAIN;
	add_job(k, job);
}

static bool is_known(const struct rec_keeper *k, uint64_t key)
{
	return k->known[key % KNOWN_NR] == key;
}

static void see_memory(struct rec_keeper *k, uint32_t pid)
{
	const struct job job = { .kind = JOB_MAP,
				 .key = key_of_pid(pid),
				 .mapped = { .pid = (pid_t)pid } };

	if (!is_known(k, job.key))
		add_job(k, &job);
}

static void see_file(struct rec_keeper *k, const struct pd_mmap *map,
		     bool is_new)
{
	struct job job = {
		.kind = JOB_FILE,
		.is_new = is_new,
		.key = key_of_file(map),
		.mapped = { .pid = (pid_t)map->pid,
			    .start = map->addr,
			    .end = map->addr + map->map_len,
			    .ino = map->ino,
			    .ino_generation = map->ino_generation,
			    .maj = map->maj,
			    .min = map->min },
		.id.len = map->build_id_len,
	};

	if (is_known(k, job.key)) {
		if (rec_pins_has(&k->pins, job.key))
			add_again(k, &job);
		return;
	}
	if (map->filename.ptr[0] != '/' || (!map->ino && !map->build_id_len))
		return;
	job.path = pd_str_dup(map->filename);
	if (!job.path)
		return;
	job.mapped.path = job.path;
	memcpy(job.id.bytes, map->build_id, map->build_id_len);
	add_job(k, &job);
}

static void see_map(struct rec_keeper *k, const struct pd_mmap *map,
		    bool is_new)
{
	bool is_memory = rec_is_anonymous(map->filename);

	if (is_memory ||
	    (!map->build_id_len && pd_may_be_jit_file(map->filename)))
		see_memory(k, map->pid);
	if (!is_memory)
		see_file(k, map, is_new);
}

/* Forget a key.  Return whether it was known. */
static bool take_known(struct rec_keeper *k, uint64_t key)
{
	bool was_known = is_known(k, key);

	if (was_known)
		k->known[key % KNOWN_NR] = 0;
	return was_known;
}

/* If another key took its place, the keeper finds out by itself. */
static void see_end(struct rec_keeper *k, const struct pd_task *task)
{
	struct job job = { .kind = JOB_END, .mapped.pid = (pid_t)task->pid };
	bool has_memory, has_file;

	if (task->pid != task->tid)
		return;
	has_memory = take_known(k, key_of_pid(task->pid));
	has_file = take_known(k, key_of_owner(task->pid));
	if (has_memory || has_file)
		add_job(k, &job);
	k->is_urgent |= has_memory; /* its perf map may be removed */
}

void rec_keeper_see(struct rec_keeper *keeper, const struct pd_record *rec,
		    bool is_new)
{
	struct pd_body body;

	if ((rec->type == PD_RECORD_MMAP2 &&
	     (rec->misc & PD_MISC_CPUMODE_MASK) != PD_CPUMODE_USER) ||
	    pd_body_read(rec, keeper->id_len, &body, NULL))
		return;
	pthread_mutex_lock(&keeper->lock);
	if (rec->type == PD_RECORD_EXIT)
		see_end(keeper, &body.u.task);
	else if (rec->type == PD_RECORD_MMAP2 && body.u.mmap.prot & PROT_EXEC)
		see_map(keeper, &body.u.mmap, is_new);
	pthread_mutex_unlock(&keeper->lock);
}

void rec_keeper_settle(struct rec_keeper *keeper, uint64_t hold_ns)
{
	pthread_mutex_lock(&keeper->lock);
	keeper->held_to_ns = rec_now_ns() + hold_ns;
	keeper->wants_look = true;
	call(keeper);
	wait_idle(keeper);
	pthread_mutex_unlock(&keeper->lock);
}

void rec_keeper_let_go(struct rec_keeper *keeper)
{
	pthread_mutex_lock(&keeper->lock);
	keeper->held_to_ns = 0;
	call(keeper);
	pthread_mutex_unlock(&keeper->lock);
}

/* With the lock: what was drained is never newer than now, and seldom much
 * older, so that the least difference is the best.  Clocks drift apart. */
static void see_clock(struct rec_keeper *k, uint64_t newest_ns)
{
	uint64_t now_ns = rec_now_ns();
	int64_t add = (int64_t)(newest_ns - now_ns);
	int64_t drift = (int64_t)((now_ns - k->clock.seen_ns) / CLOCK_DRIFT);

	if (!newest_ns || (k->clock.seen_ns && add < k->clock.add - drift))
		return;
	if (k->clock.seen_ns && add - k->clock.add > CLOCK_STEP_NS) {
		__atomic_store_n(&k->clock.add_before, k->clock.add,
				 __ATOMIC_RELAXED);
		__atomic_store_n(&k->clock.step_ns, now_ns, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&k->clock.add, add, __ATOMIC_RELEASE);
	__atomic_store_n(&k->clock.seen_ns, now_ns, __ATOMIC_RELEASE);
}

/* With the lock: return when the keeper is to run, if nothing is urgent. */
static uint64_t due_ns(const struct rec_keeper *k)
{
	uint64_t jobs_ns = k->nr ? k->ran_ns + PATIENCE_NS : UINT64_MAX;

	return jobs_ns < k->due_ns ? jobs_ns : k->due_ns;
}

void rec_keeper_turn(struct rec_keeper *keeper, uint64_t newest_ns)
{
	bool is_due;

	pthread_mutex_lock(&keeper->lock);
	see_clock(keeper, newest_ns);
	is_due = keeper->is_urgent || rec_now_ns() >= due_ns(keeper);
	pthread_mutex_unlock(&keeper->lock);
	if (is_due) /* it needs the lock at once */
		call(keeper);
}

uint64_t rec_keeper_due_ns(struct rec_keeper *keeper)
{
	uint64_t ret;

	pthread_mutex_lock(&keeper->lock);
	ret = keeper->ends_ns;
	if (keeper->nr && keeper->ran_ns + PATIENCE_NS < ret)
		ret = keeper->ran_ns + PATIENCE_NS;
	pthread_mutex_unlock(&keeper->lock);
	return ret;
}

bool rec_keeper_hurries(const struct rec_keeper *keeper)
{
	return rec_now_ns() <
	       __atomic_load_n(&keeper->hurries_to_ns, __ATOMIC_RELAXED);
}

void rec_keeper_note_look(struct rec_keeper *keeper, uint64_t begin_ns)
{
	rec_pins_note_look(&keeper->pins, begin_ns);
	if (rec_keeper_hurries(keeper)) /* some may be let go */
		call(keeper);
}

static uint64_t key_of(const struct rec_mapped *mapped,
		       const struct rec_build_id *id)
{
	return id->len ? rec_pin_key_of_id(id, mapped->path)
		       : rec_pin_key_of_inode(mapped);
}

int rec_keeper_file(const struct rec_keeper *keeper,
		    const struct rec_mapped *mapped,
		    const struct rec_build_id *id)
{
	return rec_pins_find(&keeper->pins, key_of(mapped, id));
}

bool rec_keeper_file_ends(const struct rec_keeper *keeper,
			  const struct rec_mapped *mapped,
			  const struct rec_build_id *id, uint64_t now_ns)
{
	return rec_pins_is_last_look(&keeper->pins, key_of(mapped, id), now_ns);
}

/* Return our time then in the recording's clock. */
static uint64_t translated(const struct rec_keeper *k, uint64_t then_ns)
{
	int64_t add = __atomic_load_n(&k->clock.add, __ATOMIC_ACQUIRE);

	if (then_ns < __atomic_load_n(&k->clock.step_ns, __ATOMIC_ACQUIRE))
		add = __atomic_load_n(&k->clock.add_before, __ATOMIC_RELAXED);
	return then_ns + (uint64_t)add;
}

/* Have the notes in the recording's clock, if that is known. */
static void translate(const struct rec_keeper *k, struct rec_map_notes *notes)
{
	bool is_known = __atomic_load_n(&k->clock.seen_ns, __ATOMIC_ACQUIRE);

	if (!is_known)
		notes->nr = 0;
	for (size_t i = 0; i < notes->nr; i++) {
		struct rec_map_note *note = &notes->items[i];

		note->looked_ns = translated(k, note->looked_ns);
		if (note->changed_ns)
			note->changed_ns = translated(k, note->changed_ns);
	}
}

int rec_keeper_perf_map(const struct rec_keeper *keeper, uint32_t pid,
			struct rec_map_notes *ret)
{
	int fd = rec_pins_find_noted(&keeper->pins, rec_pin_key_of_map(pid),
				     ret);

	if (fd < 0) {
		ret->nr = 0;
		return fd;
	}
	translate(keeper, ret);
	/* Copies share one position. */
	lseek(fd, 0, SEEK_SET);
	return fd;
}

bool rec_keeper_perf_map_ends(const struct rec_keeper *keeper, uint32_t pid,
			      uint64_t now_ns)
{
	return rec_pins_is_last_look(&keeper->pins, rec_pin_key_of_map(pid),
				     now_ns);
}
