/* columns_impl.h: a cell, and what the files share that columns.h is made of:
 * column_list.c finds dimensions by name; *_dimensions.c have them, each file
 * a table; cell_format.c has what several of them show; column_fit.c computes
 * widths; column_lines.c prints tables, hierarchy_columns.c hierarchies.
 */
#ifndef RPT_COLUMNS_IMPL_H
#define RPT_COLUMNS_IMPL_H

#include "report/base/compare.h"
#include "report/columns/columns.h"

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
};

static inline const struct rpt_row *rpt_cell_row(const struct rpt_cell *cell)
{
	return &cell->rows->items[cell->row];
}

static inline const struct rpt_dimension *
rpt_cell_dimension(const struct rpt_cell *cell)
{
	return cell->columns->items[cell->idx].dim;
}

/* The frame of a row that a dimension is about. */
static inline const struct rpt_frame *
rpt_row_frame(const struct rpt_rows *rows, const struct rpt_row *row,
	      const struct rpt_dimension *dim)
{
	bool is_from = dim->side == RPT_OF_FROM;

	return &rows->frames->items[is_from ? row->from_frame : row->frame];
}

static inline const struct rpt_frame *
rpt_cell_frame(const struct rpt_cell *cell)
{
	return rpt_row_frame(cell->rows, rpt_cell_row(cell),
			     rpt_cell_dimension(cell));
}

/* cell_format.c.  The cell by its dimension. */
void rpt_cell_print(const struct rpt_cell *cell, struct rpt_text *out);
/* Filled up on the right, or cut, unless the cell is bare. */
void rpt_cell_put(const struct rpt_cell *cell, const char *text,
		  struct rpt_text *out);
/* Not cut, even if longer than -w has it: a number that was cut would be
 * another one. */
void rpt_cell_put_whole(const struct rpt_cell *cell, const char *text,
			struct rpt_text *out);
/* Neither cut nor filled up at the end of a line, as in perf. */
void rpt_cell_put_unfilled(const struct rpt_cell *cell, const char *text,
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

/* By name; NULL comes last. */
int rpt_compare_names(const char *a, const char *b);

static inline void rpt_key_put64(uint32_t *words, uint64_t value)
{
	words[0] = (uint32_t)value;
	words[1] = (uint32_t)(value >> 32);
}

/* What dimensions of locations have in common: location_dimensions.c. */
void rpt_key_dso(struct rpt_rows *rows, const struct rpt_sort_key *key,
		 const struct rpt_key_source *source, uint32_t *words);
void rpt_key_symbol(struct rpt_rows *rows, const struct rpt_sort_key *key,
		    const struct rpt_key_source *source, uint32_t *words);
void rpt_key_ip(struct rpt_rows *rows, const struct rpt_sort_key *key,
		const struct rpt_key_source *source, uint32_t *words);
/* The address in the DSO. */
void rpt_key_addr(struct rpt_rows *rows, const struct rpt_sort_key *key,
		  const struct rpt_key_source *source, uint32_t *words);
int rpt_compare_addrs(const struct rpt_rows *rows,
		      const struct rpt_sort_key *key, const struct rpt_row *x,
		      const struct rpt_row *y);
void rpt_key_line(struct rpt_rows *rows, const struct rpt_sort_key *key,
		  const struct rpt_key_source *source, uint32_t *words);
int rpt_compare_ips(const struct rpt_rows *rows, const struct rpt_sort_key *key,
		    const struct rpt_row *x, const struct rpt_row *y);
int rpt_compare_lines(const struct rpt_rows *rows,
		      const struct rpt_sort_key *key, const struct rpt_row *x,
		      const struct rpt_row *y);
/* DSOs of branches, and of data: the last name comes first, as in perf. */
int rpt_compare_dsos(const struct rpt_rows *rows,
		     const struct rpt_sort_key *key, const struct rpt_row *x,
		     const struct rpt_row *y);
/* The source line of the cell's frame. */
const char *rpt_cell_line(const struct rpt_cell *cell);
uint32_t rpt_cell_fit_line(const struct rpt_cell *cell);

/* A number of the sample: value_dimensions.c. */
void rpt_key_value(struct rpt_rows *rows, const struct rpt_sort_key *key,
		   const struct rpt_key_source *source, uint32_t *words);
int rpt_compare_values(const struct rpt_rows *rows,
		       const struct rpt_sort_key *key, const struct rpt_row *x,
		       const struct rpt_row *y);
#define RPT_KEY_OF_VALUE(which)                             \
	.by = RPT_BY_VALUE, .value = (which), .word_nr = 3, \
	.key = rpt_key_value, .compare = rpt_compare_values
/* 0 if rows do not have it. */
uint64_t rpt_cell_value(const struct rpt_cell *cell);
void rpt_cell_print_page(const struct rpt_cell *cell, struct rpt_text *out);

/* The dimensions by file.  A table ends with an entry that has no name. */
extern const struct rpt_dimension rpt_task_dimensions[];
extern const struct rpt_dimension rpt_location_dimensions[];
extern const struct rpt_dimension rpt_value_dimensions[];
extern const struct rpt_dimension rpt_trace_dimensions[];
extern const struct rpt_dimension rpt_number_dimensions[];
extern const struct rpt_dimension rpt_branch_dimensions[];
extern const struct rpt_dimension rpt_memory_dimensions[];
/* A field of a tracepoint: RPT_BY_FIELD; its column says which. */
extern const struct rpt_dimension rpt_field_dimension;

#endif
