/* keeper.h: a thread that takes, while a recording runs, what will be gone at
 * its end.
 *
 *	drain threads				the keeper's thread
 *	rec_keeper_see(record)
 *	  the first map of a file ---queue--->	opens it (kept_files.h)
 *	  of code without a file  ---queue--->	finds its perf map, looks again
 *	  its process's end       ---queue--->	at ticks and at its end
 *						(kept_maps.h)
 *
 * No drain waits for a file system.  What the thread comes to too late, or what
 * its queue, descriptors or share of a CPU do not suffice for, has names only
 * if it can still be had at the end.  While a file is kept, the file system
 * that it is on is busy.
 */
#ifndef REC_KEEPER_H
#define REC_KEEPER_H

#include "format/records/record.h"
#include "record/snapshot/mapped_build_id.h"

#include <stdbool.h>

struct rec_keeper;

/* Start the thread, which keeps the capabilities to look into other processes.
 * id_len: bytes that the sample_id trailer of each map has at least.  Return 0
 * or a negative errno. */
int rec_keeper_start(struct rec_keeper **ret, size_t id_len);
/* A thread that hangs in a file system is left alone, with its memory; NULL is
 * none. */
void rec_keeper_free(struct rec_keeper *keeper);

/* Take an MMAP2 or EXIT record; any thread.  is_new: the kernel wrote it, it is
 * not of what ran before. */
void rec_keeper_see(struct rec_keeper *keeper, const struct pd_record *rec,
		    bool is_new);

/* Wait until what was seen is done and all maps were looked at, a tenth of a
 * second at the longest. */
void rec_keeper_settle(struct rec_keeper *keeper);

/* Return a descriptor, the caller's, of the file with that build-id, or of
 * that device and inode if id->len is 0; or -ENOENT. */
int rec_keeper_file(struct rec_keeper *keeper, const struct rec_mapped *mapped,
		    const struct rec_build_id *id);
/* Return a descriptor, the caller's, of the perf map of a process, at its
 * start; or -ENOENT. */
int rec_keeper_perf_map(struct rec_keeper *keeper, uint32_t pid);

#endif
