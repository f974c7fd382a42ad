/* live_window.h: the last seconds of a recording that is being written, as a
 * recording of its own.
 *
 *	rpt_live_window_init(&window, slice_max, now_ns);
 *	rpt_live_window_take(&window, rec, payload, len)  of record_stream.h
 *	rpt_live_window_turn(&window, now_ns)	a slice of time is over
 *	rpt_live_window_put(&window, &hide, &out)	what report reads
 *
 * Samples are held as they came, by slice; the oldest slice is dropped when
 * there are slice_max, or when all take more than RPT_LIVE_WINDOW_LEN bytes.
 * Of tasks and maps live_tasks.h keeps what these samples need.
 */
#ifndef RPT_LIVE_WINDOW_H
#define RPT_LIVE_WINDOW_H

#include "format/base/buf.h"
#include "format/reader/reader.h"
#include "report/top/live_tasks.h"

#define RPT_LIVE_WINDOW_LEN ((uint64_t)256 << 20)

struct rpt_live_counts {
	uint64_t sample_nr;
	uint64_t kernel_nr; /* samples in the kernel */
	uint64_t user_nr;
	uint64_t exact_nr; /* at the very instruction */
	uint64_t lost_nr;
	uint64_t dropped_nr; /* samples that had no room */
};

/* The samples of a piece of time. */
struct rpt_live_slice {
	struct pd_buf records;	/* samples, and what was lost */
	struct rpt_intern pids; /* u32: of the samples */
	struct rpt_live_counts counts;
	uint64_t begin_ns; /* the latest time of any record before it */
	uint64_t began_ns; /* by the clock of rpt_live_window_turn() */
};

/* The samples that are left out. */
struct rpt_live_hide {
	bool kernel;
	bool user;
};

struct rpt_live_window {
	struct pd_buf head;	  /* what stands in front of samples */
	struct pd_reader *reader; /* of head; NULL: it has changed */
	struct rpt_live_tasks tasks;
	struct rpt_live_slice *slices; /* the oldest first; owned */
	uint32_t slice_nr;
	uint32_t slice_max;
	uint64_t time_max_ns; /* of all records */
	uint64_t damaged_nr;  /* records that could not be used */
	uint64_t lost_nr;     /* since the start ... */
	uint64_t dropped_nr;  /* ... samples that had no room */
	bool has_header;
};

/* Begin at now_ns; slice_max is at least 1. */
void rpt_live_window_init(struct rpt_live_window *window, uint32_t slice_max,
			  uint64_t now_ns);
void rpt_live_window_release(struct rpt_live_window *window);

/* Take a record; ctx is the window. */
void rpt_live_window_take(void *ctx, const struct pd_record *rec,
			  const uint8_t *payload, size_t payload_len);

/* Begin a new slice at now_ns, of any clock that does not go back. */
void rpt_live_window_turn(struct rpt_live_window *window, uint64_t now_ns);
/* Have at most that many slices. */
void rpt_live_window_limit(struct rpt_live_window *window, uint32_t slice_max);

/* Return the events; NULL if the recording has not said yet which there are. */
const struct pd_event_set *
rpt_live_window_events(struct rpt_live_window *window);

/* Write the window as a recording of a pipe. */
void rpt_live_window_put(struct rpt_live_window *window,
			 const struct rpt_live_hide *hide, struct pd_buf *out);

/* Add up all slices; *ret_ns is how long they have taken until now_ns. */
struct rpt_live_counts
rpt_live_window_counts(const struct rpt_live_window *window, uint64_t now_ns,
		       uint64_t *ret_ns);

#endif
