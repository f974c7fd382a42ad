/* seen_records.h: what is read of a file, in short, for tests of the reader.
 *
 * Each walk goes record by record and span by span, and finds the same.
 */
#ifndef SEEN_RECORDS_H
#define SEEN_RECORDS_H

#include "format/reader/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct seen {
	unsigned sample_nr;
	unsigned other_nr;
	uint64_t last_time_ns;
	uint64_t last_seq;
	struct pd_damage damage;
};

static inline void seen_equal(const struct pd_record *a,
			      const struct pd_record *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->misc, b->misc);
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->file_off, b->file_off);
	assert_int_equal(a->plain_off, b->plain_off);
	assert_int_equal(a->seq, b->seq);
	assert_memory_equal(a->data, b->data, a->len);
}

/* Whatever is in the piece, in spans there are the same records. */
static inline void seen_spans(struct pd_reader *r, struct pd_chunk piece)
{
	struct pd_records one, many;
	struct pd_record_span span;
	struct pd_record rec, same;

	pd_records_init(&one, r, piece);
	pd_records_init(&many, r, piece);
	while (pd_records_next_span(&many, &span, NULL) > 0) {
		assert_true(span.nr > 0);
		while (pd_record_span_next(&span, &same)) {
			assert_int_equal(pd_records_next(&one, &rec, NULL), 1);
			seen_equal(&rec, &same);
		}
	}
	assert_int_equal(pd_records_next(&one, &rec, NULL), 0);
	assert_int_equal(one.damage.skipped_nr, many.damage.skipped_nr);
	assert_int_equal(one.damage.skipped_len, many.damage.skipped_len);
	pd_records_release(&one);
	pd_records_release(&many);
}

static inline void seen_walk(struct pd_reader *r, struct pd_chunk piece,
			     struct seen *seen)
{
	struct pd_records it;
	struct pd_record rec;
	int rc;

	seen_spans(r, piece);
	pd_records_init(&it, r, piece);
	while ((rc = pd_records_next(&it, &rec, NULL)) > 0) {
		assert_true(rec.seq >= seen->last_seq);
		seen->last_seq = rec.seq;
		if (rec.type != PD_RECORD_SAMPLE) {
			seen->other_nr++;
			continue;
		}
		seen->sample_nr++;
		seen->last_time_ns =
			pd_event_set_time_of(pd_reader_events(r), &rec);
	}
	assert_int_equal(rc, 0);
	seen->damage.skipped_nr += it.damage.skipped_nr;
	seen->damage.skipped_len += it.damage.skipped_len;
	pd_records_release(&it);
}

static inline struct seen seen_all(const uint8_t *base, size_t len)
{
	struct pd_reader *r = NULL;
	struct seen seen = { .sample_nr = 0 };

	assert_int_equal(pd_reader_open(&r, base, len, NULL, NULL), 0);
	seen_walk(r, pd_reader_data(r), &seen);
	seen.damage.skipped_nr += pd_reader_damage(r)->skipped_nr;
	pd_reader_close(r);
	return seen;
}

#endif
