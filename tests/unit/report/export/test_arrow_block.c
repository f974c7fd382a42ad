#include "report/export/arrow_block.h"

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBER, TEXT };
enum { SCHEMA = 1, DICTIONARY = 2, BATCH = 3 };

static const struct rpt_arrow_column columns[] = {
	{ "number", RPT_ARROW_UINT64, true },
	{ "text", RPT_ARROW_TEXT, false },
};
static const struct rpt_arrow_schema schema = { columns, 2, NULL, 0 };

struct written {
	struct rpt_arrow_block block;
	FILE *out;
	char *data;
	size_t len;
	size_t at; /* where the next message begins */
};

static int open_block(void **state)
{
	struct written *w = calloc(1, sizeof(*w));

	w->out = open_memstream(&w->data, &w->len);
	rpt_arrow_block_open(&w->block, &schema, w->out);
	*state = w;
	return 0;
}

static int close_block(void **state)
{
	struct written *w = *state;

	free(w->data);
	free(w);
	return 0;
}

static void end(struct written *w)
{
	assert_int_equal(rpt_arrow_block_close(&w->block), 0);
	fclose(w->out);
}

static uint64_t number_at(const char *p, unsigned len)
{
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, len);
	return le64toh(v);
}

/* Return where a field of a table stands; NULL: it is left out. */
static const char *field_at(const char *table, unsigned idx)
{
	const char *head = table - (int32_t)number_at(table, 4);
	uint64_t off = 4 + 2 * idx < number_at(head, 2)
			       ? number_at(head + 4 + 2 * (size_t)idx, 2)
			       : 0;

	return off ? table + off : NULL;
}

static const char *target(const char *place)
{
	return place + number_at(place, 4);
}

/* A message: its kind, and of a batch or dictionary what stands where. */
struct message {
	uint64_t kind;
	uint64_t row_nr;
	const char *nodes;   /* pairs of 64 bits: rows, nulls */
	const char *buffers; /* offset and length */
	const char *body;
};

/* Read the next message.  Return false at the end. */
static bool next(struct written *w, struct message *ret)
{
	const char *p = w->data + w->at, *top, *header;
	uint64_t len = number_at(p + 4, 4);

	*ret = (struct message){ .kind = 0 };
	assert_int_equal(number_at(p, 4), UINT32_MAX);
	assert_int_equal(w->at % 8, 0);
	w->at += 8 + len;
	if (!len)
		return false;
	top = target(p + 8);
	ret->kind = number_at(field_at(top, 1), 1);
	ret->body = w->data + w->at;
	w->at += number_at(field_at(top, 3), 8);
	header = target(field_at(top, 2));
	if (ret->kind == SCHEMA)
		return true;
	if (ret->kind == DICTIONARY)
		header = target(field_at(header, 1));
	ret->row_nr = number_at(field_at(header, 0), 8);
	ret->nodes = target(field_at(header, 1)) + 4;
	ret->buffers = target(field_at(header, 2)) + 4;
	return true;
}

static const char *buffer(const struct message *m, unsigned idx, uint64_t len)
{
	const char *at = m->buffers + 16 * (size_t)idx;

	assert_int_equal(number_at(at + 8, 8), len);
	return m->body + number_at(at, 8);
}

static void add(struct written *w, uint64_t v, const char *text)
{
	uint32_t number =
		rpt_arrow_block_text(&w->block, TEXT, text, strlen(text));

	rpt_arrow_block_set(&w->block, NUMBER, v);
	rpt_arrow_block_set_text(&w->block, TEXT, number);
	assert_int_equal(rpt_arrow_block_next(&w->block, 0), 0);
}

static void test_arrow_block__without_rows_there_is_an_empty_block(void **state)
{
	struct written *w = *state;
	struct message m;

	end(w);
	assert_true(next(w, &m));
	assert_int_equal(m.kind, SCHEMA);
	assert_true(next(w, &m));
	assert_int_equal(m.kind, DICTIONARY);
	assert_int_equal(m.row_nr, 0);
	assert_int_equal(number_at(buffer(&m, 1, 4), 4), 0);
	assert_true(next(w, &m));
	assert_int_equal(m.kind, BATCH);
	assert_int_equal(m.row_nr, 0);
	assert_false(next(w, &m));
	assert_int_equal(w->at, w->len);
}

