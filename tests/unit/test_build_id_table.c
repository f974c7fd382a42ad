#include "record/build_id_table.h"

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
};

static void note(struct rec_build_id_table *table, const struct note *n)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;

	body.u.mmap.filename = (struct pd_str){ n->path, strlen(n->path) };
	body.u.mmap.prot = n->prot;
	body.u.mmap.build_id_len = n->build_id_len;
	memset(body.u.mmap.build_id, 0xab, n->build_id_len);
	pd_body_write(&b, n->misc, &body);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	assert_int_equal(rec_build_id_table_note(table, &rec, 0), 0);
	pd_buf_release(&b);
}

static void test_build_id_table__takes_each_executable_file_once(void **state)
{
	static const struct note notes[] = {
		{ "/bin/a", PROT_READ | PROT_EXEC, PD_CPUMODE_USER, 0 },
		{ "/bin/b", PROT_READ, PD_CPUMODE_USER, 0 },
		{ "/bin/a", PROT_READ | PROT_EXEC, PD_CPUMODE_USER, 0 },
		{ "//anon", PROT_EXEC, PD_CPUMODE_USER, 0 },
		{ "[vdso]", PROT_EXEC, PD_CPUMODE_USER, 0 },
		{ "", PROT_EXEC, PD_CPUMODE_USER, 0 },
		{ "[kernel.kallsyms]_text", 0, PD_CPUMODE_KERNEL, 20 },
	};
	struct rec_build_id_table table = { .nr = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		note(&table, &notes[i]);
	assert_int_equal(table.nr, 2);
	assert_string_equal(table.rows[0].path, "/bin/a");
	assert_string_equal(table.rows[1].path, "[kernel.kallsyms]");
	rec_build_id_table_release(&table);
}

static void test_build_id_table__grows(void **state)
{
	struct rec_build_id_table table = { .nr = 0 };
	char path[32];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 1000; i++) {
			struct note n = { path, PROT_EXEC, PD_CPUMODE_USER, 0 };

			snprintf(path, sizeof(path), "/lib/%d.so", i);
			note(&table, &n);
		}
	assert_int_equal(table.nr, 1000);
	assert_string_equal(table.rows[999].path, "/lib/999.so");
	rec_build_id_table_release(&table);
}

static void test_build_id_table__writes_what_is_known(void **state)
{
	struct note known = { "/gone/file", PROT_EXEC,
			      PD_CPUMODE_USER | PD_MISC_MMAP_BUILD_ID, 20 };
	struct note gone = { "/gone/other", PROT_EXEC, PD_CPUMODE_USER, 0 };
	struct rec_build_id_table table = { .nr = 0 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;
	struct pd_body body;
	uint8_t want[20];

	(void)state;
	note(&table, &known);
	note(&table, &gone);
	rec_build_id_table_write(&table, &b);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	assert_int_equal(rec.len, b.len); /* one record: the other has none */
	assert_int_equal(rec.misc, PD_CPUMODE_USER | PD_MISC_BUILD_ID_SIZE);
	assert_int_equal(pd_body_read(&rec, 0, &body, NULL), 0);
	assert_int_equal(body.u.header_build_id.pid, -1);
	assert_int_equal(body.u.header_build_id.build_id_len, 20);
	memset(want, 0xab, sizeof(want));
	assert_memory_equal(body.u.header_build_id.build_id, want, 20);
	assert_true(pd_str_eq(body.u.header_build_id.filename, "/gone/file"));
	pd_buf_release(&b);
	rec_build_id_table_release(&table);
}

static void test_build_id_table__asks_the_file_at_the_end(void **state)
{
	struct rec_build_id_table table = { .nr = 0 };
	struct rec_build_id id = { .len = 0 };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_record rec;
	struct pd_body body;
	struct note libc = { NULL, PROT_EXEC, PD_CPUMODE_USER, 0 };
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], *path = NULL;

	(void)state;
	/* A library that this program runs with has a build-id on Debian. */
	while (!path && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		path = strstr(line, "/libc");
		path = path ? strchr(line, '/') : NULL;
	}
	fclose(maps);
	if (!path)
		skip();
	libc.path = path;
	note(&table, &libc);
	rec_build_id_table_write(&table, &b);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	assert_int_equal(pd_body_read(&rec, 0, &body, NULL), 0);
	id.len = body.u.header_build_id.build_id_len;
	assert_int_equal(id.len, 20);
	pd_buf_release(&b);
	rec_build_id_table_release(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_build_id_table__takes_each_executable_file_once),
		cmocka_unit_test(test_build_id_table__grows),
		cmocka_unit_test(test_build_id_table__writes_what_is_known),
		cmocka_unit_test(test_build_id_table__asks_the_file_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
