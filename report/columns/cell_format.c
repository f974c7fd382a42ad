/* Texts in cells of a table that several columns have. */
#include "report/columns/columns_impl.h"
#include "report/symbols/dso_class.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNRESOLVED_LEN	   22 /* "[k] 0x0123456789abcdef" */
#define INLINED		   " (inlined)"
#define VERBOSE_ADDR_LEN   18 /* "0x0123456789abcdef", or less */
#define VERBOSE_LEN	   (VERBOSE_ADDR_LEN + 3) /* with " k " */
#define UNRESOLVED_DSO_LEN 16

void rpt_cell_print(const struct rpt_cell *cell, struct rpt_text *out)
{
	const struct rpt_dimension *dim = rpt_cell_dimension(cell);
	struct rpt_cell with = *cell;
	char buf[RPT_CELL_TEXT_LEN];

	with.buf = buf;
	if (dim->print)
		dim->print(cell, out);
	else
		dim->put(cell, dim->text(&with), out);
}

size_t rpt_cell_columns(const struct rpt_cell *cell, const char *text,
			size_t len)
{
	return rpt_look_columns(&cell->columns->look, text, len);
}

static size_t columns_of(const struct rpt_cell *cell, const char *text)
{
	return rpt_cell_columns(cell, text, strlen(text));
}

uint32_t rpt_cell_fit(const struct rpt_cell *cell)
{
	struct rpt_cell with = *cell;
	char buf[RPT_CELL_TEXT_LEN];

	with.buf = buf;
	return (uint32_t)columns_of(cell,
				    rpt_cell_dimension(cell)->text(&with));
}

static bool is_short(const struct rpt_cell *cell)
{
	return cell->columns->items[cell->idx].is_short && !cell->is_bare;
}

/* Return how many columns a name may have behind len others. */
static size_t room_behind(const struct rpt_cell *cell, size_t len)
{
	size_t width = cell->columns->items[cell->idx].width;

	if (!is_short(cell))
		return SIZE_MAX;
	return width > len ? width - len : 0;
}

void rpt_cell_put(const struct rpt_cell *cell, const char *text,
		  struct rpt_text *out)
{
	size_t len;

	if (cell->is_bare) {
		rpt_text_str(out, text);
	} else if (is_short(cell)) {
		len = rpt_look_short(&cell->columns->look, out, text,
				     room_behind(cell, 0));
		if (len < cell->width)
			rpt_text_pad(out, cell->width - len);
	} else {
		len = columns_of(cell, text);
		if (len > cell->width || len == strlen(text)) {
			rpt_text_left(out, text, cell->width);
		} else {
			rpt_text_str(out, text);
			rpt_text_pad(out, cell->width - len);
		}
	}
}

void rpt_cell_put_whole(const struct rpt_cell *cell, const char *text,
			struct rpt_text *out)
{
	size_t len = columns_of(cell, text);

	rpt_text_str(out, text);
	if (cell->is_trimmed && !len)
		return;
	if (!cell->is_bare && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}

void rpt_cell_put_right(const struct rpt_cell *cell, const char *text,
			struct rpt_text *out)
{
	size_t len = columns_of(cell, text);

	if (!cell->is_bare && !cell->is_trimmed && len < cell->width)
		rpt_text_pad(out, cell->width - len);
	rpt_text_str(out, text);
}

void rpt_cell_put_unfilled(const struct rpt_cell *cell, const char *text,
			   struct rpt_text *out)
{
	if (cell->is_last)
		rpt_look_short(&cell->columns->look, out, text,
			       room_behind(cell, 0));
	else
		rpt_cell_put(cell, text, out);
}

int rpt_compare_names(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

const char *rpt_cell_dso(const struct rpt_cell *cell)
{
	return rpt_intern_key(&cell->rows->frames->dso_names,
			      rpt_cell_frame(cell)->dso_place);
}

uint32_t rpt_cell_fit_unresolved(const struct rpt_cell *cell)
{
	return cell->columns->is_dso_narrow ? 0 : UNRESOLVED_DSO_LEN;
}

/* As in perf, what -v adds is not counted if there is no name. */
uint32_t rpt_cell_fit_symbol(const struct rpt_cell *cell)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);
	uint32_t len = RPT_LEVEL_LEN;

	if (!frame->sym)
		return UNRESOLVED_LEN;
	if (cell->columns->is_verbose)
		len += VERBOSE_LEN;
	if (frame->inline_name)
		return (uint32_t)columns_of(cell, frame->inline_name) + len;
	/* in perf the name of a module is there, though it is not shown */
	return (uint32_t)columns_of(cell, frame->sym->name) +
	       frame->sym->mark_len + len;
}

/* Print "%#.16lx", which leaves out the 0x of a 0.  Return how long it is. */
static size_t print_address(uint64_t addr, struct rpt_text *out)
{
	if (addr)
		rpt_text_str(out, "0x");
	rpt_text_hex16(out, addr);
	return addr ? 2 + 16 : 16;
}

/* Put a symbol's name, cut if a width was asked for that has room for what
 * stands before it: as in perf.  Return how long it is. */
static size_t put_name(const struct rpt_cell *cell, const char *name,
		       size_t before_len, struct rpt_text *out)
{
	size_t len = strlen(name);
	uint32_t asked = cell->columns->asked_widths[cell->idx];

	if (is_short(cell))
		return rpt_look_short(&cell->columns->look, out, name,
				      room_behind(cell, before_len));
	if (asked >= before_len && len > cell->width - before_len)
		len = cell->width - before_len;
	rpt_text_put(out, name, len);
	return rpt_cell_columns(cell, name, len);
}

size_t rpt_cell_put_origin(const struct rpt_cell *cell, uint64_t addr,
			   struct rpt_text *out)
{
	char buf[VERBOSE_ADDR_LEN + 1];

	if (!cell->columns->is_verbose)
		return 0;
	snprintf(buf, sizeof(buf), "%#" PRIx64, addr);
	rpt_text_left(out, buf, VERBOSE_ADDR_LEN);
	rpt_text_char(out, ' ');
	rpt_text_char(out, rpt_dso_origin(rpt_cell_frame(cell)->dso));
	rpt_text_char(out, ' ');
	return VERBOSE_LEN;
}

void rpt_cell_print_symbol(const struct rpt_cell *cell, char level,
			   uint64_t addr, struct rpt_text *out)
{
	const struct rpt_frame *frame = rpt_cell_frame(cell);
	const char mark[RPT_LEVEL_LEN] = { '[', level, ']', ' ' };
	size_t len = rpt_cell_put_origin(cell, addr, out) + sizeof(mark);

	rpt_text_put(out, mark, sizeof(mark));
	if (frame->inline_name) {
		len += rpt_look_short(&cell->columns->look, out,
				      frame->inline_name,
				      room_behind(cell, len + strlen(INLINED)));
		rpt_text_str(out, INLINED);
		len += strlen(INLINED);
	} else if (frame->sym) {
		len += put_name(cell, frame->sym->name, len, out);
	} else {
		len += print_address(addr, out);
	}
	if (!cell->is_last && len < cell->width)
		rpt_text_pad(out, cell->width - len);
}
