/* kallsyms.h: kernel symbols out of text like /proc/kallsyms
 * (format/symtab/kallsyms_line.h).  Which aliases stay is up to symbol_table.h.
 */
#ifndef RPT_KALLSYMS_H
#define RPT_KALLSYMS_H

#include "format/base/err.h"
#include "format/symtab/kallsyms_line.h"
#include "report/elf/symbol_table.h"

struct rpt_kallsyms_module {
	const char *name; /* "[ext4]" */
	struct rpt_symbol_table table;
};

struct rpt_kallsyms {
	char *text; /* owned: the file, which names lie in */
	struct rpt_symbol_table kernel;
	struct rpt_kallsyms_module *modules;
	uint32_t modules_nr;
	uint32_t modules_cap;
	bool is_hidden; /* all addresses are 0: kptr_restrict */
};

/* Return the symbol of a line, without a length; its name is in the line. */
struct rpt_symbol rpt_kallsyms_symbol(const struct pd_kallsyms_line *line);

/* Read the symbols of a file; do not demangle names if raw_names is set.
 * Return 0, or a negative errno with err filled. */
int rpt_kallsyms_read(struct rpt_kallsyms *kallsyms, const char *path,
		      bool raw_names, struct pd_err *err);

/* The same from text, which a NUL ends, and which is changed and taken over.
 * Lines that do not parse are skipped. */
void rpt_kallsyms_parse(struct rpt_kallsyms *kallsyms, char *text,
			size_t text_len, bool raw_names);
void rpt_kallsyms_release(struct rpt_kallsyms *kallsyms);

/* Move the modules' symbols to the kernel's table. */
void rpt_kallsyms_join(struct rpt_kallsyms *kallsyms);

/* Find a function's address by reading the file up to it.  Return false if it
 * is not there, or the file is longer than any that is read. */
bool rpt_kallsyms_look_for(const char *path, const char *name,
			   uint64_t *ret_addr);

/* Return the symbols of a module ("[ext4]"), at absolute addresses, or NULL. */
struct rpt_symbol_table *
rpt_kallsyms_module(const struct rpt_kallsyms *kallsyms, const char *name);

#endif
