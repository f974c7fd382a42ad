/* reader_impl.h: the struct behind reader.h, for the files that implement it:
 * reader.c opens a file and checks the records that are in no frame,
 * reader_events.c reads its events, records.c its records, chunks.c cuts the
 * data section. */
#ifndef PD_READER_IMPL_H
#define PD_READER_IMPL_H

#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "format/records/zstd_decompress.h"

struct pd_payload {
	const uint8_t *data; /* NULL: the file does not have this feature */
	size_t len;
	uint64_t off; /* in the file */
};

struct pd_reader {
	const uint8_t *base;
	uint64_t len;
	struct pd_file_header header;
	struct pd_event_set events;
	uint64_t ids_len;  /* of the ids of all events together */
	bool has_lost_ids; /* the ids of some event cannot be read */
	struct pd_payload features[PD_FEATURE_BITS];
	struct pd_zstd_decompress_limits limits;
	struct pd_trailer trailer;
	struct pd_carried carried; /* valid with has_carried; owned */
	bool has_trailer;
	bool is_unfinished;
	bool has_carried;     /* was read, and nobody has taken it yet */
	bool has_compressed2; /* the first compressed record has this type */
	struct pd_damage damage;
	struct pd_section data;	  /* as much of the data section as is there */
	uint64_t head_end;	  /* of the records that were read for events */
	struct pd_section *parts; /* the other parts; owned */
	size_t part_nr;
	/* The feature table's place in the data, if a recording of ours was
	 * not closed; else UINT64_MAX and 0. */
	uint64_t table_off;
	uint64_t table_len;
	const struct pd_read_progress *progress; /* may be NULL */
	struct pd_chunk *chunks; /* owned; made by pd_reader_chunks() */
	size_t chunk_nr;
	size_t chunk_cap;
};

/* Read the record at file_off, without decompression.  *ret_next becomes the
 * start of the next one: behind the payload that follows some types.  Errors
 * are those of pd_record_read(). */
int pd_reader_raw_record(const struct pd_reader *r, uint64_t file_off,
			 uint64_t end, struct pd_record *ret,
			 uint64_t *ret_next, struct pd_err *err);

/* Return true if the bytes at pos can be several records in a row; with to_end,
 * fewer are enough if they reach the end. */
bool pd_reader_is_row(const struct pd_reader *r, uint64_t pos, uint64_t end,
		      bool to_end);

/* Return the first offset behind start, where no record can be, at which there
 * can be several records in a row; limit if there is none.  Every byte is
 * tried, since records behind COMPRESSED ones are not aligned.  If the data
 * ends inside the record at start, that one is most likely torn and has no
 * records inside.  *why becomes what is wrong with it. */
uint64_t pd_reader_find_row(const struct pd_reader *r, uint64_t start,
			    uint64_t limit, uint64_t end, struct pd_err *why);

/* Set *ret to the compressed bytes of a record; return false for other types.
 */
bool pd_record_compressed(const struct pd_record *rec,
			  struct pd_compressed *ret);

/* Report that the bytes between from and to were read. */
static inline void pd_reader_report_passed(const struct pd_reader *r,
					   uint64_t from, uint64_t to)
{
	if (r->progress)
		r->progress->passed(r->progress->ctx, from, to - from);
}

/* Report the bytes from *from to pos if they are a step or more, and move *from
 * behind them. */
static inline void pd_reader_report_step(const struct pd_reader *r,
					 uint64_t *from, uint64_t pos)
{
	if (!r->progress || pos - *from < r->progress->step)
		return;
	pd_reader_report_passed(r, *from, pos);
	*from = pos;
}

/* Return part idx, 0 to part_nr: the data section is part 0. */
static inline struct pd_section pd_reader_part(const struct pd_reader *r,
					       size_t idx)
{
	return idx ? r->parts[idx - 1] : r->data;
}

/* Read the events of the attr section.  *why becomes what is wrong with the
 * first damaged one that was read in spite of it. */
int pd_reader_read_attrs(struct pd_reader *r, struct pd_err *why,
			 struct pd_err *err);

/* Replace the events by those of EVENT_DESC.  Return -ENOENT and change nothing
 * if it has none or fewer. */
int pd_reader_read_descs(struct pd_reader *r);

/* Read attrs, names and features from the records at the head of the data
 * section: all those of a pipe, HEADER_FEATURE in any file. */
int pd_reader_read_head(struct pd_reader *r, struct pd_err *err);

/* Set the names and groups of events from EVENT_DESC and GROUP_DESC. */
void pd_reader_name_events(struct pd_reader *r);

/* Set needed_perf of all events. */
void pd_reader_find_needed_perf(struct pd_reader *r);

#endif
