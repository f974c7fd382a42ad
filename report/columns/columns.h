/* columns.h: what a row shows, by table: names as perf has them in -s and -F,
 * headers, widths, contents.
 */
#ifndef RPT_COLUMNS_H
#define RPT_COLUMNS_H

#include "report/rows/rows.h"
#include "report/base/text_out.h"

struct rpt_column {
	const struct rpt_dimension *dim;
	uint32_t field; /* of a tracepoint's field: its number in fields */
	uint32_t width;
	uint8_t level;	/* of a hierarchy, from 1; 0: in front of all levels */
	bool is_hidden; /* rpt_columns_hide() */
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
	char separator;			   /* between columns; 0: blanks */
	struct rpt_text_string *cell_text; /* with -t and -w; borrowed */
	bool is_branch;			   /* keys of branches are allowed */
	bool is_memory;			   /* those of memory accesses, too */
	bool children;			   /* "Overhead" is called "Self" */
	bool is_dso_narrow; /* as perf's are with --dsos, -t, -w */
	bool has_ns;	    /* times to the nanosecond */
	bool is_verbose;    /* symbols with addresses and origins */
};

/* Adds the columns of a list as -F takes it, names with commas or blanks
 * between: of each name the column that starts with it, letter case aside; one
 * that is there already is left alone.  -EINVAL: there is none, err says so
 * with what: "--sort key" or "--fields key". */
int rpt_columns_parse(struct rpt_columns *columns, const char *list,
		      const char *what, struct pd_err *err);

/* A list as -s takes it, where what stands in braces is one level. */
int rpt_columns_parse_keys(struct rpt_columns *columns, const char *list,
			   struct pd_err *err);

/* Adds the columns of more that are not there yet. */
int rpt_columns_append(struct rpt_columns *columns,
		       const struct rpt_columns *more, struct pd_err *err);

/* Fills the keys that tell rows of these columns apart. */
void rpt_columns_keys(const struct rpt_columns *columns,
		      struct rpt_sort_keys *ret);

/* Fills the order of the rows of the columns shown, which have all of keys. */
void rpt_columns_order(const struct rpt_columns *keys,
		       const struct rpt_columns *shown,
		       struct rpt_sort_keys *ret);

/* Takes out the columns that tell these apart (RPT_BY_*): all rows would show
 * the same.  Not where no column of names would be left. */
void rpt_columns_drop(struct rpt_columns *columns, unsigned by);
/* Is there one? */
bool rpt_columns_may_drop(const struct rpt_columns *columns, unsigned by);

/* Marks the columns that are not of the rows' events. */
void rpt_columns_hide(struct rpt_columns *columns, const struct rpt_rows *rows);

/* Whether several threads may look at rows and print them at a time: columns
 * then keep nothing, and ask no file (RPT_BY_STACK_AND_LOCATION). */
bool rpt_columns_may_be_shared(const struct rpt_columns *columns);

/* The widths of columns, that fit all rows, are found piece by piece, by as
 * many threads as there are: after rpt_columns_hide(), each piece once, to the
 * thread's widths, which begin zeroed; then the end, for nr threads. */
struct rpt_column_widths {
	uint32_t items[RPT_KEYS_MAX];
};

uint32_t rpt_column_fit_piece_nr(const struct rpt_rows *rows);
/* Threads may do so beside each other if rpt_columns_may_be_shared(). */
void rpt_column_fit_piece(const struct rpt_columns *columns,
			  const struct rpt_rows *rows, uint32_t idx,
			  struct rpt_column_widths *widths);
/* Set the widths of columns by what the threads have found. */
void rpt_column_fit_end(struct rpt_columns *columns,
			const struct rpt_rows *rows,
			const struct rpt_column_widths *widths, size_t nr);

/* The text of a column of names, and what it is called; neither cut nor
 * padded. */
void rpt_columns_print_text(const struct rpt_columns *columns, size_t idx,
			    const struct rpt_rows *rows, uint32_t row,
			    struct rpt_text *out);
/* How wide perf takes that text to be: that of a comm like the last name of the
 * task, which can be shorter. */
uint32_t rpt_columns_text_width(const struct rpt_columns *columns, size_t idx,
				const struct rpt_rows *rows, uint32_t row);
/* "[k] " in front of a symbol; the call paths of a diff have none. */
#define RPT_LEVEL_LEN 4

#define RPT_COLUMN_NAME_LEN 512

/* As in -s: "comm", "sched:sched_switch.next_pid".  buf (RPT_COLUMN_NAME_LEN
 * bytes) is used for fields. */
const char *rpt_columns_name(const struct rpt_columns *columns, size_t idx,
			     char *buf);
const char *rpt_columns_header(const struct rpt_columns *columns, size_t idx);

/* What one column needs: RPT_BY_*; 0: it is one of numbers. */
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

/* The level of a column of names: from 0 on. */
uint32_t rpt_columns_level_at(const struct rpt_columns *columns, size_t idx);

/* The same of a hierarchy, whose levels go into the conf of rows before any of
 * these is added. */
void rpt_columns_fill_levels(struct rpt_columns *columns,
			     struct rpt_rows *rows);
void rpt_columns_print_level_header(const struct rpt_columns *columns,
				    const struct rpt_rows *rows,
				    struct rpt_text *out);
void rpt_columns_print_level_row(const struct rpt_columns *columns,
				 const struct rpt_rows *rows, uint32_t row,
				 struct rpt_text *out);
/* Instead of the rows below one, where all are lighter than that. */
void rpt_columns_print_no_entry(const struct rpt_columns *columns,
				const struct rpt_rows *rows, uint32_t row,
				double limit_pct, struct rpt_text *out);

#endif
