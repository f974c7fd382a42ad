/* script_setup.h: what script has of a file before it looks at the first
 * record: tasks and maps, names, formats, and the threads that make text.
 *
 *	rpt_script_setup_init(&setup, &args, &err);	what options ask for
 *	rpt_recording_input_open(&setup.in, args.input);
 *	rpt_script_setup_read(&setup, &err);		what the file tells
 *	...
 *	rpt_script_setup_release(&setup);
 *	rpt_recording_input_close(&setup.in);
 */
#ifndef RPT_SCRIPT_SETUP_H
#define RPT_SCRIPT_SETUP_H

#include "report/cli/recording_input.h"
#include "report/script/script_args.h"
#include "report/script/script_pool.h"

struct rpt_script_setup {
	const struct rpt_script_args *args;
	struct rpt_filter filter;
	struct rpt_intern stops; /* --stop-bt */
	struct rpt_guest_ids guests;
	struct rpt_recording_input in; /* the caller's to open and close */
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_tracepoints *tracepoints;
	struct rpt_unwind *unwind;
	struct rpt_script_pool *pool;
};

/* args must outlive setup, which is to be released whatever comes back and must
 * not be moved.  -EINVAL: of the filters. */
int rpt_script_setup_init(struct rpt_script_setup *setup,
			  const struct rpt_script_args *args,
			  struct pd_err *err);
void rpt_script_setup_release(struct rpt_script_setup *setup);

/* One pass over the file, with --stitch-lbr or --debuginfod one more.  Without
 * text in err where memory is out. */
int rpt_script_setup_read(struct rpt_script_setup *setup, struct pd_err *err);

#endif
