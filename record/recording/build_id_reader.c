#include "record/recording/build_id_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "format/base/hash.h"
#include "record/base/runtime.h"
#include "record/snapshot/mapped_build_id.h"
#include "record/targets/privileges.h"

/* JOBS_MANY: do not wait for the end of a drain. */
enum { JOBS_MAX = 4096, JOBS_MANY = 256, LASTING_MAX = 4096 };
/* By then the clock of ctime has gone on. */
enum { FRESH_S = 1 };

struct rec_build_id_job {
	struct rec_build_id_position place;
	uint64_t table_nr;
	struct rec_mapped mapped;
	char *path; /* owned; mapped.path */
};

/* Run by the reader's thread: */

/* Clear the cache of another table: it grows with all files that a host ever
 * runs, and a file may be overwritten later. */
static void use_cache(struct rec_build_id_reader *r, uint64_t table_nr)
{
	if (r->cache_nr != table_nr)
		rec_build_id_cache_release(&r->cache);
	r->cache_nr = table_nr;
}

/* Return the entry of the file that stands at the path now, as it is; NULL if
 * that is not the record's.  An inode may be overwritten, but nobody can set
 * its ctime, unless twice in a tick of its clock; and images that are mounted
 * one after the other may have all numbers in common, but not on the file
 * system of /. */
static struct rec_build_id *lasting_of(struct rec_build_id_reader *r,
				       const struct rec_mapped *m)
{
	uint64_t version[4] = { m->ino_generation };
	struct stat st;

	if (!m->ino || stat(m->path, &st) || st.st_ino != m->ino ||
	    major(st.st_dev) != m->maj || minor(st.st_dev) != m->min ||
	    st.st_dev != r->root_dev || time(NULL) - st.st_ctime <= FRESH_S)
		return NULL;
	version[1] = (uint64_t)st.st_size;
	version[2] = (uint64_t)st.st_ctim.tv_sec;
	version[3] = (uint64_t)st.st_ctim.tv_nsec;
	return rec_build_id_cache_get(&r->lasting, m->maj, m->min, m->ino,
				      pd_hash_of(version, sizeof(version)));
}

static bool is_known(const struct rec_build_id *cached)
{
	return cached && cached->len != REC_BUILD_ID_UNKNOWN;
}

/* Read the file, and note that if it was the same before and after. */
static bool read_anew(struct rec_build_id_reader *r, const struct rec_mapped *m,
		      struct rec_build_id *ret)
{
	struct rec_build_id *lasting;

	if (r->lasting.nr > LASTING_MAX)
		rec_build_id_cache_release(&r->lasting);
	lasting = lasting_of(r, m);
	if (is_known(lasting)) {
		*ret = *lasting;
		return true;
	}
	if (!rec_mapped_build_id(r->proc_fd, m, ret))
		return false;
	if (lasting && ret->len && lasting_of(r, m) == lasting)
		*lasting = *ret;
	return true;
}

/* Read each device and inode once; retry a file that was not available. */
static bool read_id(struct rec_build_id_reader *r,
		    const struct rec_build_id_job *job,
		    struct rec_build_id *ret)
{
	const struct rec_mapped *m = &job->mapped;
	struct rec_build_id *cached = NULL;

	if (m->ino)
		cached = rec_build_id_cache_get(&r->cache, m->maj, m->min,
						m->ino, m->ino_generation);
	if (is_known(cached)) {
		*ret = *cached;
		return true;
	}
	if (!read_anew(r, m, ret))
		return false;
	if (cached)
		*cached = *ret;
	return true;
}

static void do_job(struct rec_build_id_reader *r,
		   const struct rec_build_id_job *job)
{
	struct rec_build_id id;
	bool found;

	pthread_mutex_unlock(&r->lock);
	use_cache(r, job->table_nr);
	found = read_id(r, job, &id);
	pthread_mutex_lock(&r->lock);
	if (job->table_nr == r->table_nr)
		rec_build_id_table_set(&r->table, &job->place,
				       found ? &id : NULL);
	free(job->path);
}

