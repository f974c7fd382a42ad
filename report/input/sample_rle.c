/* A run is written when it is over, as numbers of 7 bits a byte, the low ones
 * first:
 *
 *	record_idx << 2 | is_plain << 1 | is_alone
 *	first time - last time of the run before	zigzag
 *	seq - what would have come next			zigzag
 *	and if it is not alone: nr, last time - first, bytes of its deltas
 *
 * Its deltas, in a buffer of their own, are the steps from time to time.
 */
#include "report/input/sample_rle.h"

#include <stdlib.h>
#include <string.h>

/* The share of the records' bytes that an encoding may have: 1 / so much. */
#define PLAIN_SHARE 8u
#define FRAME_SHARE 4u
/* The part of the memory for what is made of a file that all its encodings may
 * take; and never more than 30 million samples of one loop take. */
#define SET_SHARE   4u
#define SET_LEN_MAX ((uint64_t)96 << 20)

#define NUMBER_LEN_MAX 10u /* 64 bits, 7 a byte */
#define RUN_LEN_MAX    (6 * NUMBER_LEN_MAX)
#define BYTES_LEN      1024u /* at first */
#define RECORD_COST    64u   /* in the table, besides its bytes */

#define BLOCK_LEN ((size_t)128 << 10) /* of the rest: any record fits */
#define SEQ_LEN	  sizeof(uint64_t)

void rpt_sample_rle_begin(struct rpt_sample_rle *rle,
			  const struct pd_event_set *events, bool is_frame,
			  bool by_raw, struct rpt_budget *budget)
{
	rle->events = events;
	rle->recent.events = events;
	rle->recent.by_raw = by_raw;
	rle->budget = budget;
	rle->share = is_frame ? FRAME_SHARE : PLAIN_SHARE;
}

void rpt_sample_rle_release(struct rpt_sample_rle *rle)
{
	struct rpt_sample_block *next;

	if (rle->budget)
		rpt_budget_give(rle->budget, rle->taken_len);
	for (struct rpt_sample_block *block = rle->rest; block; block = next) {
		next = block->next;
		free(block->data);
		free(block);
	}
	rpt_intern_release(&rle->records);
	free(rle->runs.data);
	free(rle->deltas.data);
	*rle = (struct rpt_sample_rle){ 0 };
}

/* Return false if the encoding is too long, or if there is no budget. */
static bool take(struct rpt_sample_rle *rle, uint64_t len)
{
	uint64_t taken_len = rle->taken_len + len;

	if (taken_len > RPT_SAMPLE_RLE_FREE_LEN &&
	    taken_len > rle->plain_len / rle->share)
		return false;
	if (!rpt_budget_take(rle->budget, len))
		return false;
	rle->taken_len = taken_len;
	return true;
}

/* Make room for len more bytes.  Return false if there is no budget. */
static bool reserve(struct rpt_sample_rle *rle,
		    struct rpt_sample_rle_bytes *bytes, size_t len)
{
	size_t more = bytes->cap ? bytes->cap : BYTES_LEN;

	if (bytes->cap - bytes->len >= len)
		return true;
	if (more < len)
		more = len;
	if (!take(rle, more))
		return false;
	bytes->cap += more;
	bytes->data = rpt_realloc_array(bytes->data, bytes->cap, 1);
	return true;
}

static void put(struct rpt_sample_rle_bytes *bytes, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		bytes->data[bytes->len++] = (uint8_t)(v | 0x80);
	bytes->data[bytes->len++] = (uint8_t)v;
}

/* Zigzag: numbers little above or below 0 are short. */
static void put_difference(struct rpt_sample_rle_bytes *bytes, uint64_t v)
{
	put(bytes, v << 1 ^ (v >> 63 ? UINT64_MAX : 0));
}

static uint64_t number_at(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t v = *p & 0x7f;

	for (unsigned shift = 7; *p++ & 0x80; shift += 7)
		v |= (uint64_t)(*p & 0x7f) << shift;
	*at = p;
	return v;
}

