/* hit_reader.h: reads the hits of a recording out of its file, also while the
 * file is being written.
 *
 *	rec_hit_reader_new(&reader, fd, len)	records up to byte len are whole
 *	rec_hit_reader_read(reader, len)	again and again; len grows
 *	rec_hit_reader_end(reader)		nothing follows
 *	rec_hit_reader_free(reader)
 *
 * It goes on where it stopped, by pread(): who cuts the file meanwhile costs
 * names.  What it holds of the file is bounded.
 *
 * Records of several CPUs are not in the order of time.  Maps are taken as they
 * are read; samples wait for the second FINISHED_ROUND behind them, in front of
 * which all that is older stands in the file (FORMAT.md "Order").  If more than
 * 2 MiB of samples wait in a round, they wait no longer: a map that comes later
 * does not name them.  A recording without rounds whose maps come last is read
 * twice, first with rec_hit_reader_take_maps().
 */
#ifndef REC_HIT_READER_H
#define REC_HIT_READER_H

#include "format/base/cursor.h"
#include "record/carry/hits_of_recording.h"

struct rec_hit_reader;

/* Open the file, of which len bytes are whole; fd is copied.  All that is held
 * takes at most memory_len bytes.  Return 0, -ENOMEM, -EBADMSG, or what pread()
 * says. */
int rec_hit_reader_new(struct rec_hit_reader **ret, int fd, uint64_t len,
		       size_t memory_len, struct pd_err *err);
/* Safe on NULL. */
void rec_hit_reader_free(struct rec_hit_reader *r);

/* Read some of the records up to byte len: a few milliseconds' work.  Return 1
 * if there are more, 0 if not (one that is torn at len is read once it is
 * whole), -EBADMSG if there is no record where one should be, -ENODATA if the
 * file is shorter, or what pread() says. */
int rec_hit_reader_read(struct rec_hit_reader *r, uint64_t len);

/* Take what samples that wait for maps hit in those that are there, except by
 * their stack copies: these samples wait on. */
void rec_hit_reader_peek(struct rec_hit_reader *r);

/* Take the samples that wait for maps. */
void rec_hit_reader_end(struct rec_hit_reader *r);

/* Before the first read: take maps only.  Then again from the start: samples
 * only. */
void rec_hit_reader_take_maps(struct rec_hit_reader *r);
void rec_hit_reader_take_samples(struct rec_hit_reader *r);

/* Return what was hit; it belongs to the reader. */
struct rec_hits *rec_hit_reader_hits(struct rec_hit_reader *r);
/* Return the CPU time that reading took, of all threads that read. */
uint64_t rec_hit_reader_cpu_ns(const struct rec_hit_reader *r);

/* Return where the records of a finished file of len bytes end. */
uint64_t rec_hit_reader_data_end(int fd, uint64_t len);

#endif
