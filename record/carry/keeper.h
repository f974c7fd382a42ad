/* keeper.h: a thread that holds, while a recording runs, what will soon be in
 * nobody's reach, until the follower or the collector has read it.
 *
 *	drain threads				the keeper's thread
 *	rec_keeper_see(record)
 *	  the first map of a file ---queue--->	root's, of old, or one that
 *						stands since before: nothing
 *						else: pins it (pins.h), for some
 *						seconds if it stands
 *	  another one, if pinned  ---queue--->	holds it for that process, too
 *	  of code without a file  ---queue--->	finds its perf map, looks again
 *	  its process's end       ---queue--->	and again, notes how long it is,
 *						and at its end (kept_maps.h);
 *						lets go when the follower has
 *						read what was hit until then
 *
 * Files that were deleted, or lie in a mount namespace of others, are pinned,
 * and what JIT compilers write: while the process lives, which keeps the file
 * system busy by itself.  Nothing is pinned on a mount that a user made.
 *
 * No drain waits for a file system.  What the thread comes to too late, or what
 * its queue, descriptors or share of a CPU do not suffice for, has names only
 * if it can still be had when it is read.
 */
#ifndef REC_KEEPER_H
#define REC_KEEPER_H

#include "format/records/record.h"
#include "record/names/perf_map_names.h"
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
 * not of what ran before.  Nobody is woken yet. */
void rec_keeper_see(struct rec_keeper *keeper, const struct pd_record *rec,
		    bool is_new);

/* Wait until what was seen is done and all maps were looked at, a tenth of a
 * second at the longest.  Nothing is let go for hold_ns from now, or until
 * rec_keeper_let_go(). */
void rec_keeper_settle(struct rec_keeper *keeper, uint64_t hold_ns);
void rec_keeper_let_go(struct rec_keeper *keeper);

/* Have the keeper do what was seen and is due, at the end of a drain and at
 * each turn of the recorder's loop; any thread.  It has no timer of its own.
 * newest_ns: the time of the newest record that was drained, 0: unknown; by it
 * the keeper knows the recording's clock. */
void rec_keeper_turn(struct rec_keeper *keeper, uint64_t newest_ns);
/* Return when a turn has to follow even if nothing is recorded, to let go of
 * what is pinned for some time; UINT64_MAX: never. */
uint64_t rec_keeper_due_ns(struct rec_keeper *keeper);

/* Any thread may call the rest, which takes no lock. */

/* Return whether what samples hit should be read soon: a file that will not
 * stay was mapped, or a process with something pinned ended. */
bool rec_keeper_hurries(const struct rec_keeper *keeper);

/* A look at all that was hit, which began then (rec_now_ns()), is over. */
void rec_keeper_note_look(struct rec_keeper *keeper, uint64_t begin_ns);

/* Return a descriptor, the caller's, of the file with that build-id, or of
 * that device and inode if id->len is 0; or -ENOENT. */
int rec_keeper_file(const struct rec_keeper *keeper,
		    const struct rec_mapped *mapped,
		    const struct rec_build_id *id);
/* Return a descriptor, the caller's, of the perf map of a process, at its
 * start, and the notes on it in the recording's clock; or -ENOENT. */
int rec_keeper_perf_map(const struct rec_keeper *keeper, uint32_t pid,
			struct rec_map_notes *ret);
/* Return whether it is pinned, and let go after a look that begins now_ns. */
bool rec_keeper_file_ends(const struct rec_keeper *keeper,
			  const struct rec_mapped *mapped,
			  const struct rec_build_id *id, uint64_t now_ns);
bool rec_keeper_perf_map_ends(const struct rec_keeper *keeper, uint32_t pid,
			      uint64_t now_ns);

#endif
