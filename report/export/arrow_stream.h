/* arrow_stream.h: writes the stream form of Apache Arrow's columnar format
 * (arrow.apache.org/docs/format/Columnar.html, "IPC Streaming Format"; the
 * tables are those of Schema.fbs and Message.fbs, metadata version V5).
 *
 *	rpt_arrow_schema(&stream, &schema);
 *	for each block of rows:
 *		rpt_arrow_dictionary(&stream, column, &texts);	each of text
 *		rpt_arrow_batch(&stream, &schema, values, row_nr);
 *	rpt_arrow_end(&stream);
 *
 * A column of text holds numbers of a dictionary, which replaces the one that
 * the column had before: the stream needs no more memory than a block, and
 * polars reads it, which refuses dictionaries that grow (deltas).
 */
#ifndef RPT_ARROW_STREAM_H
#define RPT_ARROW_STREAM_H

#include "format/base/buf.h"

#include <stdio.h>

enum rpt_arrow_type {
	RPT_ARROW_INT32,
	RPT_ARROW_INT64,
	RPT_ARROW_UINT64,
	RPT_ARROW_TIME, /* ns since 1970, UTC */
	RPT_ARROW_TEXT, /* int32_t: numbers of a dictionary */
};

struct rpt_arrow_column {
	const char *name;
	enum rpt_arrow_type type;
	bool is_optional; /* it may have rows without a value */
};

#define RPT_ARROW_COLUMNS_MAX 16u

struct rpt_arrow_schema {
	const struct rpt_arrow_column *columns;
	uint32_t nr;
	const char *const (*facts)[2]; /* metadata: keys and values ... */
	uint32_t fact_nr;	       /* ... so many */
};

/* A column's values in one block, little-endian. */
struct rpt_arrow_values {
	const void *items;
	const uint8_t *has; /* a bit a row, the lowest first: it has a value */
	uint64_t null_nr;   /* rows that have none; 0: has is not read */
};

/* The texts of a dictionary, UTF-8, one behind the other in bytes; text number
 * i ends where offsets[i + 1] says (uint32_t, little-endian). */
struct rpt_arrow_texts {
	const uint32_t *offsets; /* nr + 1 of them, the first is 0 */
	const uint8_t *bytes;
	size_t len;
	uint32_t nr;
};

struct rpt_arrow_stream {
	FILE *out;
	struct pd_buf head; /* of the message under construction; owned */
	int status;	    /* -errno of the first write that failed */
};

/* Each writes nothing once a write has failed. */
void rpt_arrow_schema(struct rpt_arrow_stream *s,
		      const struct rpt_arrow_schema *schema);
void rpt_arrow_dictionary(struct rpt_arrow_stream *s, uint32_t column,
			  const struct rpt_arrow_texts *texts);
void rpt_arrow_batch(struct rpt_arrow_stream *s,
		     const struct rpt_arrow_schema *schema,
		     const struct rpt_arrow_values *values, uint32_t row_nr);
/* Write the end, and free the memory.  Return s->status. */
int rpt_arrow_end(struct rpt_arrow_stream *s);

#endif
