#include "report/input/sample_rle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_LEN_MAX 10u /* 64 bits, 7 a byte */
#define RUN_LEN_MAX    (6 * NUMBER_LEN_MAX)
#define TEXT_LEN       1024u /* at first */
#define RECORD_COST    64u   /* in the table, besides its bytes */

void rpt_sample_rle_begin(struct rpt_sample_rle *d,
			  const struct pd_event_set *events, bool by_raw,
			  struct rpt_budget *budget)
{
	d->events = events;
	d->by_raw = by_raw;
	d->budget = budget;
}

void rpt_sample_rle_use_up(struct rpt_sample_rle *d)
{
	struct rpt_inflated_cache rest = d->rest;
	bool swap = d->swap;

	d->rest = (struct rpt_inflated_cache){ 0 };
	rpt_sample_rle_release(d);
	d->rest = rest;
	d->swap = swap;
}

void rpt_sample_rle_release(struct rpt_sample_rle *d)
{
	rpt_inflated_cache_release(&d->rest);
	if (d->budget)
		rpt_budget_give(d->budget, d->taken_len);
	rpt_intern_release(&d->records);
	free(d->runs.data);
	free(d->deltas.data);
	*d = (struct rpt_sample_rle){ 0 };
}

/* False: it is too long, or there is no budget. */
static bool take(struct rpt_sample_rle *d, uint64_t len)
{
	uint64_t taken_len = d->taken_len + len;

	if (taken_len > RPT_SAMPLE_RLE_FREE_LEN &&
	    taken_len > d->plain_len / RPT_SAMPLE_RLE_SHARE)
		return false;
	if (!rpt_budget_take(d->budget, len))
		return false;
	d->taken_len = taken_len;
	return true;
}

/* For len more bytes.  0, -ENOMEM, or -EFBIG: there is no budget. */
static int make_room(struct rpt_sample_rle *d, struct rpt_sample_rle_text *text,
		     size_t len)
{
	size_t more = text->cap ? text->cap : TEXT_LEN;
	uint8_t *data;

	if (text->cap - text->len >= len)
		return 0;
	if (more < len)
		more = len;
	if (!take(d, more))
		return -EFBIG;
	data = realloc(text->data, text->cap + more);
	if (!data)
		return -ENOMEM;
	text->data = data;
	text->cap += more;
	return 0;
}

static void put(struct rpt_sample_rle_text *text, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		text->data[text->len++] = (uint8_t)(v | 0x80);
	text->data[text->len++] = (uint8_t)v;
}

/* Small where it is little above or below 0. */
static void put_difference(struct rpt_sample_rle_text *text, uint64_t v)
{
	put(text, v << 1 ^ (v >> 63 ? UINT64_MAX : 0));
}

