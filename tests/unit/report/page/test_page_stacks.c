#include "report/page/page_stacks.h"

#include "format/base/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define DATA_MAX ((size_t)8 << 20)
#define PAGE_MAX ((uint64_t)64 << 20)

/* A printed page, and what its data is. */
struct printed {
	char *html; /* owned */
	size_t len;
	uint8_t *data; /* owned; DATA_MAX */
	char *head;    /* owned; JSON */
	struct pd_cursor rest;
	struct pd_str *names; /* owned; whole ones are in name_bytes */
	uint64_t name_nr;
	char *name_bytes; /* owned */
};

static const struct rpt_page_conf plain_conf = { .len_max = PAGE_MAX,
						 .title = "title" };
static const struct rpt_page_stacks_head plain_head = { .lane = "release" };

static size_t of_base64(const char *text, size_t len, uint8_t *ret)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	uint32_t word = 0;
	size_t nr = 0;

	assert_int_equal(len % 4, 0);
	while (len && text[len - 1] == '=')
		len--;
	for (size_t i = 0; i < len; i++) {
		const char *digit = strchr(digits, text[i]);

		assert_true(text[i] && digit);
		word = word << 6 | (uint32_t)(digit - digits);
		if (i % 4)
			ret[nr++] = (uint8_t)(word >> (6 - i % 4 * 2));
	}
	return nr;
}

static void inflate_data(struct printed *p)
{
	static const char mark[] = "id=\"data\">";
	char *from = strstr(p->html, mark), *end;
	z_stream z = { 0 };
	uint8_t *packed;

	assert_non_null(from);
	from += strlen(mark);
	end = strstr(from, "</script>");
	assert_non_null(end);
	packed = malloc((size_t)(end - from) + 8);
	p->data = malloc(DATA_MAX);
	assert_true(packed && p->data);
	z.next_in = packed;
	z.avail_in = (uInt)of_base64(from, (size_t)(end - from), packed);
	z.next_out = p->data;
	z.avail_out = (uInt)DATA_MAX;
	assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	pd_cursor_init(&p->rest, p->data, z.total_out, 0, "page");
	inflateEnd(&z);
	free(packed);
}

/* Each begins with a part of the one before it. */
static void read_names(struct printed *p)
{
	size_t at = 0;

	p->name_nr = pd_cursor_varint(&p->rest);
	assert_in_range(p->name_nr, 1, DATA_MAX / 2);
	p->names = calloc(p->name_nr, sizeof(*p->names));
	p->name_bytes = malloc(DATA_MAX);
	assert_true(p->names && p->name_bytes);
	for (uint64_t i = 0; i < p->name_nr; i++) {
		uint64_t shared = pd_cursor_varint(&p->rest);
		struct pd_str own = pd_cursor_text(&p->rest);

		assert_true(at + shared + own.len <= DATA_MAX);
		if (shared)
			memcpy(p->name_bytes + at, p->names[i - 1].ptr, shared);
		memcpy(p->name_bytes + at + shared, own.ptr, own.len);
		p->names[i] =
			(struct pd_str){ p->name_bytes + at, shared + own.len };
		at += shared + own.len;
	}
}

static struct printed print(struct rpt_page_stacks *page,
			    const struct rpt_page_stacks_head *head,
			    const struct rpt_page_conf *conf)
{
	struct pd_err err = PD_ERR_INIT;
	struct printed p = { 0 };
	FILE *out = open_memstream(&p.html, &p.len);
	struct pd_str text;

	assert_int_equal(rpt_page_stacks_print(page, head, conf, out, &err), 0);
	fclose(out);
	rpt_page_stacks_free(page);
	inflate_data(&p);
	text = pd_cursor_text(&p.rest);
	p.head = strndup(text.ptr, text.len);
	assert_int_equal(strlen(p.head), text.len);
	read_names(&p);
	return p;
}

