/* task_reader.h: read tasks out of /proc, one by one, into records.
 *
 * Each thread has a reader; what the reader does not own is shared and read
 * only.  If a task ends meanwhile, only some of its records are written, or
 * none.
 */
#ifndef REC_TASK_READER_H
#define REC_TASK_READER_H

#include "record/snapshot/build_id_cache.h"
#include "record/snapshot/proc_maps.h"
#include "record/snapshot/snapshot.h"

#include <stddef.h>
#include <sys/types.h>

/* The numbers that /proc and /proc/PID/task have as entries. */

struct rec_pid_list {
	pid_t *pids; /* owned */
	size_t nr;
	size_t cap;
};

#define REC_PID_LIST_INIT    \
	{                    \
		.pids = NULL \
	}

void rec_pid_list_release(struct rec_pid_list *list);

/* Replace the list by the entries of that directory whose names are numbers, in
 * the directory's order (ascending in /proc).  Return 0 or -errno. */
int rec_pid_dir_read(int dirfd, const char *path, struct rec_pid_list *list);

/* The state that all tasks share. */
struct rec_task_world {
	const struct rec_snapshot_conf *conf;
	int proc_fd;
	/* x86's vsyscall page is in the text of maps of every process, but not
	 * in what PROCMAP_QUERY answers. */
	bool has_gate;
	struct rec_map gate;
	char gate_name[32];
	char hugetlbfs[256]; /* its mount point; empty: none */
};

/* Return -ENOENT if conf->roots.proc does not exist. */
int rec_task_world_init(struct rec_task_world *ret,
			const struct rec_snapshot_conf *conf,
			struct pd_err *err);
void rec_task_world_release(struct rec_task_world *world);

struct rec_task_reader {
	const struct rec_task_world *world;
	struct rec_build_id_cache build_ids;
	struct pd_buf text; /* of the file being read */
	struct rec_pid_list threads;
	struct rec_snapshot_stats stats;
	bool no_query; /* PROCMAP_QUERY does not exist */
	char name[4096];
};

void rec_task_reader_init(struct rec_task_reader *ret,
			  const struct rec_task_world *world);
void rec_task_reader_release(struct rec_task_reader *reader);

/* Append the process and all its threads: FORK NAMESPACES COMM MMAP2... */
void rec_task_read_process(struct rec_task_reader *reader, pid_t pid,
			   struct pd_buf *out);

/* Append one thread without its fork: COMM NAMESPACES, and the maps if it is
 * the first of its process.  *ret_pid is the process; 0 if it is gone. */
void rec_task_read_thread(struct rec_task_reader *reader, pid_t tid,
			  pid_t *ret_pid, struct pd_buf *out);

/* Append NAMESPACES of one thread; 0 if they may not be read, as in perf. */
void rec_task_put_namespaces(const struct rec_task_world *world, pid_t pid,
			     pid_t tid, struct pd_buf *out);

#endif
