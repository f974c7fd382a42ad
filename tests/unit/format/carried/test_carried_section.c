#include "format/carried/carried_code.h"
#include "format/carried/carried_lines.h"
#include "format/carried/carried_sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define STR(text)                        \
	{                                \
		(text), sizeof(text) - 1 \
	}

enum { FILE_NR = 9 };

static struct pd_str texts[] = { STR(""), STR("a.c"), STR("work"),
				 STR("inlined") };
static struct pd_carried_lines_file line_files[] = { { 2, 0, 2 },
						     { 5, 2, 0 },
						     { 8, 2, 1 } };
static struct pd_carried_place places[] = {
	{ .addr = 0x1000, .file = 1, .line = 7, .function_nr = 2 },
	{ .addr = 0x1004, .function_start = 2, .function_nr = 1 },
	{ .addr = UINT64_MAX,
	  .file = 1,
	  .line = INT32_MAX,
	  .function_start = 3 },
};
static struct pd_carried_function functions[] = {
	{ .name = 3, .call_file = 1, .call_line = 9 },
	{ .name = 2, .flags = PD_CARRIED_IS_LINKAGE },
	{ .flags = PD_CARRIED_IS_SYMBOL },
};
static const struct pd_carried_lines made_lines = {
	.texts = texts,
	.text_nr = 4,
	.files = line_files,
	.file_nr = 3,
	.places = places,
	.place_nr = 3,
	.functions = functions,
	.function_nr = 3,
};

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6 };
static struct pd_carried_run runs[] = {
	{ .file_idx = 0, .off = 0x1000, .data = bytes, .len = 3 },
	{ .file_idx = 0, .off = 0x1003, .data = bytes + 3, .len = 2 },
	{ .file_idx = 8, .off = 0x10, .data = bytes + 5, .len = 1 },
};
static const struct pd_carried_code made_code = { .runs = runs, .run_nr = 3 };

static struct pd_carried_lines_run source_runs[] = {
	{ STR("/a.c"), 1, 2, STR("int a;\n\n") },
	{ STR("/a.c"), 3, 1, STR("int c;\n") },
	{ STR("/b.c"), 70, 1, STR("\n") },
};
static const struct pd_carried_sources made_sources = { .runs = source_runs,
							.run_nr = 3 };

/* A copy of written bytes, as a reader gets them. */
static struct pd_carried_text text_of(const uint8_t *data, size_t len)
{
	struct pd_carried_text text = { .data = malloc(len + 1), .len = len };

	assert_non_null(text.data);
	if (len)
		memcpy(text.data, data, len);
	text.data[len] = 0;
	return text;
}

static void test_carried_lines__reads_what_was_written(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_carried_text text;
	struct pd_carried_lines got;
	const struct pd_carried_place *place;

	(void)state;
	pd_carried_lines_write(&b, &made_lines);
	text = text_of(b.data, b.len);
	assert_int_equal(pd_carried_lines_read(&text, FILE_NR, &got, NULL), 0);
	place = pd_carried_lines_at(&got, 2, 0x1000);
	assert_non_null(place);
	assert_int_equal(place->line, 7);
	assert_string_equal(got.texts[place->file].ptr, "a.c");
	assert_int_equal(place->function_nr, 2);
	assert_memory_equal(got.functions, functions, sizeof(functions));
	assert_int_equal(pd_carried_lines_at(&got, 2, 0x1004)->function_start,
			 2);
	assert_int_equal(pd_carried_lines_at(&got, 8, UINT64_MAX)->line,
			 INT32_MAX);
	assert_null(pd_carried_lines_at(&got, 2, 0x1001));
	assert_null(pd_carried_lines_at(&got, 3, 0x1000));
	assert_null(pd_carried_lines_at(&got, 5, 0x1000));
	assert_non_null(pd_carried_lines_of(&got, 5));
	pd_carried_lines_release(&got);
	/* of fewer files */
	text = text_of(b.data, b.len);
	assert_int_equal(pd_carried_lines_read(&text, FILE_NR - 1, &got, NULL),
			 -EBADMSG);
	pd_buf_release(&b);
}

static void test_carried_lines__addresses_ascend(void **state)
{
	struct pd_carried_place wrong[3] = { places[0], places[0], places[2] };
	struct pd_carried_lines lines = made_lines;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_carried_text text;

	(void)state;
	wrong[1].function_nr = 1;
	lines.places = wrong;
	pd_carried_lines_write(&b, &lines);
	text = text_of(b.data, b.len);
	assert_int_equal(pd_carried_lines_read(&text, FILE_NR, &lines, NULL),
			 -EBADMSG);
	pd_buf_release(&b);
}

static void test_carried_code__reads_what_was_written(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_carried_text text;
	struct pd_carried_code got;
	uint32_t nr;

	(void)state;
	pd_carried_code_write(&b, &made_code);
	text = text_of(b.data, b.len);
	assert_int_equal(pd_carried_code_read(&text, FILE_NR, &got, NULL), 0);
	assert_int_equal(got.run_nr, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(got.runs[i].file_idx, runs[i].file_idx);
		assert_int_equal(got.runs[i].off, runs[i].off);
		assert_int_equal(got.runs[i].len, runs[i].len);
		assert_memory_equal(got.runs[i].data, runs[i].data,
				    runs[i].len);
	}
	assert_ptr_equal(pd_carried_code_of(&got, 8, &nr), &got.runs[2]);
	assert_int_equal(nr, 1);
	pd_carried_code_of(&got, 4, &nr);
	assert_int_equal(nr, 0);
	pd_carried_code_release(&got);
	text = text_of(b.data, b.len);
	assert_int_equal(pd_carried_code_read(&text, FILE_NR - 1, &got, NULL),
			 -EBADMSG);
	pd_buf_release(&b);
}