static void release(struct printed *p)
{
	free(p->html);
	free(p->data);
	free(p->head);
	free(p->names);
	free(p->name_bytes);
}

static bool has_name(const struct printed *p, const char *name)
{
	for (uint64_t i = 0; i < p->name_nr; i++)
		if (p->names[i].len == strlen(name) &&
		    !memcmp(p->names[i].ptr, name, p->names[i].len))
			return true;
	return false;
}

static void check_head(const struct printed *p, const char *part)
{
	if (!strstr(p->head, part))
		fail_msg("no %s in %s", part, p->head);
}

static unsigned count(const char *text, const char *part)
{
	unsigned nr = 0;

	while ((text = strstr(text, part)) && ++nr)
		text++;
	return nr;
}

/* Add nr samples of one function. */
static void add(struct rpt_page_stacks *page, uint32_t event, uint32_t lane,
		const struct rpt_page_frame *frame, uint64_t nr)
{
	struct rpt_page_stack stack = { "app", frame, 1 };
	struct rpt_page_entry entry = {
		.node = rpt_page_stacks_node(page, event, &stack),
		.lane = lane,
		.nr = nr,
		.period = nr * 10,
	};

	rpt_page_stacks_add(page, event, &entry);
}

static void test_page_stacks__has_what_was_added(void **state)
{
	const struct rpt_page_fact fact = { "servers", "12" };
	struct rpt_page_frame f = { "work", "/bin/app", RPT_PAGE_USER };
	struct rpt_page_stacks_head head = plain_head;
	struct rpt_page_stacks *page = rpt_page_stacks_new(false);
	uint32_t lanes[2] = { rpt_page_stacks_lane(page, "1.2"),
			      rpt_page_stacks_lane(page, "1.3") };
	uint32_t cycles = rpt_page_stacks_event(page, "cycles", false);
	uint32_t clock = rpt_page_stacks_event(page, "task-clock", false);
	struct printed p;

	(void)state;
	assert_int_not_equal(lanes[0], lanes[1]);
	assert_int_not_equal(cycles, clock);
	assert_int_equal(rpt_page_stacks_event(page, "cycles", false), cycles);
	/* one recording of several says so */
	assert_int_equal(rpt_page_stacks_event(page, "task-clock", true),
			 clock);
	add(page, cycles, lanes[0], &f, 3);
	add(page, cycles, lanes[1], &f, 4);
	add(page, clock, lanes[1], &f, 5);
	head.facts = &fact;
	head.fact_nr = 1;
	head.lost_nr = 17;
	head.first_ns = 5;
	head.bin_ns = 60;
	head.bin_nr = 2;
	p = print(page, &head, &plain_conf);
	check_head(&p, "{\"name\": \"cycles\", \"samples\": 7, \"total\": 70, "
		       "\"unit\": \"events\"");
	check_head(&p, "{\"name\": \"task-clock\", \"samples\": 5, "
		       "\"total\": 50, \"unit\": \"ns\"");
	check_head(&p, "[[[\"servers\", \"12\"]]]");
	check_head(&p, "\"samples\": 17}]");
	check_head(&p, "\"first_ns\": 5, \"span_ns\": 120, \"bins\": 2");
	check_head(&p, "\"lane\": \"release\"");
	check_head(&p, "{\"comm\": \"1.2\"");
	check_head(&p, "{\"comm\": \"1.3\"");
	check_head(&p, "\"nodes\": 0, \"samples\": 0");
	assert_true(has_name(&p, "work") && has_name(&p, "app"));
	release(&p);
}

