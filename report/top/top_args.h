/* top_args.h: the command line of perfpair top. */
#ifndef RPT_TOP_ARGS_H
#define RPT_TOP_ARGS_H

#include "report/report/report_args.h"

/* Options for the recorder; texts are passed on as they are. */
struct rpt_top_record_args {
	const char **events; /* owned */
	size_t event_nr;
	const char *cpus;
	const char *pids;
	const char *tids;
	const char *uid;
	const char *cgroup;
	const char *freq;
	const char *count;
	const char *mmap_pages;
	const char *realtime;
	const char *branch_filter;
	const char *duration;
	const char *cpu_limit;
	char *chains; /* the recorder's part of --call-graph; owned, or NULL */
	char **command; /* NULL: none */
	int command_nr;
};

struct rpt_top_record_flags {
	bool all_cpus;
	bool is_chained; /* -g */
	bool branch_any;
	bool no_inherit;
	bool all_cgroups;
	bool namespaces;
};

struct rpt_top_view_args {
	uint64_t delay_ns;
	uint64_t window_ns; /* 0: five delays */
	bool is_zeroed;	    /* -z: one delay */
	bool is_stdio;
	bool hide_kernel;
	bool hide_user;
	uint32_t entry_nr; /* 0: what fits */
	uint32_t frame_nr; /* 0: no end */
	uint64_t least_nr; /* samples of a row */
};

struct rpt_top_args {
	const char *input; /* NULL: the recorder is started */
	struct rpt_report_args report;
	struct rpt_top_record_args record;
	struct rpt_top_record_flags flags;
	struct rpt_top_view_args view;
};

extern const struct sup_command rpt_top_command;

/* Fill args, to be released in any case.  Return what sup_options_parse() of
 * rpt_top_command returns. */
int rpt_top_args_parse(struct rpt_top_args *args, int argc, char **argv,
		       struct pd_err *err);
void rpt_top_args_release(struct rpt_top_args *args);

/* Return the words of the recorder's command line, with a NULL behind them; the
 * caller frees the array.  words[0] is to be set. */
char **rpt_top_recorder_words(const struct rpt_top_args *args);

/* Return how many delays the window has, at least 1. */
uint32_t rpt_top_slice_nr(const struct rpt_top_view_args *view);

#endif
