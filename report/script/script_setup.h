/* script_setup.h: what script knows before its first record (options, tasks and
 * maps, names, formats), shared by its threads.
 *
 *	rpt_script_setup_init(&setup, &args, &err);	parses filters
 *	rpt_recording_input_open(&setup.in, args.input);
 *	rpt_script_setup_read(&setup, &err);		reads the file
 *	...
 *	rpt_script_setup_release(&setup);
 *	rpt_recording_input_close(&setup.in);
 */
#ifndef RPT_SCRIPT_SETUP_H
#define RPT_SCRIPT_SETUP_H

#include "report/base/intern.h"
#include "report/cli/recording_input.h"
#include "report/events/filter.h"
#include "report/events/reg_name.h"
#include "report/script/script_args.h"
#include "report/timeline/timeline.h"
#include "report/unwind/unwind.h"

struct rpt_tracepoints;

struct rpt_script_setup {
	const struct rpt_script_args *args;
	struct rpt_filter filter;
	struct rpt_intern stops;	 /* --stop-bt: names of functions */
	struct rpt_recording_input in;	 /* the caller's to open and close */
	struct rpt_script_fields fields; /* those that the samples hold */
	int64_t tod_shift_ns;		 /* time of day minus sample time */
	const struct rpt_reg_names *reg_names;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints; /* NULL: no formats */
	struct rpt_unwind *unwind;
};

/* Parse the filters.  args must outlive setup, which must not be moved and must
 * be released in any case.  Return 0, or -EINVAL if a filter is wrong. */
int rpt_script_setup_init(struct rpt_script_setup *setup,
			  const struct rpt_script_args *args,
			  struct pd_err *err);
void rpt_script_setup_release(struct rpt_script_setup *setup);

/* Read the file once, and once more for each of --stitch-lbr and --debuginfod.
 * Return 0 or a negative errno. */
int rpt_script_setup_read(struct rpt_script_setup *setup, struct pd_err *err);

#endif
