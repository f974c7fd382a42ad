/* budget.h: --budget and --cpu-limit: record less rather than take more.
 *
 * Each limit is a bucket over the whole run.  What is allowed flows in with the
 * time since the program's start; what is used flows out, and with it what the
 * records that wait will take, by what a byte took so far.  A minute's worth is
 * kept at most, for bursts, and ten minutes' worth of debt.
 *
 * Rates are lowered by powers of two, of all events alike (event_rate.h), by 16
 * at most a step, and raised by 4 at most, up to what was asked for; at a
 * sixteenth stack copies are cut to REC_STACK_KEPT_LEN:
 *
 *	every 0.1 s	lowered, if what the kernel wrote since will take more
 *			than the bucket allows
 *	10 s after	lowered, if the bucket is empty and what was used since
 *	a change	is more than what flows in; 2 s in deep debt
 *	2 s after	raised, if it is not empty and has room for twice of
 *	a change	what was used since
 *
 * At the lowest rates files that end while the bucket is empty carry no names.
 *
 * While nothing is lowered, and nothing comes, this wakes nobody.  The trailer
 * of each file has the rates at its start and each change.
 */
#ifndef REC_BUDGET_H
#define REC_BUDGET_H

#include "format/file/trailer.h"
#include "record/recording/drain_schedule.h"

enum {
	REC_RATES_MAX = 4096,
	REC_BUDGET_CUT_SHIFT = 4, /* from there on stack copies are cut */
};
#define REC_BUDGET_TICK_NS UINT64_C(100000000)

enum rec_budget_part {
	REC_BUDGET_CPU,	 /* ns of all our threads */
	REC_BUDGET_DISK, /* bytes of all files */
	REC_BUDGET_NR
};

/* A measurement. */
struct rec_budget_use {
	uint64_t now_ns;
	uint64_t used[REC_BUDGET_NR]; /* since the program's start */
	uint64_t came_len;	      /* bytes that the kernel wrote */
	uint64_t waiting_len;	      /* of these, in rings and spare memory */
	uint64_t fastest_hz;	      /* samples a second of the fastest ring */
};

struct rec_budget_limit {
	double per_ns; /* allowed; 0: no limit */
	double credit; /* what is left of it; below 0: debt */
	double cost;   /* of a byte that the kernel wrote; 0: not known */
	double owed;   /* for what waits */
	double recent; /* used in the window */
	double told;   /* used while told_len came */
};

struct rec_budget {
	struct rec_budget_limit limits[REC_BUDGET_NR];
	bool is_on;
	bool is_hot;	/* the last look found it tight */
	unsigned shift; /* the rates are 1 / 2^shift of those asked for */
	unsigned most_shift;
	struct rec_budget_use seen; /* by the last look */
	double window_ns;	    /* since the last change, or most of that */
	double lowered_flow; /* bytes an ns before rates were lowered last */
	double told_ns, told_len; /* until it tells what a byte takes */
	uint64_t *ring_lens; /* owned, by ring: what the kernel wrote to it */
	double sample_len;   /* on average */
	uint64_t fastest_hz; /* event_rate.h, when shift left 0 */
	uint64_t begin_ns;
	double mean_sum;	       /* of 1 / 2^shift, by time */
	struct pd_trailer_rate *rates; /* owned */
	size_t rate_nr;
	uint64_t change_nr;
};

/* cpu_pct of one CPU, disk_len_h bytes an hour; 0: no limit.  start: as of now,
 * of a program that began at begin_ns.  Return 0, or -ENOMEM. */
int rec_budget_init(struct rec_budget *budget, double cpu_pct,
		    uint64_t disk_len_h, uint64_t begin_ns, size_t ring_nr,
		    const struct rec_budget_use *start);
void rec_budget_release(struct rec_budget *budget);

/* Return when to look next even if nothing comes; UINT64_MAX: never. */
uint64_t rec_budget_due_ns(const struct rec_budget *budget);
/* Return whether it is time to look, if something came anyway. */
static inline bool rec_budget_wants(const struct rec_budget *budget,
				    uint64_t now_ns)
{
	return budget->is_on &&
	       now_ns - budget->seen.now_ns >= REC_BUDGET_TICK_NS;
}

/* Take account of what was used, and return the new shift. */
unsigned rec_budget_next(struct rec_budget *budget,
			 const struct rec_budget_use *use);

/* Measure what was used so far, with done_len bytes in finished files. */
void rec_budget_measure(struct rec_budget *budget,
			const struct rec_drain_schedule *schedule,
			uint64_t done_len, uint64_t now_ns,
			struct rec_budget_use *ret);

/* Take account of that, and change the events' rates if need be, and the length
 * of stack copies.  newest_ns: time of the newest record, 0 if there is none.
 * Return true if something was changed. */
bool rec_budget_look(struct rec_budget *budget,
		     const struct rec_budget_use *use,
		     const struct rec_event_list *events,
		     const struct rec_open_set *open,
		     struct rec_sample_layouts *layouts, uint64_t newest_ns);

/* Return whether names are given up: nothing is left to lower, and a bucket is
 * empty.  The trailer has what was noted. */
bool rec_budget_gives_up_names(const struct rec_budget *budget);
void rec_budget_note_names(struct rec_budget *budget, uint64_t newest_ns);

/* Another file begins: of the changes so far it gets the last one of each event
 * that is lowered. */
void rec_budget_next_file(struct rec_budget *budget);

/* Return by how much rates were lowered on average; 1: they were not. */
double rec_budget_mean(const struct rec_budget *budget);

#endif
