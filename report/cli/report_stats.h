/* report_stats.h: counts the records of each type, and the samples of each
 * event, for report --stats.
 *
 *	rpt_stats_count(&stats, reader);
 *	rpt_stats_print(&stats, reader, stdout);
 *	rpt_stats_release(&stats);
 *
 * Samples with counter values (PERF_SAMPLE_READ) count for each event of the
 * group that counted something since the sample before, as perf has it.
 */
#ifndef RPT_REPORT_STATS_H
#define RPT_REPORT_STATS_H

#include "format/reader/reader.h"

#include <stdio.h>

struct rpt_event_stats {
	uint64_t sample_nr;
	uint64_t lost_nr; /* by its LOST_SAMPLES records */
};

struct rpt_stats {
	uint64_t total_nr;		/* without unknown_nr */
	uint64_t nr[PD_RECORD_USER_NR]; /* by type */
	uint64_t unknown_nr;		/* of types that have no name */
	struct rpt_event_stats *events; /* owned; one an event */
	uint64_t unknown_id_nr;	 /* samples of events that are not described */
	uint64_t damaged_nr;	 /* samples that could not be read */
	struct pd_damage damage; /* skipped */
};

/* Read the whole file. */
void rpt_stats_count(struct rpt_stats *stats, struct pd_reader *reader);
/* with_lost: what each event has lost, too, which perf 6.1 tells for --stats
 * and leaves out behind a dump. */
void rpt_stats_print(const struct rpt_stats *stats,
		     const struct pd_reader *reader, bool with_lost, FILE *out);
void rpt_stats_release(struct rpt_stats *stats);

#endif
