/* script_address.h: what lies at an address, as a line of `script` shows it:
 * function, offset, file, source line.
 *
 * Answers of the timeline and the symbols hold for a range of addresses; the
 * latest are kept in a table of fixed size, by address.
 */
#ifndef RPT_SCRIPT_ADDRESS_H
#define RPT_SCRIPT_ADDRESS_H

#include "report/base/addr_range.h"
#include "report/timeline/timeline.h"

#define RPT_SCRIPT_ADDRESS_SLOTS_NR 8192u
#define RPT_SCRIPT_WIDE_SLOTS_NR    64u

/* The function or the gap at the addresses of a range */
struct rpt_script_symbol {
	struct rpt_addr_range range; /* of recorded addresses */
	uint32_t space_id;	     /* of user addresses; else 0 */
	uint32_t generation;	     /* of space, else of the kernel's maps */
	uint32_t cpumode;
	uint64_t start;	     /* of the map, in recorded addresses ... */
	uint64_t pgoff;	     /* ... and in those of dso */
	struct rpt_dso *dso; /* NULL: nothing known is mapped there */
	const struct rpt_symbol *sym; /* NULL: it has no name */
	struct pd_str name;	      /* of sym, or "[unknown]" */
	struct pd_str dso_name;	      /* as shown; empty: put it together */
	bool is_kernel;
	bool is_used; /* the slot */
};

/* A zeroed struct is empty. */
struct rpt_script_addresses {
	struct rpt_script_symbol slots[RPT_SCRIPT_ADDRESS_SLOTS_NR];
	/* ranges of a MiB and more, mostly gaps, by address space */
	struct rpt_script_symbol wide[RPT_SCRIPT_WIDE_SLOTS_NR];
};

/* How an address is shown */
enum rpt_script_form {
	RPT_SCRIPT_CHAIN,      /* a whole line of a recorded call chain */
	RPT_SCRIPT_UNWOUND,    /* of one out of a stack copy: perf 6.1 shows
				* inlined functions in those only */
	RPT_SCRIPT_ADDRESS,    /* " name+0x1 (dso)" */
	RPT_SCRIPT_BRANCH,     /* "1000(dso)" */
	RPT_SCRIPT_BRANCH_SYM, /* "name+0x1", "[unknown](dso)" */
	RPT_SCRIPT_BRANCH_OFF, /* "0x1000"; the address in the file if that is
				* not here */
};

struct rpt_script;
struct rpt_script_line;

/* Return what lies at ip at the line's time, valid until the next call.  Takes
 * rpt_script_lock() for a time. */
const struct rpt_script_symbol *
rpt_script_find(struct rpt_script *script, const struct rpt_script_line *line,
		unsigned cpumode, uint64_t ip);

/* Return the address of ip in found's file. */
static inline uint64_t
rpt_script_dso_addr(const struct rpt_script_symbol *found, uint64_t ip)
{
	return ip - found->start + found->pgoff;
}

/* Print the address.  Return false if a call chain stops there (--stop-bt). */
bool rpt_script_put_address(struct rpt_script *script,
			    const struct rpt_script_line *line,
			    enum rpt_script_form form, unsigned cpumode,
			    uint64_t ip);

#endif
