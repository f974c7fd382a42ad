#include "report/export/arrow_stream.h"

#include "report/export/flatbuffer.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>

#define CONTINUES UINT32_MAX /* stands in front of each message */
#define V5	  4

enum { HEADER_SCHEMA = 1, HEADER_DICTIONARY = 2, HEADER_BATCH = 3 };
enum { TYPE_INT = 2, TYPE_UTF8 = 5, TYPE_TIMESTAMP = 10 };
enum { UNIT_NS = 3 };

/* A part of a message's body, which begins at a multiple of 8. */
struct part {
	const void *data;
	size_t len;
};

#define PARTS_MAX (2 * RPT_ARROW_COLUMNS_MAX)

/* The body of a batch or of a dictionary. */
struct body {
	uint64_t row_nr;
	uint64_t nodes[RPT_ARROW_COLUMNS_MAX][2]; /* rows, nulls */
	uint32_t node_nr;
	struct part parts[PARTS_MAX];
	uint32_t part_nr;
};

static size_t padded(size_t len)
{
	return (len + 7) & ~(size_t)7;
}

static void write_bytes(struct rpt_arrow_stream *s, const void *data,
			size_t len)
{
	if (s->status || !len || fwrite(data, 1, len, s->out) == len)
		return;
	s->status = errno ? -errno : -EIO;
}

/* Begin a message.  Return where the reference to its header stands. */
static size_t open_message(struct rpt_arrow_stream *s, uint8_t header,
			   uint64_t body_len)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(2, V5),
		RPT_FLAT_NUMBER(1, header),
		RPT_FLAT_REFERENCE,
		RPT_FLAT_NUMBER(8, body_len),
	};
	size_t places[4];

	pd_buf_reset(&s->head);
	pd_buf_u32(&s->head, 0);
	rpt_flat_refer(&s->head, 0,
		       rpt_flat_table(&s->head, fields, 4, places));
	return places[2];
}

static void close_message(struct rpt_arrow_stream *s)
{
	uint32_t prefix[2];

	rpt_flat_align(&s->head);
	if (pd_buf_status(&s->head) && !s->status)
		s->status = pd_buf_status(&s->head);
	prefix[0] = CONTINUES;
	prefix[1] = htole32((uint32_t)s->head.len);
	write_bytes(s, prefix, sizeof(prefix));
	write_bytes(s, s->head.data, s->head.len);
}

static size_t put_int(struct pd_buf *b, uint8_t bits, bool is_signed)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(4, bits),
		RPT_FLAT_NUMBER(1, is_signed),
	};

	return rpt_flat_table(b, fields, 2, NULL);
}

static size_t put_timestamp(struct pd_buf *b)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(2, UNIT_NS),
		RPT_FLAT_REFERENCE,
	};
	size_t places[2];
	size_t at = rpt_flat_table(b, fields, 2, places);

	rpt_flat_refer(b, places[1], rpt_flat_string(b, "UTC"));
	return at;
}

static size_t put_type(struct pd_buf *b, enum rpt_arrow_type type)
{
	switch (type) {
	case RPT_ARROW_INT32:
		return put_int(b, 32, true);
	case RPT_ARROW_INT64:
		return put_int(b, 64, true);
	case RPT_ARROW_UINT64:
		return put_int(b, 64, false);
	case RPT_ARROW_TIME:
		return put_timestamp(b);
	case RPT_ARROW_TEXT:
		break;
	}
	return rpt_flat_table(b, NULL, 0, NULL);
}

static size_t put_encoding(struct pd_buf *b, uint32_t id)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(8, id),
		RPT_FLAT_REFERENCE, /* the type of the numbers */
	};
	size_t places[2];
	size_t at = rpt_flat_table(b, fields, 2, places);

	rpt_flat_refer(b, places[1], put_int(b, 32, true));
	return at;
}

/* Put a field of the schema; readers ask for its list of children, too. */
static size_t put_column(struct pd_buf *b,
			 const struct rpt_arrow_column *column, uint32_t id)
{
	bool is_text = column->type == RPT_ARROW_TEXT;
	uint8_t type = is_text				? TYPE_UTF8
		       : column->type == RPT_ARROW_TIME ? TYPE_TIMESTAMP
							: TYPE_INT;
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_REFERENCE,
		RPT_FLAT_NUMBER(1, column->is_optional),
		RPT_FLAT_NUMBER(1, type),
		RPT_FLAT_REFERENCE,
		RPT_FLAT_NUMBER(is_text ? 4 : 0, 0),
		RPT_FLAT_REFERENCE,
	};
	size_t places[6];
	size_t at = rpt_flat_table(b, fields, 6, places);

	rpt_flat_refer(b, places[0], rpt_flat_string(b, column->name));
	rpt_flat_refer(b, places[3], put_type(b, column->type));
	if (is_text)
		rpt_flat_refer(b, places[4], put_encoding(b, id));
	rpt_flat_refer(b, places[5], rpt_flat_references(b, 0));
	return at;
}