int32_t rpt_sample_rle_time_off(const struct pd_event_set *events,
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

static bool is_plain(const struct pd_record *rec)
{
	return rec->plain_off == PD_RECORD_NOT_COMPRESSED;
}

/* The run that is open is over, and room for it is there; sample_rle_iter.h. */
static void end_run(struct rpt_sample_rle *d)
{
	const struct rpt_sample_rle_run *run = &d->run;
	bool is_alone = run->nr == 1;

	if (!run->nr)
		return;
	put(&d->runs, (uint64_t)run->record_idx << 2 |
			      (run->is_plain ? 2u : 0u) | (is_alone ? 1u : 0u));
	put_difference(&d->runs, run->first_ns - d->before_ns);
	put_difference(&d->runs, run->seq - d->before_seq);
	if (!is_alone) {
		put(&d->runs, run->nr);
		put(&d->runs, run->last_ns - run->first_ns);
		put(&d->runs, d->deltas.len - d->run_deltas_at);
	}
	d->before_ns = run->last_ns;
	d->before_seq = d->run_next_seq;
	d->run.nr = 0;
}

/* False: the record, which is like the run's, starts another one, and may find
 * that there is no room. */
static bool go_on(struct rpt_sample_rle *d, const struct pd_record *rec)
{
	int32_t time_off = d->kinds[d->kind].time_off;
	struct rpt_sample_rle_run *run = &d->run;
	uint64_t time_ns = time_at(rec->data, time_off, rec->swap);

	/* ~0 is no time: pd_event_set_order() */
	if (rec->seq != d->run_next_seq || is_plain(rec) != run->is_plain ||
	    time_ns < run->last_ns || time_ns == UINT64_MAX ||
	    run->nr == RPT_SAMPLE_RLE_RUN_NR ||
	    make_room(d, &d->deltas, NUMBER_LEN_MAX))
		return false;
	put(&d->deltas, time_ns - run->last_ns);
	run->last_ns = time_ns;
	run->nr++;
	d->run_next_seq += rpt_sample_rle_step(run, rec->len);
	return true;
}

/* What counts of a record. */
static void find_likeness(const struct rpt_sample_rle *d,
			  const struct pd_record *rec,
			  struct rpt_sample_rle_kind *ret)
{
	const struct pd_event *event = NULL;
	struct pd_sample sample;
	bool has_raw = false;

	ret->time_off = rpt_sample_rle_time_off(d->events, rec);
	if (ret->time_off >= 0 && !d->by_raw)
		event = pd_event_set_of_record(d->events, rec);
	if (event && event->layout.sample_type & PD_SAMPLE_RAW)
		has_raw = !pd_sample_read(&event->layout, rec, &sample, NULL);
	ret->like = rpt_sample_equal_of(rec, ret->time_off,
					has_raw ? sample.raw : NULL,
					has_raw ? sample.raw_len : 0);
}

/* The record by its number.  0, -ENOMEM, or -EFBIG: no room for it. */
static int find_kind(struct rpt_sample_rle *d, const struct pd_record *rec,
		     struct rpt_sample_rle_kind *ret)
{
	uint8_t room[PD_RECORD_LEN_MAX];
	uint32_t known_nr = d->records.nr;
	int64_t idx;

	find_likeness(d, rec, ret);
	memcpy(room, rec->data, rec->len);
	rpt_sample_equal_blank(&ret->like, room);
	idx = rpt_intern(&d->records, room, rec->len);
	if (idx < 0)
		return (int)idx;
	if (idx == known_nr && !take(d, rec->len + RECORD_COST))
		return -EFBIG;
	ret->record_idx = (uint32_t)idx;
	ret->data = rpt_intern_key(&d->records, (uint32_t)idx);
	return 0;
}

static bool is_of_kind(const struct rpt_sample_rle_kind *kind,
		       const struct pd_record *rec)
{
	return kind->data && rec->len == kind->like.len &&
	       rpt_are_alike(&kind->like, rec->data, kind->data);
}

/* d->kind, which the record is not of, becomes that of it. */
static int choose_kind(struct rpt_sample_rle *d, const struct pd_record *rec)
{
	for (unsigned i = 1; i < RPT_SAMPLE_RLE_TURNS; i++) {
		uint8_t kind = (uint8_t)((d->kind + i) % RPT_SAMPLE_RLE_TURNS);

		if (!is_of_kind(&d->kinds[kind], rec))
			continue;
		d->kind = kind;
		return 0;
	}
	d->kind = (uint8_t)((d->kind + 1) % RPT_SAMPLE_RLE_TURNS);
	return find_kind(d, rec, &d->kinds[d->kind]);
}

/* d->kind is the record's. */
static int start_run(struct rpt_sample_rle *d, const struct pd_record *rec)
{
	const struct rpt_sample_rle_kind *kind = &d->kinds[d->kind];
	uint64_t time_ns = time_at(rec->data, kind->time_off, rec->swap);
	int rc;

	end_run(d);
	rc = make_room(d, &d->runs, RUN_LEN_MAX);
	if (!rc)
		rc = make_room(d, &d->deltas, NUMBER_LEN_MAX);
	if (rc)
		return rc;
	d->run = (struct rpt_sample_rle_run){
		.first_ns = time_ns,
		.last_ns = time_ns,
		.seq = rec->seq,
		.record_idx = kind->record_idx,
		.nr = 1,
		.is_plain = is_plain(rec),
	};
	d->run_deltas_at = d->deltas.len;
	d->run_next_seq = rec->seq + rpt_sample_rle_step(&d->run, rec->len);
	return 0;
}

static int keep(struct rpt_sample_rle *d, const struct pd_record *rec)
{
	int rc =
		d->rest.budget ? rpt_inflated_cache_add(&d->rest, rec) : -EFBIG;

	if (!rc)
		return 0;
	rpt_sample_rle_release(d);
	return rc == -EFBIG ? 0 : rc;
}

int rpt_sample_rle_add(struct rpt_sample_rle *d, const struct pd_record *rec)
{
	bool is_same;
	int rc = 0;

	if (d->is_full)
		return keep(d, rec);
	is_same = is_of_kind(&d->kinds[d->kind], rec);
	d->plain_len += rec->len;
	if (is_same && go_on(d, rec))
		return 0;
	d->swap = rec->swap;
	if (!is_same)
		rc = choose_kind(d, rec);
	if (!rc)
		rc = start_run(d, rec);
	if (rc != -EFBIG) {
		if (rc)
			rpt_sample_rle_release(d);
		return rc;
	}
	end_run(d);
	d->is_full = true;
	return keep(d, rec);
}

/* How many more records the open run can take, of nr. */
static size_t run_room(struct rpt_sample_rle *d, size_t nr)
{
	size_t left = RPT_SAMPLE_RLE_RUN_NR - d->run.nr;

	if (nr > left)
		nr = left;
	if (make_room(d, &d->deltas, nr * NUMBER_LEN_MAX))
		nr = (d->deltas.cap - d->deltas.len) / NUMBER_LEN_MAX;
	return nr;
}

size_t rpt_sample_rle_add_repeats(struct rpt_sample_rle *d,
				  struct pd_record_span *span)
{
	const struct rpt_sample_rle_kind *kind = &d->kinds[d->kind];
	const uint8_t *data = span->next.data;
	struct rpt_sample_rle_run *run = &d->run;
	uint64_t time_ns, last_ns = run->last_ns;
	size_t nr, i;

	if (!run->nr || span->next.len != kind->like.len ||
	    span->next.seq != d->run_next_seq ||
	    is_plain(&span->next) != run->is_plain)
		return 0;
	nr = run_room(d, span->nr);
	for (i = 0; i < nr && rpt_are_alike(&kind->like, data, kind->data);
	     i++) {
		time_ns = time_at(data, kind->time_off, d->swap);
		if (time_ns < last_ns || time_ns == UINT64_MAX)
			break;
		put(&d->deltas, time_ns - last_ns);
		last_ns = time_ns;
		data += kind->like.len;
	}
	run->last_ns = last_ns;
	run->nr = (uint16_t)(run->nr + i);
	d->run_next_seq += i * rpt_sample_rle_step(run, kind->like.len);
	d->plain_len += i * kind->like.len;
	pd_record_span_pass(span, i);
	return i;
}

/* Memory that it will not need. */
static void trim(struct rpt_sample_rle *d, struct rpt_sample_rle_text *text)
{
	uint8_t *data = text->len ? realloc(text->data, text->len) : NULL;

	if (!data)
		return;
	rpt_budget_give(d->budget, text->cap - text->len);
	d->taken_len -= text->cap - text->len;
	text->data = data;
	text->cap = text->len;
}

void rpt_sample_rle_close(struct rpt_sample_rle *d,
			  const struct pd_damage *damage)
{
	end_run(d);
	trim(d, &d->runs);
	trim(d, &d->deltas);
	d->damage = *damage;
	d->damage.watch = NULL;
	d->is_closed = true;
}
