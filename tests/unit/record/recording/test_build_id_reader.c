/* build_id_reader.h: build-ids are those of what stands in the files. */
#include "record/recording/build_id_reader.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

enum { FRESH_NR = 20 };

static char path[] = "/tmp/perfpair-test-XXXXXX";
static uint8_t bytes[32 << 20];
static size_t len;

/* A file with the build-id of this program, which changes with each call. */
static void write_file(int fd, uint8_t change)
{
	struct rec_build_id id;
	int self = open("/proc/self/exe", O_RDONLY);
	uint8_t *at;

	assert_true(rec_elf_build_id(self, &id));
	len = (size_t)read(self, bytes, sizeof(bytes));
	at = memmem(bytes, len, id.bytes, id.len);
	assert_non_null(at);
	at[0] = change;
	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	close(self);
}

/* Return the first byte of the build-id that a table has of the file. */
static uint8_t first_byte(struct rec_build_id_reader *r)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };
	struct pd_buf b = PD_BUF_INIT, section = PD_BUF_INIT;
	struct pd_record rec;
	struct pd_body row;
	struct stat st;
	uint8_t ret;

	assert_int_equal(stat(path, &st), 0);
	body.u.mmap.pid = 0x3ffffff0; /* has ended */
	body.u.mmap.filename = (struct pd_str){ path, strlen(path) };
	body.u.mmap.prot = PROT_READ | PROT_EXEC;
	body.u.mmap.ino = st.st_ino;
	body.u.mmap.maj = major(st.st_dev);
	body.u.mmap.min = minor(st.st_dev);
	pd_body_write(&b, PD_CPUMODE_USER, &body);
	assert_int_equal(pd_record_read(b.data, b.len, 0, false, &rec, NULL),
			 0);
	rec_build_id_reader_see(r, &rec);
	rec_build_id_reader_turn(r);
	rec_build_id_reader_write(r, UINT64_C(10000000000), &section);
	assert_int_equal(
		pd_record_read(section.data, section.len, 0, false, &rec, NULL),
		0);
	rec.type = PD_RECORD_HEADER_BUILD_ID;
	assert_int_equal(pd_body_read(&rec, 0, &row, NULL), 0);
	ret = row.u.header_build_id.build_id[0];
	pd_buf_release(&section);
	pd_buf_release(&b);
	rec_build_id_reader_restart(r);
	return ret;
}

/* Nothing is kept of one that was just written: it may change without another
 * ctime. */
static void test_build_id_reader__a_file_is_read_when_it_changed(void **state)
{
	struct rec_build_id_reader reader;
	int fd = mkstemp(path);
	struct stat st, root;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(stat("/", &root), 0);
	assert_int_equal(rec_build_id_reader_start(&reader, 0), 0);
	for (int i = 1; i <= FRESH_NR; i++) {
		write_file(fd, (uint8_t)i);
		assert_int_equal(first_byte(&reader), i);
		assert_int_equal(first_byte(&reader), i);
		usleep(20000); /* the clock of ctime goes on */
	}
	assert_true(reader.lasting.nr < FRESH_NR);
	sleep(2);
	assert_int_equal(first_byte(&reader), FRESH_NR);
	assert_int_equal(first_byte(&reader), FRESH_NR);
	assert_int_equal(reader.lasting.nr > 0, st.st_dev == root.st_dev);
	write_file(fd, 100);
	assert_int_equal(first_byte(&reader), 100);
	rec_build_id_reader_release(&reader);
	close(fd);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_build_id_reader__a_file_is_read_when_it_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
