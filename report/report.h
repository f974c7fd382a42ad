/* report.h: a recording opened, counted and printed: the pipeline of perfpair
 * report, and the first half of it for whatever else works on counts.
 *
 *	rpt_report_open(&report, &args, &err);		file, names, timeline
 *	rpt_report_count(&report, &err);		pass over all samples
 *	rpt_report_print(&report, stdout, &err);	tables
 *	rpt_report_close(&report);
 */
#ifndef RPT_REPORT_H
#define RPT_REPORT_H

#include "report/columns.h"
#include "report/file_source.h"
#include "report/profile.h"
#include "report/report_args.h"
#include "report/tracepoint.h"

struct rpt_report {
	const struct rpt_report_args *args;
	struct rpt_file_source source;
	struct pd_reader *reader;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints; /* NULL: no formats in the file */
	struct pd_damage damage;	     /* of the formats */
	struct rpt_unwind *unwind; /* NULL: no event has user stacks */
	struct rpt_filter filter;
	struct rpt_columns columns;
	unsigned elided; /* RPT_BY_* that a filter left one name of */
	struct rpt_rows_conf rows_conf;
	struct rpt_pieces pieces; /* of the file */
	struct rpt_profile profile;
	struct rpt_frames frames;
	uint32_t block_nr; /* see rpt_profile_conf; to be set before */
	uint64_t block_ns;
	uint64_t block_first_ns; /* rpt_report_count() */
	uint32_t *order;	 /* stacks by event and first sample; owned */
	bool is_profiled;
	uint32_t printed_nr; /* tables */
};

int rpt_report_open(struct rpt_report *report,
		    const struct rpt_report_args *args, struct pd_err *err);
int rpt_report_count(struct rpt_report *report, struct pd_err *err);
int rpt_report_print(struct rpt_report *report, FILE *out, struct pd_err *err);
/* What --header shows; after rpt_report_open(). */
void rpt_report_print_header(const struct rpt_report *report, FILE *out);
void rpt_report_close(struct rpt_report *report);

#endif
