/* columns_impl.h: a cell, and what the files share that columns.h is made of:
 * column_list.c finds dimensions by name; *_dimensions.c have them, each file
 * a table; cell_format.c has what several of them show; column_lines.c computes
 * widths and prints tables, hierarchy_columns.c hierarchies.
 */
#ifndef RPT_COLUMNS_IMPL_H
#define RPT_COLUMNS_IMPL_H

#include "report/base/compare.h"
#include "report/columns/columns.h"

#define RPT_CELL_TEXT_LEN 128

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
	char *buf;	 /* RPT_CELL_TEXT_LEN bytes for rpt_dimension.text */
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

/* Return the frame of a row that a dimension is about. */
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

static inline const struct rpt_frame *
rpt_pair_frame(const struct rpt_row_pair *pair, const struct rpt_row *row)
{
	return rpt_row_frame(pair->rows, row, pair->key->dim);
}

static inline const struct rpt_frame *
rpt_key_frame(const struct rpt_key_source *source)
{
	return &source->rows->frames->items[source->frame];
}

/* cell_format.c.  Print the cell by its dimension. */
void rpt_cell_print(const struct rpt_cell *cell, struct rpt_text *out);
/* Return how many columns the first len bytes of text take in a cell. */
size_t rpt_cell_columns(const struct rpt_cell *cell, const char *text,
			size_t len);
/* For rpt_dimension.fit: return the length of its text. */
uint32_t rpt_cell_fit(const struct rpt_cell *cell);

/* For rpt_dimension.put.  Fill the text up on the right, or cut it, unless the
 * cell is bare. */
void rpt_cell_put(const struct rpt_cell *cell, const char *text,
		  struct rpt_text *out);
/* Do not cut it, even if it is longer than -w has it: a number that was cut
 * would be another one. */
void rpt_cell_put_whole(const struct rpt_cell *cell, const char *text,
			struct rpt_text *out);
/* Put it at the right end. */
void rpt_cell_put_right(const struct rpt_cell *cell, const char *text,
			struct rpt_text *out);
/* Neither cut it nor fill it up at the end of a line, as in perf. */
void rpt_cell_put_unfilled(const struct rpt_cell *cell, const char *text,
			   struct rpt_text *out);

/* number_dimensions.c.  Return the escape sequence that begins the colour of a
 * number; NULL: it has none. */
const char *rpt_cell_colour(const struct rpt_cell *cell, uint32_t member);

/* Return the name of the frame's DSO. */
const char *rpt_cell_dso(const struct rpt_cell *cell);
/* Return how wide a DSO's column is for a location that is not known. */
uint32_t rpt_cell_fit_unresolved(const struct rpt_cell *cell);
/* The symbol of the cell's frame, and how wide it is. */
uint32_t rpt_cell_fit_symbol(const struct rpt_cell *cell);
void rpt_cell_print_symbol(const struct rpt_cell *cell, char level,
			   uint64_t addr, struct rpt_text *out);
/* With -v put "0x3fbc0            d " in front of a symbol.  Return how long it
 * is. */
size_t rpt_cell_put_origin(const struct rpt_cell *cell, uint64_t addr,
			   struct rpt_text *out);

/* Compare two names; NULL comes last. */
int rpt_compare_names(const char *a, const char *b);

static inline void rpt_key_put64(uint32_t *words, uint64_t value)
{
	words[0] = (uint32_t)value;
	words[1] = (uint32_t)(value >> 32);
}

/* location_dimensions.c: what dimensions of locations have in common. */
void rpt_key_dso(const struct rpt_key_source *source, uint32_t *words);
void rpt_key_symbol(const struct rpt_key_source *source, uint32_t *words);
void rpt_key_ip(const struct rpt_key_source *source, uint32_t *words);
void rpt_key_line(const struct rpt_key_source *source, uint32_t *words);
/* Set the address in the DSO, and the DSO. */
void rpt_key_addr(const struct rpt_key_source *source, uint32_t *words);
int rpt_compare_addrs(const struct rpt_row_pair *pair);
int rpt_compare_ips(const struct rpt_row_pair *pair);
int rpt_compare_lines(const struct rpt_row_pair *pair);
/* Compare DSOs of branches, and of data: the last name comes first, as in perf.
 */
int rpt_compare_dsos(const struct rpt_row_pair *pair);
/* Return the source line of the cell's frame. */
const char *rpt_cell_line(const struct rpt_cell *cell);

/* value_dimensions.c: a number of the sample. */
void rpt_key_value(const struct rpt_key_source *source, uint32_t *words);
int rpt_compare_values(const struct rpt_row_pair *pair);
#define RPT_KEY_OF_VALUE(which)                             \
	.by = RPT_BY_VALUE, .value = (which), .word_nr = 3, \
	.key = rpt_key_value, .compare = rpt_compare_values
/* Return it; 0 if rows do not have it. */
uint64_t rpt_cell_value(const struct rpt_cell *cell);
const char *rpt_cell_page(const struct rpt_cell *cell);

/* The dimensions by file.  A table ends with an entry that has no name. */
extern const struct rpt_dimension rpt_task_dimensions[];
extern const struct rpt_dimension rpt_location_dimensions[];
extern const struct rpt_dimension rpt_value_dimensions[];
extern const struct rpt_dimension rpt_trace_dimensions[];
extern const struct rpt_dimension rpt_number_dimensions[];
extern const struct rpt_dimension rpt_branch_dimensions[];
extern const struct rpt_dimension rpt_memory_dimensions[];
extern const struct rpt_dimension rpt_wait_dimensions[];
/* A field of a tracepoint: RPT_BY_FIELD; its column says which. */
extern const struct rpt_dimension rpt_field_dimension;

/* Columns of names become narrower so that lines fit the terminal. */

/* Return whether a column may be narrower than its texts. */
bool rpt_column_may_shrink(const struct rpt_columns *columns, size_t idx);

/* Make names of a hierarchy narrower, after the widths are known. */
void rpt_columns_fit_levels(struct rpt_columns *columns,
			    const struct rpt_rows *rows);

#endif
