#include "record/recording/build_id_table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

struct note {
	const char *path;
	uint32_t prot;
	uint16_t misc;
	uint8_t build_id_len;
	uint64_t ino;
};

/* Whether its build-id is to be read. */
static bool note(struct rec_build_id_table *table, const struct note *n,
		 struct rec_build_id_position *ret)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };
	struct pd_mmap seen;
	int rc;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;

	body.u.mmap.filename = (struct pd_str){ n->path, strlen(n->path) };
	body.u.mmap.prot = n->prot;
	body.u.mmap.ino = n->ino;
	body.u.mmap.build_id_len = n->build_id_len;
	memset(body.u.mmap.build_id, 0xab, n->build_id_len);
	pd_body_write(&b, n->misc, &body);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	rc = rec_build_id_table_note(table, &rec, 0, &seen, ret);
	assert_true(rc == 0 || rc == 1 || (rc == -ENOMEM && table->is_full));
	pd_buf_release(&b);
	return rc == 1;
}

static void test_build_id_table__adds_each_executable_file_once(void **state)
{
	static const struct note notes[] = {
		{ "/bin/a", PROT_READ | PROT_EXEC, PD_CPUMODE_USER, 0, 0 },
		{ "/bin/b", PROT_READ, PD_CPUMODE_USER, 0, 0 },
		{ "/bin/a", PROT_READ | PROT_EXEC, PD_CPUMODE_USER, 0, 0 },
		{ "//anon", PROT_EXEC, PD_CPUMODE_USER, 0, 0 },
		{ "[vdso]", PROT_EXEC, PD_CPUMODE_USER, 0, 0 },
		{ "", PROT_EXEC, PD_CPUMODE_USER, 0, 0 },
		{ "[kernel.kallsyms]_text", 0, PD_CPUMODE_KERNEL, 20, 0 },
	};
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_position place;

	(void)state;
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		note(&table, &notes[i], &place);
	assert_int_equal(table.nr, 2);
	assert_string_equal(table.rows[0].path, "/bin/a");
	assert_string_equal(table.rows[1].path, "[kernel.kallsyms]");
	rec_build_id_table_release(&table);
}

/* The kernel's map is followed by a record of its build-id. */
static void test_build_id_table__has_the_kernels_id(void **state)
{
	static const struct note map = { "[kernel.kallsyms]_text", 0,
					 PD_CPUMODE_KERNEL, 0, 0 };
	static const char name[] = "[kernel.kallsyms]";
	const struct pd_header_build_id id = {
		.pid = -1,
		.build_id_len = 20,
		.build_id = { 1, 2, 3 },
		.filename = { name, sizeof(name) - 1 },
	};
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_stats stats = { 0 };
	struct rec_build_id_position place;
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;
	struct pd_body body = { .type = PD_RECORD_HEADER_BUILD_ID,
				.u.header_build_id = id };
	struct pd_mmap seen;

	(void)state;
	assert_false(note(&table, &map, &place));
	pd_body_write(&b, PD_CPUMODE_KERNEL | PD_MISC_BUILD_ID_SIZE, &body);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	assert_int_equal(
		rec_build_id_table_note(&table, &rec, 8, &seen, &place), 0);
	pd_buf_release(&b);
	rec_build_id_table_write(&table, &b, &stats);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	assert_int_equal(rec.len, b.len);
	assert_int_equal(pd_body_read(&rec, 0, &body, NULL), 0);
	assert_true(pd_str_eq(body.u.header_build_id.filename, name));
	assert_memory_equal(body.u.header_build_id.build_id, id.build_id, 20);
	pd_buf_release(&b);
	rec_build_id_table_release(&table);
}

static void test_build_id_table__grows(void **state)
{
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_position place;
	char path[32];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 1000; i++) {
			struct note n = { path, PROT_EXEC, PD_CPUMODE_USER, 0,
					  0 };

			snprintf(path, sizeof(path), "/lib/%d.so", i);
			note(&table, &n, &place);
		}
	assert_int_equal(table.nr, 1000);
	assert_string_equal(table.rows[999].path, "/lib/999.so");
	rec_build_id_table_release(&table);
}

static size_t written(const struct rec_build_id_table *table,
		      struct rec_build_id_stats *stats, struct pd_body *ret)
{
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;
	size_t nr = 0;

	*stats = (struct rec_build_id_stats){ 0 };
	rec_build_id_table_write(table, &b, stats);
	for (size_t at = 0; at < b.len; at += rec.len, nr++) {
		assert_int_equal(pd_record_read(b.data + at, b.len - at, 0,
						false, &rec, NULL),
				 0);
		assert_int_equal(rec.misc,
				 PD_CPUMODE_USER | PD_MISC_BUILD_ID_SIZE);
		assert_int_equal(pd_body_read(&rec, 0, ret, NULL), 0);
		/* Not read by those who ask for no more than how many. */
		ret->u.header_build_id.filename.ptr = NULL;
	}
	pd_buf_release(&b);
	return nr;
}

static void test_build_id_table__writes_what_is_known(void **state)
{
	struct note known = { "/gone/file", PROT_EXEC,
			      PD_CPUMODE_USER | PD_MISC_MMAP_BUILD_ID, 20, 0 };
	struct note gone = { "/gone/other", PROT_EXEC, PD_CPUMODE_USER, 0, 0 };
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_stats stats;
	struct rec_build_id_position place;
	struct pd_body body;
	uint8_t want[20];

	(void)state;
	assert_false(note(&table, &known, &place));
	assert_true(note(&table, &gone, &place));
	rec_build_id_table_set(&table, &place, NULL);
	assert_int_equal(written(&table, &stats, &body), 1);
	assert_int_equal(body.u.header_build_id.pid, -1);
	assert_int_equal(body.u.header_build_id.build_id_len, 20);
	memset(want, 0xab, sizeof(want));
	assert_memory_equal(body.u.header_build_id.build_id, want, 20);
	assert_int_equal(body.u.header_build_id.filename.len, 10);
	assert_int_equal(stats.file_nr, 1);
	assert_int_equal(stats.unread_nr, 1);
	rec_build_id_table_release(&table);
}

