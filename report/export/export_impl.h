/* export_impl.h: what the formats are made of; private to this room. */
#ifndef RPT_EXPORT_IMPL_H
#define RPT_EXPORT_IMPL_H

#include "report/export/export_set.h"
#include "report/report/report.h"

struct rpt_export {
	struct rpt_report *report;
	struct rpt_export_set set;
};

/* Fill *export with the samples of a report whose events are merged.  Return 0,
 * or -EFBIG with err set.  Release its set in any case. */
int rpt_export_fill_set(struct rpt_export *export, struct rpt_report *report,
			struct pd_err *err);

/* What an event counts. */
struct rpt_export_event {
	char *name;	 /* owned */
	bool is_clock;	 /* periods are ns of CPU time */
	uint64_t nr;	 /* of samples in the set ... */
	uint64_t period; /* ... and their sum */
};

/* Return the events of the report, by number; the caller frees them and their
 * names by rpt_export_events_free(). */
struct rpt_export_event *rpt_export_events(const struct rpt_export *export);
void rpt_export_events_free(const struct rpt_export *export,
			    struct rpt_export_event *events);

/* Get the time of day at which the samples begin, in ns since 1970, and how
 * long they last; 0 if the recording does not say it. */
void rpt_export_times(const struct rpt_export *export, uint64_t *ret_start_ns,
		      uint64_t *ret_span_ns);

/* Each of these prints a format; the first two, whose formats are no text,
 * return 0, or a negative errno with err set. */
int rpt_export_pprof(struct rpt_export *export, FILE *out, struct pd_err *err);
int rpt_export_otlp(struct rpt_export *export, FILE *out, struct pd_err *err);
void rpt_export_speedscope(const struct rpt_export *export,
			   struct rpt_text *out);
void rpt_export_firefox(const struct rpt_export *export, struct rpt_text *out);

#endif
