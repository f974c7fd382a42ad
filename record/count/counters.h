/* counters.h: counters without rings, opened on a target and read.
 *
 *	rec_counters_init()	all is open and off; what the machine lacks is
 *				left out, with the reason
 *	rec_counters_switch()
 *	rec_counters_read()	what was counted since they were opened
 *	rec_counters_release()
 *
 * A command's counters are enabled by its exec, if the conf says so.  The
 * members of a group are read with one read(2), so that their counts belong to
 * the same moment.
 *
 * Source: perf_event_open(2), "Reading results"; the attrs were observed with
 * perf 6.1's stat -vv.
 */
#ifndef REC_COUNTERS_H
#define REC_COUNTERS_H

#include "record/count/counts.h"
#include "record/targets/event_open.h"

#include <sys/types.h>

/* Reads a counter as read(2) does.  A test passes its own, with counts of PMUs
 * that this machine lacks. */
typedef ssize_t rec_counter_read_fn(void *ctx, const struct rec_open_fd *fd,
				    void *ret, size_t len);

struct rec_counters_conf {
	const struct rec_target *target;
	rec_counter_read_fn *read; /* NULL: read(2) */
	void *read_ctx;
	bool no_inherit;     /* not the children of the target's threads */
	bool enable_on_exec; /* else rec_counters_switch() enables them */
	bool all_user;
	bool all_kernel;
	/* Prints a message for the user; may be NULL. */
	void (*note)(const struct pd_err *note);
};

struct rec_counters {
	struct rec_counters_conf conf;
	const struct rec_event_list *events; /* borrowed */
	struct rec_open_set open;
	struct pd_err *refused; /* owned, by event; a code of 0: it counts */
	uint64_t *words;	/* owned; a buffer to read into */
	size_t words_len;
};

/* Set the attrs of all events for counting, and open them.  An event that the
 * kernel or the machine lacks is left out, unless it leads a group.  Nothing is
 * open on error. */
int rec_counters_init(struct rec_counters *ret, struct rec_event_list *events,
		      const struct rec_counters_conf *conf, struct pd_err *err);
void rec_counters_release(struct rec_counters *counters);

/* Enable or disable all events. */
int rec_counters_switch(const struct rec_counters *counters, bool on,
			struct pd_err *err);

/* Return the place in counts of what an open counter counted. */
struct rec_count *rec_counters_at(const struct rec_counters *counters,
				  const struct rec_counts *counts,
				  const struct rec_open_fd *fd);
/* Return the index in the target of the thread that it counts. */
size_t rec_counters_thread(const struct rec_counters *counters,
			   const struct rec_open_fd *fd);

/* Fill ret, which has room for the events, CPUs and threads of the target.  A
 * thread that has ended keeps its last counts in the kernel. */
int rec_counters_read(struct rec_counters *counters, struct rec_counts *ret,
		      struct pd_err *err);

#endif
