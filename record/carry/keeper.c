#include "record/carry/keeper.h"

#include <errno.h>
#include <fcntl.h>
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
#include "record/base/runtime.h"
#include "record/carry/address_spaces.h"
#include "record/carry/carry.h"
#include "record/carry/kept_files.h"
#include "record/carry/kept_maps.h"
#include "record/names/jitdump_codes.h"
#include "record/targets/privileges.h"

enum {
	JOBS_MAX = 1024,
	KNOWN_NR = 8192,
	DESCRIPTORS_MAX = 512,
	/* A thousandth of a CPU, beyond what the start of a recording takes,
	 * when all that runs is seen at once. */
	CPU_SHARE = 1000,
	CPU_AT_START_NS = 20000000,
};

#define SETTLE_NS UINT64_C(100000000)

enum job_kind { JOB_FILE, JOB_MAP, JOB_END };

struct job {
	enum job_kind kind;
	bool is_new;
	uint64_t key;
	struct rec_mapped mapped;
	struct rec_build_id id;
	char *path; /* owned; mapped.path, of a file */
};

struct rec_keeper {
	pthread_mutex_t lock;
	pthread_cond_t more;
	pthread_cond_t idle;
	pthread_t thread;
	bool stop;
	bool is_busy;
	bool wants_look;
	int proc_fd;
	size_t id_len;
	uint64_t begin_ns;
	struct job *jobs; /* owned; a circle of them */
	size_t first;
	size_t nr;
	/* Owned: what was asked for already, by its hash; what falls into the
	 * same place is asked for again. */
	uint64_t *known;
	struct rec_kept_files files;
	struct rec_kept_maps maps;
};

/* The keeper's thread. */

static bool is_over_share(const struct rec_keeper *k)
{
	return rec_thread_cpu_ns() >
	       CPU_AT_START_NS + (rec_now_ns() - k->begin_ns) / CPU_SHARE;
}

static void forget(struct rec_keeper *k, uint64_t key)
{
	pthread_mutex_lock(&k->lock);
	if (k->known[key % KNOWN_NR] == key)
		k->known[key % KNOWN_NR] = 0;
	pthread_mutex_unlock(&k->lock);
}

static enum rec_kept_worth worth_of(const struct job *job, int fd)
{
	struct stat kept, now;

	if (fstat(fd, &kept) || stat(job->path, &now) ||
	    kept.st_ino != now.st_ino || kept.st_dev != now.st_dev)
		return REC_KEPT_RARE;
	return job->is_new ? REC_KEPT_NEW : REC_KEPT_OLD;
}

static bool has_file(struct rec_keeper *k, const struct job *job)
{
	return rec_kept_files_find(&k->files, &job->mapped, &job->id) >= 0;
}

static bool is_foreign_dump(const struct rec_keeper *k, const struct job *job,
			    int fd)
{
	const struct pd_str path = { job->path, strlen(job->path) };

	return pd_is_jitdump(path) &&
	       rec_jitdump_judge(k->proc_fd, (uint32_t)job->mapped.pid, fd);
}

static bool keep_file(struct rec_keeper *k, const struct job *job)
{
	struct rec_kept_file file = { .maj = job->mapped.maj,
				      .min = job->mapped.min,
				      .ino = job->mapped.ino,
				      .ino_generation =
					      job->mapped.ino_generation,
				      .path_hash =
					      rec_kept_path_hash(job->path) };
	struct stat st;
	int other;

	file.fd = rec_mapped_open(k->proc_fd, &job->mapped, &job->id);
	if (file.fd < 0)
		return false;
	/* what its owner wrote into it is believed later */
	if (is_foreign_dump(k, job, file.fd)) {
		close(file.fd);
		return true;
	}
	if (!rec_elf_build_id(file.fd, &file.id))
		file.id.len = 0;
	file.worth = worth_of(job, file.fd);
	if (!fstat(file.fd, &st)) {
		file.st_dev = st.st_dev;
		file.st_ino = st.st_ino;
	}
	pthread_mutex_lock(&k->lock);
	other = rec_kept_files_add(&k->files, &file);
	pthread_mutex_unlock(&k->lock);
	if (other >= 0)
		close(other);
	return true;
}

