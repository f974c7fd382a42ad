#include "format/symtab/go_table.h"

#include "tests/unit/made_go.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KIND_NR = 4 * 2 * 2 * 2 };

/* Make a file of each version, word size and byte order. */
static void make(struct made_go *m, unsigned kind)
{
	*m = (struct made_go){ .version = kind % 4, .is_moved = kind / 16 };
	m->elf.is_64 = kind / 4 % 2;
	m->elf.is_big_endian = kind / 8 % 2;
	made_go(m);
}

static int read_at(void *ctx, uint64_t off, void *ret, size_t len)
{
	const struct made_go *m = ctx;

	if (off > MADE_GO_LEN || len > MADE_GO_LEN - off)
		return -EBADMSG;
	memcpy(ret, m->data + off, len);
	return 0;
}

static struct pd_go_table *open_table(const struct made_go *m)
{
	struct pd_go_table *table;

	assert_int_equal(pd_go_table_open(&m->elf, &table), 0);
	return table;
}

static void is_text(struct pd_str text, const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.ptr, expected, text.len);
}

static void finds_functions(struct pd_go_table *t)
{
	static const char *const names[] = { "main.main", "main.Sum[...]",
					     "main.last" };
	struct pd_go_function f;
	const uint64_t end =
		MADE_GO_CODE + MADE_GO_FUNCTION_NR * MADE_GO_FUNCTION_LEN;

	assert_false(pd_go_table_find(t, MADE_GO_CODE - 1, &f));
	assert_false(pd_go_table_find(t, end, &f));
	assert_false(pd_go_table_find(t, MADE_GO_LEN, &f));
	assert_false(pd_go_table_find(NULL, MADE_GO_CODE, &f));
	for (uint64_t off = MADE_GO_CODE; off < end; off++) {
		uint64_t idx = (off - MADE_GO_CODE) / MADE_GO_FUNCTION_LEN;
		uint64_t start = MADE_GO_CODE + idx * MADE_GO_FUNCTION_LEN;

		assert_true(pd_go_table_find(t, off, &f));
		assert_int_equal(f.off, start);
		assert_int_equal(f.start, MADE_GO_BASE + start);
		assert_int_equal(f.end - f.start, MADE_GO_FUNCTION_LEN);
		is_text(pd_go_table_name(t, f.name), names[idx]);
	}
}

static void test_go_table__functions_are_found_in_each_version(void **state)
{
	struct pd_go_table *t;
	struct made_go m;

	(void)state;
	for (unsigned kind = 0; kind < KIND_NR; kind++) {
		make(&m, kind);
		t = open_table(&m);
		finds_functions(t);
		pd_go_table_close(t);
		/* the same of a file that is read */
		m.elf.from = (struct pd_read_at){ .read = read_at, .ctx = &m };
		t = open_table(&m);
		finds_functions(t);
		pd_go_table_close(t);
	}
}

static void has_line(struct pd_go_table *t, uint64_t off, const char *file,
		     uint32_t line)
{
	struct pd_go_function f;
	struct pd_str found;
	uint32_t at;

	assert_true(pd_go_table_find(t, MADE_GO_CODE + off, &f));
	assert_true(pd_go_table_line(t, &f, MADE_GO_BASE + MADE_GO_CODE + off,
				     &found, &at));
	is_text(found, file);
	assert_int_equal(at, line);
}

static void test_go_table__lines_are_those_of_the_steps(void **state)
{
	struct pd_go_table *t;
	struct made_go m;

	(void)state;
	for (unsigned kind = 0; kind < KIND_NR; kind++) {
		make(&m, kind);
		t = open_table(&m);
		has_line(t, 0, "main.go", 10);
		has_line(t, 7, "main.go", 10);
		has_line(t, 8, "main.go", 20);
		has_line(t, 16, "add.go", 30);
		has_line(t, 31, "add.go", 30);
		has_line(t, 63, "main.go", 11);
		pd_go_table_close(t);
	}
}

static void test_go_table__frames_are_those_of_the_steps(void **state)
{
	const uint64_t code = MADE_GO_BASE + MADE_GO_CODE;
	struct pd_go_function f;
	struct pd_go_table *t;
	struct made_go m;
	uint32_t len;

	(void)state;
	for (unsigned kind = 0; kind < KIND_NR; kind++) {
		make(&m, kind);
		t = open_table(&m);
		assert_true(pd_go_table_find(t, MADE_GO_CODE, &f));
		assert_true(pd_go_table_stack(t, &f, code + 7, &len));
		assert_int_equal(len, 0);
		assert_true(pd_go_table_stack(t, &f, code + 8, &len));
		assert_int_equal(len, 16);
		assert_false(pd_go_table_stack(t, &f, code + 64, &len));
		pd_go_table_close(t);
	}
}

