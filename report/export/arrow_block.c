#include "report/export/arrow_block.h"

#include "report/base/memory.h"
#include "report/export/export_impl.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define HAS_LEN (RPT_ARROW_ROWS_MAX / 8)

static bool is_narrow(const struct rpt_arrow_block *block, uint32_t column)
{
	enum rpt_arrow_type type = block->schema->columns[column].type;

	return type == RPT_ARROW_INT32 || type == RPT_ARROW_TEXT;
}

void rpt_arrow_block_open(struct rpt_arrow_block *block,
			  const struct rpt_arrow_schema *schema, FILE *out)
{
	block->schema = schema;
	block->stream.out = out;
	for (uint32_t i = 0; i < schema->nr; i++)
		block->columns[i].items = rpt_alloc_zeroed(
			RPT_ARROW_ROWS_MAX, is_narrow(block, i) ? 4 : 8);
	rpt_arrow_schema(&block->stream, schema);
}

/* Write the dictionary of a column, and empty it. */
static void write_texts(struct rpt_arrow_block *block, uint32_t column)
{
	struct rpt_arrow_block_column *c = &block->columns[column];
	uint32_t *offsets = rpt_alloc((c->used_nr + (size_t)1) * 4);
	struct rpt_arrow_texts texts = { .offsets = offsets, .nr = c->used_nr };
	struct pd_buf *b = &block->text;

	pd_buf_reset(b);
	offsets[0] = 0;
	for (uint32_t i = 0; i < c->used_nr; i++) {
		const struct rpt_intern_entry *at =
			&c->texts.entries[c->used[i]];

		pd_buf_bytes(b, at->key, at->len);
		offsets[i + 1] = htole32((uint32_t)b->len);
		c->places[c->used[i]] = 0;
	}
	texts.bytes = b->data;
	texts.len = b->len;
	if (pd_buf_status(b) && !block->stream.status)
		block->stream.status = pd_buf_status(b);
	rpt_arrow_dictionary(&block->stream, column, &texts);
	c->used_nr = 0;
	free(offsets);
}

static int write_rows(struct rpt_arrow_block *block)
{
	const struct rpt_arrow_schema *schema = block->schema;
	struct rpt_arrow_values values[RPT_ARROW_COLUMNS_MAX];

	for (uint32_t i = 0; i < schema->nr; i++) {
		struct rpt_arrow_block_column *c = &block->columns[i];

		values[i] = (struct rpt_arrow_values){ c->items, c->has,
						       c->null_nr };
		if (schema->columns[i].type == RPT_ARROW_TEXT)
			write_texts(block, i);
	}
	rpt_arrow_batch(&block->stream, schema, values, block->row_nr);
	for (uint32_t i = 0; i < schema->nr; i++) {
		block->columns[i].null_nr = 0;
		if (block->columns[i].has)
			memset(block->columns[i].has, 0xff, HAS_LEN);
	}
	block->row_nr = 0;
	block->is_written = true;
	return block->stream.status;
}

static void forget_texts(struct rpt_arrow_block_column *c)
{
	rpt_intern_release(&c->texts);
	free(c->places);
	c->places = NULL;
	c->places_cap = 0;
}

int rpt_arrow_block_close(struct rpt_arrow_block *block)
{
	if (block->row_nr || !block->is_written)
		write_rows(block);
	for (uint32_t i = 0; i < block->schema->nr; i++) {
		struct rpt_arrow_block_column *c = &block->columns[i];

		forget_texts(c);
		free(c->items);
		free(c->has);
		free(c->used);
	}
	pd_buf_release(&block->text);
	return rpt_arrow_end(&block->stream);
}

uint32_t rpt_arrow_block_text(struct rpt_arrow_block *block, uint32_t column,
			      const char *text, size_t len)
{
	struct rpt_arrow_block_column *c = &block->columns[column];
	struct pd_buf *b = &block->text;
	uint32_t nr = c->texts.nr, had = c->places_cap;
	uint32_t number;

	pd_buf_reset(b);
	rpt_export_put_utf8(b, text, len);
	if (pd_buf_status(b))
		block->stream.status = pd_buf_status(b);
	number = (uint32_t)rpt_intern(
		&c->texts, b->data ? b->data : (const uint8_t *)"", b->len);
	if (number < nr)
		return number;
	block->texts_len += b->len + RPT_ARROW_TEXT_COST_LEN;
	c->places =
		rpt_grow(c->places, &c->places_cap, number, sizeof(*c->places));
	memset(c->places + had, 0, (c->places_cap - had) * sizeof(*c->places));
	return number;
}

void rpt_arrow_block_set(struct rpt_arrow_block *block, uint32_t column,
			 uint64_t v)
{
	struct rpt_arrow_block_column *c = &block->columns[column];

	if (is_narrow(block, column))
		c->narrow[block->row_nr] = htole32((uint32_t)v);
	else
		c->wide[block->row_nr] = htole64(v);
}

void rpt_arrow_block_set_text(struct rpt_arrow_block *block, uint32_t column,
			      uint32_t number)
{
	struct rpt_arrow_block_column *c = &block->columns[column];

	if (!c->places[number]) {
		c->used = rpt_grow(c->used, &c->used_cap, c->used_nr,
				   sizeof(*c->used));
		c->used[c->used_nr++] = number;
		c->places[number] = c->used_nr;
	}
	c->narrow[block->row_nr] = htole32(c->places[number] - 1);
}

void rpt_arrow_block_set_none(struct rpt_arrow_block *block, uint32_t column)
{
	struct rpt_arrow_block_column *c = &block->columns[column];

	if (!c->has)
		c->has = memset(rpt_alloc(HAS_LEN), 0xff, HAS_LEN);
	c->has[block->row_nr / 8] &= (uint8_t) ~(1u << block->row_nr % 8);
	c->null_nr++;
	rpt_arrow_block_set(block, column, 0);
}

int rpt_arrow_block_next(struct rpt_arrow_block *block, uint64_t held_len)
{
	block->row_nr++;
	return block->row_nr == RPT_ARROW_ROWS_MAX ||
			       block->texts_len + held_len > RPT_ARROW_TEXTS_LEN
		       ? write_rows(block)
		       : 0;
}

bool rpt_arrow_block_forget(struct rpt_arrow_block *block, uint64_t held_len)
{
	if (block->row_nr || block->texts_len + held_len <= RPT_ARROW_TEXTS_LEN)
		return false;
	for (uint32_t i = 0; i < block->schema->nr; i++)
		forget_texts(&block->columns[i]);
	block->texts_len = 0;
	return true;
}
