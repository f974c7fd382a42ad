/* symbol_options.h: options that say where symbols come from, and how they are
 * shown, for the tables of several commands.
 */
#ifndef RPT_SYMBOL_OPTIONS_H
#define RPT_SYMBOL_OPTIONS_H

#include "report/cli/command_options.h"
#include "report/symbols/symbols.h"

/* Check what --kallsyms and --vmlinux name, after parsing.  Return -EINVAL if
 * one cannot be read, or a vmlinux is no ELF file. */
int rpt_symbol_files_check(const struct rpt_symbols_conf *conf,
			   struct pd_err *err);

/* Take the folder of --symfs, for the const char * at text.  Return -EINVAL if
 * there is none: all names would be gone without a word. */
int rpt_take_symfs(void *text, const char *arg, bool unset, struct pd_err *err);

/* Sources of symbols: struct rpt_symbols_conf. */
#define RPT_OPT_KALLSYMS(off)                      \
	RPT_OPT_TEXT(0, "kallsyms", (off), "FILE", \
		     "read kernel symbols from this copy of /proc/kallsyms")
#define RPT_OPT_VMLINUX(off)                        \
	RPT_OPT_TEXT('k', "vmlinux", (off), "FILE", \
		     "read kernel symbols from this ELF file")
#define RPT_OPT_SYMFS(off)                                                     \
	{                                                                      \
		0, "symfs", SUP_CALL, (off), 0, "DIR[,flat]",                  \
			"look for all files relative to DIR; flat: in DIR by " \
			"the last part of their names",                        \
			rpt_take_symfs                                         \
	}
#define RPT_OPT_CARRIED(off)                                                \
	RPT_OPT_TEXT(                                                       \
		0, "carried", (off), "FILE",                                \
		"also use the names that FILE carries: of perfpair-record " \
		"--carry-file, or another recording (of files of the "      \
		"same build-id)")
#define RPT_OPT_DEMANGLE(off)                                 \
	RPT_OPT_FLAG(0, "demangle", (off), SUP_OPT_NEGATABLE, \
		     "show C++ and Rust names as in the source (on)")
#define RPT_OPT_BOUNDS(off)                 \
	RPT_OPT_FLAG(0, "bounds", (off), 0, \
		     "show functions without a symbol as func_OFFSET")
/* For commands that print tables. */
#define RPT_OPTS_ADDRESSES(bounds_off, raw_off)                               \
	RPT_OPT_FLAG(0, "raw-addresses", (raw_off), 0,                        \
		     "show each address without a symbol, as perf does, not " \
		     "its function as func_OFFSET, its file as [FILE] or, "   \
		     "of a call chain and in no map, [unknown]"),             \
		RPT_OPT_FLAG(0, "bounds", (bounds_off), 0,                    \
			     "with --raw-addresses: show functions as "       \
			     "func_OFFSET all the same")
#define RPT_OPT_INLINE(off)                                 \
	RPT_OPT_FLAG(0, "inline", (off), SUP_OPT_NEGATABLE, \
		     "show inlined functions in call chains (on)")

#endif
