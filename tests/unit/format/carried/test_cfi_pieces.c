#include "format/carried/cfi_pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* A copy of this program, and its addresses that count as hit. */
struct copy {
	int fd;
	struct pd_elf_image elf;
	const struct pd_elf_section *table;
	const struct pd_elf_section *eh_frame;
	uint64_t hits[2000];
	size_t nr;
};

static int read_fd(void *ctx, uint64_t off, void *ret, size_t len)
{
	const struct copy *copy = ctx;
	ssize_t got = pread(copy->fd, ret, len, (off_t)off);

	return got >= 0 && (size_t)got == len ? 0 : -EBADMSG;
}

static void copy_self(int fd)
{
	FILE *self = fopen("/proc/self/exe", "rb");
	char block[4096];
	size_t len;

	assert_non_null(self);
	while ((len = fread(block, 1, sizeof(block), self)))
		assert_int_equal(write(fd, block, len), (ssize_t)len);
	fclose(self);
}

static void open_copy(struct copy *copy)
{
	char path[] = "/tmp/test_cfi_pieces_XXXXXX";
	const struct pd_elf_section *text;

	*copy = (struct copy){ .fd = mkstemp(path) };
	assert_true(copy->fd >= 0);
	unlink(path);
	copy_self(copy->fd);
	assert_int_equal(pd_elf_image_read((struct pd_read_at){ .read = read_fd,
								.ctx = copy },
					   &copy->elf),
			 0);
	copy->table = pd_elf_image_find(&copy->elf, ".eh_frame_hdr");
	copy->eh_frame = pd_elf_image_find(&copy->elf, ".eh_frame");
	text = pd_elf_image_find(&copy->elf, ".text");
	assert_true(text && copy->table && copy->eh_frame);
	for (uint64_t at = 0; at < text->len && copy->nr < 2000; at += 7)
		copy->hits[copy->nr++] = text->off + at;
}

static void close_copy(struct copy *copy)
{
	pd_elf_image_release(&copy->elf);
	close(copy->fd);
}

static int collect(const struct copy *copy, size_t budget,
		   struct pd_cfi_pieces *ret)
{
	const struct pd_cfi_limits limits = { .budget = &budget };

	return pd_cfi_pieces_find(&copy->elf, copy->hits, copy->nr, &limits,
				  ret);
}

static void change(const struct copy *copy, uint64_t off, uint8_t value)
{
	assert_int_equal(pwrite(copy->fd, &value, 1, (off_t)off), 1);
}

static void same_lists(const struct pd_cfi_pieces *a,
		       const struct pd_cfi_pieces *b)
{
	assert_int_equal(a->frames.piece_nr, b->frames.piece_nr);
	for (uint32_t i = 0; i < a->frames.piece_nr; i++) {
		assert_int_equal(a->pieces[i].off, b->pieces[i].off);
		assert_int_equal(a->pieces[i].start, b->pieces[i].start);
		assert_int_equal(a->pieces[i].len, b->pieces[i].len);
		assert_int_equal(a->pieces[i].kind, b->pieces[i].kind);
		assert_memory_equal(a->pieces[i].data, b->pieces[i].data,
				    a->pieces[i].len);
	}
}

static void test_cfi_pieces__table_and_scan_find_the_same(void **state)
{
	struct pd_cfi_pieces by_table, by_scan;
	struct copy copy;

	(void)state;
	open_copy(&copy);
	assert_int_equal(collect(&copy, 1 << 20, &by_table), 0);
	assert_true(by_table.frames.piece_nr > 5);
	assert_int_equal(by_table.pieces[0].kind, PD_CARRIED_CIE);
	assert_int_equal(by_table.frames.off, copy.eh_frame->off);
	change(&copy, copy.table->off, 2); /* an unknown version */
	assert_int_equal(collect(&copy, 1 << 20, &by_scan), 0);
	same_lists(&by_table, &by_scan);
	pd_cfi_pieces_release(&by_table);
	pd_cfi_pieces_release(&by_scan);
	close_copy(&copy);
}

