/* inline_frames.h: functions that a compiler inlined into another.
 *
 * perf 6.1 shows each of them as a call chain entry of its own, marked
 * "(inlined)".  It marks every name of addr2line(1) that differs from the
 * symbol's, so the function that holds the code is also "(inlined)" if DWARF
 * and the symbol table have different names for it (msort_with_tmp,
 * msort_with_tmp.part.0).
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
	const char *name; /* demangled like symbols */
	bool is_inlined;  /* name differs from the symbol's */
	/* The call that was inlined here, for rpt_dso_call_line(); 0: none, it
	 * holds the address itself. */
	uint64_t call_off;
};

/* Find the frames that replace the chain entry at a dso address, innermost
 * first; the last one is the function that holds the code.  Return how many
 * there are; 0 if the entry stays as it is (there is no debug information, no
 * symbol, or only the symbol itself).  The array belongs to the DSO, which
 * remembers answers. */
size_t rpt_dso_inline_frames(struct rpt_dso *dso, uint64_t addr,
			     const struct rpt_inline_frame **ret_frames);

/* Find the source line of an inlined call; the file's name belongs to the DSO.
 * Return false if it is not known. */
bool rpt_dso_call_line(struct rpt_dso *dso, uint64_t call_off,
		       const char **ret_file, int *ret_line);

/* Return the file's virtual address for a dso address, as objdump shows it; the
 * dso address itself if there is no file and none is carried. */
uint64_t rpt_dso_file_addr(struct rpt_dso *dso, uint64_t addr);

/* Return whether the file could be opened, here or where the lines of it were
 * found that the recording carries; after a look-up. */
bool rpt_dso_has_file(struct rpt_dso *dso);

/* Return whether the file of a program's code has debug information, which may
 * have inlined functions, or the recording carries some. */
bool rpt_dso_has_functions(struct rpt_dso *dso);

/* Find what debug information says of the functions at a dso address, innermost
 * first; with its call lines for rpt_dso_call_line().  Names are as the
 * compiler wrote them.  Return how many there are, at most RPT_FUNCTIONS_MAX.
 */
#define RPT_FUNCTIONS_MAX 64

struct rpt_function_facts {
	const char *name;  /* NULL: none */
	bool is_linkage;   /* name is the linker's, not the source's */
	bool is_symbol;	   /* it starts where the symbol does */
	uint64_t call_off; /* of the call that is inlined, for
			    * rpt_dso_call_line() */
};
size_t rpt_dso_function_facts(struct rpt_dso *dso, uint64_t addr,
			      struct rpt_function_facts *ret);

/* Return the functions in a loaded DSO's debug information, and the file that
 * has it, or NULL if there is none.  Private to this room. */
struct rpt_dwarf_functions *rpt_dso_functions(struct rpt_dso *dso);
struct rpt_elf *rpt_dso_debug_file(const struct rpt_dso *dso);

/* Free a DSO's answers. */
struct rpt_inlines;
void rpt_inlines_free(struct rpt_inlines *inlines);

#endif
