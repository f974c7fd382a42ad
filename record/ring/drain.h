/* drain.h: the work of a drain thread: it reads records out of a ring, makes
 * frames of them and appends these to the file.
 *
 * There is one struct rec_drain per thread, with a compressor and the open
 * frame, and one struct rec_sink (sink.h) for all of them.
 *
 *	rec_drain_ring()   empties one ring up to the epoch's goal: spilled
 *	                   blocks, then the ring; ends the frame and appends it
 *	                   once a record ends behind REC_FRAME_LEN of plain text
 *	rec_drain_sync()   makes all records readable in the file; the frame
 *	                   stays open, and with it the compressor's window
 *	rec_drain_flush()  ends the frame that is open, however short
 *
 * While one thread's frame is open in the file, nobody else may append a frame;
 * single records may go between its parts.
 *
 * Bytes go into the compressor, some 64 KiB at a time, or to write(2).  The
 * main thread, which drains if little comes, reads them from the ring's memory
 * and then gives the kernel that part of its ring back.  The threads of the
 * pool, which drain if a ring would soon be full, copy them out first
 * (copies_first), and so does each thread that drains stack copies, which are
 * shortened then (ring_reader.h); without spare memory, one sample at a time.
 * While records are drained, nothing allocates memory but the maps of a task
 * that is sampled for the first time (held_tasks.h).
 *
 * Each record's type and time are read once on the way, for the trailer's frame
 * index and the summary.  Once the sink takes no more samples (sample_room),
 * these are left out, and all other records are written as before.
 */
#ifndef REC_DRAIN_H
#define REC_DRAIN_H

#include "format/records/record.h"
#include "record/ring/held_tasks.h"
#include "record/ring/ring_reader.h"
#include "record/ring/sink.h"

/* Called with each record other than samples, in one piece; is_new: it comes
 * from a ring, not from rec_drain_records().  Never called by two threads at
 * once. */
struct rec_side_watch {
	uint64_t types; /* PD_BIT(type) of the records to show */
	void (*see)(void *ctx, const struct pd_record *record, bool is_new);
	/* The same of records that are held back (held_tasks.h). */
	void (*see_held)(void *ctx, const struct pd_record *record,
			 bool is_new);
	/* The same of maps and EXITs that are held and will be written; they
	 * are not shown to see() then. */
	void (*see_wanted)(void *ctx, const struct pd_record *record,
			   bool is_new);
	/* Called once the pool has drained an epoch; NULL: not. */
	void (*after_drain)(void *ctx);
	void *ctx;
};

/* Return whether records of the type are to be shown.  A build-id is, with the
 * map that it follows. */
static inline bool rec_side_watch_wants(const struct rec_side_watch *watch,
					uint32_t type)
{
	if (type == PD_RECORD_HEADER_BUILD_ID)
		type = PD_RECORD_MMAP;
	return type < 64 && watch->types & PD_BIT(type);
}

/* From level 9 on zstd takes milliseconds for a block of 128 KiB, 60 at level
 * 19: too long for the thread that watches the rings. */
static inline bool rec_level_is_slow(int level)
{
	return level >= 9;
}

struct pd_zstd_compress;

enum { REC_DRAIN_SEEN_NR = 64 };

/* Threads that were sampled of late, by tid. */
struct rec_drain_seen {
	uint32_t turn; /* rec_held_tasks_turn() */
	uint32_t tids[REC_DRAIN_SEEN_NR];
};

struct rec_drain {
	struct rec_sink *sink; /* borrowed */
	struct rec_shape shape;
	struct pd_zstd_compress *packer; /* one of the next two; NULL: plain */
	struct pd_zstd_compress *wanted; /* owned; of the given level */
	struct pd_zstd_compress *fast;	 /* owned; level 1, if the given one is
					  * slow */
	uint64_t late_ns; /* use fast from then on; UINT64_MAX: never */
	struct pd_trailer_frame frame; /* the open one */
	bool is_in_file;	  /* rec_drain_sync() wrote its beginning */
	struct rec_counts counts; /* not yet in the sink's counts */
	uint64_t frame_nr;	  /* opened so far */
	struct rec_ring_reader *reader;	    /* the one being drained; NULL:
					     * memory */
	const struct rec_side_watch *watch; /* borrowed; NULL: none */
	struct rec_held_tasks *held;	    /* borrowed; NULL: all is written */
	struct rec_drain_seen seen;
	/* Copy out of the ring before write(2) or zstd: if those take long, or
	 * this thread loses its CPU meanwhile, the ring is free. */
	bool copies_first;
	bool is_kernels;       /* the kernel wrote these records: some need a
				* repair */
	bool has_whole_stacks; /* their stack copies were not cut yet */
	const struct rec_sample_layouts *layouts; /* borrowed; of stack copies;
						   * NULL: there are none */
	uint8_t *scratch; /* owned; with watch, held or layouts: one record */
	uint8_t *plain;	  /* owned; records of a packed block */
};

/* level 0: plain.  Return 0 or -ENOMEM. */
int rec_drain_init(struct rec_drain *drain, struct rec_sink *sink,
		   const struct rec_shape *shape, int level);
/* Before the first record: this thread flushes often, for little each time. */
void rec_drain_expect_little(struct rec_drain *drain);
/* Show records to watch (borrowed) from now on.  Return 0 or -ENOMEM. */
int rec_drain_watch(struct rec_drain *drain,
		    const struct rec_side_watch *watch);
/* Hold records of tasks back in held (borrowed) from now on.  Return 0 or
 * -ENOMEM. */
int rec_drain_hold(struct rec_drain *drain, struct rec_held_tasks *held);
/* Write what is held of tasks that were sampled, with no time below least_ns.
 */
int rec_drain_held(struct rec_drain *drain, uint64_t least_ns);
/* Cut stack copies (rec_sample_cut_stack()) of events with these layouts
 * (borrowed; NULL: there are none) from now on.  Return 0 or -ENOMEM. */
int rec_drain_cut_stacks(struct rec_drain *drain,
			 const struct rec_sample_layouts *layouts);
void rec_drain_release(struct rec_drain *drain);

/* Drain the ring.  Return -EBADMSG if a record in it is malformed: what came
 * before it is written, the rest of this epoch is skipped.  Other errors are
 * the output's. */
int rec_drain_ring(struct rec_drain *drain, struct rec_ring_reader *reader,
		   struct pd_err *err);

/* Drain whole records from other memory (the snapshot), 8-aligned. */
int rec_drain_records(struct rec_drain *drain, const void *records, size_t len,
		      struct pd_err *err);

/* Do the same for records out of overwrite_rings.h, written by the kernel. */
int rec_drain_taken(struct rec_drain *drain, const void *records, size_t len);

int rec_drain_flush(struct rec_drain *drain);
int rec_drain_sync(struct rec_drain *drain);

#endif
