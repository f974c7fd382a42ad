/* records.h: reads the records of a file, or of one chunk of it, in order.
 *
 *	pd_records_init(&it, reader, chunk);
 *	while ((rc = pd_records_next(&it, &rec, &err)) > 0)
 *		...
 *	pd_records_release(&it);
 *
 * or several at once: records with the same header that lie right behind each
 * other, mostly samples.
 *
 *	while ((rc = pd_records_next_span(&it, &span, &err)) > 0)
 *		while (pd_record_span_next(&span, &rec))
 *			...
 *
 * Both return the same records in the same order.  Several iterators may run
 * at once, each in a thread of its own, over one reader (reader.h).
 */
#ifndef PD_RECORDS_H
#define PD_RECORDS_H

#include "format/base/damage.h"
#include "format/records/record.h"

/* A span of plain records ends after about so many bytes, so that they are
 * still in the CPU's cache when the caller reads them. */
#define PD_RECORD_SPAN_LEN ((uint64_t)64 << 10)

struct pd_reader;

/* A part of the file that an iterator can read without the others. */
struct pd_chunk {
	uint64_t file_off;
	uint64_t len;	     /* bytes in the file */
	bool is_frame;	     /* holds compressed records */
	bool has_sideband;   /* false: known to hold samples only */
	uint64_t time_lo_ns; /* of its records; 0 if unknown */
	uint64_t time_hi_ns; /* UINT64_MAX if unknown */
};

struct pd_records {
	struct pd_reader *reader;
	uint64_t pos;	     /* next record in the file */
	uint64_t end;	     /* of the part that pos is in, or of the chunk */
	uint64_t stop;	     /* of the chunk */
	uint64_t passed_end; /* bytes in front of it were reported as passed */
	uint64_t report_at;  /* report more of them at this position */
	/* How many records pd_records_next() read, but did not return. */
	uint64_t compressed_nr;
	uint64_t compressed2_nr;
	struct pd_damage damage; /* set its watch after pd_records_init() */
	struct pd_zstd_decompress *zstd; /* an open frame; owned */
	uint64_t fed_off; /* of the COMPRESSED record that zstd is in */
	bool is_fed;	  /* it has to be reported to the watch */
};

/* Start to read the chunk. */
void pd_records_init(struct pd_records *it, struct pd_reader *r,
		     struct pd_chunk chunk);
/* Free what the iterator holds. */
void pd_records_release(struct pd_records *it);

/* Return 1 and the next record, 0 at the end, or a negative errno if nothing
 * more of this chunk can be read.  ret->data is valid until the next call; that
 * of a plain record, until the reader is closed.  ret->seq orders the records
 * of the whole file. */
int pd_records_next(struct pd_records *it, struct pd_record *ret,
		    struct pd_err *err);

struct pd_record_span {
	struct pd_record next;
	size_t nr; /* how many records are left, with next */
};

/* Do the same as pd_records_next() for several records. */
int pd_records_next_span(struct pd_records *it, struct pd_record_span *ret,
			 struct pd_err *err);

/* Return true, at the end and before the release, if the chunk was plain
 * records only, and nothing was skipped. */
bool pd_records_was_plain(const struct pd_records *it);

/* Skip the first nr records of the span. */
static inline void pd_record_span_pass(struct pd_record_span *span, size_t nr)
{
	struct pd_record *next = &span->next;

	next->data += nr * next->len;
	span->nr -= nr;
	if (next->plain_off != PD_RECORD_NOT_COMPRESSED) {
		next->plain_off += nr * next->len;
		next->seq += nr;
		return;
	}
	next->file_off += nr * next->len;
	next->seq = pd_record_seq(next->file_off, 0);
}

/* Take the next record of the span; return false if none is left. */
static inline bool pd_record_span_next(struct pd_record_span *span,
				       struct pd_record *ret)
{
	if (!span->nr)
		return false;
	*ret = span->next;
	pd_record_span_pass(span, 1);
	return true;
}

#endif
