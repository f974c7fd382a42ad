/* debuginfod_options.h: --debuginfod of the commands that show names: the
 * options, and the fetching with what is said of it on stderr.
 */
#ifndef RPT_DEBUGINFOD_OPTIONS_H
#define RPT_DEBUGINFOD_OPTIONS_H

#include "report/profile/fetch_debug.h"

#include "format/support/options.h"

struct rpt_debuginfod_args {
	bool is_asked;
	const char *urls;  /* NULL: those of the environment */
	uint64_t limit_ns; /* for all files together */
};

#define RPT_DEBUGINFOD_LIMIT_NS UINT64_C(30000000000)

/* The rows of the struct rpt_debuginfod_args that lies at off. */
#define RPT_OPTS_DEBUGINFOD(off)                                           \
	{ 0,                                                               \
	  "debuginfod",                                                    \
	  SUP_CALL,                                                        \
	  (off),                                                           \
	  SUP_OPT_NEGATABLE | SUP_OPT_ARG_OPTIONAL,                        \
	  "URL...",                                                        \
	  "fetch what is missing of the files that samples lie in "        \
	  "mostly, by build-id (from DEBUGINFOD_URLS)",                    \
	  rpt_parse_debuginfod },                                          \
	{                                                                  \
		0, "debuginfod-limit", SUP_DURATION,                       \
			(off) + offsetof(struct rpt_debuginfod_args,       \
					 limit_ns),                        \
			0, "TIME",                                         \
			"for so long at most, all of them together (30s)", \
			NULL                                               \
	}

/* A SUP_CALL. */
int rpt_parse_debuginfod(void *conf, const char *arg, bool unset,
			 struct pd_err *err);

/* A profile whose hot DSOs are to be complete. */
struct rpt_debug_wish {
	const struct rpt_profile *profile;
	bool are_lines_wanted;
};

/* Before any symbol is looked up; with a line of progress on a terminal.  A
 * file that does not come is no error. */
int rpt_fetch_wishes(const struct rpt_debuginfod_args *args,
		     const struct rpt_debug_wish *wishes, size_t nr,
		     struct pd_err *err);

#endif
