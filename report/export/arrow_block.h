/* arrow_block.h: rows of an Arrow stream (arrow_stream.h), put one by one and
 * written in blocks, each behind the dictionaries of its own texts.
 *
 *	rpt_arrow_block_open(&block, &schema, out);
 *	number = rpt_arrow_block_text(&block, column, text, len);
 *	for each row:
 *		rpt_arrow_block_set(&block, column, v);		  each column,
 *		rpt_arrow_block_set_text(&block, column, number); in one of
 *		rpt_arrow_block_set_none(&block, column);	  these ways
 *		rpt_arrow_block_next(&block);
 *	rpt_arrow_block_close(&block);
 *
 * Texts keep their numbers until they take too much memory: before the first
 * row of a block, rpt_arrow_block_forget() then says that all are forgotten.
 */
#ifndef RPT_ARROW_BLOCK_H
#define RPT_ARROW_BLOCK_H

#include "report/base/intern.h"
#include "report/export/arrow_stream.h"

#define RPT_ARROW_ROWS_MAX 65536u /* of a block */
/* Bytes of texts from which on a block ends and they are forgotten. */
#define RPT_ARROW_TEXTS_LEN (UINT64_C(16) << 20)
/* Memory that a key of a struct rpt_intern takes besides its bytes, about. */
#define RPT_ARROW_TEXT_COST_LEN 48u

struct rpt_arrow_block_column {
	union {
		void *items;	  /* owned; of RPT_ARROW_ROWS_MAX rows */
		uint32_t *narrow; /* little-endian */
		uint64_t *wide;
	};
	uint8_t *has; /* owned; NULL: no row had no value until now */
	uint64_t null_nr;
	struct rpt_intern texts;
	uint32_t *places; /* owned; in the block's dictionary, by number of the
			   * text; + 1; 0: it is not there */
	uint32_t places_cap;
	uint32_t *used; /* owned; numbers of the texts in the dictionary */
	uint32_t used_nr;
	uint32_t used_cap;
};

struct rpt_arrow_block {
	const struct rpt_arrow_schema *schema; /* borrowed */
	struct rpt_arrow_stream stream;
	struct rpt_arrow_block_column columns[RPT_ARROW_COLUMNS_MAX];
	uint32_t row_nr;
	bool is_written;    /* a block is */
	uint64_t texts_len; /* of all texts that are held, about */
	struct pd_buf text; /* under construction */
};

/* Begin a zeroed block, and write the schema. */
void rpt_arrow_block_open(struct rpt_arrow_block *block,
			  const struct rpt_arrow_schema *schema, FILE *out);
/* Write what is left and the end, and free all.  Without rows there is a block
 * of none, since DuckDB makes no table of a stream without blocks.  Return 0,
 * or the negative errno of the first write that failed. */
int rpt_arrow_block_close(struct rpt_arrow_block *block);

/* Return the number of a text, in which bytes that are not UTF-8 become
 * U+FFFD. */
uint32_t rpt_arrow_block_text(struct rpt_arrow_block *block, uint32_t column,
			      const char *text, size_t len);
/* Set the value of the row. */
void rpt_arrow_block_set(struct rpt_arrow_block *block, uint32_t column,
			 uint64_t v);
void rpt_arrow_block_set_text(struct rpt_arrow_block *block, uint32_t column,
			      uint32_t number);
void rpt_arrow_block_set_none(struct rpt_arrow_block *block, uint32_t column);
/* End the row, and write the block if it is full, or if held_len bytes and its
 * texts are too much memory.  Return the same as rpt_arrow_block_close(). */
int rpt_arrow_block_next(struct rpt_arrow_block *block, uint64_t held_len);
/* Return whether the texts were forgotten, and numbers of them with it. */
bool rpt_arrow_block_forget(struct rpt_arrow_block *block, uint64_t held_len);

#endif
