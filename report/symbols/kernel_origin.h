/* kernel_origin.h: is the kernel that was recorded the one that runs here?
 *
 * Its build-id tells, if it was recorded; else the release and the machine that
 * the header names (OSRELEASE, ARCH), both as uname(2) has them here; where the
 * header names neither, that the recorded map begins and ends where this
 * kernel's text does.  Anything else is another machine's kernel, to whose
 * addresses this one's names would be a lie.  Part of symbols.
 */
#ifndef RPT_KERNEL_ORIGIN_H
#define RPT_KERNEL_ORIGIN_H

#include "report/symbols/symbols.h"

#include <stdatomic.h>

struct rpt_kernel_origin {
	bool is_recorded;   /* rpt_symbols_set_origin() */
	char *release;	    /* owned; "": unknown */
	char *machine;	    /* owned; "": unknown */
	atomic_int is_here; /* 0: not looked yet; 1: yes; -1: no */
};

/* Return the length of this machine's kernel's build-id, by the notes in /sys,
 * and its bytes in ret; 0: there is none. */
uint8_t rpt_running_build_id(uint8_t ret[RPT_BUILD_ID_MAX]);

/* Set the release and the machine of the kernel that was recorded, as uname(2)
 * has them ("": unknown): without a build-id they decide whether names of the
 * running kernel, its modules and its vdso are the recording's.  Without this
 * call they are.  Before the first look-up. */
void rpt_symbols_set_origin(struct rpt_symbols *symbols, const char *release,
			    const char *machine);

/* After look-ups: why the running kernel's names were not taken for those of a
 * recording without its build-id, one line; NULL: they were, or nobody asked.
 * What rpt_dso_problem() of each such DSO says. */
const char *rpt_symbols_withheld(const struct rpt_symbols *symbols);

/* Return whether the recorded kernel runs here, compared once, after the last
 * rpt_symbols_set_kernel(). */
bool rpt_is_kernel_here(struct rpt_symbols *symbols);

/* Why rpt_is_kernel_here() is false, and what helps; false: it has a build-id,
 * which says it all. */
bool rpt_kernel_origin_text(const struct rpt_symbols *symbols, char *ret,
			    size_t len);

/* Return whether an ELF file of e_machine runs on the recorded machine. */
bool rpt_runs_on_origin(const struct rpt_symbols *symbols, unsigned e_machine);

/* Return whether two recordings are of the same release and machine. */
bool rpt_have_one_origin(const struct rpt_kernel_origin *a,
			 const struct rpt_kernel_origin *b);

void rpt_kernel_origin_release(struct rpt_kernel_origin *origin);

#endif
