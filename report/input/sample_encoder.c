#include "report/input/sample_encoder.h"

#include <stddef.h>

/* Encoding a chunk in vain costs some percent of reading it.  After a plain one
 * that was given up, skip at most so many. */
#define SKIP_NR_MAX 7u

static struct rpt_sample_encoder *encoder_of(struct rpt_scan_listener *listener)
{
	return (struct rpt_sample_encoder *)((char *)listener -
					     offsetof(struct rpt_sample_encoder,
						      listener));
}

static void begin(struct rpt_scan_listener *listener,
		  const struct rpt_file_chunks *chunks,
		  const struct pd_reader *reader)
{
	struct rpt_sample_encoder *encoder = encoder_of(listener);

	encoder->chunks = chunks;
	encoder->events = pd_reader_events(reader);
	encoder->keeps_rest =
		!pd_event_set_has(encoder->events, PD_SAMPLE_READ);
	for (uint32_t i = 0; i < RPT_THREADS_MAX; i++)
		encoder->threads[i] = (struct rpt_sample_encoder_thread){ 0 };
	rpt_sample_rle_set_release(&encoder->rles);
	if (!pd_event_set_has_data_for_id(encoder->events))
		rpt_sample_rle_set_init(&encoder->rles, chunks->nr,
					pd_reader_memory_limit(reader, false));
}

static void begin_rle(struct rpt_sample_encoder *encoder, size_t idx)
{
	struct rpt_sample_rle *rle = &encoder->rles.items[idx];
	bool is_frame = encoder->chunks->items[idx].is_frame;

	rpt_sample_rle_begin(rle, encoder->events, is_frame, encoder->by_raw,
			     &encoder->rles.budget);
	rle->keeps_rest = is_frame && encoder->keeps_rest;
}

static bool begin_chunk(struct rpt_scan_listener *listener, uint32_t thread,
			size_t idx)
{
	struct rpt_sample_encoder *encoder = encoder_of(listener);
	struct rpt_sample_encoder_thread *own = &encoder->threads[thread];

	if (idx >= encoder->rles.nr)
		return false;
	if (own->skip_nr && !encoder->chunks->items[idx].is_frame) {
		own->skip_nr--;
		return false;
	}
	own->rle = &encoder->rles.items[idx];
	begin_rle(encoder, idx);
	return true;
}

static bool add(struct rpt_scan_listener *listener, uint32_t thread,
		struct pd_record_span span)
{
	struct rpt_sample_rle *rle = encoder_of(listener)->threads[thread].rle;

	rpt_sample_rle_add(rle, span);
	return rpt_sample_rle_is_open(rle);
}

static void end_chunk(struct rpt_scan_listener *listener, uint32_t thread,
		      const struct pd_damage *damage)
{
	struct rpt_sample_encoder_thread *own =
		&encoder_of(listener)->threads[thread];

	if (!damage) {
		rpt_sample_rle_release(own->rle);
	} else if (rpt_sample_rle_is_open(own->rle)) {
		rpt_sample_rle_close(own->rle, damage);
		own->next_skip_nr = 0;
	} else {
		own->skip_nr = own->next_skip_nr;
		own->next_skip_nr = 2 * own->next_skip_nr + 1;
		if (own->next_skip_nr > SKIP_NR_MAX)
			own->next_skip_nr = SKIP_NR_MAX;
	}
}

void rpt_sample_encoder_init(struct rpt_sample_encoder *encoder, bool by_raw)
{
	*encoder = (struct rpt_sample_encoder){
		.listener = { .begin = begin,
			      .begin_chunk = begin_chunk,
			      .add = add,
			      .end_chunk = end_chunk },
		.by_raw = by_raw,
	};
}

void rpt_sample_encoder_release(struct rpt_sample_encoder *encoder)
{
	rpt_sample_rle_set_release(&encoder->rles);
}

int rpt_sample_encoder_take(struct rpt_sample_encoder *encoder, size_t idx,
			    struct pd_reader *reader,
			    struct rpt_sample_rle **ret, struct pd_err *err)
{
	const struct pd_chunk *chunk;
	struct rpt_sample_rle *rle;
	int rc = 0;

	*ret = NULL;
	if (idx >= encoder->rles.nr)
		return 0;
	chunk = &encoder->chunks->items[idx];
	rle = &encoder->rles.items[idx];
	if (!rle->is_closed && !chunk->has_sideband) {
		begin_rle(encoder, idx);
		rc = rpt_sample_rle_read(rle, reader, *chunk, err);
	}
	if (!rc && rle->is_closed)
		*ret = rle;
	else
		rpt_sample_rle_release(rle);
	return rc;
}
