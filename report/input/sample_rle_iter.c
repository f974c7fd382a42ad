#include "report/input/sample_rle_iter.h"

static uint64_t difference_at(const uint8_t **at)
{
	uint64_t v = rpt_sample_rle_number(at);

	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

bool rpt_sample_rle_iter_next(struct rpt_sample_rle_iter *it,
			      struct rpt_sample_rle_run *ret)
{
	const struct rpt_sample_rle *d = it->digest;
	const uint8_t *at;
	uint64_t head;

	if (it->run_at == d->runs.len)
		return false;
	at = d->runs.data + it->run_at;
	head = rpt_sample_rle_number(&at);
	*ret = (struct rpt_sample_rle_run){
		.record_idx = (uint32_t)(head >> 2),
		.is_plain = head & 2,
		.nr = 1,
		.deltas = d->deltas.data + it->deltas_at,
	};
	ret->first_ns = it->before_ns + difference_at(&at);
	ret->last_ns = ret->first_ns;
	ret->seq = it->before_seq + difference_at(&at);
	if (!(head & 1)) {
		ret->nr = (uint16_t)rpt_sample_rle_number(&at);
		ret->last_ns += rpt_sample_rle_number(&at);
		it->deltas_at += rpt_sample_rle_number(&at);
	}
	it->run_at = (size_t)(at - d->runs.data);
	it->before_ns = ret->last_ns;
	it->before_seq =
		ret->seq +
		ret->nr * rpt_sample_rle_step(
				  ret, d->records.entries[ret->record_idx].len);
	return true;
}
