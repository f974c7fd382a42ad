/* rows_args.h: the options of --format rows, which writes a recording as rows
 * of two tables for a database (docs/formats.md "Rows").
 */
#ifndef RPT_ROWS_ARGS_H
#define RPT_ROWS_ARGS_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_report_args;

enum rpt_rows_form {
	RPT_ROWS_TSV,	    /* ClickHouse's TabSeparated */
	RPT_ROWS_ROWBINARY, /* ClickHouse's RowBinary */
};

#define RPT_ROWS_BIN_NS UINT64_C(60000000000)

struct rpt_rows_args {
	enum rpt_rows_form form;
	uint64_t bin_ns;	 /* width of a time bin; whole seconds */
	const char *stacks_path; /* where stacks go; NULL: nowhere */
	const char **labels;	 /* "k=v"; owned, the texts are argv's */
	size_t label_nr;
	bool is_given; /* one of these options */
};

/* For SUP_CALL, with a conf of struct rpt_report_args. */
int rpt_rows_parse_form(void *conf, const char *arg, bool unset,
			struct pd_err *err);
int rpt_rows_parse_bin(void *conf, const char *arg, bool unset,
		       struct pd_err *err);
int rpt_rows_parse_stacks(void *conf, const char *arg, bool unset,
			  struct pd_err *err);
int rpt_rows_parse_label(void *conf, const char *arg, bool unset,
			 struct pd_err *err);

/* Return the value of the last label of that name; NULL: there is none. */
const char *rpt_rows_label(const struct rpt_rows_args *args, const char *name);

/* Refuse options that do not go together.  Return 0, or -EINVAL with err set.
 */
int rpt_rows_args_check(const struct rpt_report_args *args, struct pd_err *err);

#endif