static void test_arrow_block__rows_stand_behind_their_texts(void **state)
{
	struct written *w = *state;
	struct message m;
	const char *p;

	add(w, 7, "b");
	add(w, 8, "a\xff");
	rpt_arrow_block_set_none(&w->block, NUMBER);
	rpt_arrow_block_set_text(&w->block, TEXT, 0);
	rpt_arrow_block_next(&w->block, 0);
	end(w);
	next(w, &m);
	assert_true(next(w, &m));
	assert_int_equal(m.kind, DICTIONARY);
	assert_int_equal(m.row_nr, 2);
	p = buffer(&m, 1, 12);
	assert_int_equal(number_at(p, 4), 0);
	assert_int_equal(number_at(p + 4, 4), 1);
	assert_int_equal(number_at(p + 8, 4), 5);
	assert_memory_equal(buffer(&m, 2, 5), "ba\xef\xbf\xbd", 5);
	assert_true(next(w, &m));
	assert_int_equal(m.kind, BATCH);
	assert_int_equal(m.row_nr, 3);
	assert_int_equal(number_at(m.nodes + 8, 8), 1); /* null */
	assert_int_equal(buffer(&m, 0, 1)[0] & 7, 3);
	p = buffer(&m, 1, 24);
	assert_int_equal(number_at(p, 8), 7);
	assert_int_equal(number_at(p + 8, 8), 8);
	buffer(&m, 2, 0); /* each has a text */
	p = buffer(&m, 3, 12);
	assert_int_equal(number_at(p, 4), 0);
	assert_int_equal(number_at(p + 4, 4), 1);
	assert_int_equal(number_at(p + 8, 4), 0);
	assert_false(next(w, &m));
	assert_int_equal(w->at, w->len);
}

static void test_arrow_block__a_full_block_is_followed_by_the_next(void **state)
{
	struct written *w = *state;
	struct message m;

	rpt_arrow_block_text(&w->block, TEXT, "unused", 6);
	for (uint64_t i = 0; i < RPT_ARROW_ROWS_MAX; i++)
		add(w, i, i % 2 ? "odd" : "even");
	add(w, 99, "odd");
	end(w);
	next(w, &m);
	next(w, &m);
	assert_int_equal(m.row_nr, 2); /* texts */
	next(w, &m);
	assert_int_equal(m.kind, BATCH);
	assert_int_equal(m.row_nr, RPT_ARROW_ROWS_MAX);
	next(w, &m);
	assert_int_equal(m.kind, DICTIONARY);
	assert_int_equal(m.row_nr, 1);
	assert_memory_equal(buffer(&m, 2, 3), "odd", 3);
	next(w, &m);
	assert_int_equal(m.kind, BATCH);
	assert_int_equal(m.row_nr, 1);
	assert_int_equal(number_at(buffer(&m, 1, 8), 8), 99);
	assert_int_equal(number_at(buffer(&m, 3, 4), 4), 0);
	assert_false(next(w, &m));
}

static void
test_arrow_block__texts_are_forgotten_when_they_are_many(void **state)
{
	struct written *w = *state;
	struct message m;

	add(w, 1, "a");
	assert_false(rpt_arrow_block_forget(&w->block, RPT_ARROW_TEXTS_LEN));
	rpt_arrow_block_set(&w->block, NUMBER, 2);
	rpt_arrow_block_set_text(&w->block, TEXT, 0);
	assert_int_equal(rpt_arrow_block_next(&w->block, RPT_ARROW_TEXTS_LEN),
			 0);
	assert_int_equal(w->block.row_nr, 0);
	assert_false(rpt_arrow_block_forget(&w->block, 0));
	assert_true(rpt_arrow_block_forget(&w->block, RPT_ARROW_TEXTS_LEN));
	add(w, 3, "b");
	end(w);
	next(w, &m);
	next(w, &m);
	next(w, &m);
	assert_int_equal(m.row_nr, 2);
	next(w, &m);
	assert_memory_equal(buffer(&m, 2, 1), "b", 1);
	next(w, &m);
	assert_int_equal(m.row_nr, 1);
	assert_false(next(w, &m));
}

static void test_arrow_block__the_first_failure_of_writing_is_kept(void **state)
{
	struct rpt_arrow_block *block = calloc(1, sizeof(*block));
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	rpt_arrow_block_open(block, &schema, full);
	for (uint64_t i = 0; i < RPT_ARROW_ROWS_MAX; i++) {
		rpt_arrow_block_set(block, NUMBER, i);
		rpt_arrow_block_set_text(
			block, TEXT, rpt_arrow_block_text(block, TEXT, "", 0));
		rpt_arrow_block_next(block, 0);
	}
	assert_int_equal(rpt_arrow_block_close(block), -ENOSPC);
	fclose(full);
	free(block);
}

int main(void)
{
#define WITH_BLOCK(f) \
	cmocka_unit_test_setup_teardown(f, open_block, close_block)
	const struct CMUnitTest tests[] = {
		WITH_BLOCK(
			test_arrow_block__without_rows_there_is_an_empty_block),
		WITH_BLOCK(test_arrow_block__rows_stand_behind_their_texts),
		WITH_BLOCK(
			test_arrow_block__a_full_block_is_followed_by_the_next),
		WITH_BLOCK(
			test_arrow_block__texts_are_forgotten_when_they_are_many),
		cmocka_unit_test(
			test_arrow_block__the_first_failure_of_writing_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
