/* reader_impl.h: the reader's own struct, for the files that reader.h is made
 * of: reader.c opens, reader_events.c puts the events together, records.c walks
 * records, chunks.c cuts, reader_rest.c sums up what is of no frame. */
#ifndef PD_READER_IMPL_H
#define PD_READER_IMPL_H

#include "format/zstd_decompress.h"
#include "format/reader.h"
#include "format/record_body.h"

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
	uint64_t ids_len; /* of all events' ids together */
	bool has_lost_ids;
	struct pd_payload features[PD_FEATURE_BITS];
	struct pd_zstd_decompress_limits limits;
	struct pd_trailer trailer;
	bool has_trailer;
	bool has_compressed2; /* the first compressed record is one */
	struct pd_damage damage;
	struct pd_section data;	  /* what is really there of the data section */
	uint64_t head_end;	  /* of records that the reader absorbed */
	struct pd_section *parts; /* behind it; owned */
	size_t part_nr;
	/* In a recording of ours that was not closed, where the feature table's
	 * entry stands amid the data; else UINT64_MAX. */
	uint64_t table_off;
	const struct pd_read_progress *progress; /* NULL: nobody asked */
	struct pd_chunk *chunks; /* owned; made by pd_reader_chunks() */
	size_t chunk_nr;
	size_t chunk_cap;
};

/* Read the record at file_off, without decompression.  *ret_next is where the
 * next one starts: behind the payload that follows some types.  Errors are
 * those of pd_record_read(). */
int pd_reader_raw_record(const struct pd_reader *r, uint64_t file_off,
			 uint64_t end, struct pd_record *ret,
			 uint64_t *ret_next, struct pd_err *err);

/* Return true if several records in a row can stand at pos; if to_end is true,
 * fewer are enough if they reach to the end. */
bool pd_reader_is_row(const struct pd_reader *r, uint64_t pos, uint64_t end,
		      bool to_end);

/* No record can stand at start: return the first offset behind it where several
 * in a row can, or limit.  Every byte is tried, as what follows COMPRESSED
 * records is not aligned.  If the data ends inside the record at start, that
 * one is most likely torn and there are no records in it.  *why says what is
 * wrong with it. */
uint64_t pd_reader_find_row(const struct pd_reader *r, uint64_t start,
			    uint64_t limit, uint64_t end, struct pd_err *why);

/* Return the compressed bytes in a record; false for records of other types. */
bool pd_record_compressed(const struct pd_record *rec,
			  struct pd_compressed *ret);

/* Report that the bytes from .. to were read. */
static inline void pd_reader_report_passed(const struct pd_reader *r,
					   uint64_t from, uint64_t to)
{
	if (r->progress)
		r->progress->passed(r->progress->ctx, from, to - from);
}

/* Return part idx of 0 .. part_nr: the data section, then the others. */
static inline struct pd_section pd_reader_part(const struct pd_reader *r,
					       size_t idx)
{
	return idx ? r->parts[idx - 1] : r->data;
}

/* Read the events of a file's attr section.  *why says what is wrong with the
 * first one that was read in spite of it. */
int pd_reader_read_attrs(struct pd_reader *r, struct pd_err *why,
			 struct pd_err *err);

/* Read the events of EVENT_DESC instead.  Return -ENOENT if it has none, or
 * fewer than were read so far, which then stay. */
int pd_reader_read_descs(struct pd_reader *r);

/* Read the records at the head of the data section: attrs, names and features
 * of a pipe; HEADER_FEATURE in any file. */
int pd_reader_absorb_head(struct pd_reader *r, struct pd_err *err);

/* Set the names and groups of events from EVENT_DESC and GROUP_DESC. */
void pd_reader_name_events(struct pd_reader *r);

/* Set needed_perf of all events. */
void pd_reader_find_needed_perf(struct pd_reader *r);

#endif
