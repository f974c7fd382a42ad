/* kallsyms_prefetch.h: the kernel's names, read while something else is done:
 * /proc/kallsyms takes the kernel longer than many a report takes us.  Part of
 * symbols.
 */
#ifndef RPT_KALLSYMS_PREFETCH_H
#define RPT_KALLSYMS_PREFETCH_H

#include "report/symbols/symbols.h"

/* Before the records are known: the kernel that runs here is most likely the
 * recording's, so that its names can be read already.  Any time before the
 * start below. */
void rpt_symbols_expect_running_kernel(struct rpt_symbols *symbols);

/* Starts to read in a thread of its own.  After the last
 * rpt_symbols_set_kernel(); look-ups in the kernel wait for it, and without a
 * thread read for themselves.  Nothing where no kernel was set: its names are
 * 10 MB. */
void rpt_symbols_prefetch_kernel(struct rpt_symbols *symbols);

/* Whether a look-up in the kernel would not wait for that thread.  This and the
 * next from any thread, at any time after the start. */
bool rpt_symbols_has_kernel(struct rpt_symbols *symbols);
/* Waits until it would not. */
void rpt_symbols_await_kernel(struct rpt_symbols *symbols);

#endif
