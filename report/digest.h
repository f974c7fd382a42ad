/* digest.h: the samples of a piece, kept small between the pass that reads them
 * for tasks and maps and the one that counts them.
 *
 * To inflate a compressed recording, or to fetch a long plain one from memory,
 * is most of what it costs, and samples can be counted only when all sideband
 * is known.  So the first pass writes down what the second needs, without loss:
 *
 *	records	  each different one once, but for its time
 *	runs	  of samples one behind the other that are the same record: its
 *		  number, how many, the first time and place in the file
 *	deltas	  from each time of a run to the next, 7 bits a byte, low first
 *
 *	rpt_digest_add(d, &rec);	samples, LOST, LOST_SAMPLES, in order
 *	rpt_digest_close(d, &damage);	at the end of the piece
 *	rpt_profile_add_digest(...);	instead of the piece
 *
 * Loops of system calls, idle CPUs and spinning threads take two or three bytes
 * a sample so.  Where samples are not alike that is no gain: a digest that
 * grows beyond 1 / RPT_DIGEST_SHARE of the plain text, or finds no budget, is
 * given up, and the piece is read twice.
 */
#ifndef RPT_DIGEST_H
#define RPT_DIGEST_H

#include "format/record_span.h"
#include "report/budget.h"
#include "report/intern.h"

#define RPT_DIGEST_SHARE    8u
#define RPT_DIGEST_FREE_LEN ((uint64_t)64 << 10) /* may be taken anyway */
/* For all digests of a file: a part of the memory that may be made of it, and
 * never more than what 30 million samples of one loop take. */
#define RPT_DIGESTS_SHARE   16u
#define RPT_DIGESTS_LEN_MAX ((uint64_t)96 << 20)

#define RPT_DIGEST_RUN_NR 4096u /* samples in a run at most */

struct rpt_digest_run {
	uint64_t first_ns; /* as in the record; in a run no time goes back */
	uint64_t last_ns;
	uint64_t seq; /* of the first; rpt_digest_step() to the next */
	const uint8_t *deltas;
	uint32_t record_idx;
	uint16_t nr;
	bool is_plain; /* was not compressed */
};

/* What the seq of samples of len bytes grows by from one to the next. */
static inline uint64_t rpt_digest_step(const struct rpt_digest_run *run,
				       size_t len)
{
	return run->is_plain ? pd_record_seq(len, 0) : 1;
}

struct rpt_digest {
	const struct pd_event_set *events; /* NULL: nothing was begun */
	struct rpt_budget *budget;
	bool is_closed; /* whole, and to be used */
	struct rpt_intern records;
	struct rpt_digest_run *runs; /* owned */
	uint32_t run_nr;
	uint32_t run_cap;
	struct rpt_arena deltas;
	struct pd_damage damage; /* of the piece */
	bool swap;
	/* under construction */
	uint8_t *at; /* the next delta; NULL: no room yet */
	uint8_t *end;
	const uint8_t *last; /* record of the open run; NULL: none is open */
	uint16_t last_len;
	int32_t last_time_off;
	uint64_t next_seq;
	uint64_t plain_len; /* of the records that were added */
	uint64_t taken_len; /* of the budget */
};

/* Of these types counting knows; they are put into a digest. */
static inline bool rpt_is_counted(uint32_t type)
{
	return type == PD_RECORD_SAMPLE || type == PD_RECORD_LOST ||
	       type == PD_RECORD_LOST_SAMPLES;
}

/* Begins; d is zeroed.  events and budget must outlive it. */
void rpt_digest_begin(struct rpt_digest *d, const struct pd_event_set *events,
		      struct rpt_budget *budget);
static inline bool rpt_digest_is_open(const struct rpt_digest *d)
{
	return d->events && !d->is_closed;
}
/* One more record of an open digest.  It may be given up, and is empty then.
 * 0 or -ENOMEM. */
int rpt_digest_add(struct rpt_digest *d, const struct pd_record *rec);
/* After one of a span's records: those that go on as the last one did, if any,
 * which are passed over.  How many. */
size_t rpt_digest_add_repeats(struct rpt_digest *d,
			      struct pd_record_span *span);
/* The latest time of the run that is open; 0: there is none. */
static inline uint64_t rpt_digest_last_ns(const struct rpt_digest *d)
{
	return d->run_nr ? d->runs[d->run_nr - 1].last_ns : 0;
}
/* Of an open digest: it is whole. */
void rpt_digest_close(struct rpt_digest *d, const struct pd_damage *damage);
void rpt_digest_release(struct rpt_digest *d);

/* Where the time stands in a record; -1: it has none that counts. */
int32_t rpt_digest_time_off(const struct pd_event_set *events,
			    const struct pd_record *rec);

static inline uint64_t rpt_digest_delta(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t delta = *p & 0x7f;

	for (unsigned shift = 7; *p++ & 0x80; shift += 7)
		delta |= (uint64_t)(*p & 0x7f) << shift;
	*at = p;
	return delta;
}

/* Those of a file's pieces, by their numbers. */
struct rpt_digests {
	struct rpt_digest *items; /* owned */
	size_t nr;
	struct rpt_budget budget;
};

/* kept_limit: pd_reader_kept_limit().  0 or -ENOMEM. */
int rpt_digests_init(struct rpt_digests *digests, size_t nr,
		     uint64_t kept_limit);
void rpt_digests_release(struct rpt_digests *digests);

/* That of piece idx, if it is to be used; else NULL. */
static inline struct rpt_digest *rpt_digests_at(struct rpt_digests *digests,
						size_t idx)
{
	return idx < digests->nr && digests->items[idx].is_closed
		       ? &digests->items[idx]
		       : NULL;
}

#endif