static void test_build_id_table__a_file_is_asked_for_once(void **state)
{
	const struct note file = { "/bin/a", PROT_EXEC, PD_CPUMODE_USER, 0, 7 };
	const struct rec_build_id id = { .len = 20, .bytes = { 1 } };
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_stats stats;
	struct rec_build_id_position place;
	struct pd_body body;

	(void)state;
	assert_true(note(&table, &file, &place));
	assert_false(note(&table, &file, &place)); /* it is on its way */
	rec_build_id_table_set(&table, &place, NULL);
	assert_true(note(&table, &file, &place)); /* by another process */
	rec_build_id_table_set(&table, &place, &id);
	assert_false(note(&table, &file, &place));
	assert_int_equal(written(&table, &stats, &body), 1);
	assert_memory_equal(body.u.header_build_id.build_id, id.bytes, 20);
	assert_int_equal(stats.file_nr, 1);
	assert_int_equal(stats.unread_nr, 0);
	rec_build_id_table_release(&table);
}

static void test_build_id_table__no_row_of_files_that_differ(void **state)
{
	const struct note one = { "/bin/a", PROT_EXEC, PD_CPUMODE_USER, 0, 7 };
	const struct note other = { "/bin/a", PROT_EXEC, PD_CPUMODE_USER, 0,
				    8 };
	const struct rec_build_id id = { .len = 20, .bytes = { 1 } };
	const struct rec_build_id second = { .len = 20, .bytes = { 2 } };
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_stats stats;
	struct rec_build_id_position place;
	struct pd_body body;

	(void)state;
	assert_true(note(&table, &one, &place));
	rec_build_id_table_set(&table, &place, &id);
	assert_true(note(&table, &other, &place));
	rec_build_id_table_set(&table, &place, &id);
	assert_int_equal(written(&table, &stats, &body), 1);
	assert_int_equal(stats.mixed_nr, 0);
	rec_build_id_table_set(&table, &place, &second);
	assert_int_equal(written(&table, &stats, &body), 0);
	assert_int_equal(stats.mixed_nr, 1);
	rec_build_id_table_release(&table);
}

/* Others choose how many files there are, and how they are called. */
static void test_build_id_table__has_an_end(void **state)
{
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_stats stats;
	struct rec_build_id_position place;
	struct pd_body body;
	char path[4001], number[16];
	struct note n = { path, PROT_EXEC, PD_CPUMODE_USER, 0, 7 };
	bool is_taken = true;
	int nr = 0;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	for (; is_taken && nr < 20000; nr += is_taken) {
		snprintf(number, sizeof(number), "/%010d", nr);
		memcpy(path, number, strlen(number));
		is_taken = note(&table, &n, &place);
	}
	assert_in_range(nr, 8000, 8400);
	assert_true(table.is_full);
	assert_int_equal(written(&table, &stats, &body), 0);
	assert_true(stats.is_full);
	rec_build_id_table_release(&table);
}

/* What ran before has its own in its records; the row is for the others. */
static void test_build_id_table__prefers_ids_that_were_read(void **state)
{
	const struct note recorded = { "/bin/a", PROT_EXEC,
				       PD_CPUMODE_USER | PD_MISC_MMAP_BUILD_ID,
				       20, 0 };
	const struct note new = { "/bin/a", PROT_EXEC, PD_CPUMODE_USER, 0, 8 };
	const struct rec_build_id id = { .len = 20, .bytes = { 2 } };
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_stats stats;
	struct rec_build_id_position place;
	struct pd_body body;

	(void)state;
	assert_false(note(&table, &recorded, &place));
	assert_true(note(&table, &new, &place));
	rec_build_id_table_set(&table, &place, &id);
	assert_int_equal(written(&table, &stats, &body), 1);
	assert_memory_equal(body.u.header_build_id.build_id, id.bytes, 20);
	rec_build_id_table_release(&table);
}

static void test_build_id_table__files_of_a_path_are_bounded(void **state)
{
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id_stats stats;
	struct rec_build_id_position place;
	struct pd_body body;

	(void)state;
	for (uint64_t ino = 1; ino <= REC_BUILD_ID_FILES_MAX; ino++) {
		struct note n = { "/bin/a", PROT_EXEC, PD_CPUMODE_USER, 0,
				  ino };

		assert_true(note(&table, &n, &place));
	}
	assert_false(note(
		&table,
		&(struct note){ "/bin/a", PROT_EXEC, PD_CPUMODE_USER, 0, 1000 },
		&place));
	assert_int_equal(written(&table, &stats, &body), 0);
	assert_int_equal(stats.file_nr, REC_BUILD_ID_FILES_MAX);
	assert_int_equal(stats.mixed_nr, 1);
	rec_build_id_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_build_id_table__adds_each_executable_file_once),
		cmocka_unit_test(test_build_id_table__has_the_kernels_id),
		cmocka_unit_test(test_build_id_table__grows),
		cmocka_unit_test(test_build_id_table__writes_what_is_known),
		cmocka_unit_test(test_build_id_table__a_file_is_asked_for_once),
		cmocka_unit_test(
			test_build_id_table__no_row_of_files_that_differ),
		cmocka_unit_test(test_build_id_table__has_an_end),
		cmocka_unit_test(
			test_build_id_table__prefers_ids_that_were_read),
		cmocka_unit_test(
			test_build_id_table__files_of_a_path_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