static size_t put_fact(struct pd_buf *b, const char *const fact[2])
{
	const struct rpt_flat_field fields[] = { RPT_FLAT_REFERENCE,
						 RPT_FLAT_REFERENCE };
	size_t places[2];
	size_t at = rpt_flat_table(b, fields, 2, places);

	rpt_flat_refer(b, places[0], rpt_flat_string(b, fact[0]));
	rpt_flat_refer(b, places[1], rpt_flat_string(b, fact[1]));
	return at;
}

void rpt_arrow_schema(struct rpt_arrow_stream *s,
		      const struct rpt_arrow_schema *schema)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(2, 0), /* little-endian */
		RPT_FLAT_REFERENCE,
		RPT_FLAT_REFERENCE,
	};
	size_t place = open_message(s, HEADER_SCHEMA, 0);
	struct pd_buf *b = &s->head;
	size_t places[3], list;

	assert(schema->nr <= RPT_ARROW_COLUMNS_MAX);
	rpt_flat_refer(b, place, rpt_flat_table(b, fields, 3, places));
	list = rpt_flat_references(b, schema->nr);
	rpt_flat_refer(b, places[1], list);
	for (uint32_t i = 0; i < schema->nr; i++)
		rpt_flat_refer(b, rpt_flat_item(list, i),
			       put_column(b, &schema->columns[i], i));
	list = rpt_flat_references(b, schema->fact_nr);
	rpt_flat_refer(b, places[2], list);
	for (uint32_t i = 0; i < schema->fact_nr; i++)
		rpt_flat_refer(b, rpt_flat_item(list, i),
			       put_fact(b, schema->facts[i]));
	close_message(s);
}

static void add_part(struct body *body, const void *data, size_t len)
{
	body->parts[body->part_nr++] = (struct part){ data, len };
}

static uint64_t body_len(const struct body *body)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < body->part_nr; i++)
		len += padded(body->parts[i].len);
	return len;
}

/* Put the table that says where in the body the parts are. */
static size_t put_record_batch(struct pd_buf *b, const struct body *body)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(8, body->row_nr),
		RPT_FLAT_REFERENCE,
		RPT_FLAT_REFERENCE,
	};
	uint64_t spans[PARTS_MAX][2];
	uint64_t off = 0;
	size_t places[3];
	size_t at = rpt_flat_table(b, fields, 3, places);

	for (uint32_t i = 0; i < body->part_nr; i++) {
		spans[i][0] = off;
		spans[i][1] = body->parts[i].len;
		off += padded(body->parts[i].len);
	}
	rpt_flat_refer(b, places[1],
		       rpt_flat_pairs(b, body->nodes, body->node_nr));
	rpt_flat_refer(b, places[2], rpt_flat_pairs(b, spans, body->part_nr));
	return at;
}

static void write_body(struct rpt_arrow_stream *s, const struct body *body)
{
	static const uint8_t zeros[8];

	for (uint32_t i = 0; i < body->part_nr; i++) {
		size_t len = body->parts[i].len;

		write_bytes(s, body->parts[i].data, len);
		write_bytes(s, zeros, padded(len) - len);
	}
}

void rpt_arrow_dictionary(struct rpt_arrow_stream *s, uint32_t column,
			  const struct rpt_arrow_texts *texts)
{
	const struct rpt_flat_field fields[] = {
		RPT_FLAT_NUMBER(8, column),
		RPT_FLAT_REFERENCE,
	};
	struct body body = {
		.row_nr = texts->nr,
		.nodes = { { texts->nr, 0 } },
		.node_nr = 1,
	};
	size_t place, places[2];

	add_part(&body, NULL, 0);
	add_part(&body, texts->offsets,
		 (texts->nr + (size_t)1) * sizeof(*texts->offsets));
	add_part(&body, texts->bytes, texts->len);
	place = open_message(s, HEADER_DICTIONARY, body_len(&body));
	rpt_flat_refer(&s->head, place,
		       rpt_flat_table(&s->head, fields, 2, places));
	rpt_flat_refer(&s->head, places[1], put_record_batch(&s->head, &body));
	close_message(s);
	write_body(s, &body);
}

static size_t item_len(enum rpt_arrow_type type)
{
	return type == RPT_ARROW_INT32 || type == RPT_ARROW_TEXT ? 4 : 8;
}

void rpt_arrow_batch(struct rpt_arrow_stream *s,
		     const struct rpt_arrow_schema *schema,
		     const struct rpt_arrow_values *values, uint32_t row_nr)
{
	struct body body = { .row_nr = row_nr, .node_nr = schema->nr };
	size_t place;

	for (uint32_t i = 0; i < schema->nr; i++) {
		body.nodes[i][0] = row_nr;
		body.nodes[i][1] = values[i].null_nr;
		add_part(&body, values[i].has,
			 values[i].null_nr ? (row_nr + (size_t)7) / 8 : 0);
		add_part(&body, values[i].items,
			 row_nr * item_len(schema->columns[i].type));
	}
	place = open_message(s, HEADER_BATCH, body_len(&body));
	rpt_flat_refer(&s->head, place, put_record_batch(&s->head, &body));
	close_message(s);
	write_body(s, &body);
}

int rpt_arrow_end(struct rpt_arrow_stream *s)
{
	const uint32_t end[2] = { CONTINUES, 0 };

	write_bytes(s, end, sizeof(end));
	pd_buf_release(&s->head);
	return s->status;
}