static void test_cfi_pieces__pieces_ascend_and_lie_in_the_section(void **state)
{
	struct pd_cfi_pieces list;
	struct copy copy;
	uint64_t end;

	(void)state;
	open_copy(&copy);
	assert_int_equal(collect(&copy, 1 << 20, &list), 0);
	end = copy.eh_frame->off;
	for (uint32_t i = 0; i < list.frames.piece_nr; i++) {
		assert_true(list.pieces[i].off >= end);
		end = list.pieces[i].off + list.pieces[i].len;
	}
	assert_true(end <= copy.eh_frame->off + copy.eh_frame->len);
	pd_cfi_pieces_release(&list);
	close_copy(&copy);
}

static void test_cfi_pieces__a_limit_ends_it(void **state)
{
	struct pd_cfi_pieces list;
	struct copy copy;

	(void)state;
	open_copy(&copy);
	assert_int_equal(collect(&copy, 300, &list), -EFBIG);
	assert_true(list.text_len <= 300);
	pd_cfi_pieces_release(&list);
	close_copy(&copy);
}

/* Entries of 60 KiB that begin every 8 bytes, each for a function of its own:
 * a table says where. */
enum {
	ENTRY_NR = 1000,
	ENTRY_LEN = 0xf000,
	FRAME_LEN = 128 * 1024,
	TABLE_LEN = 12 + 8 * ENTRY_NR,
};

struct overlap {
	uint8_t bytes[FRAME_LEN + TABLE_LEN];
	uint64_t hits[ENTRY_NR];
	size_t read_len;
};

static int read_overlap(void *ctx, uint64_t off, void *ret, size_t len)
{
	struct overlap *o = ctx;

	if (off > sizeof(o->bytes) || len > sizeof(o->bytes) - off)
		return -EBADMSG;
	memcpy(ret, o->bytes + off, len);
	o->read_len += len;
	return 0;
}

static void put(struct overlap *o, size_t at, uint32_t v)
{
	for (size_t i = 0; i < 4; i++)
		o->bytes[at + i] = (uint8_t)(v >> 8 * i);
}

static void fill_overlap(struct overlap *o)
{
	static const uint8_t cie[] = { 12, 0,	0,   0, 0, 0,	 0,  0,
				       1,  'z', 'R', 0, 1, 0x78, 16, 1 },
			     head[] = { 1, 0x1b, 3, 0x3b };

	memcpy(o->bytes, cie, sizeof(cie));
	put(o, 0, 16);
	o->bytes[16] = 0x1b;
	memcpy(o->bytes + FRAME_LEN, head, sizeof(head));
	put(o, FRAME_LEN + 8, ENTRY_NR);
	for (uint32_t i = 0; i < ENTRY_NR + 2; i++) {
		put(o, 24 + 8 * i, ENTRY_LEN);	/* and the start */
		put(o, 28 + 8 * i, 28 + 8 * i); /* to the CIE, and the length */
	}
	for (uint32_t i = 0; i < ENTRY_NR; i++) {
		o->hits[i] = 24 + 8 * i + 8 + ENTRY_LEN;
		put(o, FRAME_LEN + 12 + 8 * i,
		    (uint32_t)o->hits[i] - FRAME_LEN);
		put(o, FRAME_LEN + 16 + 8 * i, 24 + 8 * i - FRAME_LEN);
	}
}

