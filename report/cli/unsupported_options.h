/* unsupported_options.h: options of perf that cannot be had, and why: each is
 * known, so that whoever types it reads the reason instead of "unknown option".
 *
 *	RPT_REFUSAL(refuse_disasm, "--xed: instructions are not decoded")
 *	...
 *		RPT_REFUSED_OPTIONAL(0, "xed", refuse_disasm),	in the table
 */
#ifndef RPT_UNSUPPORTED_OPTIONS_H
#define RPT_UNSUPPORTED_OPTIONS_H

#include "format/support/options.h"

#include <errno.h>

/* A SUP_CALL that refuses. */
#define RPT_REFUSAL(call, reason) static RPT_REFUSAL_SHARED(call, reason)
#define RPT_REFUSAL_SHARED(call, reason)                                      \
	int call(void *conf, const char *arg, bool unset, struct pd_err *err) \
	{                                                                     \
		(void)conf;                                                   \
		(void)arg;                                                    \
		(void)unset;                                                  \
		return pd_err_set(err, -EINVAL, "%s", reason);                \
	}

/* Rows, by whether the option has an argument in perf. */
#define RPT_REFUSED_BY(letter, name, flags, metavar, call)               \
	{                                                                \
		(letter), (name), SUP_CALL, 0, SUP_OPT_HIDDEN | (flags), \
			(metavar), NULL, (call)                          \
	}
#define RPT_REFUSED(letter, name, call) \
	RPT_REFUSED_BY(letter, name, 0, "ARG", call)
#define RPT_REFUSED_OPTIONAL(letter, name, call) \
	RPT_REFUSED_BY(letter, name, SUP_OPT_ARG_OPTIONAL, "ARG", call)
#define RPT_REFUSED_FLAG(letter, name, call) \
	RPT_REFUSED_BY(letter, name, SUP_OPT_NO_ARG, NULL, call)

/* --no-itrace asks for what is done in any case, and is taken. */
#define RPT_REFUSED_ITRACE                                                    \
	RPT_REFUSED_BY(0, "itrace", SUP_OPT_NEGATABLE | SUP_OPT_ARG_OPTIONAL, \
		       "OPTS", rpt_refuse_aux)

/* Those of perf report that go with its interactive view and its annotation,
 * and those whose data we do not work out. */
#define RPT_REFUSED_REPORT                                                   \
	RPT_REFUSED_FLAG(0, "tui", rpt_refuse_tui),                          \
		RPT_REFUSED(0, "samples", rpt_refuse_tui),                   \
		RPT_REFUSED(0, "objdump", rpt_refuse_annotate),              \
		RPT_REFUSED('M', "disassembler-style", rpt_refuse_annotate), \
		RPT_REFUSED_FLAG(0, "asm-raw", rpt_refuse_annotate),         \
		RPT_REFUSED_FLAG(0, "source", rpt_refuse_annotate),          \
		RPT_REFUSED(0, "prefix", rpt_refuse_annotate),               \
		RPT_REFUSED(0, "prefix-strip", rpt_refuse_annotate),         \
		RPT_REFUSED(0, "percent-type", rpt_refuse_annotate),         \
		RPT_REFUSED_FLAG(0, "total-cycles", rpt_refuse_blocks),      \
		RPT_REFUSED_FLAG(0, "show-ref-call-graph",                   \
				 rpt_refuse_reference)

int rpt_refuse_tui(void *conf, const char *arg, bool unset, struct pd_err *err);
int rpt_refuse_annotate(void *conf, const char *arg, bool unset,
			struct pd_err *err);
int rpt_refuse_blocks(void *conf, const char *arg, bool unset,
		      struct pd_err *err);
int rpt_refuse_reference(void *conf, const char *arg, bool unset,
			 struct pd_err *err);

/* What needs traces of the AUX area: they are not decoded. */
int rpt_refuse_aux(void *conf, const char *arg, bool unset, struct pd_err *err);

#endif
