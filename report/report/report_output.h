/* report_output.h: the forms of output of a report, a struct for each.
 *
 * A room defines the outputs that it prints, and a command lists those that it
 * has (commands/outputs.h); --format takes one of these by its name.  Nothing
 * else in the reader asks which output it is.
 */
#ifndef RPT_REPORT_OUTPUT_H
#define RPT_REPORT_OUTPUT_H

#include "report/cli/look_options.h"

#include "format/support/options.h"

struct rpt_report;
struct rpt_report_args;

enum rpt_output_needs {
	/* tables to read: with titles, colours and members of groups side by
	 * side */
	RPT_OUTPUT_TEXT = 1 << 0,
	/* samples by stack, callers first, and no sums of callees */
	RPT_OUTPUT_STACKS = 1 << 1,
	/* samples where branches were recorded, too; no rows of a table */
	RPT_OUTPUT_SAMPLES = 1 << 2,
	/* the texts of the warnings, for report->whole.warnings */
	RPT_OUTPUT_WARNINGS = 1 << 3,
	/* single samples, which print reads: they are not counted before,
	 * unless options ask for it (rpt_report_leaves_samples()) */
	RPT_OUTPUT_SINGLE = 1 << 4,
};

#define RPT_OUTPUT_TABLES_MAX 5

struct rpt_output {
	const char *name; /* for --format ... */
	const char *help; /* ... and what --help says of it */
	unsigned needs;	  /* RPT_OUTPUT_* */
	/* Tables of the options that the output has, for a struct
	 * rpt_report_args; outputs share them.  An option of other outputs
	 * alone is refused.  NULL: no further table. */
	const struct sup_opt *options[RPT_OUTPUT_TABLES_MAX];
	/* Set what the output implies, and refuse what does not go with it.
	 * Return 0, or -EINVAL with err set.  NULL: nothing is checked. */
	int (*check)(struct rpt_report_args *args, struct pd_err *err);
	/* Set the columns, what tells rows apart and the blocks of time.  NULL:
	 * rpt_report_plan_columns(). */
	int (*set_up)(struct rpt_report *report, struct pd_err *err);
	/* Print a counted report.  Return 0, or a negative errno with err set.
	 */
	int (*print)(struct rpt_report *report, FILE *out, struct pd_err *err);
	/* Instead of print: open, count and print each recording by itself, and
	 * set the path of an error and the exit code. */
	int (*print_each)(const struct rpt_report_args *args,
			  const char **ret_path, int *ret_exit,
			  struct pd_err *err);
};

/* The fields that tell the samples of an export apart besides their stacks, and
 * stand in front of the stacks of --format folded. */
enum rpt_report_label {
	RPT_LABEL_COMM = 1 << 0,
	RPT_LABEL_PID = 1 << 1,
	RPT_LABEL_TID = 1 << 2,
	RPT_LABEL_CPU = 1 << 3,
	RPT_LABEL_CGROUP = 1 << 4,
	RPT_LABEL_HOST = 1 << 5,
	RPT_LABEL_PROCESS = 1 << 6,
};

enum rpt_rows_form {
	RPT_ROWS_TSV,	    /* ClickHouse's TabSeparated */
	RPT_ROWS_ROWBINARY, /* ClickHouse's RowBinary */
};

#define RPT_ROWS_BIN_NS UINT64_C(60000000000)

/* The options of --format rows. */
struct rpt_rows_args {
	enum rpt_rows_form form;
	uint64_t bin_ns;	 /* width of a time bin; whole seconds */
	const char *stacks_path; /* where stacks go; NULL: nowhere */
	const char **labels;	 /* "k=v"; owned, the texts are argv's */
	size_t label_nr;
};

/* The output of a report: its place and its form. */
struct rpt_report_out_args {
	const struct rpt_output *output; /* NULL: none was chosen */
	/* Outputs that --format may choose; a NULL ends them. */
	const struct rpt_output *const *outputs;
	const struct sup_opt **given; /* options, as they came; owned */
	uint32_t given_nr;
	uint32_t given_cap;
	const char *path;   /* -o; NULL: stdout */
	uint64_t page_len;  /* bytes that a page may have */
	unsigned page_code; /* enum rpt_page_code_kind */
	unsigned labels;    /* RPT_LABEL_* of an export */
	struct rpt_rows_args rows;
	struct rpt_look_args look;
};

/* Set the columns that the options ask for, and the keys that these need. */
int rpt_report_plan_columns(struct rpt_report *report, struct pd_err *err);

/* The outputs of this room. */
extern const struct rpt_output rpt_output_text;
extern const struct rpt_output rpt_output_json;
extern const struct rpt_output rpt_output_csv;
extern const struct rpt_output rpt_output_markdown;
extern const struct rpt_output rpt_output_folded;

/* Tables of options, for struct rpt_output: those of every output, of outputs
 * that have rows, columns of rows, rows below rows; and of text alone. */
extern const struct sup_opt rpt_report_opts[];
extern const struct sup_opt rpt_row_opts[];
extern const struct sup_opt rpt_label_opts[];
extern const struct sup_opt rpt_column_opts[];
extern const struct sup_opt rpt_level_opts[];
extern const struct sup_opt rpt_text_opts[];

#endif
