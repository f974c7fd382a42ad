/* follower.h: a thread that reads the hits of a recording while it is written,
 * and the names of what was hit.
 *
 *	the recorder's loop		the follower, SCHED_BATCH, then _IDLE
 *	rec_follower_start(fd)
 *	rec_follower_feed(len) ...	once a second, each two if little came,
 *					reads that (hit_reader.h), and the files
 *					that were hit (known_files.h)
 *	the names' thread, at the end
 *	rec_follower_take()		hands its reader over, and ends
 *
 * Nothing holds files open until the end, so names cannot wait: half a per cent
 * of a CPU is the follower's, without preempting others.  What it needs beyond
 * that it takes if nobody else wants it (SCHED_IDLE): if others use all CPUs,
 * it gets none then, and what it did not read is read at the end.  The recorder
 * never waits for it.  A thread may enter SCHED_IDLE without privilege, but not
 * leave it: so it hands over what it has, and is let go; the next file's begins
 * anew.
 */
#ifndef REC_FOLLOWER_H
#define REC_FOLLOWER_H

#include "record/carry/hit_reader.h"
#include "record/carry/known_files.h"

struct rec_follower;

/* Follow the file fd, which is copied.  known, or NULL, is the follower's until
 * it is taken back.  Return NULL if that cannot be: then all is to be read at
 * the end, and known is still the caller's. */
struct rec_follower *rec_follower_start(int fd, size_t memory_len,
					struct rec_known_files *known);

/* Records up to byte len are whole: called at each turn of the recorder's loop,
 * this stores the number, and wakes the follower if a look is due.  It has no
 * timer of its own.  hurries: files that may be hit will soon be gone. */
void rec_follower_feed(struct rec_follower *f, uint64_t len, bool hurries);

/* Return when it is to be fed again, since it was not woken for all that is
 * whole; UINT64_MAX: it was. */
uint64_t rec_follower_due_ns(const struct rec_follower *f);

/* Return the reader, the caller's, or NULL: none came until until_ns
 * (rec_now_ns()).  *ret_known is set to the table; NULL: it has it still.  The
 * follower is gone then.  A caller with CAP_SYS_NICE lets it run at normal
 * priority. */
struct rec_hit_reader *rec_follower_take(struct rec_follower *f,
					 uint64_t until_ns,
					 struct rec_known_files **ret_known);
/* Return whether one that was left alone is still there: it hangs in a file
 * system, or gets no CPU. */
bool rec_follower_hangs(void);

#endif
