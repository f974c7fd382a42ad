/* many_rows.h: a table with more rows than one thread takes at a time. */
#ifndef MANY_ROWS_H
#define MANY_ROWS_H

#define RECORDED_WITH_FRAMES
#include "tests/unit/recorded.h"

#include "report/columns/columns.h"

#define ROWS_NR 70000u /* more than are in memory at a time, as text */

/* A row for each sample: of three tasks, one of them without a name and one
 * whose name commands a terminal, in a file and where nothing is mapped.
 * Neither sorted, nor are widths known. */
static inline void many_rows_make(struct recorded *r,
				  struct rpt_columns *columns,
				  struct rpt_rows *rows)
{
	struct rpt_rows_conf conf = { 0 };

	recorded_start(r);
	recorded_comm(r, 5, "sh");
	recorded_comm(r, 6, "make\033[7m");
	for (uint32_t pid = 5; pid <= 7; pid++)
		recorded_map(r, pid, 0x1000, "/usr/bin/tool");
	for (uint32_t i = 0; i < ROWS_NR; i++)
		recorded_sample(
			r, EVENT_A,
			&(struct taken){ .pid = 5 + i % 3,
					 .time_ns = i + 1,
					 .ip = (i % 5 ? 0x1000 : 0x10000) + i,
					 .period = 1 + i % 7 });
	recorded_count(r, &(struct rpt_profile_conf){ 0 });
	assert_int_equal(
		rpt_columns_parse(columns, "overhead,comm,dso,sym", "", NULL),
		0);
	rpt_columns_keys(columns, &conf.keys);
	rpt_columns_order(columns, columns, &conf.keys);
	conf.keys.order_nr = 1;
	rpt_rows_init(rows, &conf, &r->profile, &r->frames, 1);
	for (uint32_t i = 0; i < ROWS_NR; i++)
		assert_int_equal(rpt_rows_add(rows, i, 0), 0);
	assert_int_equal(rpt_rows_end(rows), 0);
	assert_int_equal(rpt_rows_nr(rows), ROWS_NR);
}

/* What was put to string, which is safe for a terminal; the caller's. */
static inline char *many_rows_text(struct rpt_text_string *string,
				   size_t *ret_len)
{
	char *text;

	assert_int_equal(rpt_text_flush(&string->text), 0);
	text = string->heap.data;
	*ret_len = string->heap.len;
	string->heap = (struct rpt_text_heap){ 0 };
	rpt_text_string_free(string);
	return text;
}

static inline struct rpt_text_string *many_rows_string(void)
{
	struct rpt_text_string *string = rpt_text_string_new();

	assert_non_null(string);
	string->text.is_safe = true;
	return string;
}

#endif
