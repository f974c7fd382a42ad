/* sample_rle.h: the samples of a piece, kept small between the pass that reads
 * them for tasks and maps and the one that counts them.
 *
 * To inflate a compressed recording, or to fetch a long plain one from memory,
 * is most of what it costs, and samples can be counted only when all sideband
 * is known.  So the first pass writes down what the second needs:
 *
 *	records	each different one once (sample_equal.h)
 *	runs	of samples one behind the other that are alike: the record's
 *		number, how many, the first time and place in the file
 *	deltas	from each time of a run to the next
 *
 *	rpt_sample_rle_add(d, &rec);	samples, LOST, LOST_SAMPLES, in order
 *	rpt_sample_rle_close(d, &damage);	at the end of the piece
 *	rpt_profile_add_digest(...);	instead of the piece
 *
 * Loops of system calls, idle CPUs and spinning threads take two or three bytes
 * a sample so, and seven where a few kinds of samples take turns.  Where they
 * are not alike that is no gain: a digest that grows beyond
 * 1 / RPT_SAMPLE_RLE_SHARE of the plain text, or finds no budget, is full. What
 * comes after that is kept as it is, if it was compressed and is not too long;
 * else the digest is given up, and the piece is read twice.
 */
#ifndef RPT_SAMPLE_RLE_H
#define RPT_SAMPLE_RLE_H

#include "format/record_span.h"
#include "report/base/memory.h"
#include "report/base/intern.h"
#include "report/input/inflated_cache.h"
#include "report/input/sample_equal.h"

#define RPT_SAMPLE_RLE_SHARE	8u
#define RPT_SAMPLE_RLE_FREE_LEN ((uint64_t)64 << 10) /* may be taken anyway */
/* For all digests of a file: a part of the memory that may be made of it, and
 * never more than what 30 million samples of one loop take. */
#define RPT_SAMPLE_RLE_SET_SHARE   16u
#define RPT_SAMPLE_RLE_SET_LEN_MAX ((uint64_t)96 << 20)

#define RPT_SAMPLE_RLE_RUN_NR 4096u /* samples in a run at most */
#define RPT_SAMPLE_RLE_TURNS  4u    /* kinds of samples that may take turns */

struct rpt_sample_rle_run {
	uint64_t first_ns; /* as in the record; in a run no time goes back */
	uint64_t last_ns;
	uint64_t seq; /* of the first; rpt_sample_rle_step() to the next */
	const uint8_t *deltas;
	uint32_t record_idx;
	uint16_t nr;
	bool is_plain; /* was not compressed */
};

/* What the seq of samples of len bytes grows by from one to the next. */
static inline uint64_t rpt_sample_rle_step(const struct rpt_sample_rle_run *run,
					   size_t len)
{
	return run->is_plain ? pd_record_seq(len, 0) : 1;
}

/* Bytes that are written and read from start to end. */
struct rpt_sample_rle_text {
	uint8_t *data; /* owned */
	size_t len;
	size_t cap;
};

/* A record that came lately. */
struct rpt_sample_rle_kind {
	const uint8_t *data; /* in records; NULL: none */
	struct rpt_sample_equal like;
	int32_t time_off;
	uint32_t record_idx;
};

struct rpt_sample_rle {
	const struct pd_event_set *events; /* NULL: nothing was begun */
	struct rpt_budget *budget;
	bool by_raw;	/* raw data count */
	bool is_closed; /* whole, and to be used */
	bool is_full;	/* later records are in the rest */
	bool swap;
	struct rpt_inflated_cache rest;
	struct rpt_intern records;
	struct rpt_sample_rle_text runs; /* sample_rle_iter.h */
	struct rpt_sample_rle_text deltas;
	struct pd_damage damage; /* of the piece */
	/* under construction */
	struct rpt_sample_rle_run run; /* nr 0: none is open */
	size_t run_deltas_at;
	uint64_t run_next_seq;
	struct rpt_sample_rle_kind kinds[RPT_SAMPLE_RLE_TURNS];
	uint8_t kind;	     /* of the open run */
	uint64_t before_ns;  /* the last time of the run before */
	uint64_t before_seq; /* and what came after it */
	uint64_t plain_len;  /* of the records that were added */
	uint64_t taken_len;  /* of the budget */
};

/* Of these types counting knows; they are put into a digest. */
static inline bool rpt_is_counted(uint32_t type)
{
	return type == PD_RECORD_SAMPLE || type == PD_RECORD_LOST ||
	       type == PD_RECORD_LOST_SAMPLES;
}

/* Begins; d is zeroed.  events and budget must outlive it.  by_raw: rows tell
 * raw data apart. */
void rpt_sample_rle_begin(struct rpt_sample_rle *d,
			  const struct pd_event_set *events, bool by_raw,
			  struct rpt_budget *budget);
static inline bool rpt_sample_rle_is_open(const struct rpt_sample_rle *d)
{
	return d->events && !d->is_closed;
}
/* When it is full, records go to its rest, paid for out of this budget, which
 * must outlive it. */
static inline void rpt_sample_rle_keep_rest(struct rpt_sample_rle *d,
					    struct rpt_budget *texts)
{
	d->rest.budget = texts;
}
/* One more record of an open digest.  It may be given up, and is empty then.
 * 0 or -ENOMEM. */
int rpt_sample_rle_add(struct rpt_sample_rle *d, const struct pd_record *rec);
/* After one of a span's records: those that go on as the last one did, if any,
 * which are passed over.  How many. */
size_t rpt_sample_rle_add_repeats(struct rpt_sample_rle *d,
				  struct pd_record_span *span);
/* The latest time of the run that is open; 0: there is none. */
static inline uint64_t rpt_sample_rle_last_ns(const struct rpt_sample_rle *d)
{
	return d->run.nr ? d->run.last_ns : 0;
}
/* Of an open digest: it is whole. */
void rpt_sample_rle_close(struct rpt_sample_rle *d,
			  const struct pd_damage *damage);
void rpt_sample_rle_release(struct rpt_sample_rle *d);
/* The same but for the rest. */
void rpt_sample_rle_use_up(struct rpt_sample_rle *d);

/* Where the time stands in a record; -1: it has none that counts. */
int32_t rpt_sample_rle_time_off(const struct pd_event_set *events,
				const struct pd_record *rec);

#endif
