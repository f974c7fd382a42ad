/* unwind_copies.h: a recording whose stack copies become call chains.
 *
 *	rpt_unwind_copies_init(&copies, reader, timeline);
 *	conf.edit = &edit;	which rpt_unwind_copies_edit(&copies) returned
 *	rpt_repair(&source, &conf, &result, &err);
 *	... copies.counts ...
 *	rpt_unwind_copies_release(&copies);
 *
 * The attr of an event with stack copies loses the user's registers and stack
 * and gets call chains, of user code, too.  A sample keeps all its other fields
 * and what its chain has; behind that stand PERF_CONTEXT_USER and the frames
 * that report and script find in the copy (FORMAT.md "Trailer").  No byte of
 * copies or registers gets into the new file, nor what a record has behind its
 * fields.
 */
#ifndef RPT_UNWIND_COPIES_H
#define RPT_UNWIND_COPIES_H

#include "format/base/buf.h"
#include "report/profile/user_stack.h"
#include "report/repair/repair_edit.h"

struct rpt_unwind_copies_counts {
	uint64_t sample_nr; /* of events with stack copies */
	uint64_t empty_nr; /* of which had none: they ran in the kernel alone */
	uint64_t alone_nr; /* of which no caller was found, or nothing at all */
	uint64_t frame_nr; /* found in all of them */
	/* Whose outermost frame has an address that counts as a mark in files
	 */
	uint64_t marks_nr;
};

struct rpt_unwind_copies {
	const struct rpt_timeline *timeline;
	struct rpt_sample_reader samples;
	struct rpt_unwind *unwind;
	uint64_t chain[RPT_USER_STACK_FRAMES + 1];
	struct rpt_unwind_copies_counts counts;
};

/* reader reads the recording that is rewritten; timeline is its. */
void rpt_unwind_copies_init(struct rpt_unwind_copies *copies,
			    const struct pd_reader *reader,
			    const struct rpt_timeline *timeline);
void rpt_unwind_copies_release(struct rpt_unwind_copies *copies);

/* Return what is changed; copies must live until the repair has ended. */
struct rpt_repair_edit rpt_unwind_copies_edit(struct rpt_unwind_copies *copies);

#endif