static void test_page_stacks__nodes(void **state)
{
	static const struct rpt_page_frame frames[] = {
		{ "main", "/bin/app", RPT_PAGE_USER },
		{ "", "/lib/a.so", RPT_PAGE_NAMELESS },
		{ "", "/lib/a.so", RPT_PAGE_NAMELESS },
		{ "", "", RPT_PAGE_NAMELESS },
		{ "main", "/bin/app", RPT_PAGE_USER },
		{ "main", "/bin/app", RPT_PAGE_USER },
	};
	struct rpt_page_stacks *page = rpt_page_stacks_new(false);
	uint32_t event = rpt_page_stacks_event(page, "cycles", false);
	uint32_t nodes[7], again;

	(void)state;
	for (size_t nr = 0; nr <= 6; nr++) {
		struct rpt_page_stack stack = { "app", frames, nr };

		nodes[nr] = rpt_page_stacks_node(page, event, &stack);
		again = rpt_page_stacks_node(page, event, &stack);
		assert_int_equal(again, nodes[nr]);
		for (size_t i = 0; i < nr; i++)
			if (nr == 3 && i == 2) /* one node for both */
				assert_int_equal(nodes[nr], nodes[i]);
			else if (i != 2 || nr != 3)
				assert_int_not_equal(nodes[nr], nodes[i]);
	}
	again = rpt_page_stacks_node(
		page, event, &(struct rpt_page_stack){ "other", frames, 1 });
	assert_int_not_equal(again, nodes[1]);
	rpt_page_stacks_free(page);
}

static void test_page_stacks__stems(void **state)
{
	const struct rpt_page_frame part = { "work.constprop.0", "/bin/app",
					     RPT_PAGE_USER };

	(void)state;
	for (int are_stems = 0; are_stems < 2; are_stems++) {
		struct rpt_page_stacks *page = rpt_page_stacks_new(are_stems);
		uint32_t lane = rpt_page_stacks_lane(page, "1.2");
		uint32_t other = rpt_page_stacks_lane(page, "1.3");
		uint32_t event = rpt_page_stacks_event(page, "cycles", false);
		struct printed p;

		add(page, event, other, &part, 9);
		add(page, event, lane, &part, 1);
		p = print(page, &plain_head, &plain_conf);
		assert_int_equal(has_name(&p, "work"), are_stems);
		assert_int_equal(has_name(&p, part.name), !are_stems);
		/* in the order of lanes, else of their samples */
		check_head(&p, are_stems ? "\"lanes\": [{\"comm\": \"1.2\""
					 : "\"lanes\": [{\"comm\": \"1.3\"");
		release(&p);
	}
}

static const char *const hostile[] = {
	"</script><script>alert(1)</script>",
	"<!--<script>",
	"",
	"\x01\x1f\t\r\n\x7f\x1b[31m",
	"\"'\\&<>@DATA@ @PROGRAM@ @TITLE@",
	"\xff\xfe\xc0\x80 not UTF-8",
	"\xe2\x80\xa8\xe2\x80\xae",
	"%s%n%100000d",
};
#define HOSTILE_NR (sizeof(hostile) / sizeof(hostile[0]))

static struct printed print_with(const char *text)
{
	const struct rpt_page_fact fact = { text, text };
	const char *const warnings[] = { text };
	struct rpt_page_frame frames[] = { { text, text, RPT_PAGE_USER },
					   { text, text, RPT_PAGE_NAMELESS },
					   { text, text, RPT_PAGE_KERNEL } };
	struct rpt_page_stacks *page = rpt_page_stacks_new(false);
	uint32_t lane = rpt_page_stacks_lane(page, text);
	uint32_t event = rpt_page_stacks_event(page, text, false);
	struct rpt_page_stacks_head head = { .lane = text,
					     .facts = &fact,
					     .fact_nr = 1 };
	struct rpt_page_conf conf = { .len_max = PAGE_MAX,
				      .title = text,
				      .warnings = warnings,
				      .warning_nr = 1 };
	struct rpt_page_stack stack = { text, frames, 3 };
	struct rpt_page_entry entry = {
		.node = rpt_page_stacks_node(page, event, &stack),
		.lane = lane,
		.nr = 1,
		.period = 1,
	};

	rpt_page_stacks_add(page, event, &entry);
	return print(page, &head, &conf);
}