static void test_cfi_pieces__entries_that_overlap_end_it(void **state)
{
	static struct overlap o;
	struct pd_elf_section sections[] = {
		[1] = { .name = ".eh_frame", .type = 1, .len = FRAME_LEN },
		[2] = { .name = ".eh_frame_hdr",
			.type = 1,
			.addr = FRAME_LEN,
			.off = FRAME_LEN,
			.len = TABLE_LEN },
	};
	const struct pd_elf_image elf = {
		.from = { .read = read_overlap, .ctx = &o },
		.is_64 = true,
		.swap = PD_HOST_IS_BIG_ENDIAN,
		.segments = { { 0, 0, sizeof(o.bytes) } },
		.segment_nr = 1,
		.sections = sections,
		.section_nr = 3,
	};
	size_t budget = 64 << 20;
	const struct pd_cfi_limits limits = { .budget = &budget };
	struct pd_cfi_pieces some;

	(void)state;
	fill_overlap(&o);
	assert_int_equal(pd_cfi_pieces_find(&elf, o.hits, 4, &limits, &some),
			 0);
	assert_true(some.frames.piece_nr > 0);
	pd_cfi_pieces_release(&some);
	o.read_len = 0;
	assert_int_equal(
		pd_cfi_pieces_find(&elf, o.hits, ENTRY_NR, &limits, &some),
		-EFBIG);
	assert_true(o.read_len < 5 * FRAME_LEN + 2048 * ENTRY_NR);
	pd_cfi_pieces_release(&some);
}

static bool is_over(void *ctx)
{
	return ++*(unsigned *)ctx == 2;
}

static void test_cfi_pieces__a_caller_may_end_it(void **state)
{
	struct pd_cfi_pieces all, some;
	size_t budget = 1 << 20;
	unsigned asked = 0;
	const struct pd_cfi_limits limits = { &budget, is_over, &asked };
	struct copy copy;

	(void)state;
	open_copy(&copy);
	assert_true(copy.nr > 500);
	assert_int_equal(collect(&copy, 1 << 20, &all), 0);
	assert_int_equal(pd_cfi_pieces_find(&copy.elf, copy.hits, copy.nr,
					    &limits, &some),
			 -ETIME);
	assert_int_equal(asked, 2);
	assert_true(some.frames.piece_nr > 0);
	assert_true(some.frames.piece_nr < all.frames.piece_nr);
	pd_cfi_pieces_release(&all);
	pd_cfi_pieces_release(&some);
	close_copy(&copy);
}

/* For the sanitizers: what is found of a damaged file does not matter. */
static void test_cfi_pieces__damage_is_bounded(void **state)
{
	uint32_t random = 1;
	struct copy copy;

	(void)state;
	open_copy(&copy);
	copy.nr = copy.nr < 200 ? copy.nr : 200;
	for (int i = 0; i < 2000; i++) {
		const struct pd_elf_section *s =
			i % 2 ? copy.table : copy.eh_frame;
		struct pd_cfi_pieces list;
		uint8_t value;
		uint64_t off;

		random = random * 1664525 + 1013904223;
		off = s->off + (random >> 8) % (i % 3 ? 64 : s->len);
		random = random * 1664525 + 1013904223;
		value = i % 5 ? (uint8_t)(random >> 24) : 0xff;
		change(&copy, off, value);
		(void)collect(&copy, 1 << 20, &list);
		assert_true(list.text_len <= 1 << 20);
		pd_cfi_pieces_release(&list);
	}
	close_copy(&copy);
}

static void test_cfi_pieces__a_file_may_be_cut_while_it_is_read(void **state)
{
	struct pd_cfi_pieces list;
	struct copy copy;

	(void)state;
	open_copy(&copy);
	assert_int_equal(ftruncate(copy.fd, (off_t)copy.eh_frame->off + 100),
			 0);
	(void)collect(&copy, 1 << 20, &list);
	assert_true(list.frames.piece_nr < 10);
	pd_cfi_pieces_release(&list);
	close_copy(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfi_pieces__table_and_scan_find_the_same),
		cmocka_unit_test(
			test_cfi_pieces__pieces_ascend_and_lie_in_the_section),
		cmocka_unit_test(test_cfi_pieces__a_limit_ends_it),
		cmocka_unit_test(test_cfi_pieces__entries_that_overlap_end_it),
		cmocka_unit_test(test_cfi_pieces__a_caller_may_end_it),
		cmocka_unit_test(test_cfi_pieces__damage_is_bounded),
		cmocka_unit_test(
			test_cfi_pieces__a_file_may_be_cut_while_it_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
