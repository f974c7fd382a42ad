/* spans.h: reads what one tracepoint begins and another one ends: waits for
 * locks, system calls.
 *
 *	rc = rpt_spans_open(&spans, &conf, &points);	prints its own errors
 *	if (!rc) {
 *		rpt_spans_read(&spans, take, ctx);	the same
 *		... print, with spans.timeline ...
 *	}
 *	return rpt_spans_close(&spans);		the command's exit code
 *
 * Events come in the order of time.  Where fields lie in them is read from the
 * formats in the file.
 */
#ifndef RPT_SPANS_H
#define RPT_SPANS_H

#include "report/cli/recording_input.h"
#include "report/events/sample_reader.h"
#include "report/events/trace_field.h"

#include <stdio.h>

#define RPT_SPAN_FIELDS 2

/* The two tracepoints of a system, and the numbers to read of them (NULL: no
 * more). */
struct rpt_span_points {
	const char *system;
	const char *names[2]; /* what begins, what ends */
	const char *fields[2][RPT_SPAN_FIELDS];
	const char
		*lack; /* what is said if a recording has none of them, ... */
	const char *hint; /* ... and what records them */
};

enum rpt_span_kind {
	RPT_SPAN_BEGIN,
	RPT_SPAN_END,
	RPT_SPAN_LOST, /* records were lost before it: it has a time alone */
};

/* Good until the next one is taken. */
struct rpt_span_event {
	enum rpt_span_kind kind;
	uint64_t time_ns;
	int64_t values[RPT_SPAN_FIELDS]; /* of the fields */
	const struct rpt_sample *sample;
};

/* Take an event.  Return 0, or -EFBIG if there is no budget for it. */
typedef int rpt_spans_take(void *ctx, const struct rpt_span_event *event);

struct rpt_spans_conf {
	const char *input;
	struct rpt_symbols_conf symbols; /* for open() to read */
	uint32_t max_ratio;
};

struct rpt_spans {
	struct rpt_recording_input in;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints;
	struct rpt_sample_reader samples;
	const struct rpt_span_points *points;
	uint8_t *kinds; /* owned; by number of the event: RPT_SPAN_BEGIN ... */
	struct rpt_raw_number numbers[2][RPT_SPAN_FIELDS];
	uint64_t event_nr; /* that were taken, but for LOST */
	uint64_t unfit_nr; /* for which there was no budget */
	uint64_t short_nr; /* whose raw data end before a field */
	uint64_t lost_nr, lost_samples_nr;
	uint64_t lost_chunk_nr;
	rpt_spans_take *take;
	void *ctx;
};

/* Open a recording that has both tracepoints.  Return an exit code; unless it
 * is RPT_EXIT_OK, there is nothing to read.  spans is to be closed in any case.
 */
int rpt_spans_open(struct rpt_spans *spans, const struct rpt_spans_conf *conf,
		   const struct rpt_span_points *points);

/* Let take have all events, and print what was passed over. */
void rpt_spans_read(struct rpt_spans *spans, rpt_spans_take *take, void *ctx);

/* Print "NR THING WHAT", of one or several, if there is one. */
struct rpt_span_note {
	const char *one, *several;
};
void rpt_spans_note(const struct rpt_spans *spans, uint64_t nr,
		    const struct rpt_span_note *note);

/* Return the exit code. */
int rpt_spans_close(struct rpt_spans *spans);

#endif
