/* outputs.h: the forms of output of report, export and view, and what runs once
 * a command line is parsed. */
#ifndef RPT_OUTPUTS_H
#define RPT_OUTPUTS_H

#include "report/diff/diff_args.h"
#include "report/report/report_args.h"

/* All of them; a NULL ends them.  The first is text: export has those behind
 * it. */
extern const struct rpt_output *const rpt_outputs[];
#define RPT_EXPORT_OUTPUTS (&rpt_outputs[1])

/* Return the option table of that number of all outputs in a list, each once:
 * sup_command.more_opts. */
const struct sup_opt *rpt_outputs_opts(const struct rpt_output *const *outputs,
				       size_t idx);

/* Print what --help says of the outputs in a list. */
void rpt_outputs_print_help(const struct rpt_output *const *outputs, FILE *out);

/* Show the recordings of args, as report and diff do; return an exit code. */
int rpt_report_run(const struct rpt_report_args *args);
int rpt_diff_run(struct rpt_diff_args *args);

#endif
