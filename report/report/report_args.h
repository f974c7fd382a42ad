/* report_args.h: the command line of perfpair report. */
#ifndef RPT_REPORT_ARGS_H
#define RPT_REPORT_ARGS_H

#include "report/callchain/callgraph.h"
#include "report/cli/symbol_options.h"
#include "report/cli/debuginfod_options.h"
#include "report/cli/perf_config.h"
#include "report/events/event_switch.h"
#include "report/events/filter.h"
#include "report/report/report_output.h"
#include "report/symbols/symbols.h"

#include "format/support/options.h"

struct rpt_report_column_args {
	const char *sort;	  /* NULL: comm,dso,symbol */
	const char *default_sort; /* instead of that; NULL: none */
	bool has_ipc;		  /* sort names a symbol in full */
	const char *fields;	  /* -F */
	const char *widths;	  /* -w */
	char separator;		  /* -t; 0: none */
	bool show_cpu_utilization;
	bool show_nr_samples;
	bool show_total_period;
	uint64_t time_quantum_ns;
	bool has_ns; /* --ns */
};

struct rpt_report_row_args {
	const char *symbol_part; /* --symbol-filter, or a word */
	bool is_part_a_word;	 /* it may have been meant as a file */
	double percent_limit;
	bool is_relative;     /* --percentage: of what passes the filters */
	bool hide_unresolved; /* -U */
	bool is_one_socket;   /* --socket-filter */
	uint32_t socket;
	bool hierarchy;
	bool mem_mode;
};

struct rpt_report_chain_args {
	bool children;
	bool stitch_lbr;
	uint32_t max_stack;
	const char *ignore_callees; /* an expression; NULL: of nothing */
	const char *parent;	    /* -p: an expression; NULL: perf's own */
	bool exclude_other;	    /* -x: rows with a parent alone */
};

struct rpt_report_graph_args { /* -g */
	bool is_off;
	bool is_given;
	bool is_limit_given;
	bool is_order_given;
	bool is_caller_first;
	bool is_inverted;		  /* -G */
	struct rpt_callgraph_style style; /* total and skip_first unset */
	enum rpt_frame_key key;
};

struct rpt_report_branch_args { /* -b, --no-branch-stack */
	bool is_given;
	bool are_counted;
	bool has_history;
};

struct rpt_report_event_args {
	bool group;
	bool is_group_given;
	uint32_t group_sort_idx;
	bool are_empty_skipped, is_raw_trace;
};

/* The times that context switches are counted as. */
struct rpt_report_switch_args {
	bool off_cpu; /* with the others, too */
	bool wall_clock;
	bool waits;
	bool latency; /* of samples; with waits of all time */
};

struct rpt_report_header_args {
	bool is_shown;
	bool is_only;
	bool has_info; /* -I */
};

/* Output that is shown instead of tables, or behind them. */
struct rpt_report_fact_args {
	bool stats;
	bool tasks;
	bool mmaps;
	bool is_dump; /* -D */
	bool is_unsorted_dump;
	bool are_threads_shown; /* -T */
	const char *pretty;	/* "raw": its other form; else NULL, or any */
};

/* How names are shown; symbols has where they come from. */
struct rpt_report_name_args {
	bool demangle;
	bool inline_frames;
	bool full_source_path;
	bool raw_addresses; /* of code without a symbol */
	struct rpt_debuginfod_args debuginfod;
};

/* Options of perf that change nothing here. */
struct rpt_report_ignored_args {
	bool is_forced;
	bool are_modules_asked; /* -m: they are shown in any case */
};

struct rpt_report_args {
	const char *input;   /* the only one, or the first */
	const char **inputs; /* owned; NULL if nothing was parsed */
	size_t input_nr;
	struct rpt_report_column_args columns;
	struct rpt_report_row_args rows;
	struct rpt_report_chain_args chains;
	struct rpt_report_graph_args graph;
	struct rpt_report_branch_args branches;
	struct rpt_report_event_args events;
	struct rpt_report_switch_args switches;
	struct rpt_report_header_args header;
	struct rpt_report_fact_args facts;
	struct rpt_symbols_conf symbols;
	struct rpt_report_name_args names;
	struct rpt_report_ignored_args ignored;
	struct rpt_filter_args filter;
	struct rpt_event_switch_args event_switch;
	struct rpt_report_out_args out;
	bool is_quiet;
	bool is_stdio;	    /* text, even on a terminal */
	bool is_tui;	    /* the screen, whatever else is asked for */
	bool is_verbose;    /* -v */
	uint32_t max_ratio; /* pd_reader_set_ratio() */
	uint32_t jobs;	    /* 0: as many as there are CPUs */
	char **words;	    /* what the strings point into; owned */
};

/* perf's settings that report follows; args: struct rpt_report_args. */
extern const struct rpt_perf_key rpt_report_keys[];

/* The arguments if nothing is typed: a report as text. */
extern const struct rpt_report_args rpt_report_args_default;

#define RPT_OPT_FORMAT(help)                                 \
	{                                                    \
		0, "format", SUP_CALL, 0, 0, "FORMAT", help, \
			rpt_report_parse_format              \
	}
int rpt_report_parse_format(void *conf, const char *arg, bool unset,
			    struct pd_err *err);

/* sup_command.given of commands with several outputs. */
void rpt_report_note_option(void *conf, const struct sup_opt *opt);

/* Fill args, which are the default ones with out.outputs, and with the output
 * that is taken without --format in out.output; release them in any case.
 * Return what sup_options_parse() of the command returns. */
int rpt_report_args_parse(struct rpt_report_args *args,
			  const struct sup_command *command, int argc,
			  char **argv, struct pd_err *err);
/* Without words: add a recording, and check the arguments at the end. */
void rpt_report_args_add_input(struct rpt_report_args *args, const char *path);
int rpt_report_args_finish(struct rpt_report_args *args, struct pd_err *err);
void rpt_report_args_release(struct rpt_report_args *args);

/* Parse -g: a SUP_CALL whose conf is struct rpt_report_args. */
int rpt_report_parse_graph(void *conf, const char *arg, bool unset,
			   struct pd_err *err);

#endif
