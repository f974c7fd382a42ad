/* command_options.h: the rows that the option tables of several commands
 * share, and what every command does with the outcome of parsing them.
 *
 *	static const struct sup_opt opts[] = {
 *		RPT_OPT_INPUT(offsetof(struct my_args, input)),
 *		...
 *		{ 0 },
 *	};
 *	int rc = sup_options_parse(&command, &args, argc, argv, &first, &err);
 *
 *	if (!rpt_options_are_good(rc, &command, &err, &exit_code))
 *		return exit_code;
 *
 * off is the place of the option's field in the command's struct; the macro
 * says of which type that is.  letter is the short name, 0 for none: it is an
 * argument where perf has another one in each command.
 */
#ifndef RPT_COMMAND_OPTIONS_H
#define RPT_COMMAND_OPTIONS_H

#include "report/cli/exit_code.h"
#include "report/events/filter.h"

#include "format/support/options.h"

/* const char * */
#define RPT_OPT_TEXT(letter, name, off, metavar, help)                        \
	{                                                                     \
		(letter), (name), SUP_STRING, (off), 0, (metavar), help, NULL \
	}
/* bool; flags: 0, or SUP_OPT_NEGATABLE */
#define RPT_OPT_FLAG(letter, name, off, flags, help)                         \
	{                                                                    \
		(letter), (name), SUP_FLAG, (off), (flags), NULL, help, NULL \
	}
/* call parses the argument: struct sup_opt */
#define RPT_OPT_CALL(letter, name, metavar, help, call)                   \
	{                                                                 \
		(letter), (name), SUP_CALL, 0, 0, (metavar), help, (call) \
	}
/* uint32_t */
#define RPT_OPT_U32(name, off, metavar, help)                       \
	{                                                           \
		0, (name), SUP_U32, (off), 0, (metavar), help, NULL \
	}

#define RPT_OPT_INPUT(off)                                                  \
	RPT_OPT_TEXT('i', "input", (off), "FILE",                           \
		     "recording to read (a pipe on stdin, else perf.data; " \
		     "- is stdin)")
#define RPT_OPT_FORCE(off)                                                    \
	RPT_OPT_FLAG('f', "force", (off), 0,                                  \
		     "other people's files are read in any case; for perf's " \
		     "scripts")
/* pd_reader_set_ratio(); PD_LIMIT_INFLATE_RATIO by default */
#define RPT_OPT_MAX_RATIO(off)                \
	RPT_OPT_U32("max-ratio", (off), "NR", \
		    "plain bytes a compressed one may become (8192)")
#define RPT_OPT_JOBS(off)                \
	RPT_OPT_U32("jobs", (off), "NR", \
		    "how many threads (as many as there are CPUs)")
#define RPT_MAX_STACK 127 /* unless asked for otherwise */
#define RPT_OPT_MAX_STACK(off)                \
	RPT_OPT_U32("max-stack", (off), "NR", \
		    "at most so many addresses of a call chain (127)")
#define RPT_OPT_STITCH_LBR(off)                                              \
	RPT_OPT_FLAG(0, "stitch-lbr", (off), 0,                              \
		     "call chains out of branch registers are continued by " \
		     "those of the sample before")

/* Where symbols come from: struct rpt_symbols_conf. */
#define RPT_OPT_KALLSYMS(off)                      \
	RPT_OPT_TEXT(0, "kallsyms", (off), "FILE", \
		     "kernel symbols from this copy of /proc/kallsyms")
#define RPT_OPT_VMLINUX(off)                        \
	RPT_OPT_TEXT('k', "vmlinux", (off), "FILE", \
		     "kernel symbols from this ELF file")
#define RPT_OPT_SYMFS(off)                     \
	RPT_OPT_TEXT(0, "symfs", (off), "DIR", \
		     "look for all files below this folder")
#define RPT_OPT_DEMANGLE(off)                                 \
	RPT_OPT_FLAG(0, "demangle", (off), SUP_OPT_NEGATABLE, \
		     "C++ and Rust names as in the source (on)")
