/* follower.h: a thread that reads the hits of a recording while it is written.
 *
 *	the recorder's loop		the follower, SCHED_IDLE
 *	rec_follower_start(fd)
 *	rec_follower_feed(len) ...	looks once a second how much was fed,
 *					and reads that (hit_reader.h)
 *	the names' thread, at the end
 *	rec_follower_take()		hands its reader over, and ends
 *
 * The recorder never waits for it: where others use all CPUs, the follower gets
 * none, and what it did not read is read at the end.  A thread may enter
 * SCHED_IDLE without privilege, but not leave it: so it hands over what it has,
 * and is let go.
 */
#ifndef REC_FOLLOWER_H
#define REC_FOLLOWER_H

#include "record/carry/hit_reader.h"

struct rec_follower;

/* Follow the file fd, which is copied.  Return NULL if that cannot be: then all
 * is to be read at the end. */
struct rec_follower *rec_follower_start(int fd, size_t memory_len);

/* Records up to byte len are whole.  It only stores the number. */
void rec_follower_feed(struct rec_follower *f, uint64_t len);

/* Return the reader, the caller's, or NULL: none came until until_ns
 * (rec_now_ns()).  The follower is gone then.  A caller with CAP_SYS_NICE lets
 * it run at normal priority. */
struct rec_hit_reader *rec_follower_take(struct rec_follower *f,
					 uint64_t until_ns);

#endif