static void *reader_main(void *arg)
{
	struct rec_build_id_reader *r = arg;

	rec_privileges_keep_reading(0);
	pthread_mutex_lock(&r->lock);
	while (!r->stop) {
		struct rec_build_id_job job;

		if (!r->nr) {
			pthread_cond_wait(&r->more, &r->lock);
			continue;
		}
		job = r->jobs[r->first];
		r->first = (r->first + 1) % JOBS_MAX;
		r->nr--;
		r->is_busy = true;
		do_job(r, &job);
		r->is_busy = false;
		if (!r->nr)
			pthread_cond_broadcast(&r->idle);
	}
	pthread_cond_broadcast(&r->idle);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Run by the other threads. */

int rec_build_id_reader_start(struct rec_build_id_reader *reader, size_t id_len)
{
	struct stat root;
	int rc = 0;

	memset(reader, 0, sizeof(*reader));
	reader->id_len = id_len;
	reader->root_dev = stat("/", &root) ? 0 : root.st_dev;
	reader->jobs = calloc(JOBS_MAX, sizeof(*reader->jobs));
	reader->proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pthread_mutex_init(&reader->lock, NULL);
	pthread_cond_init(&reader->more, NULL);
	rec_cond_init(&reader->idle);
	if (!reader->jobs)
		rc = -ENOMEM;
	else
		rc = rec_thread_start(&reader->thread, "build-ids", reader_main,
				      reader);
	reader->is_on = !rc;
	if (!rc)
		return 0;
	free(reader->jobs);
	if (reader->proc_fd >= 0)
		close(reader->proc_fd);
	return rc;
}

/* With the lock held, wait until the queue is empty, at most that long. */
static void wait_idle(struct rec_build_id_reader *r, uint64_t wait_ns)
{
	uint64_t until_ns = rec_now_ns() + wait_ns;

	while ((r->nr || r->is_busy) &&
	       rec_cond_wait(&r->idle, &r->lock, until_ns))
		continue;
}

static void forget_jobs(struct rec_build_id_reader *r)
{
	for (; r->nr; r->nr--) {
		free(r->jobs[r->first].path);
		r->first = (r->first + 1) % JOBS_MAX;
	}
}

void rec_build_id_reader_release(struct rec_build_id_reader *reader)
{
	bool hangs;

	if (!reader->is_on)
		return;
	pthread_mutex_lock(&reader->lock);
	reader->stop = true;
	forget_jobs(reader);
	wait_idle(reader, 100000000);
	hangs = reader->is_busy;
	pthread_cond_signal(&reader->more);
	pthread_mutex_unlock(&reader->lock);
	reader->is_on = false;
	if (hangs) {
		pthread_detach(reader->thread);
		return;
	}
	pthread_join(reader->thread, NULL);
	rec_build_id_table_release(&reader->table);
	rec_build_id_cache_release(&reader->cache);
	rec_build_id_cache_release(&reader->lasting);
	free(reader->jobs);
	if (reader->proc_fd >= 0)
		close(reader->proc_fd);
}

/* Return false if there is no room or memory. */
static bool add_job(struct rec_build_id_reader *r, const struct pd_mmap *map,
		    const struct rec_build_id_position *place)
{
	struct rec_build_id_job *job = &r->jobs[(r->first + r->nr) % JOBS_MAX];
	char *path = r->nr < JOBS_MAX ? pd_str_dup(map->filename) : NULL;

	if (!path)
		return false;
	*job = (struct rec_build_id_job){
		.place = *place,
		.table_nr = r->table_nr,
		.mapped = { .pid = (pid_t)map->pid,
			    .start = map->addr,
			    .end = map->addr + map->map_len,
			    .ino = map->ino,
			    .ino_generation = map->ino_generation,
			    .maj = map->maj,
			    .min = map->min,
			    .path = path },
		.path = path,
	};
	r->nr++;
	return true;
}

void rec_build_id_reader_see(struct rec_build_id_reader *reader,
			     const struct pd_record *record)
{
	struct rec_build_id_position place;
	struct pd_mmap map;

	pthread_mutex_lock(&reader->lock);
	if (rec_build_id_table_note(&reader->table, record, reader->id_len,
				    &map, &place) == 1) {
		if (!add_job(reader, &map, &place))
			rec_build_id_table_set(&reader->table, &place, NULL);
		else if (reader->nr == JOBS_MANY)
			pthread_cond_signal(&reader->more);
	}
	pthread_mutex_unlock(&reader->lock);
}

void rec_build_id_reader_turn(struct rec_build_id_reader *reader)
{
	bool has_jobs;

	pthread_mutex_lock(&reader->lock);
	has_jobs = reader->nr > 0;
	pthread_mutex_unlock(&reader->lock);
	if (has_jobs) /* it needs the lock at once */
		pthread_cond_signal(&reader->more);
}

void rec_build_id_reader_write(struct rec_build_id_reader *reader,
			       uint64_t wait_ns, struct pd_buf *b)
{
	pthread_cond_signal(&reader->more);
	pthread_mutex_lock(&reader->lock);
	wait_idle(reader, wait_ns);
	rec_build_id_table_write(&reader->table, b, &reader->stats);
	pthread_mutex_unlock(&reader->lock);
}

void rec_build_id_reader_restart(struct rec_build_id_reader *reader)
{
	pthread_mutex_lock(&reader->lock);
	forget_jobs(reader);
	rec_build_id_table_release(&reader->table);
	reader->table_nr++;
	pthread_mutex_unlock(&reader->lock);
}