static void test_page_stacks__hostile_names_stay_in_the_data(void **state)
{
	struct printed plain = print_with("plain");

	(void)state;
	for (size_t i = 0; i < HOSTILE_NR; i++) {
		struct printed p = print_with(hostile[i]);

		assert_int_equal(count(p.html, "<script"),
				 count(plain.html, "<script"));
		assert_int_equal(count(p.html, "</script"),
				 count(plain.html, "</script"));
		assert_int_equal(count(p.html, "<!--"),
				 count(plain.html, "<!--"));
		assert_true(has_name(&p, hostile[i]));
		for (const char *at = p.head; *at; at++)
			assert_in_range((uint8_t)*at, ' ', 0xff);
		check_head(&p, "\"samples\": 1, \"total\": 1");
		release(&p);
	}
	release(&plain);
}

static void add_many(struct rpt_page_stacks *page, uint32_t nr)
{
	uint32_t lane = rpt_page_stacks_lane(page, "1.2");
	uint32_t event = rpt_page_stacks_event(page, "cycles", false);

	for (uint32_t i = 0; i < nr; i++) {
		char name[64];
		struct rpt_page_frame f = { name, "/bin/app", RPT_PAGE_USER };

		snprintf(name, sizeof(name), "f%08x",
			 (unsigned)(i * UINT32_C(2654435761)));
		add(page, event, lane, &f, 1 + i % 16);
	}
}

#define MANY 20000u /* 16 in turn have 136 samples */

static void test_page_stacks__many_stacks(void **state)
{
	struct rpt_page_stacks *page = rpt_page_stacks_new(false);
	struct rpt_page_conf conf = plain_conf;
	size_t full_len;
	struct printed p;

	(void)state;
	add_many(page, MANY);
	p = print(page, &plain_head, &conf);
	check_head(&p, "\"samples\": 170000, \"total\": 1700000");
	check_head(&p, "\"nodes\": 0, \"samples\": 0");
	assert_true(p.name_nr > MANY);
	full_len = p.len;
	release(&p);

	/* a page that is to be shorter adds up, and loses no sample */
	page = rpt_page_stacks_new(false);
	add_many(page, MANY);
	conf.len_max = full_len - 10000;
	p = print(page, &plain_head, &conf);
	assert_true(p.len <= conf.len_max);
	check_head(&p, "\"samples\": 170000, \"total\": 1700000");
	assert_null(strstr(p.head, "\"nodes\": 0, \"samples\": 0"));
	assert_true(p.name_nr < MANY);
	release(&p);
}

static void test_page_stacks__too_small_a_page(void **state)
{
	struct rpt_page_stacks *page = rpt_page_stacks_new(false);
	struct rpt_page_conf conf = plain_conf;
	struct pd_err err = PD_ERR_INIT;

	(void)state;
	add_many(page, 10);
	conf.len_max = 1000;
	assert_int_equal(
		rpt_page_stacks_print(page, &plain_head, &conf, stdout, &err),
		-EFBIG);
	assert_non_null(strstr(err.text, "page of 1000 bytes"));
	rpt_page_stacks_free(page);
}

static void test_page_stacks__nothing(void **state)
{
	struct printed p =
		print(rpt_page_stacks_new(true), &plain_head, &plain_conf);

	(void)state;
	check_head(&p, "\"events\": []");
	check_head(&p, "\"time\": null");
	check_head(&p, "\"losses\": []");
	release(&p);
	rpt_page_stacks_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_stacks__has_what_was_added),
		cmocka_unit_test(test_page_stacks__nodes),
		cmocka_unit_test(test_page_stacks__stems),
		cmocka_unit_test(
			test_page_stacks__hostile_names_stay_in_the_data),
		cmocka_unit_test(test_page_stacks__many_stacks),
		cmocka_unit_test(test_page_stacks__too_small_a_page),
		cmocka_unit_test(test_page_stacks__nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
