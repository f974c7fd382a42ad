/* command_options.h: options that several commands have, for their tables, and
 * what every command does after parsing them.
 *
 *	static const struct sup_opt opts[] = {
 *		RPT_OPT_INPUT(offsetof(struct my_args, input)),
 *		...
 *		{ 0 },
 *	};
 *	int rc = rpt_options_parse(&command, &args, argc, argv, &args.input,
 *				   &err);
 *
 *	if (!rpt_options_are_good(rc, &command, &err, &exit_code))
 *		return exit_code;
 *
 * off is the offset of the option's field in the command's struct, letter the
 * short name, 0 for none.
 */
#ifndef RPT_COMMAND_OPTIONS_H
#define RPT_COMMAND_OPTIONS_H

#include "report/cli/exit_code.h"

#include "format/support/options.h"

/* A field of type const char *. */
#define RPT_OPT_TEXT(letter, name, off, metavar, help)                        \
	{                                                                     \
		(letter), (name), SUP_STRING, (off), 0, (metavar), help, NULL \
	}
/* A bool; flags: 0, or SUP_OPT_NEGATABLE. */
#define RPT_OPT_FLAG(letter, name, off, flags, help)                         \
	{                                                                    \
		(letter), (name), SUP_FLAG, (off), (flags), NULL, help, NULL \
	}
/* A uint32_t. */
#define RPT_OPT_U32(name, off, metavar, help)                       \
	{                                                           \
		0, (name), SUP_U32, (off), 0, (metavar), help, NULL \
	}
/* call sets fields of the command's struct. */
#define RPT_OPT_CALL(letter, name, metavar, help, call)                   \
	{                                                                 \
		(letter), (name), SUP_CALL, 0, 0, (metavar), help, (call) \
	}

#define RPT_OPT_INPUT(off)                                                      \
	RPT_OPT_TEXT(                                                           \
		'i', "input", (off), "FILE",                                    \
		"read this recording; - is standard input (default: a pipe on " \
		"standard input, else perf.data)")
#define RPT_OPT_FORCE(off)                   \
	RPT_OPT_FLAG('f', "force", (off), 0, \
		     "ignored, for compatibility with perf")
/* For pd_reader_set_ratio(); PD_LIMIT_ZSTD_RATIO by default. */
#define RPT_OPT_MAX_RATIO(off)            \
	RPT_OPT_U32(                      \
		"max-ratio", (off), "NR", \
		"let a compressed byte become at most NR plain ones (8192)")
#define RPT_OPT_JOBS(off) \
	RPT_OPT_U32("jobs", (off), "NR", "use NR threads (one per CPU)")
#define RPT_MAX_STACK 127 /* the default of --max-stack */
#define RPT_OPT_MAX_STACK(off)                \
	RPT_OPT_U32("max-stack", (off), "NR", \
		    "use at most NR addresses of a call chain (127)")
#define RPT_OPT_STITCH_LBR(off)                                           \
	RPT_OPT_FLAG(0, "stitch-lbr", (off), 0,                           \
		     "continue call chains out of branch registers with " \
		     "those of the sample before")

/* --no-itrace is accepted, as traces are not decoded anyway. */
#define RPT_NO_AUX "traces (Intel PT, CoreSight ...) are not decoded"
#define RPT_OPT_ITRACE                                       \
	{                                                    \
		0, "itrace", SUP_CALL, 0,                    \
			SUP_OPT_HIDDEN | SUP_OPT_NEGATABLE | \
				SUP_OPT_ARG_OPTIONAL,        \
			"OPTS", NULL, rpt_refuse_itrace      \
	}
int rpt_refuse_itrace(void *conf, const char *arg, bool unset,
		      struct pd_err *err);

/* The header of the file. */
#define RPT_OPT_HEADER(off)                                 \
	RPT_OPT_FLAG(0, "header", (off), SUP_OPT_NEGATABLE, \
		     "first show where, when and how it was recorded")
#define RPT_OPT_HEADER_ONLY(off) \
	RPT_OPT_FLAG(0, "header-only", (off), 0, "show only that header")
#define RPT_OPT_SHOW_INFO(off)                   \
	RPT_OPT_FLAG('I', "show-info", (off), 0, \
		     "add the lists of CPUs and caches to the header")

/* A word that an option takes, and what it stands for. */
struct rpt_option_word {
	const char *name; /* NULL: end of a table */
	unsigned value;
};

/* Set *ret to the value of the word text.  -EINVAL: it is none of them; err
 * names the option and the words. */
int rpt_option_word(const char *option, const struct rpt_option_word *words,
		    const char *text, unsigned *ret, struct pd_err *err);
/* The most that an option takes: changes can be many times the whole. */
#define RPT_PERCENT_MAX 1e9

/* Parse "2.5" or "2.5%", from 0 to RPT_PERCENT_MAX; else -EINVAL. */
int rpt_option_percent(const char *option, const char *text, double *ret_pct,
		       struct pd_err *err);

/* A bool: whether percentages are relative to what passes the filters. */
#define RPT_OPT_PERCENTAGE(off)                                           \
	{                                                                 \
		0, "percentage", SUP_CALL, (off), 0, "absolute|relative", \
			"show percentages of all samples, or of those "   \
			"that pass the filters (absolute)",               \
			rpt_parse_percentage                              \
	}
int rpt_parse_percentage(void *conf, const char *arg, bool unset,
			 struct pd_err *err);

/* sup_options_parse(), for commands that take at most one word behind their
 * options: the recording, if no option has named it in *input.  input NULL: no
 * word.  -EINVAL if there are more. */
int rpt_options_parse(const struct sup_command *command, void *conf, int argc,
		      char **argv, const char **input, struct pd_err *err);

/* rc is that of rpt_options_parse(), or of later checks of the options.  Return
 * true if the command is to go on.  Else --help was shown or the error printed,
 * and *ret_exit is the exit code. */
bool rpt_options_are_good(int rc, const struct sup_command *command,
			  const struct pd_err *err, int *ret_exit);

#endif