/* Return whether that is done; what could not be had may be, next time. */
static bool keep(struct rec_keeper *k, const struct job *job)
{
	if (is_over_share(k))
		return false;
	if (job->kind == JOB_FILE)
		return has_file(k, job) || keep_file(k, job);
	rec_kept_maps_add(&k->maps, k->proc_fd, (uint32_t)job->mapped.pid);
	return true;
}

static void do_job(struct rec_keeper *k, const struct job *job)
{
	if (job->kind == JOB_END)
		rec_kept_maps_end(&k->maps, (uint32_t)job->mapped.pid);
	else if (!keep(k, job))
		forget(k, job->key);
	free(job->path);
}

/* Return when maps are to be looked at next: at the next tick, or later if that
 * took more than the thread's share. */
static uint64_t look_at_maps(struct rec_keeper *k)
{
	uint64_t cpu_ns = rec_thread_cpu_ns();

	rec_kept_maps_look(&k->maps);
	cpu_ns = (rec_thread_cpu_ns() - cpu_ns) * CPU_SHARE;
	return rec_now_ns() +
	       (cpu_ns < REC_CARRY_LOOK_NS ? REC_CARRY_LOOK_NS : cpu_ns);
}

static void run_next(struct rec_keeper *k, uint64_t *look_ns)
{
	struct job job = { .path = NULL };
	bool is_job = k->nr > 0;

	if (is_job) {
		job = k->jobs[k->first];
		k->first = (k->first + 1) % JOBS_MAX;
		k->nr--;
	} else {
		k->wants_look = false;
	}
	k->is_busy = true;
	pthread_mutex_unlock(&k->lock);
	if (is_job)
		do_job(k, &job);
	else
		*look_ns = look_at_maps(k);
	pthread_mutex_lock(&k->lock);
	k->is_busy = false;
}

static void *keeper_main(void *arg)
{
	struct rec_keeper *k = arg;
	uint64_t look_ns = 0;

	rec_privileges_keep_reading(0);
	pthread_mutex_lock(&k->lock);
	while (!k->stop) {
		if (k->nr || k->wants_look ||
		    (k->maps.live_nr && rec_now_ns() >= look_ns))
			run_next(k, &look_ns);
		else if (k->maps.live_nr)
			rec_cond_wait(&k->more, &k->lock, look_ns);
		else
			pthread_cond_wait(&k->more, &k->lock);
		if (!k->nr && !k->wants_look)
			pthread_cond_broadcast(&k->idle);
	}
	pthread_cond_broadcast(&k->idle);
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

/* The others. */

/* Return how many descriptors may be kept: half of those that are free, since
 * events, rings and files were opened before. */
static size_t descriptors_of(int highest_fd)
{
	struct rlimit limit;
	rlim_t free_nr;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur <= (rlim_t)highest_fd)
		return 0;
	free_nr = (limit.rlim_cur - (rlim_t)highest_fd) / 2;
	return free_nr < DESCRIPTORS_MAX ? (size_t)free_nr : DESCRIPTORS_MAX;
}

static void destroy(struct rec_keeper *k)
{
	rec_kept_files_release(&k->files);
	rec_kept_maps_release(&k->maps);
	pthread_mutex_destroy(&k->lock);
	pthread_cond_destroy(&k->more);
	pthread_cond_destroy(&k->idle);
	if (k->proc_fd >= 0)
		close(k->proc_fd);
	free(k->jobs);
	free(k->known);
	free(k);
}

