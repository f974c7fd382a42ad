/* annotate_args.h: the command line of perfpair annotate. */
#ifndef RPT_ANNOTATE_ARGS_H
#define RPT_ANNOTATE_ARGS_H

#include "report/annotate/annotation_print.h"
#include "report/cli/perf_config.h"
#include "report/events/filter.h"
#include "report/symbols/symbols.h"

struct rpt_annotate_values {
	bool are_samples; /* -n */
	bool are_periods;
};

/* Options of perf that change nothing here. */
struct rpt_annotate_ignored {
	bool is_stdio;
	bool is_forced;
	bool are_modules_asked;
};

struct rpt_annotate_args {
	const char *input;
	const char *symbol; /* the word behind the options */
	struct rpt_filter_args filter;
	struct rpt_symbols_conf symbols;
	struct rpt_annotation_style style;
	struct rpt_annotate_values values;
	struct rpt_annotate_ignored ignored;
	bool is_intel;
	bool demangle;
	bool group;
	bool skip_missing;
	bool is_quiet;
	double percent_limit;
	const char *prefix; /* of source files */
	uint32_t strip_nr;
	uint32_t max_ratio;
	uint32_t jobs;
};

/* perf's settings that annotate follows; args: struct rpt_annotate_args. */
extern const struct rpt_perf_key rpt_annotate_keys[];

/* Fill ret.  Return what rpt_options_parse() of rpt_annotate_command returns,
 * or -EINVAL. */
int rpt_annotate_args_parse(struct rpt_annotate_args *ret, int argc,
			    char **argv, struct pd_err *err);

#endif
