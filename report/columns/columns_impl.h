/* columns_impl.h: a column and a cell of it, for the files that columns.h is
 * made of: column_list.c finds them by name, columns.c has the usual ones,
 * srcline_columns.c those of hosts and source lines, value_columns.c those of a
 * sample's numbers, branch_columns.c those of branches, memory_columns.c those
 * of memory accesses, tracepoint_column.c the one of a tracepoint's field;
 * cell_format.c has what several of them show;
 * column_fit.c tells how wide all are; column_lines.c prints tables,
 * hierarchy_columns.c hierarchies.
 */
#ifndef RPT_COLUMNS_IMPL_H
#define RPT_COLUMNS_IMPL_H

#include "report/columns/columns.h"
#include "report/timeline/address_space.h"

struct rpt_name_width;

struct rpt_cell {
	const struct rpt_columns *columns;
	size_t idx; /* of the column */
	const struct rpt_rows *rows;
	uint32_t row;
	uint32_t width;
	bool is_last;	 /* nothing follows that needs the padding */
	bool is_bare;	 /* no padding, no cutting */
	bool is_trimmed; /* nothing in front of the text */
	bool is_narrow;	 /* of a number: one blank in front of it */
	struct rpt_name_width *names; /* of column_fit.h; NULL: none kept */
};

struct rpt_column {
	const char *name; /* in -s and -F */
	const char *header;
	unsigned by;	   /* RPT_BY_*; 0: a number */
	unsigned order_by; /* the same for the order of rows; 0: as by */
	bool is_kept;	   /* where all rows have one name, too */
	uint32_t width;	   /* of a number, for each member of a group */
	enum rpt_weight weight;
	enum rpt_value value; /* with RPT_BY_VALUE, RPT_BY_DATA_* */
	/* A number of one member, or the text of the row. */
	void (*print_number)(const struct rpt_cell *cell, uint32_t member,
			     struct rpt_text *out);
	void (*print_text)(const struct rpt_cell *cell, struct rpt_text *out);
	uint32_t (*fit)(const struct rpt_cell *cell); /* width of a text */
};

/* cell_format.c.  Filled up on the right, or cut, unless the cell is bare. */
void rpt_cell_put(const struct rpt_cell *cell, const char *text,
		  struct rpt_text *out);
/* Not cut, even if longer than -w has it: a number that was cut would be
 * another one. */
void rpt_cell_put_whole(const struct rpt_cell *cell, const char *text,
			struct rpt_text *out);
/* The texts of a frame's DSO and symbol, and how wide they are. */
uint32_t rpt_cell_fit_dso(const struct rpt_cell *cell,
			  const struct rpt_frame *frame);
void rpt_cell_print_dso(const struct rpt_cell *cell,
			const struct rpt_frame *frame, struct rpt_text *out);
uint32_t rpt_cell_fit_symbol(const struct rpt_cell *cell,
			     const struct rpt_frame *frame);
void rpt_cell_print_symbol(const struct rpt_cell *cell,
			   const struct rpt_frame *frame, char level,
			   uint64_t addr, struct rpt_text *out);
/* -v: "0x3fbc0            d " in front of a symbol.  Returns how long it is. */
size_t rpt_cell_put_origin(const struct rpt_cell *cell,
			   const struct rpt_frame *frame, uint64_t addr,
			   struct rpt_text *out);

/* In the order in which perf looks for a name that was cut short. */
#define RPT_PLAIN_COLUMNS 17
extern const struct rpt_column rpt_plain_columns[RPT_PLAIN_COLUMNS];

/* Where it was recorded, and where in the source it is. */
#define RPT_SRCLINE_COLUMNS 3
extern const struct rpt_column rpt_srcline_columns[RPT_SRCLINE_COLUMNS];

/* Its source line; of rows that are told apart by it. */
const char *rpt_cell_line(const struct rpt_cell *cell,
			  const struct rpt_frame *frame);

/* Numbers of the sample, but for those that are added up. */
#define RPT_VALUE_COLUMNS 15
extern const struct rpt_column rpt_value_columns[RPT_VALUE_COLUMNS];

/* The value of the cell's column; 0 where rows do not have it. */
uint64_t rpt_cell_value(const struct rpt_cell *cell);
void rpt_cell_print_page(const struct rpt_cell *cell, struct rpt_text *out);

/* The columns of memory accesses. */
#define RPT_MEMORY_COLUMNS 11
extern const struct rpt_column rpt_memory_columns[RPT_MEMORY_COLUMNS];

/* The columns of branches. */
#define RPT_BRANCH_COLUMNS 13
extern const struct rpt_column rpt_branch_columns[RPT_BRANCH_COLUMNS];

/* The column of any field; which field it is says rpt_column_field(). */
extern const struct rpt_column rpt_tracepoint_column;

/* The field of column idx; only of those that are fields. */
const struct rpt_trace_field *
rpt_column_field(const struct rpt_columns *columns, size_t idx);

#endif
