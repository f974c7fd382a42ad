#include "report/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DELTA_LEN_MAX 10u /* 64 bits, 7 a byte */
#define DELTAS_LEN    ((size_t)16 << 10)
#define RUNS_NR	      64u /* at first */
#define RECORD_COST   64u /* in the table, besides its bytes */

void rpt_digest_begin(struct rpt_digest *d, const struct pd_event_set *events,
		      struct rpt_budget *budget)
{
	d->events = events;
	d->budget = budget;
}

void rpt_digest_release(struct rpt_digest *d)
{
	if (d->budget)
		rpt_budget_give(d->budget, d->taken_len);
	rpt_intern_release(&d->records);
	rpt_arena_release(&d->deltas);
	free(d->runs);
	*d = (struct rpt_digest){ 0 };
}

/* False: it is too long, or there is no budget. */
static bool take(struct rpt_digest *d, uint64_t len)
{
	uint64_t taken_len = d->taken_len + len;

	if (taken_len > RPT_DIGEST_FREE_LEN &&
	    taken_len > d->plain_len / RPT_DIGEST_SHARE)
		return false;
	if (!rpt_budget_take(d->budget, len))
		return false;
	d->taken_len = taken_len;
	return true;
}

int32_t rpt_digest_time_off(const struct pd_event_set *events,
			    const struct pd_record *rec)
{
	const struct pd_event *event =
		rec->type == PD_RECORD_SAMPLE
			? pd_event_set_of_record(events, rec)
			: NULL;
	int32_t off = event ? event->layout.time_off : -1;

	return off >= 0 && off + (int32_t)sizeof(uint64_t) <= rec->len ? off
								       : -1;
}