int rec_keeper_start(struct rec_keeper **ret, size_t id_len)
{
	struct rec_keeper *k = calloc(1, sizeof(*k));
	size_t descriptor_nr, map_nr;
	int rc;

	if (!k)
		return -ENOMEM;
	k->id_len = id_len;
	k->begin_ns = rec_now_ns();
	k->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	descriptor_nr = descriptors_of(k->proc_fd);
	map_nr = descriptor_nr / 5; /* two descriptors each */
	pthread_mutex_init(&k->lock, NULL);
	rec_cond_init(&k->more);
	rec_cond_init(&k->idle);
	k->jobs = calloc(JOBS_MAX, sizeof(*k->jobs));
	k->known = calloc(KNOWN_NR, sizeof(*k->known));
	rc = k->jobs && k->known ? 0 : -ENOMEM;
	if (!rc)
		rc = rec_kept_maps_init(&k->maps, map_nr, &k->lock);
	if (!rc)
		rc = rec_kept_files_init(&k->files, descriptor_nr - 2 * map_nr);
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
	for (; keeper->nr; keeper->nr--) {
		free(keeper->jobs[keeper->first].path);
		keeper->first = (keeper->first + 1) % JOBS_MAX;
	}
	keeper->wants_look = false;
	pthread_cond_signal(&keeper->more);
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
		uint64_t ino, ino_generation;
		uint32_t maj, min;
		uint8_t id[24];
	} key;

	memset(&key, 0, sizeof(key));
	key.ino = map->ino;
	key.ino_generation = map->ino_generation;
	key.maj = map->maj;
	key.min = map->min;
	memcpy(key.id, map->build_id, map->build_id_len);
	return pd_hash_of(&key, sizeof(key)) | 1;
}

static uint64_t key_of_pid(uint32_t pid)
{
	return pd_hash_of(&pid, sizeof(pid)) | 1;
}

/* With the lock. */
static void add_job(struct rec_keeper *k, const struct job *job)
{
	if (k->nr == JOBS_MAX) {
		free(job->path);
		return;
	}
	k->jobs[(k->first + k->nr++) % JOBS_MAX] = *job;
	if (job->kind != JOB_END)
		k->known[job->key % KNOWN_NR] = job->key;
	pthread_cond_signal(&k->more);
}

static bool is_known(const struct rec_keeper *k, uint64_t key)
{
	return k->known[key % KNOWN_NR] == key;
}

static void see_map(struct rec_keeper *k, const struct pd_mmap *map,
		    bool is_new)
{
	bool is_file = !rec_is_anonymous(map->filename);
	struct job job = {
		.kind = is_file ? JOB_FILE : JOB_MAP,
		.is_new = is_new,
		.key = is_file ? key_of_file(map) : key_of_pid(map->pid),
		.mapped = { .pid = (pid_t)map->pid,
			    .start = map->addr,
			    .end = map->addr + map->map_len,
			    .ino = map->ino,
			    .ino_generation = map->ino_generation,
			    .maj = map->maj,
			    .min = map->min },
		.id.len = map->build_id_len,
	};

	if (is_known(k, job.key))
		return;
	if (is_file) {
		if (map->filename.ptr[0] != '/' ||
		    (!map->ino && !map->build_id_len))
			return;
		job.path = pd_str_dup(map->filename);
		if (!job.path)
			return;
		job.mapped.path = job.path;
		memcpy(job.id.bytes, map->build_id, map->build_id_len);
	}
	add_job(k, &job);
}

static void see_end(struct rec_keeper *k, const struct pd_task *task)
{
	struct job job = { .kind = JOB_END, .mapped.pid = (pid_t)task->pid };
	uint64_t key = key_of_pid(task->pid);

	if (task->pid != task->tid)
		return;
	if (is_known(k, key))
		k->known[key % KNOWN_NR] = 0;
	else if (!rec_kept_maps_has(&k->maps, task->pid))
		return;
	add_job(k, &job);
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

void rec_keeper_settle(struct rec_keeper *keeper)
{
	pthread_mutex_lock(&keeper->lock);
	keeper->wants_look = true;
	pthread_cond_signal(&keeper->more);
	wait_idle(keeper);
	pthread_mutex_unlock(&keeper->lock);
}

static int copy_of(int fd)
{
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -ENOENT : copy;
}

int rec_keeper_file(struct rec_keeper *keeper, const struct rec_mapped *mapped,
		    const struct rec_build_id *id)
{
	int fd;

	pthread_mutex_lock(&keeper->lock);
	fd = copy_of(rec_kept_files_find(&keeper->files, mapped, id));
	pthread_mutex_unlock(&keeper->lock);
	return fd;
}

int rec_keeper_perf_map(struct rec_keeper *keeper, uint32_t pid)
{
	int fd;

	pthread_mutex_lock(&keeper->lock);
	fd = copy_of(rec_kept_maps_find(&keeper->maps, pid));
	pthread_mutex_unlock(&keeper->lock);
	/* Copies share one position. */
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}
