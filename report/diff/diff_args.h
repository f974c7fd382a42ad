/* diff_args.h: the command line of perfpair diff. */
#ifndef RPT_DIFF_ARGS_H
#define RPT_DIFF_ARGS_H

#include "report/cli/gate_options.h"
#include "report/cli/perf_config.h"
#include "report/diff/diff_table.h"

#include "format/support/options.h"

enum rpt_diff_format {
	RPT_DIFF_TEXT,
	RPT_DIFF_JSON,
	RPT_DIFF_CSV,
	RPT_DIFF_FOLDED,
	RPT_DIFF_HTML, /* page.h */
	RPT_DIFF_MARKDOWN,
};

/* Whether the sides did the same work: rpt_diff_choose_measure(). */
enum rpt_workload {
	RPT_WORKLOAD_UNKNOWN, /* some run is not known to be a whole command */
	RPT_WORKLOAD_PART,    /* --time compares parts of the runs */
	RPT_WORKLOAD_DIFFERENT, /* the commands' arguments differ */
	RPT_WORKLOAD_SAME,
};

struct rpt_diff_args {
	struct rpt_diff_table_conf table;
	bool is_measure_given;	       /* --measure, --per */
	enum rpt_workload workload;    /* from rpt_diff_choose_measure() on */
	const char *unmarked;	       /* why no row is; NULL: some may be */
	struct rpt_report_args report; /* options that report has, too */
	enum rpt_diff_format format;
	const char *order_or_path; /* -o */
	const char *separator;	   /* -t; NULL: columns of one width */
	bool children;
	bool call_paths; /* -g */
	bool show_period;
	bool show_formula;
	bool is_quiet;
	const char *run_name; /* what a run is; NULL: a file */
	struct rpt_gate gate;
	const struct rpt_run_visitor *visitor; /* the caller's; NULL: none */

	/* --per */
	char unit[32];
	double units[2];

	/* The files, one side after the other: side s has run_nrs[s]. */
	const char **paths;
	size_t path_nr;
	size_t *run_nrs;
	size_t side_nr;
	size_t old_nr; /* given by --old */
	size_t new_nr;
};

extern const struct sup_command rpt_diff_command;

/* perf's settings that diff follows; args: struct rpt_diff_args. */
extern const struct rpt_perf_key rpt_diff_keys[];

/* Parse the command line into args and check it; format is the one without
 * --format.  Return the same as sup_options_parse().  The caller releases args
 * in any case. */
int rpt_diff_args_parse(struct rpt_diff_args *args, enum rpt_diff_format format,
			int argc, char **argv, struct pd_err *err);
void rpt_diff_args_release(struct rpt_diff_args *args);

#endif
