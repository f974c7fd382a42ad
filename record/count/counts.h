/* counts.h: what the counters of a target counted: a plain array.
 *
 *	[event][place][thread]
 *
 * A place is one of the target's CPUs, or the only one of a target that counts
 * wherever its threads run; places and threads have the order of struct
 * rec_target.  Values are as the kernel returned them: not scaled, in the
 * event's own unit.  Counts that come from a file or a test fill the same
 * array.
 *
 * Source: perf_event_open(2), PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING.
 */
#ifndef REC_COUNTS_H
#define REC_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_count {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns; /* less than enabled_ns: it shared a counter */
	bool is_open;	     /* the event is counted on this place and thread */
};

struct rec_counts {
	struct rec_count *at; /* owned */
	size_t event_nr;
	size_t place_nr;
	size_t thread_nr;
};

/* Make room for them, all zero and not open.  Return 0 or -ENOMEM. */
int rec_counts_init(struct rec_counts *ret, size_t event_nr, size_t place_nr,
		    size_t thread_nr);
void rec_counts_release(struct rec_counts *counts);

static inline struct rec_count *rec_counts_at(const struct rec_counts *counts,
					      size_t event, size_t place,
					      size_t thread)
{
	return &counts->at[(event * counts->place_nr + place) *
				   counts->thread_nr +
			   thread];
}

/* Set ret to what was counted from before to after, which have the same
 * shape; ret may be one of them. */
void rec_counts_subtract(struct rec_counts *ret, const struct rec_counts *after,
			 const struct rec_counts *before);
/* Copy counts of the same shape. */
void rec_counts_copy(struct rec_counts *ret, const struct rec_counts *from);

/* Return the value that the event would have had, had it run for all the time
 * that it was enabled; the value itself if it never ran. */
double rec_count_scaled(const struct rec_count *count);

#endif