static uint64_t difference_at(const uint8_t **at)
{
	uint64_t v = number_at(at);

	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

static inline uint64_t time_at(const uint8_t *data, int32_t off, bool swap)
{
	uint64_t v;

	if (off < 0)
		return 0;
	memcpy(&v, data + off, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static uint64_t step_of(const struct pd_record *rec)
{
	return rec->plain_off == PD_RECORD_NOT_COMPRESSED
		       ? pd_record_seq(rec->len, 0)
		       : 1;
}

/* Write the open run; room for it is there. */
static void end_run(struct rpt_sample_rle *rle)
{
	const struct rpt_sample_run *run = &rle->run;
	bool is_alone = run->nr == 1;

	if (!run->nr)
		return;
	put(&rle->runs, (uint64_t)run->record_idx << 2 |
				(run->seq_step != 1 ? 2u : 0u) |
				(is_alone ? 1u : 0u));
	put_difference(&rle->runs, run->first_ns - rle->before_ns);
	put_difference(&rle->runs, run->seq - rle->before_seq);
	if (!is_alone) {
		put(&rle->runs, run->nr);
		put(&rle->runs, run->last_ns - run->first_ns);
		put(&rle->runs, rle->deltas.len - rle->run_deltas_at);
	}
	rle->before_ns = run->last_ns;
	rle->before_seq = rle->run_next_seq;
	rle->run.nr = 0;
}

/* Number the record that replaces recent, the parts that do not count zeroed.
 * Return false if there is no room for it. */
static bool number_record(struct rpt_sample_rle *rle,
			  const struct pd_record *rec,
			  struct rpt_recent_sample *recent)
{
	uint8_t blanked[PD_RECORD_LEN_MAX];
	uint16_t middle_end =
		(uint16_t)(recent->middle_off + recent->middle_len);
	uint32_t known_nr = rle->records.nr;
	int64_t idx;

	memcpy(blanked, rec->data, rec->len);
	memset(blanked + recent->head_len, 0,
	       recent->middle_off - recent->head_len);
	memset(blanked + middle_end, 0, recent->tail_off - middle_end);
	idx = rpt_intern(&rle->records, blanked, rec->len);
	if (idx < 0 || (idx == known_nr && !take(rle, rec->len + RECORD_COST)))
		return false;
	rle->recent_idx[rle->recent.idx] = (uint32_t)idx;
	recent->data = rpt_intern_key(&rle->records, (uint32_t)idx);
	return true;
}

/* Begin a run with a record.  Return false if there is no room for it. */
static bool start_run(struct rpt_sample_rle *rle, const struct pd_record *rec)
{
	struct rpt_recent_sample *recent;
	uint64_t time_ns;
	bool is_known;

	end_run(rle);
	rle->swap = rec->swap;
	rle->plain_len += rec->len;
	is_known = rpt_recent_samples_find(&rle->recent, rec);
	recent = &rle->recent.items[rle->recent.idx];
	if ((!is_known && !number_record(rle, rec, recent)) ||
	    !reserve(rle, &rle->runs, RUN_LEN_MAX) ||
	    !reserve(rle, &rle->deltas, NUMBER_LEN_MAX))
		return false;
	time_ns = time_at(rec->data, recent->time_off, rec->swap);
	rle->run = (struct rpt_sample_run){
		.record_idx = rle->recent_idx[rle->recent.idx],
		.nr = 1,
		.first_ns = time_ns,
		.last_ns = time_ns,
		.seq = rec->seq,
		.seq_step = step_of(rec),
	};
	rle->run_deltas_at = rle->deltas.len;
	rle->run_next_seq = rec->seq + rle->run.seq_step;
	return true;
}

/* Return how many of nr more records the open run can take. */
static size_t run_room(struct rpt_sample_rle *rle, size_t nr)
{
	size_t left = RPT_SAMPLE_RLE_RUN_NR - rle->run.nr;

	if (nr > left)
		nr = left;
	if (!reserve(rle, &rle->deltas, nr * NUMBER_LEN_MAX))
		nr = (rle->deltas.cap - rle->deltas.len) / NUMBER_LEN_MAX;
	return nr;
}

/* Move the records that go on with the open run from the span to it. */
static void extend_run(struct rpt_sample_rle *rle, struct pd_record_span *span)
{
	const struct rpt_recent_sample *recent =
		&rle->recent.items[rle->recent.idx];
	const uint8_t *data = span->next.data;
	struct rpt_sample_run *run = &rle->run;
	uint64_t time_ns, last_ns = run->last_ns;
	size_t nr, i;

	if (!run->nr || span->next.len != recent->len ||
	    span->next.seq != rle->run_next_seq ||
	    step_of(&span->next) != run->seq_step)
		return;
	nr = run_room(rle, span->nr);
	for (i = 0; i < nr && rpt_recent_sample_equals(recent, data); i++) {
		time_ns = time_at(data, recent->time_off, rle->swap);
		/* ~0 is no time: pd_event_set_order() */
		if (time_ns < last_ns || time_ns == UINT64_MAX)
			break;
		put(&rle->deltas, time_ns - last_ns);
		last_ns = time_ns;
		data += recent->len;
	}
	run->last_ns = last_ns;
	run->nr = (uint16_t)(run->nr + i);
	rle->run_next_seq += i * run->seq_step;
	rle->plain_len += i * recent->len;
	pd_record_span_pass(span, i);
}

/* Keep a record as it is.  Return false if there is no budget. */
static bool add_rest(struct rpt_sample_rle *rle, const struct pd_record *rec)
{
	struct rpt_sample_block *block = rle->rest;

	if (!block || BLOCK_LEN - block->len < SEQ_LEN + rec->len) {
		if (!rpt_budget_take(rle->budget, BLOCK_LEN))
			return false;
		rle->taken_len += BLOCK_LEN;
		rle->rest = rpt_alloc(sizeof(*block));
		*rle->rest = (struct rpt_sample_block){
			.next = block,
			.data = rpt_alloc(BLOCK_LEN),
		};
		block = rle->rest;
	}
	memcpy(block->data + block->len, &rec->seq, SEQ_LEN);
	memcpy(block->data + block->len + SEQ_LEN, rec->data, rec->len);
	block->len += SEQ_LEN + rec->len;
	return true;
}

bool rpt_sample_block_next(const struct rpt_sample_block *block, size_t *at,
			   bool swap, struct pd_record *ret)
{
	const uint8_t *data = block->data + *at;

	if (*at == block->len)
		return false;
	memcpy(&ret->seq, data, SEQ_LEN);
	pd_record_read_header(data + SEQ_LEN, block->len - *at - SEQ_LEN, swap,
			      ret);
	ret->file_off = pd_record_file_off(ret->seq);
	ret->plain_off = 0;
	*at += SEQ_LEN + ret->len;
	return true;
}

void rpt_sample_rle_add(struct rpt_sample_rle *rle, struct pd_record_span span)
{
	struct pd_record rec;

	extend_run(rle, &span);
	while (pd_record_span_next(&span, &rec)) {
		if (rle->rest || !start_run(rle, &rec)) {
			if (rle->keeps_rest && add_rest(rle, &rec))
				continue;
			rpt_sample_rle_release(rle);
			return;
		}
		if (span.nr)
			extend_run(rle, &span);
	}
}

/* Give back memory that will not be needed. */
static void trim(struct rpt_sample_rle *rle, struct rpt_sample_rle_bytes *bytes)
{
	uint8_t *data;

	if (!bytes->len)
		return;
	/* clang-tidy does not see that rpt_sample_rle_release() zeroes it.
	 * NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	data = realloc(bytes->data, bytes->len);
	if (!data)
		return;
	rpt_budget_give(rle->budget, bytes->cap - bytes->len);
	rle->taken_len -= bytes->cap - bytes->len;
	bytes->data = data;
	bytes->cap = bytes->len;
}

void rpt_sample_rle_close(struct rpt_sample_rle *rle,
			  const struct pd_damage *damage)
{
	end_run(rle);
	trim(rle, &rle->runs);
	trim(rle, &rle->deltas);
	rle->damage = *damage;
	rle->damage.watch = NULL;
	rle->is_closed = true;
}

int rpt_sample_rle_read(struct rpt_sample_rle *rle, struct pd_reader *reader,
			struct pd_chunk chunk, struct pd_err *err)
{
	struct pd_record_span span;
	struct pd_records it;
	int rc = 0;

	pd_records_init(&it, reader, chunk);
	while (rle->events && (rc = pd_records_next_span(&it, &span, err)) > 0)
		if (rpt_sample_rle_takes(span.next.type))
			rpt_sample_rle_add(rle, span);
	if (rle->events && !rc)
		rpt_sample_rle_close(rle, &it.damage);
	pd_records_release(&it);
	return rc < 0 ? rc : 0;
}

bool rpt_sample_rle_next(struct rpt_sample_rle_iter *it,
			 struct rpt_sample_run *ret)
{
	const struct rpt_sample_rle *rle = it->rle;
	const struct rpt_intern_entry *record;
	const uint8_t *at;
	uint64_t head;

	if (it->runs_at == rle->runs.len)
		return false;
	at = rle->runs.data + it->runs_at;
	head = number_at(&at);
	record = &rle->records.entries[head >> 2];
	*ret = (struct rpt_sample_run){
		.record = record->key,
		.len = (uint16_t)record->len,
		.nr = 1,
		.record_idx = (uint32_t)(head >> 2),
		.seq_step = head & 2 ? pd_record_seq(record->len, 0) : 1,
		.deltas = rle->deltas.data + it->deltas_at,
	};
	ret->first_ns = it->before_ns + difference_at(&at);
	ret->last_ns = ret->first_ns;
	ret->seq = it->before_seq + difference_at(&at);
	if (!(head & 1)) {
		ret->nr = (uint16_t)number_at(&at);
		ret->last_ns += number_at(&at);
		it->deltas_at += (size_t)number_at(&at);
	}
	it->runs_at = (size_t)(at - rle->runs.data);
	it->before_ns = ret->last_ns;
	it->before_seq = ret->seq + ret->nr * ret->seq_step;
	return true;
}

uint64_t rpt_sample_run_delta(struct rpt_sample_run *run)
{
	return number_at(&run->deltas);
}

void rpt_sample_rle_set_init(struct rpt_sample_rle_set *set, size_t nr,
			     uint64_t kept_limit)
{
	uint64_t left = kept_limit / SET_SHARE;

	if (left > SET_LEN_MAX)
		left = SET_LEN_MAX;
	/* chunks so tiny and many are not encoded */
	if (nr > left / 2 / sizeof(*set->items))
		nr = 0;
	*set = (struct rpt_sample_rle_set){
		.items = rpt_alloc_zeroed(nr, sizeof(*set->items)),
		.nr = nr,
		.budget.left = (int64_t)(left - nr * sizeof(*set->items)),
	};
}

void rpt_sample_rle_set_release(struct rpt_sample_rle_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		rpt_sample_rle_release(&set->items[i]);
	free(set->items);
	*set = (struct rpt_sample_rle_set){ 0 };
}
