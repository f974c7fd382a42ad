/* report_args.h: the command line of perfpair report. */
#ifndef RPT_REPORT_ARGS_H
#define RPT_REPORT_ARGS_H

#include "report/callchain/callgraph.h"
#include "report/cli/debuginfod_options.h"
#include "report/events/event_switch.h"
#include "report/events/filter.h"
#include "report/table/out_data.h"

#include "format/support/options.h"

struct rpt_report_args {
	const char *input;   /* the only one, or the first */
	const char **inputs; /* owned; NULL where nothing was parsed */
	size_t input_nr;
	const char *sort;	    /* NULL: comm,dso,symbol */
	bool has_ipc;		    /* sort names a symbol in full */
	const char *fields;	    /* -F */
	const char *ignore_callees; /* an expression; NULL: of nothing */
	const char *parent;	    /* -p: an expression; NULL: perf's own */
	bool exclude_other;	    /* -x: rows with a parent alone */
	bool hierarchy;
	bool is_one_socket; /* --socket-filter */
	uint32_t socket;
	bool show_cpu_utilization;
	bool mem_mode;
	bool is_branch_given; /* -b, --no-branch-stack */
	bool is_branch;
	bool has_branch_history;
	bool stitch_lbr;
	bool hide_unresolved; /* -U */
	uint32_t group_sort_idx;
	const char *column_widths; /* -w */
	char separator;		   /* -t; 0: none */
	uint64_t time_quantum_ns;
	bool has_ns; /* --ns */
	struct rpt_event_switch_args event_switch;
	bool is_group_given;
	bool show_nr_samples;
	bool show_total_period;
	bool header;
	bool header_only;
	bool is_info_shown; /* -I */
	bool stats;
	bool tasks;
	bool mmaps;
	bool are_threads_shown; /* -T */
	const char *pretty;	/* "raw": its other form; else NULL, or any */
	bool is_dump;		/* -D */
	bool is_unsorted_dump;
	bool children;
	bool inverted; /* -G */
	bool is_stdio;
	bool is_forced;
	bool is_quiet;
	bool is_verbose; /* -v */
	bool is_raw_trace;
	bool are_empty_shown;	/* --no-skip-empty */
	bool are_modules_asked; /* -m: they are shown in any case */
	bool group;
	bool demangle;
	bool inline_frames;
	bool full_source_path;
	bool ignore_vmlinux;
	const char *kallsyms;
	const char *vmlinux;
	const char *symfs;
	struct rpt_debuginfod_args debuginfod;
	bool demangle_kernel;
	double percent_limit;
	enum rpt_report_format format;
	uint32_t max_stack;
	uint32_t max_ratio; /* pd_reader_set_ratio() */
	uint32_t jobs;	    /* 0: as many as there are CPUs */

	struct rpt_filter_args filter;
	const char *symbol_part; /* --symbol-filter */
	bool is_relative;	 /* --percentage: of what passes the filters */

	/* -g */
	bool no_graph;
	bool is_graph_given;
	bool is_graph_limit_given;
	bool is_order_given;
	bool is_caller_first;
	struct rpt_callgraph_style graph; /* total and skip_first unset */
	enum rpt_frame_key graph_key;

	char **words; /* what the strings point into; owned */
};

/* What holds where nothing is typed. */
extern const struct rpt_report_args rpt_report_args_default;

extern const struct sup_command rpt_report_command;

/* Fills args, to be released whatever comes back; as sup_options_parse(), of
 * rpt_report_command. */
int rpt_report_args_parse(struct rpt_report_args *args, int argc, char **argv,
			  struct pd_err *err);
void rpt_report_args_release(struct rpt_report_args *args);

/* graph_args.c.  The words of a command line, each of -g and the one behind it
 * as one: perf takes that as its argument unless it is an option.  A NULL
 * stands behind them; rpt_report_words_free() frees them. */
char **rpt_report_join_graph(int argc, char **argv, int *ret_argc);
void rpt_report_words_free(char **words);

/* -g: a SUP_CALL whose conf is struct rpt_report_args. */
int rpt_report_parse_graph(void *conf, const char *arg, bool unset,
			   struct pd_err *err);

#endif
