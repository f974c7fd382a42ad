/* jitdump_codes.h: what of a dump names what was hit, and whose dumps are
 * believed. */
#include "record/names/jitdump_codes.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/base/buf.h"

enum { LOAD = 0, MOVE = 1, DEBUG_INFO = 2, CLOSE = 3 };

static const uint64_t hits[] = { 0x1010, 0x3004, 0x9000 };

static void put_head(struct pd_buf *b, bool swap)
{
	b->swap = swap;
	pd_buf_u32(b, 0x4a695444);
	pd_buf_u32(b, 1);
	pd_buf_u32(b, 40);
	pd_buf_zero(b, 20);
	pd_buf_u64(b, 0);
}

static void put_load(struct pd_buf *b, uint64_t addr, uint64_t idx,
		     const char *name)
{
	size_t len = strlen(name) + 1;

	pd_buf_u32(b, LOAD);
	pd_buf_u32(b, (uint32_t)(56 + len + 64));
	pd_buf_u64(b, 1000 + idx);
	pd_buf_zero(b, 8);
	pd_buf_u64(b, addr);
	pd_buf_u64(b, addr);
	pd_buf_u64(b, 64);
	pd_buf_u64(b, idx);
	pd_buf_bytes(b, name, len);
	pd_buf_zero(b, 64);
}

static void put_move(struct pd_buf *b, uint64_t to, uint64_t len, uint64_t idx)
{
	pd_buf_u32(b, MOVE);
	pd_buf_u32(b, 64);
	pd_buf_u64(b, 2000);
	pd_buf_zero(b, 8);
	pd_buf_u64(b, 0);
	pd_buf_u64(b, 0);
	pd_buf_u64(b, to);
	pd_buf_u64(b, len);
	pd_buf_u64(b, idx);
}

/* One that is hit, one that is moved to where it is hit, one that is not hit,
 * and one that takes the place of the first. */
static void put_dump(struct pd_buf *b, bool swap)
{
	put_head(b, swap);
	put_load(b, 0x1000, 1, "one");
	put_load(b, 0x2000, 2, "moved");
	put_load(b, 0x5000, 3, "cold");
	pd_buf_u32(b, DEBUG_INFO);
	pd_buf_u32(b, 24);
	pd_buf_zero(b, 16);
	put_move(b, 0x3000, 64, 2);
	put_load(b, 0x1008, 4, "later");
}

static size_t budget;

static int read_until(const uint8_t *data, size_t len, uint64_t until_ns,
		      struct rec_jit_codes *ret, uint64_t *ret_named_nr)
{
	struct rec_unnamed_hits unnamed;
	int fd = memfd_create("dump", MFD_CLOEXEC), rc;

	*ret = (struct rec_jit_codes){ .budget = &budget };
	assert_int_equal(write(fd, data, len), len);
	assert_int_equal(rec_unnamed_hits_init(&unnamed, hits, 3), 0);
	rc = rec_jitdump_codes(
		fd, &(struct rec_jitdump_conf){ hits, 3, &unnamed, until_ns },
		ret);
	*ret_named_nr = unnamed.named_nr;
	rec_unnamed_hits_release(&unnamed);
	close(fd);
	return rc;
}

static int read_dump(const struct pd_buf *b, struct rec_jit_codes *ret,
		     uint64_t *ret_named_nr)
{
	budget = 1 << 20;
	return read_until(b->data, b->len, UINT64_MAX, ret, ret_named_nr);
}

static void test_jitdump_codes__what_names_hits(void **state)
{
	static const char *const names[] = { "one", "moved", "", "later" };
	static const uint64_t addrs[] = { 0x1000, 0x2000, 0x3000, 0x1008 };
	struct rec_jit_codes codes;
	uint64_t named_nr;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct pd_buf b = PD_BUF_INIT;

		put_dump(&b, swap);
		assert_int_equal(read_dump(&b, &codes, &named_nr), 0);
		assert_int_equal(codes.jit.code_nr, 4);
		assert_int_equal(named_nr, 2);
		assert_true(codes.is_there && !codes.jit.is_cut);
		for (size_t i = 0; i < 4; i++) {
			assert_string_equal(codes.items[i].name.ptr, names[i]);
			assert_int_equal(codes.items[i].addr, addrs[i]);
		}
		assert_int_equal(codes.items[2].idx, 2);
		assert_int_equal(codes.items[2].time_ns, 2000);
		rec_jit_codes_release(&codes);
		pd_buf_release(&b);
	}
}

static void test_jitdump_codes__cut_at_each_byte(void **state)
{
	struct rec_jit_codes codes;
	struct pd_buf b = PD_BUF_INIT, cut;
	uint64_t named_nr;
	uint32_t most = 0;

	(void)state;
	put_dump(&b, false);
	for (size_t len = 0; len <= b.len; len++) {
		cut = b;
		cut.len = len;
		assert_int_equal(read_dump(&cut, &codes, &named_nr),
				 len < 40 ? -EBADMSG : 0);
		assert_true(codes.jit.code_nr >= most);
		most = codes.jit.code_nr;
		rec_jit_codes_release(&codes);
	}
	assert_int_equal(most, 4);
	pd_buf_release(&b);
}

static void test_jitdump_codes__each_bit_flipped(void **state)
{
	struct rec_jit_codes codes;
	struct pd_buf b = PD_BUF_INIT;
	uint64_t named_nr;

	(void)state;
	put_dump(&b, false);
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		read_dump(&b, &codes, &named_nr);
		assert_true(codes.jit.code_nr <= 5 && named_nr <= 3);
		rec_jit_codes_release(&codes);
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	pd_buf_release(&b);
}

