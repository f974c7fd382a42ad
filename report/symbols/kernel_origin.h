/* kernel_origin.h: compares the recorded kernel with the running one.
 *
 * They are the same if the build-ids are; if none was recorded, if the release
 * and the machine of the header (OSRELEASE, ARCH) are those of uname(2); if the
 * header has neither, if the recorded map starts and ends where the running
 * kernel's text does.  Otherwise names of the running kernel would be wrong.
 */
#ifndef RPT_KERNEL_ORIGIN_H
#define RPT_KERNEL_ORIGIN_H

#include "report/symbols/symbols.h"

#include <stdatomic.h>

struct rpt_kernel_origin {
	bool is_recorded;   /* rpt_symbols_set_origin() was called */
	char *release;	    /* owned; "": unknown */
	char *machine;	    /* owned; "": unknown */
	atomic_int is_here; /* 1: it runs here; -1: no; 0: not compared yet */
};

/* Fill ret with the running kernel's build-id, from the notes in /sys.  Return
 * its length; 0 if there is none. */
uint8_t rpt_running_build_id(uint8_t ret[RPT_BUILD_ID_MAX]);

/* The same of a module, by its name in /proc/modules. */
uint8_t rpt_running_module_build_id(const char *name,
				    uint8_t ret[RPT_BUILD_ID_MAX]);

/* Set the release and the machine of the recorded kernel, as in uname(2) (""
 * if unknown), before the first look-up.  Without this call, and without a
 * build-id, the recorded kernel counts as the running one. */
void rpt_symbols_set_origin(struct rpt_symbols *symbols, const char *release,
			    const char *machine);

/* After look-ups, return in one line why the running kernel's names were not
 * used for a recording without its build-id, which is also rpt_dso_problem() of
 * the kernel's DSOs; or NULL. */
const char *rpt_symbols_withheld(const struct rpt_symbols *symbols);

/* Return whether the recorded kernel runs here, compared once, after the last
 * rpt_symbols_set_kernel(). */
bool rpt_is_kernel_here(struct rpt_symbols *symbols);

/* Write why rpt_is_kernel_here() is false, and what helps.  Return false if it
 * was decided by the build-id. */
bool rpt_kernel_origin_text(const struct rpt_symbols *symbols, char *ret,
			    size_t len);

/* Return whether an ELF file of e_machine runs on the recorded machine. */
bool rpt_runs_on_origin(const struct rpt_symbols *symbols, unsigned e_machine);

/* Return whether two recordings are of the same release and machine. */
bool rpt_have_one_origin(const struct rpt_kernel_origin *a,
			 const struct rpt_kernel_origin *b);

void rpt_kernel_origin_release(struct rpt_kernel_origin *origin);

#endif
