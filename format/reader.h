/* reader.h: one perf.data file as a whole: header, events, features, records.
 *
 * The caller maps or reads the file and hands the bytes over; nothing here does
 * I/O.  A file in pipe mode is the same to the caller as any other: its events
 * and features come out of its leading records.
 *
 *	pd_reader_open(&reader, base, len, &err);
 *	pd_records_init(&it, reader, pd_reader_data(reader));
 *	while ((rc = pd_records_next(&it, &rec, &err)) > 0)
 *		...
 *	pd_records_release(&it);
 *	pd_reader_close(reader);
 *
 * pd_records_next() delivers every record but COMPRESSED ones, whose content
 * it delivers instead.  Several iterators may run at once, each in a thread of
 * its own, over one reader, which does not change after it is open.
 *
 * Chunks: the data section is cut into parts that can be read alone, in file
 * order: runs of plain records, and zstd frames (FORMAT.md "Compressed
 * frames").  perf's endless frame is one chunk, with the records between.
 */
#ifndef PD_READER_H
#define PD_READER_H

#include "format/damage.h"
#include "format/event_set.h"
#include "format/file_header.h"
#include "format/chunk.h"
#include "format/read_progress.h"
#include "format/record.h"
#include "format/trailer.h"

struct pd_reader;

/* base..base+len must outlive the reader.  Fails only where nothing at all can
 * be read; what is wrong in part shows in pd_reader_damage(). */
int pd_reader_open(struct pd_reader **ret, const uint8_t *base, uint64_t len,
		   struct pd_err *err);
/* The same; watch (NULL: nobody) is told of what pd_reader_damage() sums up. */
int pd_reader_open_watched(struct pd_reader **ret, const uint8_t *base,
			   uint64_t len, const struct pd_watch *watch,
			   struct pd_err *err);
void pd_reader_close(struct pd_reader *r);

/* The recording goes on: so many bytes at base + part->off, which may be beyond
 * the len that the reader was opened with, are records too, with a zstd stream
 * of their own: the data.N of a directory (FORMAT.md "Directories").  In
 * ascending order, before the first iterator.  0 or -ENOMEM. */
int pd_reader_add_part(struct pd_reader *r, const struct pd_section *part);
/* True if there is more than the one data section.  FINISHED_ROUND then says
 * nothing of the other parts. */
bool pd_reader_has_parts(const struct pd_reader *r);

/* How many plain bytes one byte of compressed records may become, before the
 * first iterator; else PD_LIMIT_INFLATE_RATIO.  What is beyond is passed over
 * as damage, -EFBIG. */
void pd_reader_set_ratio(struct pd_reader *r, uint64_t ratio);

/* Bytes of the recording, all its parts together. */
uint64_t pd_reader_len(const struct pd_reader *r);
/* How much memory may be made of its records, and how many bytes of them may
 * wait on disk: limits.h.  is_plain: none is compressed, as was seen. */
uint64_t pd_reader_kept_limit(const struct pd_reader *r, bool is_plain);
uint64_t pd_reader_spill_limit(const struct pd_reader *r);

const struct pd_file_header *pd_reader_header(const struct pd_reader *r);
const struct pd_event_set *pd_reader_events(const struct pd_reader *r);
const struct pd_damage *pd_reader_damage(const struct pd_reader *r);
/* True if what is wrong with the record's body is told there. */
bool pd_reader_tells_of(const struct pd_reader *r, const struct pd_record *rec);
/* NULL where the file has none (not ours, or cut). */
const struct pd_trailer *pd_reader_trailer(const struct pd_reader *r);
/* Samples, as the trailer says; 0 if it says nothing. */
uint64_t pd_reader_sample_nr(const struct pd_reader *r);
/* Checks the records of no frame.  -EBADMSG; -ENOENT: no checksum; -ENOMEM. */
int pd_reader_check_rest(struct pd_reader *r);

/* The raw payload of a feature, from the feature table or from HEADER_FEATURE
 * records; false where the file does not have it.  Decode with feature.h. */
bool pd_reader_feature(const struct pd_reader *r, enum pd_feature bit,
		       struct pd_cursor *ret);
/* A feature that is one string: the file's bytes, or "" where it tells none
 * that can be read. */
struct pd_str pd_reader_string(const struct pd_reader *r, enum pd_feature bit);

/* Gives an event that has none a name that its attr leads to (a tracepoint's
 * format).  Before any other thread reads.  0 or -ENOMEM. */
int pd_reader_name_event(struct pd_reader *r, size_t idx, struct pd_str name);

/* From now on reading is told of what was read; before any other thread
 * reads.  It must outlive r. */
void pd_reader_set_reading(struct pd_reader *r,
			   const struct pd_read_progress *reading);

/* What is there of the data section alone. */
struct pd_section pd_reader_data_section(const struct pd_reader *r);

/* The whole data section, and all other parts, as one piece. */
struct pd_chunk pd_reader_data(const struct pd_reader *r);

/* The pieces in file order; *ret_nr of them, owned by the reader. A cut is made
 * only where it needs no decoding: by the trailer's index, else at record
 * headers about every goal_len bytes. */
int pd_reader_pieces(struct pd_reader *r, uint64_t goal_len,
		     const struct pd_chunk **ret, size_t *ret_nr,
		     struct pd_err *err);

/* The pieces of a data section that holds plain records only, without reading
 * what lies between: each starts where records seem to.  To be believed where
 * pd_records_was_plain() says so of every one of them once it was read to its
 * end; else take pd_reader_pieces().  -ENOTSUP: there are compressed records,
 * or frames by the trailer's index. */
int pd_reader_guess_pieces(struct pd_reader *r, uint64_t goal_len,
			   const struct pd_chunk **ret, size_t *ret_nr,
			   struct pd_err *err);

struct pd_records {
	struct pd_reader *reader;
	uint64_t pos;  /* next record in the file */
	uint64_t end;  /* of the part that pos is in, or of the piece */
	uint64_t stop; /* of the piece */
	uint64_t told; /* reading knows what lies before */
	uint64_t tell_at;
	uint64_t seq;
	/* passed so far, which pd_records_next() does not deliver */
	uint64_t compressed_nr;
	uint64_t compressed2_nr;
	struct pd_damage damage; /* set its watch after pd_records_init() */
	struct pd_zstd_decompress
		*inflate; /* state of an open zstd frame; owned */
	uint64_t fed_off; /* of the COMPRESSED record that it is in */
	bool is_fed;	  /* and that the watch was not told of */
};

void pd_records_init(struct pd_records *it, struct pd_reader *r,
		     struct pd_chunk piece);
void pd_records_release(struct pd_records *it);

/* 1 and the next record, 0 at the end, negative errno where nothing more of
 * this piece can be read.  rec->data is good until the next call, for records
 * that were not compressed until the reader is closed.  rec->seq orders the
 * records of the whole file. */
int pd_records_next(struct pd_records *it, struct pd_record *ret,
		    struct pd_err *err);

/* At the end, before the release: true if the piece was one record after the
 * other, nothing compressed and nothing passed over. */
bool pd_records_was_plain(const struct pd_records *it);

#endif
