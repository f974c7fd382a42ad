/* refused_options.h: options of perf that cannot be had, and why: each is
 *known, so that whoever types it reads the reason instead of "unknown option".
 *
 *	RPT_REFUSAL(refuse_disasm, "--xed: instructions are not decoded")
 *	...
 *		RPT_REFUSED_OPTIONAL(0, "xed", refuse_disasm),	in the table
 */
#ifndef RPT_REFUSED_OPTIONS_H
#define RPT_REFUSED_OPTIONS_H

#include "format/support/options.h"

#include <errno.h>

/* A SUP_CALL that refuses. */
#define RPT_REFUSAL(call, reason)                                \
	static int call(void *conf, const char *arg, bool unset, \
			struct pd_err *err)                      \
	{                                                        \
		(void)conf;                                      \
		(void)arg;                                       \
		(void)unset;                                     \
		return pd_err_set(err, -EINVAL, "%s", reason);   \
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

/* What needs traces of the AUX area: they are not decoded. */
int rpt_refuse_aux(void *conf, const char *arg, bool unset, struct pd_err *err);

#endif
