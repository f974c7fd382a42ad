/* kallsyms_line.h: what text like /proc/kallsyms says, line by line.
 *
 *	ffffffff81000000 T _text
 *	ffffffffc0123000 t ext4_sync	[ext4]
 *
 * The file has no sizes: a symbol ends where the next one starts.  But the last
 * one of the kernel before one of a module ends behind the page after its own,
 * and vice versa, and so does the last of all.  Of several symbols at one
 * address the last of the file has a length, and is the name.  The rules are
 * those of perf 6.1, Linux tools/perf/util/symbol.c,
 * map__process_kallsym_symbol(), symbols__fixup_end(), choose_best_symbol().
 */
#ifndef PD_KALLSYMS_LINE_H
#define PD_KALLSYMS_LINE_H

#include "format/symtab/symbol_search.h"

struct pd_kallsyms_line {
	uint64_t addr;
	char type;	    /* a letter, as in nm(1) */
	struct pd_str text; /* in the line: "ext4_sync\t[ext4]"; not empty */
};

/* Read a line without its newline.  Return false if it is no symbol's. */
bool pd_kallsyms_line_read(struct pd_str line, struct pd_kallsyms_line *ret);

/* Return whether a line names code or data: types T W D B of either case, and
 * no mark of an assembler ("$x").  Nothing starts at the last address. */
bool pd_kallsyms_line_counts(const struct pd_kallsyms_line *line);
/* The same of a type alone; and whether that is one of code. */
bool pd_kallsyms_type_counts(char type);
bool pd_kallsyms_is_code(char type);
/* Return the type as the st_info of ELF has it. */
uint8_t pd_kallsyms_info(char type);

/* The symbols at the start of the kernel, and at its end, the better ones
 * first. */
enum pd_kernel_bound {
	PD_KERNEL_TEXT,
	PD_KERNEL_STEXT,
	PD_KERNEL_EDATA,
	PD_KERNEL_ETEXT,
	PD_KERNEL_BOUND_NR
};

const char *pd_kernel_bound_name(enum pd_kernel_bound bound);

/* Return which of these a line has, or PD_KERNEL_BOUND_NR.  Those at the start
 * are code. */
enum pd_kernel_bound pd_kernel_bound_of(const struct pd_kallsyms_line *line);

/* Return whether the text is that of a module's symbol. */
bool pd_kallsyms_is_of_module(struct pd_str text);

/* Return the line for pd_symbol_search_see(): info is the type. */
struct pd_symbol_start pd_kallsyms_symbol(const struct pd_kallsyms_line *line);

#endif
