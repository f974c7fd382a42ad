/* count_compare.h: perfpair stat --compare: the counts of two sides, and which
 * of them changed by more than chance.
 *
 * It is the reader's, though the recorder counts: it needs the statistics of
 * diff and no counters, and files are compared on another machine than the one
 * that counted.
 */
#ifndef RPT_COUNT_COMPARE_H
#define RPT_COUNT_COMPARE_H

#include "report/cli/gate_options.h"
#include "report/compare/count_file.h"

#include "format/support/options.h"

#include <stdio.h>

struct rpt_compare_args {
	bool is_compare; /* always */
	const char *paths[RPT_COUNT_SIDES];
	bool is_json;
	struct rpt_gate gate;
};

extern const struct sup_command rpt_compare_command;

/* Return as sup_options_parse() of rpt_compare_command. */
int rpt_compare_args_parse(struct rpt_compare_args *args, int argc, char **argv,
			   struct pd_err *err);

/* Read the files and print to out what changed.  *ret is what the gate has
 * found; stderr names the counts that are worse.  The caller ends or releases
 * it in any case.  Return 0 or a negative errno; then *ret_path is the file it
 * is about. */
int rpt_compare_run(const struct rpt_compare_args *args, FILE *out,
		    struct rpt_gate_result *ret, const char **ret_path,
		    struct pd_err *err);

#endif