static size_t calls_at(struct pd_go_table *t, uint64_t off,
		       struct pd_go_call *ret, size_t max)
{
	struct pd_go_function f;

	assert_true(pd_go_table_find(t, MADE_GO_CODE + off, &f));
	return pd_go_table_calls(t, &f, MADE_GO_BASE + MADE_GO_CODE + off, ret,
				 max);
}

static void test_go_table__inlined_calls_are_found(void **state)
{
	const uint64_t code = MADE_GO_BASE + MADE_GO_CODE;
	struct pd_go_call calls[4];
	struct pd_go_table *t;
	struct made_go m;

	(void)state;
	for (unsigned kind = 0; kind < KIND_NR; kind++) {
		make(&m, kind);
		t = open_table(&m);
		assert_int_equal(calls_at(t, 0, calls, 4), 0);
		assert_int_equal(calls_at(t, 63, calls, 4), 0);
		assert_int_equal(calls_at(t, 80, calls, 4), 0);
		if (m.version == PD_GO_1_2) {
			assert_int_equal(calls_at(t, 20, calls, 4), 0);
			pd_go_table_close(t);
			continue;
		}
		assert_int_equal(calls_at(t, 8, calls, 4), 1);
		assert_int_equal(calls_at(t, 20, calls, 1), 1);
		assert_int_equal(calls_at(t, 20, calls, 4), 2);
		is_text(pd_go_table_name(t, calls[0].name),
			"main.add[...].func1");
		assert_int_equal(calls[0].addr, code + 12);
		is_text(pd_go_table_name(t, calls[1].name), "main.twice");
		assert_int_equal(calls[1].addr, code + 4);
		pd_go_table_close(t);
	}
}

static void test_go_table__the_runtime_knows_the_text(void **state)
{
	struct pd_go_call calls[4];
	struct pd_go_table *t;
	struct made_go m = { .version = PD_GO_1_20, .lacks_text = true };

	(void)state;
	m.elf.is_64 = true;
	made_go(&m);
	t = open_table(&m);
	finds_functions(t);
	assert_int_equal(calls_at(t, 20, calls, 4), 2);
	pd_go_table_close(t);
	/* its data are others: in which the first function starts elsewhere */
	m.data[MADE_GO_MODULE + 20 * 8] ^= 4;
	assert_null(open_table(&m));
	m.data[MADE_GO_MODULE + 20 * 8] ^= 4;
	/* or calls lie in front of what is only read */
	made_go_put(&m, MADE_GO_MODULE + 40 * 8, MADE_GO_BASE, 8);
	t = open_table(&m);
	assert_int_equal(calls_at(t, 20, calls, 4), 0);
	pd_go_table_close(t);
	/* or there are none */
	m.data[MADE_GO_MODULE] ^= 4;
	assert_null(open_table(&m));
}

static void test_go_table__long_texts_are_cut(void **state)
{
	static uint8_t data[MADE_GO_LEN + 70000 + 1];
	struct made_go m = { .version = PD_GO_1_20 };
	const size_t table = MADE_GO_TABLE;
	struct pd_go_table *t;
	struct pd_go_function f;
	struct pd_str file;
	uint32_t line;

	(void)state;
	m.elf.is_64 = true;
	made_go(&m);
	/* the name of the first function and of its file */
	made_go_put(&m, table + MADE_GO_FUNCTION + 4,
		    MADE_GO_LEN - table - MADE_GO_NAMES, 4);
	made_go_put(&m, table + MADE_GO_UNITS + 4,
		    MADE_GO_LEN - table - MADE_GO_FILES, 4);
	memset(data, 'A', sizeof(data) - 1);
	memcpy(data, m.data, MADE_GO_LEN);
	m.elf.from.bytes = data;
	m.elf.from.len = sizeof(data);
	m.sections[1].len = sizeof(data) - table;
	t = open_table(&m);
	assert_true(pd_go_table_find(t, MADE_GO_CODE, &f));
	assert_int_equal(pd_go_table_name(t, f.name).len, 64 * 1024);
	assert_false(pd_go_table_line(t, &f, f.start, &file, &line));
	assert_true(pd_go_table_line(t, &f, f.start + 16, &file, &line));
	pd_go_table_close(t);
}

