/* inline_frames.h: the functions that a compiler merged into another.
 *
 * perf 6.1 shows each of them as a call chain entry of its own, marked
 * "(inlined)".  It asks addr2line(1), compares what that says with the symbol
 * that it has, and marks every name that differs: so the function that holds
 * the code is "(inlined)" too where DWARF calls it otherwise than the symbol
 * table does (msort_with_tmp, msort_with_tmp.part.0).
 */
#ifndef RPT_INLINE_FRAMES_H
#define RPT_INLINE_FRAMES_H

#include "report/elf/elf_file.h"
#include "report/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_dwarf_functions;

struct rpt_inline_frame {
	const char *name; /* demangled as symbols are */
	bool is_inlined;  /* false: it is the symbol itself, name and all */
	/* What it calls is inlined there: for rpt_dso_call_line().  0: it holds
	 * the address itself. */
	uint64_t call_off;
};

/* The frames that stand in the place of the chain entry at a dso address,
 * innermost first; the last of them is the function that holds the code.
 * Returns how many; 0: the entry stays as it is (no debug information, no
 * symbol there, or nothing but the symbol itself).  The array belongs to the
 * DSO and is kept: asking again is cheap. */
size_t rpt_dso_inline_frames(struct rpt_dso *dso, uint64_t addr,
			     const struct rpt_inline_frame **ret_frames);

/* The source line of a call that was inlined; the file's name belongs to the
 * DSO. */
bool rpt_dso_call_line(struct rpt_dso *dso, uint64_t call_off,
		       const char **ret_file, int *ret_line);

/* An address of the file for a dso address, as objdump shows it; the dso
 * address itself where the file is not there. */
uint64_t rpt_dso_file_addr(const struct rpt_dso *dso, uint64_t addr);

/* After a look-up: could the file be opened? */
bool rpt_dso_has_file(const struct rpt_dso *dso);

/* After a look-up: does a file of a program's code have debug information, that
 * may tell of such functions? */
bool rpt_dso_has_functions(struct rpt_dso *dso);

/* For source_line.c: the functions of a loaded DSO's debug information, and the
 * file that has it; NULL: there is none. */
struct rpt_dwarf_functions *rpt_dso_functions(struct rpt_dso *dso);
struct rpt_elf *rpt_dso_debug_file(const struct rpt_dso *dso);

/* For dso.h: frees what hangs on a DSO. */
struct rpt_inlines;
void rpt_inlines_free(struct rpt_inlines *inlines);

#endif
