/* metric.h: figures that are computed from counts: "ipc", "topdown_retiring".
 *
 * Order of calls:
 *	rec_metric_host_read(&host, "/sys")
 *	metric = rec_metric_next(&host, NULL)       rec_metric_is_named(): -M
 *	rec_event_parse(&list, metric->events, ...) as a -e: one group; metrics
 *	                                            with equal texts share it
 *	... count ...
 *	rec_metric_value(metric, counts, nr, NULL, &value)
 *
 * One table (metric.c) has them all; a row names its public source.  The
 * formula that users see (perfpair list --details) is the one that is computed:
 * names of events, numbers, + - * / and parentheses, with a blank around each,
 * since names contain '-' and '/'.
 */
#ifndef REC_METRIC_H
#define REC_METRIC_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of cores that have metrics of their own; a host has several. */
enum rec_core {
	REC_CORE_ANY = 1 << 0,
	REC_CORE_INTEL_SLOTS = 1 << 1,	/* slots, topdown-* count by hardware */
	REC_CORE_INTEL_HYBRID = 1 << 2, /* the same on cpu_core alone */
	REC_CORE_INTEL_BUBBLES = 1 << 3, /* topdown-fetch-bubbles and others */
	REC_CORE_AMD_ZEN4 = 1 << 4,
	REC_CORE_NEOVERSE_N1 = 1 << 5,
	REC_CORE_NEOVERSE_V1 = 1 << 6,
	REC_CORE_NEOVERSE_N2 = 1 << 7,	    /* r0p3 and later */
	REC_CORE_NEOVERSE_N2_R0P2 = 1 << 8, /* up to r0p2 */
	REC_CORE_NEOVERSE_V2 = 1 << 9,
};

struct rec_metric_host {
	unsigned cores;	   /* REC_CORE_* */
	const char *model; /* "Neoverse V1"; NULL: not one with its own rows */
};

struct rec_metric {
	const char *name;
	const char *group;   /* "basic", "branch", "cache", "topdown" ... */
	unsigned cores;	     /* which cores have this row: REC_CORE_* */
	const char *events;  /* as of -e: one group "{a,b}" */
	const char *formula; /* of the names of these events */
	const char *unit;    /* "%", "per 1000 instructions"; "": a ratio */
	const char *text;    /* one line of what it tells */
	const char *source;  /* public document and section */
	/* perf stat's words behind the value, and the event on whose line they
	 * stand; NULL: it stands on no event's line. */
	const char *label;
	const char *beside;
};

/* The count of one event on all CPUs and tasks that a line adds up. */
struct rec_metric_count {
	const char *name;    /* as typed: "cycles:u", "cpu/slots/" */
	double value;	     /* scaled: as it is printed */
	uint64_t enabled_ns; /* 0: it was not counted */
	uint64_t running_ns;
	size_t group; /* equal for the events of one group only */
};

enum rec_metric_state {
	REC_METRIC_OK,
	REC_METRIC_NOT_COUNTED,	 /* an event is missing or never ran */
	REC_METRIC_NOT_TOGETHER, /* events shared counters and took turns */
	REC_METRIC_NO_BASE,	 /* it would be divided by 0 */
};

/* Find out what kinds of cores a machine has, by its PMUs and its model below
 * sysfs ("/sys"; tests use copied trees). */
void rec_metric_host_read(struct rec_metric_host *ret, const char *sysfs);

/* Return the host's metric after last in the order of the table, the first
 * after NULL; NULL after the last.  A name is there once for a host. */
const struct rec_metric *rec_metric_next(const struct rec_metric_host *host,
					 const struct rec_metric *last);
/* Return true if word (of -M) is the metric's name or group, in any case of
 * letters; perf's "tma_retiring", "TopdownL1" and "PipelineL1" are such words,
 * too. */
bool rec_metric_is_named(const struct rec_metric *metric, const char *word);

/* Say why no row of the host is so named: no metric is, or other cores' alone;
 * sysfs as above.  Return -ENOENT. */
int rec_metric_refuse(const struct rec_metric_host *host, const char *word,
		      const char *sysfs, struct pd_err *err);

/* Compute a metric of the counts that have its events' names, be it in another
 * spelling ("cpu-cycles", "cpu/slots/").  All of them have the PMU and the
 * modifiers of the count like, which is one of them ("cycles:u" goes with
 * "instructions:u" only); NULL: of any that makes a value.  Events of one group
 * ran together; others did if each ran all the time.  ret is set if
 * REC_METRIC_OK. */
enum rec_metric_state rec_metric_value(const struct rec_metric *metric,
				       const struct rec_metric_count *counts,
				       size_t nr,
				       const struct rec_metric_count *like,
				       double *ret);

/* Return what is printed instead of a value: "not counted". */
const char *rec_metric_state_text(enum rec_metric_state state);

#endif
