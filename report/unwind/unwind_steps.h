/* unwind_steps.h: the ways to go one frame up.  Inside of unwinding: see
 * unwind_state.h.  Of all: false, the chain ends here, or this way leads
 * nowhere. */
#ifndef RPT_UNWIND_STEPS_H
#define RPT_UNWIND_STEPS_H

#include "report/unwind/unwind_state.h"

/* unwind_row.c: what call frame information says of the frame.  NULL: its file
 * has none; a row that is not known: none of this address. */
const struct rpt_cfi_row *rpt_unwind_row(struct rpt_unwind *u);
bool rpt_unwind_by_row(struct rpt_unwind *u, const struct rpt_cfi_row *row);

/* unwind_chain.c: by frame pointers.  At fp lies the caller's, and behind it
 * where that goes on. */
bool rpt_unwind_by_chain(struct rpt_unwind *u);
/* Code of x86_64 without information: a PLT slot, or one that keeps frame
 * pointers, as libunwind 1.6 guesses. */
bool rpt_unwind_guess_x86_64(struct rpt_unwind *u);

/* unwind_aarch64.c.  Code without information: a PLT slot or another leaf (the
 * linker tells nothing of these), or one that keeps frame records. */
bool rpt_unwind_guess_aarch64(struct rpt_unwind *u);
/* From where a signal handler returns to, to what it interrupted. */
bool rpt_unwind_signal_aarch64(struct rpt_unwind *u);
uint64_t rpt_unwind_bare_aarch64(struct rpt_unwind *u, uint64_t addr);

#endif
