/* columns.h: the columns of a table: names as perf has them in -s and -F,
 * headers, widths, cells.
 */
#ifndef RPT_COLUMNS_H
#define RPT_COLUMNS_H

#include "report/rows/rows.h"
#include "report/base/look.h"
#include "report/base/text_out.h"

struct rpt_column {
	const struct rpt_dimension *dim;
	uint32_t field; /* of a tracepoint's field: its number in fields */
	uint32_t width;
	uint8_t level;	/* of a hierarchy, from 1; 0: in front of all levels */
	bool is_hidden; /* rpt_columns_hide() */
	bool is_short;	/* longer texts are shortened to its width */
};

struct rpt_columns {
	struct rpt_column items[RPT_KEYS_MAX];
	size_t nr;
	struct rpt_trace_field fields[RPT_KEYS_MAX];
	size_t field_nr;
	uint32_t asked_widths[RPT_KEYS_MAX]; /* -w, by column; 0: what fits */
	uint8_t level_nr;
	/* where fields are looked for; events NULL: nowhere */
	const struct rpt_tracepoints *tracepoints;
	const struct pd_event_set *events;
	unsigned variants;		   /* RPT_VARIANT_* of dimension.h */
	char separator;			   /* between columns; 0: blanks */
	struct rpt_text_string *cell_text; /* with -t and -w; borrowed */
	bool is_branch;			   /* keys of branches are allowed */
	bool is_memory;			   /* those of memory accesses, too */
	bool children;			   /* "Overhead" is called "Self" */
	bool is_dso_narrow; /* as perf's are with --dsos, -t, -w */
	bool has_ns;	    /* times to the nanosecond */
	bool is_verbose;    /* symbols with addresses and origins */
	struct rpt_look look;
};

/* Add the columns of a list as -F takes it, names with commas or blanks
 * between: for each name the column that starts with it, ignoring case, unless
 * it is there already.  Return -EINVAL if there is none; err says so with what:
 * "--sort key" or "--fields key". */
int rpt_columns_parse(struct rpt_columns *columns, const char *list,
		      const char *what, struct pd_err *err);

/* Print the name of each column and its line of help. */
void rpt_columns_print_names(FILE *out);

/* Add those of a list as -s takes it: what stands in braces is one level. */
int rpt_columns_parse_keys(struct rpt_columns *columns, const char *list,
			   struct pd_err *err);

/* Add the columns of more that are not there yet. */
int rpt_columns_append(struct rpt_columns *columns,
		       const struct rpt_columns *more, struct pd_err *err);

/* Fill in the keys that tell rows of these columns apart. */
void rpt_columns_keys(const struct rpt_columns *columns,
		      struct rpt_sort_keys *ret);

/* Fill in the order of rows by keys, all of which are among shown. */
void rpt_columns_order(const struct rpt_columns *keys,
		       const struct rpt_columns *shown,
		       struct rpt_sort_keys *ret);

/* Remove the columns that need one of these (RPT_BY_*), since all rows would
 * show the same, unless no column of names would be left. */
void rpt_columns_drop(struct rpt_columns *columns, unsigned by);
/* Return whether there is one. */
bool rpt_columns_may_drop(const struct rpt_columns *columns, unsigned by);

/* Mark the columns that are not of the rows' events. */
void rpt_columns_hide(struct rpt_columns *columns, const struct rpt_rows *rows);

/* Return whether several threads may print rows at a time: columns then keep
 * nothing and ask no file (RPT_BY_STACK_AND_LOCATION). */
bool rpt_columns_may_be_shared(const struct rpt_columns *columns);

/* The widths of columns are computed piece by piece, by any number of threads:
 * after rpt_columns_hide(), fit each piece once, into the thread's widths,
 * which are zeroed before; then call the end, for nr threads. */
struct rpt_column_widths {
	uint32_t items[RPT_KEYS_MAX];
};

uint32_t rpt_column_fit_piece_nr(const struct rpt_rows *rows);
/* Fit a piece; safe in several threads if rpt_columns_may_be_shared(). */
void rpt_column_fit_piece(const struct rpt_columns *columns,
			  const struct rpt_rows *rows, uint32_t idx,
			  struct rpt_column_widths *widths);
/* Set the widths of columns by what the threads have found. */
void rpt_column_fit_end(struct rpt_columns *columns,
			const struct rpt_rows *rows,
			const struct rpt_column_widths *widths, size_t nr);

/* Print the text of a column of names, neither cut nor padded. */
void rpt_columns_print_text(const struct rpt_columns *columns, size_t idx,
			    const struct rpt_rows *rows, uint32_t row,
			    struct rpt_text *out);
/* Return how wide perf takes that text to be: a comm is as wide as the last
 * name of the task, which can be shorter. */
uint32_t rpt_columns_text_width(const struct rpt_columns *columns, size_t idx,
				const struct rpt_rows *rows, uint32_t row);
/* "[k] " in front of a symbol; the call paths of a diff have none. */
#define RPT_LEVEL_LEN 4

#define RPT_COLUMN_NAME_LEN 512

/* Return the name as in -s: "comm", "sched:sched_switch.next_pid".  Names of
 * fields are put into buf (RPT_COLUMN_NAME_LEN bytes). */
const char *rpt_columns_name(const struct rpt_columns *columns, size_t idx,
			     char *buf);
const char *rpt_columns_header(const struct rpt_columns *columns, size_t idx);

/* Return what a column needs, RPT_BY_*; 0: it is one of numbers. */
static inline unsigned rpt_columns_by_at(const struct rpt_columns *columns,
					 size_t idx)
{
	return columns->items[idx].dim->by;
}

void rpt_columns_print_header(const struct rpt_columns *columns,
			      struct rpt_text *out);
void rpt_columns_print_row(const struct rpt_columns *columns,
			   const struct rpt_rows *rows, uint32_t row,
			   struct rpt_text *out);

/* Return the level of a column of names, from 0 on. */
uint32_t rpt_columns_level_at(const struct rpt_columns *columns, size_t idx);

/* Set the levels of a hierarchy in the conf of rows, before any row is added.
 */
void rpt_columns_fill_levels(struct rpt_columns *columns,
			     struct rpt_rows *rows);
void rpt_columns_print_level_header(const struct rpt_columns *columns,
				    const struct rpt_rows *rows,
				    struct rpt_text *out);
void rpt_columns_print_level_row(const struct rpt_columns *columns,
				 const struct rpt_rows *rows, uint32_t row,
				 struct rpt_text *out);
/* Print "no entry" instead of the rows below one, if all are lighter. */
void rpt_columns_print_no_entry(const struct rpt_columns *columns,
				const struct rpt_rows *rows, uint32_t row,
				double limit_pct, struct rpt_text *out);

#endif
