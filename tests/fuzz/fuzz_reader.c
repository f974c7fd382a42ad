/* fuzz_reader.c: opens the input as a file, reads its records as a whole and in
 * chunks, which must give the same records, and decodes each of them. */
#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "format/records/sample_id.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void decode(const struct pd_reader *r, const struct pd_record *rec)
{
	const struct pd_event_set *set = pd_reader_events(r);
	const struct pd_event *event = pd_event_set_of_record(set, rec);
	struct pd_sample sample;
	struct pd_sample_id id;
	struct pd_body body;

	(void)pd_event_set_time_of(set, rec);
	if (!event)
		return;
	if (rec->type == PD_RECORD_SAMPLE) {
		if (pd_sample_read(&event->layout, rec, &sample, NULL))
			return;
		for (size_t i = 0; i < sample.callchain.nr; i++)
			(void)pd_u64s_at(&sample.callchain, i);
		for (size_t i = 0; i < pd_sample_branch_nr(&sample); i++)
			(void)pd_sample_branch_at(&sample, i);
		for (size_t i = 0; i < sample.counts.nr; i++)
			(void)pd_sample_count_at(&sample.counts, i);
		return;
	}
	(void)pd_sample_id_read(&event->layout, rec, &id, NULL);
	(void)pd_body_read(rec, 0, &body, NULL);
}

static uint64_t walk(struct pd_reader *r, struct pd_chunk piece)
{
	struct pd_records it;
	struct pd_record rec;
	uint64_t nr = 0, seq = 0;

	pd_records_init(&it, r, piece);
	while (pd_records_next(&it, &rec, NULL) > 0) {
		must(rec.seq >= seq && rec.len >= PD_RECORD_HEADER_LEN);
		seq = rec.seq;
		nr++;
		decode(r, &rec);
	}
	must(it.pos == it.end);
	pd_records_release(&it);
	return nr;
}

/* The pieces tile the data section. */
static void check_pieces(struct pd_reader *r)
{
	struct pd_chunk whole = pd_reader_data(r);
	uint64_t at = whole.file_off;
	const struct pd_chunk *pieces;
	size_t nr;

	if (pd_reader_chunks(r, 64, &pieces, &nr, NULL))
		return;
	for (size_t i = 0; i < nr; i++) {
		must(pieces[i].file_off == at);
		at += pieces[i].len;
		(void)walk(r, pieces[i]);
	}
	must(at == whole.file_off + whole.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_reader *r;
	int rc = pd_reader_open(&r, data, len, NULL, &err);

	if (rc) {
		must(rc < 0 && err.text[0]);
		return 0;
	}
	(void)walk(r, pd_reader_data(r));
	check_pieces(r);
	pd_reader_close(r);
	return 0;
}