static inline uint64_t time_at(const uint8_t *data, int32_t off, bool swap)
{
	uint64_t v;

	if (off < 0)
		return 0;
	memcpy(&v, data + off, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* The same record as the open run's, but for the time; it is as long. */
static inline bool is_alike(const struct rpt_digest *d, const uint8_t *data)
{
	size_t head_len, tail_off;

	if (d->last_time_off < 0)
		return !memcmp(data, d->last, d->last_len);
	head_len = (size_t)d->last_time_off;
	tail_off = head_len + sizeof(uint64_t);
	return !memcmp(data, d->last, head_len) &&
	       !memcmp(data + tail_off, d->last + tail_off,
		       d->last_len - tail_off);
}

static void put_delta(struct rpt_digest *d, uint64_t delta)
{
	for (; delta > 0x7f; delta >>= 7)
		*d->at++ = (uint8_t)(delta | 0x80);
	*d->at++ = (uint8_t)delta;
}

static bool is_plain(const struct pd_record *rec)
{
	return rec->plain_off == PD_RECORD_NOT_COMPRESSED;
}

/* False: the record, which is like the run's, starts another one. */
static bool go_on(struct rpt_digest *d, const struct pd_record *rec)
{
	struct rpt_digest_run *run = &d->runs[d->run_nr - 1];
	uint64_t time_ns = time_at(rec->data, d->last_time_off, rec->swap);

	/* ~0 is no time: pd_event_set_order() */
	if (rec->seq != d->next_seq || is_plain(rec) != run->is_plain ||
	    time_ns < run->last_ns || time_ns == UINT64_MAX ||
	    run->nr == RPT_DIGEST_RUN_NR || d->end - d->at < DELTA_LEN_MAX)
		return false;
	put_delta(d, time_ns - run->last_ns);
	run->last_ns = time_ns;
	run->nr++;
	d->next_seq += rpt_digest_step(run, rec->len);
	return true;
}

/* The number of the record without its time.  -EFBIG: no room for it. */
static int64_t number_of(struct rpt_digest *d, const struct pd_record *rec)
{
	uint8_t room[PD_RECORD_LEN_MAX];
	int32_t off = rpt_digest_time_off(d->events, rec);
	uint32_t known_nr = d->records.nr;
	int64_t idx;

	memcpy(room, rec->data, rec->len);
	if (off >= 0)
		memset(room + off, 0, sizeof(uint64_t));
	idx = rpt_intern(&d->records, room, rec->len);
	if (idx < 0)
		return idx;
	if (idx == known_nr && !take(d, rec->len + RECORD_COST))
		return -EFBIG;
	d->last = rpt_intern_key(&d->records, (uint32_t)idx);
	d->last_len = rec->len;
	d->last_time_off = off;
	return idx;
}

/* Room for another run.  0, -ENOMEM, or -EFBIG: there is no budget. */
static int make_room(struct rpt_digest *d)
{
	if (d->run_nr == d->run_cap) {
		uint32_t more = d->run_cap ? d->run_cap : RUNS_NR;
		struct rpt_digest_run *runs;

		if (!take(d, more * sizeof(*runs)))
			return -EFBIG;
		runs = reallocarray(d->runs, d->run_cap + more, sizeof(*runs));
		if (!runs)
			return -ENOMEM;
		d->runs = runs;
		d->run_cap += more;
	}
	if (d->end - d->at < DELTA_LEN_MAX) {
		if (!take(d, DELTAS_LEN))
			return -EFBIG;
		d->at = rpt_arena_alloc(&d->deltas, DELTAS_LEN);
		if (!d->at)
			return -ENOMEM;
		d->end = d->at + DELTAS_LEN;
	}
	return 0;
}

static int start_run(struct rpt_digest *d, const struct pd_record *rec,
		     bool is_same)
{
	uint32_t last_idx = d->run_nr ? d->runs[d->run_nr - 1].record_idx : 0;
	struct rpt_digest_run *run;
	int64_t idx = is_same ? last_idx : number_of(d, rec);
	uint64_t time_ns;
	int rc;

	if (idx < 0)
		return (int)idx;
	rc = make_room(d);
	if (rc)
		return rc;
	time_ns = time_at(rec->data, d->last_time_off, rec->swap);
	run = &d->runs[d->run_nr++];
	*run = (struct rpt_digest_run){
		.first_ns = time_ns,
		.last_ns = time_ns,
		.seq = rec->seq,
		.deltas = d->at,
		.record_idx = (uint32_t)idx,
		.nr = 1,
		.is_plain = is_plain(rec),
	};
	d->next_seq = rec->seq + rpt_digest_step(run, rec->len);
	return 0;
}

int rpt_digest_add(struct rpt_digest *d, const struct pd_record *rec)
{
	bool is_same =
		d->last && rec->len == d->last_len && is_alike(d, rec->data);
	int rc;

	d->plain_len += rec->len;
	if (is_same && go_on(d, rec))
		return 0;
	d->swap = rec->swap;
	rc = start_run(d, rec, is_same);
	if (!rc)
		return 0;
	rpt_digest_release(d);
	return rc == -EFBIG ? 0 : rc;
}

/* How many more records the open run can take. */
static size_t run_room(const struct rpt_digest *d)
{
	size_t nr = RPT_DIGEST_RUN_NR - d->runs[d->run_nr - 1].nr;
	size_t deltas_nr = (size_t)(d->end - d->at) / DELTA_LEN_MAX;

	return nr < deltas_nr ? nr : deltas_nr;
}

size_t rpt_digest_add_repeats(struct rpt_digest *d, struct pd_record_span *span)
{
	const uint8_t *data = span->next.data;
	struct rpt_digest_run *run;
	uint64_t time_ns, last_ns;
	size_t nr, i;

	if (!d->last || span->next.len != d->last_len ||
	    span->next.seq != d->next_seq)
		return 0;
	run = &d->runs[d->run_nr - 1];
	if (is_plain(&span->next) != run->is_plain)
		return 0;
	last_ns = run->last_ns;
	nr = run_room(d);
	if (nr > span->nr)
		nr = span->nr;
	for (i = 0; i < nr && is_alike(d, data); i++) {
		time_ns = time_at(data, d->last_time_off, d->swap);
		if (time_ns < last_ns || time_ns == UINT64_MAX)
			break;
		put_delta(d, time_ns - last_ns);
		last_ns = time_ns;
		data += d->last_len;
	}
	run->last_ns = last_ns;
	run->nr = (uint16_t)(run->nr + i);
	d->next_seq += i * rpt_digest_step(run, d->last_len);
	d->plain_len += i * d->last_len;
	pd_record_span_pass(span, i);
	return i;
}

void rpt_digest_close(struct rpt_digest *d, const struct pd_damage *damage)
{
	d->damage = *damage;
	d->damage.watch = NULL;
	d->is_closed = true;
}

int rpt_digests_init(struct rpt_digests *digests, size_t nr,
		     uint64_t kept_limit)
{
	uint64_t left = kept_limit / RPT_DIGESTS_SHARE;

	if (left > RPT_DIGESTS_LEN_MAX)
		left = RPT_DIGESTS_LEN_MAX;
	/* of too many, tiny pieces there are none */
	if (nr > left / 2 / sizeof(*digests->items))
		nr = 0;
	*digests = (struct rpt_digests){
		.items = calloc(nr + 1, sizeof(*digests->items)),
		.nr = nr,
		.budget.left = left - nr * sizeof(*digests->items),
	};
	return digests->items ? 0 : -ENOMEM;
}

void rpt_digests_release(struct rpt_digests *digests)
{
	for (size_t i = 0; i < digests->nr; i++)
		rpt_digest_release(&digests->items[i]);
	free(digests->items);
	*digests = (struct rpt_digests){ 0 };
}