/* What was found before counts. */
static void test_jitdump_codes__contradictory_lengths(void **state)
{
	struct rec_jit_codes codes;
	struct pd_buf b = PD_BUF_INIT;
	uint64_t named_nr;

	(void)state;
	put_head(&b, false);
	put_load(&b, 0x1000, 1, "one");
	pd_buf_u32(&b, LOAD);
	pd_buf_u32(&b, 15);
	pd_buf_zero(&b, 100);
	assert_int_equal(read_dump(&b, &codes, &named_nr), -EBADMSG);
	assert_int_equal(codes.jit.code_nr, 1);
	assert_true(codes.is_there && codes.jit.is_cut);
	rec_jit_codes_release(&codes);
	b.len -= 108;
	pd_buf_u32(&b, LOAD);
	pd_buf_u32(&b, UINT32_MAX); /* a record that the file does not have */
	pd_buf_zero(&b, 8192);
	assert_int_equal(read_dump(&b, &codes, &named_nr), 0);
	assert_int_equal(codes.jit.code_nr, 1);
	rec_jit_codes_release(&codes);
	pd_buf_release(&b);
}

/* A move of all memory, of one function, again and again: memory has a limit,
 * and no hit is looked at twice. */
static void test_jitdump_codes__moved_in_a_loop(void **state)
{
	struct rec_jit_codes codes;
	struct pd_buf b = PD_BUF_INIT;
	uint64_t named_nr;

	(void)state;
	put_head(&b, false);
	put_load(&b, 0x1000, 1, "one");
	for (int i = 0; i < 20000; i++)
		put_move(&b, 1, UINT32_MAX, 1);
	assert_int_equal(read_dump(&b, &codes, &named_nr), -EFBIG);
	assert_true(codes.jit.code_nr > 10000 && codes.jit.code_nr < 20000);
	assert_int_equal(named_nr, 3);
	assert_true(codes.jit.is_cut);
	rec_jit_codes_release(&codes);
	pd_buf_release(&b);
}

static void test_jitdump_codes__long_names_are_cut(void **state)
{
	static char name[20001];
	struct rec_jit_codes codes;
	struct pd_buf b = PD_BUF_INIT;
	uint64_t named_nr;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	put_head(&b, false);
	put_load(&b, 0x1000, 1, name);
	put_load(&b, 0x3000, 2, "two");
	assert_int_equal(read_dump(&b, &codes, &named_nr), 0);
	assert_int_equal(codes.jit.code_nr, 2);
	assert_int_equal(codes.items[0].name.len, 8192 - 56);
	assert_string_equal(codes.items[1].name.ptr, "two");
	rec_jit_codes_release(&codes);
	pd_buf_release(&b);
}

static void test_jitdump_codes__no_time(void **state)
{
	struct rec_jit_codes codes;
	struct pd_buf b = PD_BUF_INIT;
	uint64_t named_nr;

	(void)state;
	put_dump(&b, false);
	budget = 1 << 20;
	assert_int_equal(read_until(b.data, b.len, 0, &codes, &named_nr),
			 -ETIME);
	assert_false(codes.is_there);
	rec_jit_codes_release(&codes);
	pd_buf_release(&b);
}

static void test_jitdump_codes__sparse_files_are_not_read_through(void **state)
{
	struct rec_unnamed_hits unnamed;
	const struct rec_jitdump_conf conf = { hits, 3, &unnamed, UINT64_MAX };
	struct rec_jit_codes codes = { .budget = &budget };
	struct pd_buf b = PD_BUF_INIT;
	int fd = memfd_create("dump", MFD_CLOEXEC);
	clock_t begin = clock();

	(void)state;
	put_head(&b, false);
	for (int i = 0; i < 100; i++) { /* each skips 4 GiB */
		pd_buf_u32(&b, DEBUG_INFO);
		pd_buf_u32(&b, UINT32_MAX);
	}
	assert_int_equal(write(fd, b.data, b.len), b.len);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	assert_int_equal(rec_unnamed_hits_init(&unnamed, hits, 3), 0);
	assert_int_equal(rec_jitdump_codes(fd, &conf, &codes), -EFBIG);
	assert_true(clock() - begin < CLOCKS_PER_SEC);
	rec_unnamed_hits_release(&unnamed);
	rec_jit_codes_release(&codes);
	pd_buf_release(&b);
	close(fd);
}

static void test_jitdump_judge__regular_files_of_the_user(void **state)
{
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ours = memfd_create("dump", MFD_CLOEXEC), ends[2];
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	assert_int_equal(rec_jitdump_judge(proc_fd, pid, ours), 0);
	/* it has ended */
	assert_int_equal(rec_jitdump_judge(proc_fd, 0x7fffffff, ours), 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(rec_jitdump_judge(proc_fd, pid, ends[0]), -EPERM);
	if (!geteuid()) {
		assert_int_equal(fchown(ours, 1, 1), 0);
		assert_int_equal(rec_jitdump_judge(proc_fd, pid, ours), -EPERM);
		assert_int_equal(rec_jitdump_judge(proc_fd, 0x7fffffff, ours),
				 -EPERM);
	}
	close(ends[0]);
	close(ends[1]);
	close(ours);
	close(proc_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jitdump_codes__what_names_hits),
		cmocka_unit_test(test_jitdump_codes__cut_at_each_byte),
		cmocka_unit_test(test_jitdump_codes__each_bit_flipped),
		cmocka_unit_test(test_jitdump_codes__contradictory_lengths),
		cmocka_unit_test(test_jitdump_codes__moved_in_a_loop),
		cmocka_unit_test(test_jitdump_codes__long_names_are_cut),
		cmocka_unit_test(test_jitdump_codes__no_time),
		cmocka_unit_test(
			test_jitdump_codes__sparse_files_are_not_read_through),
		cmocka_unit_test(test_jitdump_judge__regular_files_of_the_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
