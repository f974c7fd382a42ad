/* script_args.h: the command line of perfpair script.
 *
 * struct rpt_script_args has a member for each option, which the table of
 * options fills by its offset: hence so many of them.
 */
#ifndef RPT_SCRIPT_ARGS_H
#define RPT_SCRIPT_ARGS_H

#include "report/cli/debuginfod_options.h"
#include "report/events/event_switch.h"
#include "report/events/filter.h"
#include "report/script/script_fields.h"
#include "report/symbols/symbols.h"

#include "format/support/options.h"

/* Records other than samples, by the option that shows them */
enum rpt_show {
	RPT_SHOW_TASK,
	RPT_SHOW_MMAP,
	RPT_SHOW_SWITCH,
	RPT_SHOW_NAMESPACE,
	RPT_SHOW_CGROUP,
	RPT_SHOW_LOST,
	RPT_SHOW_ROUND,
	RPT_SHOW_BPF,
	RPT_SHOW_TEXT_POKE,
	RPT_SHOW_NR,
};

/* Large: one member for each option, which the table fills by offset. */
struct rpt_script_args {
	const char *input;
	struct rpt_script_fields fields;
	struct rpt_symbols_conf symbols;
	struct rpt_filter_args filter;
	struct rpt_debuginfod_args debuginfod;
	const char *stops; /* --stop-bt */
	struct rpt_event_switch_args event_switch;
	uint32_t max_stack;
	uint32_t max_ratio;
	uint32_t jobs; /* 0: as many as there are CPUs */
	bool show[RPT_SHOW_NR];
	bool is_dump;	       /* -D */
	bool is_unsorted_dump; /* as the file has the records */
	bool is_report_dump;   /* report -D: see rpt_script_run() */
	bool hide_chains;
	bool stitch_lbr;
	bool is_per_event;
	bool is_compat; /* script_compat.h */
	bool is_json;	/* script_json.c */
	bool is_latency;
	bool is_ns;
	bool is_reltime;
	bool is_deltatime;
	bool is_full_path;
	bool is_kernel_path;
	bool demangle;
	bool inline_frames;
	bool header;
	bool header_only;
	bool full_header;
	bool force;
};

extern const struct sup_command rpt_script_command;

/* Fill args by rpt_script_command.  Return as sup_options_parse(). */
int rpt_script_args_parse(struct rpt_script_args *args, int argc, char **argv,
			  struct pd_err *err);

/* Run perfpair script and return its exit code.  With is_report_dump no line
 * follows a sample that was dumped, and the numbers of records of each type are
 * printed at the end. */
int rpt_script_run(const struct rpt_script_args *args);

#endif
