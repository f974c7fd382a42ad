/* reader.h: one perf.data file as a whole: header, events, features, records.
 *
 * The caller maps or reads the file and passes its bytes; nothing here does
 * I/O.  A file in pipe mode looks like any other to the caller: its events and
 * features are read from its first records.
 *
 *	pd_reader_open(&reader, base, len, NULL, &err);
 *	pd_records_init(&it, reader, pd_reader_data(reader));
 *	...					records.h
 *	pd_reader_close(reader);
 *
 * The iterator returns every record except COMPRESSED ones, whose content it
 * returns instead.  The reader does not change once it is open.
 *
 * The data section can be cut into chunks that can each be read alone: runs of
 * plain records, and zstd frames (FORMAT.md "Compressed frames").  perf's
 * endless frame is one chunk, with the records between its own.
 */
#ifndef PD_READER_H
#define PD_READER_H

#include "format/carried/carried_section.h"
#include "format/file/file_header.h"
#include "format/file/trailer.h"
#include "format/reader/records.h"
#include "format/records/event_set.h"

/* Functions that are called with what was read, by any thread that reads, so
 * that the owner of a mapping can free its memory.  Bytes may be read again. */
struct pd_read_progress {
	/* The reader is done with these bytes for now. */
	void (*passed)(void *ctx, uint64_t file_off, uint64_t len);
	/* The reader looked at this offset, but at nothing around it. */
	void (*looked)(void *ctx, uint64_t file_off);
	void *ctx;
	/* Bytes after which records are reported as passed; the rest is when
	 * their iterator is released. */
	uint64_t step;
};

/* Open the file at base[0..len), which must outlive the reader.  Fail only if
 * nothing at all can be read: other damage is in pd_reader_damage(), and watch,
 * if it is not NULL, is called for each place of it. */
int pd_reader_open(struct pd_reader **ret, const uint8_t *base, uint64_t len,
		   const struct pd_watch *watch, struct pd_err *err);
/* Free the reader.  Safe on NULL. */
void pd_reader_close(struct pd_reader *r);

/* Add a file of a directory (FORMAT.md "Directories"): part->len bytes of
 * records at base + part->off, which may lie behind the bytes that the reader
 * was opened with, with a zstd stream of their own.  Add parts in ascending
 * order and before the first iterator.  Return 0 or -ENOMEM. */
int pd_reader_add_part(struct pd_reader *r, const struct pd_section *part);
/* Return true if parts were added.  A FINISHED_ROUND then says nothing of the
 * records of other parts. */
bool pd_reader_has_parts(const struct pd_reader *r);

/* Set how many plain bytes one byte of compressed records may become; the
 * default is PD_LIMIT_ZSTD_RATIO.  Call it before the first iterator.  What is
 * beyond is skipped as damage, -EFBIG. */
void pd_reader_set_ratio(struct pd_reader *r, uint64_t ratio);

/* Return the length of the recording, with all its parts. */
uint64_t pd_reader_len(const struct pd_reader *r);
/* Return how much memory the content of records may take (limits.h); is_plain
 * says that no record is compressed. */
uint64_t pd_reader_memory_limit(const struct pd_reader *r, bool is_plain);
/* Return how many bytes of its records may wait on disk (limits.h). */
uint64_t pd_reader_spill_limit(const struct pd_reader *r);

const struct pd_file_header *pd_reader_header(const struct pd_reader *r);
const struct pd_event_set *pd_reader_events(const struct pd_reader *r);
const struct pd_damage *pd_reader_damage(const struct pd_reader *r);
/* Return true if pd_reader_damage() counts damage in the body of the record. */
bool pd_reader_has_damage_in(const struct pd_reader *r,
			     const struct pd_record *rec);
/* Return the trailer; NULL if the file has none (it is not ours, or cut). */
const struct pd_trailer *pd_reader_trailer(const struct pd_reader *r);
/* Return true if our recorder did not finish the file: it was killed, or still
 * records. */
bool pd_reader_is_unfinished(const struct pd_reader *r);
/* Put the names that the file carries to *ret as pd_carried_read() does.  The
 * first call hands over what was read when the file was opened, if it was
 * sound; later ones read it again. */
int pd_reader_carried(struct pd_reader *r, struct pd_carried *ret,
		      struct pd_err *err);
/* Set *ret to whether what names carries is of that recording, a pipe
 * (carried_stream.h).  Return 0, or -EBADMSG. */
int pd_reader_names_are_of(const struct pd_reader *names,
			   const struct pd_reader *recording, bool *ret,
			   struct pd_err *err);
/* The same of one of the sections that perfpair carry adds. */
int pd_reader_carried_text(const struct pd_reader *r, uint32_t kind,
			   struct pd_carried_text *ret, struct pd_err *err);
/* Return how many samples the trailer counts; 0 if it does not count them. */
uint64_t pd_reader_sample_nr(const struct pd_reader *r);
/* Compare the records outside of frames with their checksum.  Return -EBADMSG
 * if it differs, -ENOENT if there is none, or -ENOMEM. */
int pd_reader_check_rest(struct pd_reader *r);

/* Start to read the payload of a feature, which feature.h decodes.  Return
 * false if the file does not have the feature. */
bool pd_reader_feature(const struct pd_reader *r, enum pd_feature bit,
		       struct pd_cursor *ret);
/* Return a feature that is one string, in the bytes of the file; "" if the file
 * does not have it or it cannot be read. */
struct pd_str pd_reader_string(const struct pd_reader *r, enum pd_feature bit);

/* Name an event that has no name (a tracepoint, from its format), before any
 * other thread reads.  Return 0 or -ENOMEM. */
int pd_reader_name_event(struct pd_reader *r, size_t idx, struct pd_str name);

/* Report what is read to progress, which must outlive r.  Call it before any
 * other thread reads. */
void pd_reader_set_progress(struct pd_reader *r,
			    const struct pd_read_progress *progress);

/* Return where the data section is, without the other parts. */
struct pd_section pd_reader_data_section(const struct pd_reader *r);

/* Return the whole data section and all other parts as one chunk. */
struct pd_chunk pd_reader_data(const struct pd_reader *r);

/* Return *ret_nr chunks in the order of the file, owned by the reader.  They
 * are cut without decompression: by the index of the trailer, else at record
 * headers, about every goal_len bytes. */
int pd_reader_chunks(struct pd_reader *r, uint64_t goal_len,
		     const struct pd_chunk **ret, size_t *ret_nr,
		     struct pd_err *err);

/* Return the chunks of a data section that holds plain records only, without
 * reading all of it: each starts where records seem to start.  The guess was
 * right if pd_records_was_plain() is true for every chunk at its end; else use
 * pd_reader_chunks().  Return -ENOTSUP if there are compressed records, or
 * frames in the index of the trailer. */
int pd_reader_guess_chunks(struct pd_reader *r, uint64_t goal_len,
			   const struct pd_chunk **ret, size_t *ret_nr,
			   struct pd_err *err);

#endif