static void assert_line(const struct pd_carried_sources *sources,
			const char *path, uint32_t line, const char *expected)
{
	const struct pd_str name = { path, strlen(path) };
	struct pd_str got;

	assert_int_equal(pd_carried_sources_line(sources, name, line, &got),
			 expected != NULL);
	if (!expected)
		return;
	assert_int_equal(got.len, strlen(expected));
	assert_memory_equal(got.ptr, expected, got.len);
}

static void test_carried_sources__reads_what_was_written(void **state)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_carried_text text;
	struct pd_carried_sources got;

	(void)state;
	pd_carried_sources_write(&b, &made_sources);
	text = text_of(b.data, b.len);
	assert_int_equal(pd_carried_sources_read(&text, &got, NULL), 0);
	assert_line(&got, "/a.c", 0, NULL);
	assert_line(&got, "/a.c", 1, "int a;");
	assert_line(&got, "/a.c", 2, "");
	assert_line(&got, "/a.c", 3, "int c;");
	assert_line(&got, "/a.c", 4, NULL);
	assert_line(&got, "/a", 1, NULL);
	assert_line(&got, "/b.c", 69, NULL);
	assert_line(&got, "/b.c", 70, "");
	assert_line(&got, "/c.c", 70, NULL);
	pd_carried_sources_release(&got);
	pd_buf_release(&b);
}

static void test_carried_sources__text_has_its_lines(void **state)
{
	struct pd_carried_lines_run wrong = source_runs[0];
	const struct pd_carried_sources sources = { .runs = &wrong,
						    .run_nr = 1 };
	struct pd_carried_sources got;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_carried_text text;

	(void)state;
	wrong.line_nr = 3;
	pd_carried_sources_write(&b, &sources);
	text = text_of(b.data, b.len);
	assert_int_equal(pd_carried_sources_read(&text, &got, NULL), -EBADMSG);
	pd_buf_release(&b);
}

/* Read the text as a section of some kind, with all that is in it. */
static int read_any(uint32_t kind, const uint8_t *data, size_t len)
{
	struct pd_carried_text text = text_of(data, len);
	struct pd_carried_lines lines;
	struct pd_carried_code code;
	struct pd_carried_sources sources;
	int rc;

	switch (kind) {
	case PD_CARRIED_LINES:
		rc = pd_carried_lines_read(&text, FILE_NR, &lines, NULL);
		if (!rc)
			pd_carried_lines_release(&lines);
		return rc;
	case PD_CARRIED_BYTES:
		rc = pd_carried_code_read(&text, FILE_NR, &code, NULL);
		if (!rc)
			pd_carried_code_release(&code);
		return rc;
	default:
		rc = pd_carried_sources_read(&text, &sources, NULL);
		if (!rc)
			pd_carried_sources_release(&sources);
		return rc;
	}
}

static void test_carried_section__damage_is_found_or_harmless(void **state)
{
	(void)state;
	for (uint32_t kind = PD_CARRIED_LINES; kind <= PD_CARRIED_SOURCES;
	     kind++) {
		struct pd_buf b = PD_BUF_INIT;

		if (kind == PD_CARRIED_LINES)
			pd_carried_lines_write(&b, &made_lines);
		else if (kind == PD_CARRIED_BYTES)
			pd_carried_code_write(&b, &made_code);
		else
			pd_carried_sources_write(&b, &made_sources);
		assert_int_equal(read_any(kind, b.data, b.len), 0);
		for (size_t len = 0; len < b.len; len++)
			assert_int_not_equal(read_any(kind, b.data, len), 0);
		for (size_t bit = 0; bit < 8 * b.len; bit++) {
			b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			read_any(kind, b.data, b.len);
			b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		pd_buf_release(&b);
	}
}

static void test_carried_section__dense_text_is_read(void **state)
{
	enum { LEN = 4 << 20 };
	struct pd_carried_sections sections = { .nr = 0 };
	struct pd_buf plain = PD_BUF_INIT, b = PD_BUF_INIT;
	struct pd_trailer trailer = { .sections = sections.items };
	struct pd_carried_text text;

	(void)state;
	pd_buf_zero(&plain, LEN);
	pd_carried_text_write(&b, 0, PD_CARRIED_BYTES, &plain, &sections);
	assert_int_equal(pd_buf_status(&b), 0);
	trailer.section_nr = sections.nr;
	assert_int_equal(sections.nr, 1);
	assert_int_equal(pd_carried_text_read(b.data, b.len, &trailer,
					      PD_CARRIED_BYTES, &text, NULL),
			 0);
	assert_int_equal(text.len, LEN);
	assert_memory_equal(text.data, plain.data, LEN);
	free(text.data);
	assert_int_equal(pd_carried_text_read(b.data, b.len, &trailer,
					      PD_CARRIED_LINES, &text, NULL),
			 0);
	assert_null(text.data);
	pd_buf_release(&plain);
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried_lines__reads_what_was_written),
		cmocka_unit_test(test_carried_lines__addresses_ascend),
		cmocka_unit_test(test_carried_code__reads_what_was_written),
		cmocka_unit_test(test_carried_sources__reads_what_was_written),
		cmocka_unit_test(test_carried_sources__text_has_its_lines),
		cmocka_unit_test(
			test_carried_section__damage_is_found_or_harmless),
		cmocka_unit_test(test_carried_section__dense_text_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