#define RPT_OPT_INLINE(off)                                 \
	RPT_OPT_FLAG(0, "inline", (off), SUP_OPT_NEGATABLE, \
		     "functions merged into others, in call chains (on)")

/* What the file says of the machine. */
#define RPT_OPT_HEADER(off)                                 \
	RPT_OPT_FLAG(0, "header", (off), SUP_OPT_NEGATABLE, \
		     "first say where, when and how it was recorded")
#define RPT_OPT_HEADER_ONLY(off) \
	RPT_OPT_FLAG(0, "header-only", (off), 0, "say only that")
#define RPT_OPT_SHOW_INFO(off)                   \
	RPT_OPT_FLAG('I', "show-info", (off), 0, \
		     "say all of it, the lists of CPUs and caches too")

/* The rows of the struct rpt_filter_args that lies at off; more: a literal,
 * what the command says of --time besides. */
#define RPT_OPT_FILTER_AT(off, field) \
	((off) + offsetof(struct rpt_filter_args, field))
#define RPT_OPTS_FILTER(off, comms_letter, dsos_letter, symbols_letter,       \
			cpu_letter, more)                                     \
	RPT_OPT_TEXT(comms_letter, "comms", RPT_OPT_FILTER_AT(off, comms),    \
		     "NAME,...",                                              \
		     "only threads of these names; file://FILE: names in "    \
		     "lines"),                                                \
		RPT_OPT_TEXT(dsos_letter, "dsos",                             \
			     RPT_OPT_FILTER_AT(off, dsos), "NAME,...",        \
			     "only what is in these files, by path or last "  \
			     "part of it"),                                   \
		RPT_OPT_TEXT(symbols_letter, "symbols",                       \
			     RPT_OPT_FILTER_AT(off, symbols), "NAME,...",     \
			     "only what is in these functions, or at these "  \
			     "addresses (hex)"),                              \
		RPT_OPT_TEXT(0, "pid", RPT_OPT_FILTER_AT(off, pids), "LIST",  \
			     "only these processes"),                         \
		RPT_OPT_TEXT(0, "tid", RPT_OPT_FILTER_AT(off, tids), "LIST",  \
			     "only these threads"),                           \
		RPT_OPT_TEXT(cpu_letter, "cpu", RPT_OPT_FILTER_AT(off, cpus), \
			     "LIST", "only samples of these CPUs: 0,2-3"),    \
		RPT_OPT_TEXT(0, "time", RPT_OPT_FILTER_AT(off, times),        \
			     "TIMES",                                         \
			     "only samples of then: START,STOP in seconds "   \
			     "(either may lack), several with blanks "        \
			     "between; or parts of the recording: 10%/2, "    \
			     "0%-10%,30%-40%" more)

/* A word that an option takes, and what it stands for. */
struct rpt_option_word {
	const char *name; /* NULL: end of a table */
	unsigned value;
};

/* The value of a word; -EINVAL: err names the option and the words it takes. */
int rpt_option_word(const char *option, const struct rpt_option_word *words,
		    const char *text, unsigned *ret, struct pd_err *err);
/* What an option takes at most: changes can be of many times the whole. */
#define RPT_PERCENT_MAX 1e9

/* "2.5" or "2.5%", from 0 to RPT_PERCENT_MAX; -EINVAL. */
int rpt_option_percent(const char *option, const char *text, double *ret_pct,
		       struct pd_err *err);
/* --percentage: whether it is "relative", not "absolute". */
int rpt_percentage_parse(const char *text, bool *ret_is_relative,
			 struct pd_err *err);

/* rc is that of sup_options_parse(), or of what looked at the options behind
 * it.  True, go on; false, --help was shown or the fault was told, and
 * *ret_exit is the exit code. */
bool rpt_options_are_good(int rc, const struct sup_command *command,
			  const struct pd_err *err, int *ret_exit);

#endif