static void test_go_table__others_have_none(void **state)
{
	struct pd_go_table *t;
	struct made_go m;

	(void)state;
	make(&m, 3 + 4 + 16);
	assert_non_null(t = open_table(&m));
	pd_go_table_close(t);
	/* nothing else tells that it is a Go program */
	m.sections[4].name = ".other";
	assert_null(open_table(&m));
	make(&m, 3 + 4);
	m.data[MADE_GO_TABLE] ^= 4; /* a version that is not known */
	assert_null(open_table(&m));
	make(&m, 3 + 4);
	m.sections[1].len = 7;
	assert_null(open_table(&m));
	make(&m, 3 + 4);
	m.sections[1].type = SHT_NOBITS;
	assert_null(open_table(&m));
}

/* A file of that length, and what was read of it. */
struct long_file {
	const struct made_go *m;
	size_t period; /* of the heads */
	uint64_t read_len;
};

/* Heads of tables, or what stands in m. */
static int read_heads(void *ctx, uint64_t off, void *ret, size_t len)
{
	struct long_file *file = ctx;

	file->read_len += len;
	if (off < MADE_GO_LEN && len <= MADE_GO_LEN - off)
		memcpy(ret, file->m->data + off, len);
	for (size_t i = 0; off >= MADE_GO_LEN && i < len; i += file->period)
		memcpy((uint8_t *)ret + i, file->m->data + MADE_GO_TABLE,
		       len - i < file->period ? len - i : file->period);
	return 0;
}

static void test_go_table__a_search_has_an_end(void **state)
{
	static struct pd_elf_section sections[4000];
	struct long_file file = { .read_len = 0 };
	struct made_go m = { .version = PD_GO_1_20, .lacks_text = true };
	struct pd_go_table *t;

	(void)state;
	m.elf.is_64 = true;
	made_go(&m);
	file.m = &m;
	/* relocations and data of any length */
	for (size_t i = 1; i < 4000; i++)
		sections[i] = made_go_section(".rela",
					      i % 2 ? SHT_RELA : SHT_PROGBITS,
					      MADE_GO_LEN + 64, 12 << 20);
	sections[1] = made_go_section(".data.rel.ro", SHT_PROGBITS, MADE_GO_LEN,
				      12 << 20);
	sections[2].name = ".go.buildinfo";
	m.elf.from = (struct pd_read_at){ .read = read_heads, .ctx = &file };
	m.elf.sections = sections;
	m.elf.section_nr = 4000;
	/* heads that are whole, then such that are not */
	for (file.period = 128; file.period >= 64; file.period /= 2) {
		file.read_len = 0;
		assert_int_equal(pd_go_table_open(&m.elf, &t), -EFBIG);
		assert_null(t);
		assert_true(file.read_len < 17 << 20);
	}
}

static void ask_all(const struct made_go *m)
{
	struct pd_go_call calls[4];
	struct pd_go_function f;
	struct pd_go_table *t;
	struct pd_str file;
	uint32_t line;

	if (pd_go_table_open(&m->elf, &t) || !t)
		return;
	for (uint64_t off = MADE_GO_CODE; off < MADE_GO_TABLE; off += 44) {
		if (!pd_go_table_find(t, off, &f))
			continue;
		assert_true(f.off <= off && off - f.off < f.end - f.start);
		(void)pd_go_table_name(t, f.name);
		(void)pd_go_table_line(t, &f, f.start + (off - f.off), &file,
				       &line);
		(void)pd_go_table_calls(t, &f, f.start + (off - f.off), calls,
					4);
	}
	pd_go_table_close(t);
}

static void test_go_table__damage_does_no_harm(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct made_go m;

	(void)state;
	for (unsigned kind = 0; kind < KIND_NR; kind += 5) {
		make(&m, kind);
		for (size_t off = MADE_GO_TABLE; off < MADE_GO_LEN; off++) {
			uint8_t old = m.data[off];

			m.data[off] = values[(off + kind) % sizeof(values)];
			ask_all(&m);
			m.data[off] = old;
		}
		for (m.elf.from.len = 0; m.elf.from.len < MADE_GO_LEN;
		     m.elf.from.len += 3)
			ask_all(&m);
		m.elf.from.len = MADE_GO_LEN;
		for (; m.sections[1].len; m.sections[1].len--)
			ask_all(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_go_table__functions_are_found_in_each_version),
		cmocka_unit_test(test_go_table__lines_are_those_of_the_steps),
		cmocka_unit_test(test_go_table__frames_are_those_of_the_steps),
		cmocka_unit_test(test_go_table__inlined_calls_are_found),
		cmocka_unit_test(test_go_table__the_runtime_knows_the_text),
		cmocka_unit_test(test_go_table__long_texts_are_cut),
		cmocka_unit_test(test_go_table__others_have_none),
		cmocka_unit_test(test_go_table__a_search_has_an_end),
		cmocka_unit_test(test_go_table__damage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
