/* debuginfod_options.h: the options --debuginfod and --debuginfod-limit, and
 * the download of debug files, with its messages on stderr.
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

/* For SUP_CALL. */
int rpt_parse_debuginfod(void *conf, const char *arg, bool unset,
			 struct pd_err *err);

/* A profile for whose DSOs with many samples debug files are fetched. */
struct rpt_debug_request {
	const struct rpt_profile *profile;
	bool are_lines_wanted;
};

/* Download what is missing, before any symbol is looked up; shows progress on a
 * terminal.  A file that cannot be had is not an error. */
int rpt_fetch_requests(const struct rpt_debuginfod_args *args,
		       const struct rpt_debug_request *requests, size_t nr,
		       struct pd_err *err);

#endif
