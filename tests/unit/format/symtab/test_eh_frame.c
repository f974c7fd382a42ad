#include "format/symtab/eh_frame.h"

#include "format/base/buf.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A file of functions of 32 bytes, between which are 16 that no entry covers:
 * code, then .eh_frame, then .eh_frame_hdr. */
enum {
	FUNCTION_NR = 3000,
	FUNCTION_LEN = 32,
	GAP = 16,
	STRIDE = FUNCTION_LEN + GAP,
	CODE_OFF = 0x1000,
	CIE_LEN = 20,
	FDE_LEN = 20,
	FRAME_OFF = CODE_OFF + FUNCTION_NR * STRIDE,
	FRAME_LEN = CIE_LEN + FUNCTION_NR * FDE_LEN,
	HDR_OFF = FRAME_OFF + FRAME_LEN,
	HDR_LEN = 12 + FUNCTION_NR * 8,
};

#define BASE UINT64_C(0x400000) /* address of byte 0 */

struct file {
	struct pd_buf bytes; /* from FRAME_OFF on */
	struct pd_elf_section sections[3];
	struct pd_elf_image elf;
	size_t read_nr;
	size_t read_len;
};

static int read_at(void *ctx, uint64_t off, void *ret, size_t len)
{
	struct file *file = ctx;

	if (off < FRAME_OFF || off - FRAME_OFF > file->bytes.len ||
	    len > file->bytes.len - (off - FRAME_OFF))
		return -EBADMSG;
	memcpy(ret, file->bytes.data + (off - FRAME_OFF), len);
	file->read_nr++;
	file->read_len += len;
	return 0;
}

static void put_frames(struct pd_buf *b)
{
	static const uint8_t cie[CIE_LEN - 4] = { 0, 0, 0,    0,  1, 'z', 'R',
						  0, 1, 0x78, 16, 1, 0x1b };

	pd_buf_u32(b, CIE_LEN - 4);
	pd_buf_bytes(b, cie, sizeof(cie));
	for (uint32_t i = 0; i < FUNCTION_NR; i++) {
		uint32_t at = FRAME_OFF + (uint32_t)b->len;

		pd_buf_u32(b, FDE_LEN - 4);
		pd_buf_u32(b, (uint32_t)b->len);
		pd_buf_u32(b, CODE_OFF + i * STRIDE - (at + 8));
		pd_buf_u32(b, FUNCTION_LEN);
		pd_buf_u32(b, 0);
	}
	assert_int_equal(b->len, FRAME_LEN);
}

static void put_table(struct pd_buf *b)
{
	static const uint8_t head[] = { 1, 0x1b, 3, 0x3b };

	pd_buf_bytes(b, head, sizeof(head));
	pd_buf_u32(b, FRAME_OFF - (uint32_t)(HDR_OFF + 4));
	pd_buf_u32(b, FUNCTION_NR);
	for (uint32_t i = 0; i < FUNCTION_NR; i++) {
		pd_buf_u32(b, CODE_OFF + i * STRIDE - (uint32_t)HDR_OFF);
		pd_buf_u32(b, (uint32_t)(FRAME_OFF + CIE_LEN - HDR_OFF) +
				      i * FDE_LEN);
	}
	assert_int_equal(b->len, FRAME_LEN + HDR_LEN);
}

static void make(struct file *file, bool is_big_endian)
{
	*file = (struct file){ .bytes.swap =
				       is_big_endian != PD_HOST_IS_BIG_ENDIAN };
	put_frames(&file->bytes);
	put_table(&file->bytes);
	assert_int_equal(pd_buf_status(&file->bytes), 0);
	file->sections[1] = (struct pd_elf_section){
		.name = ".eh_frame",
		.type = SHT_PROGBITS,
		.addr = BASE + FRAME_OFF,
		.off = FRAME_OFF,
		.len = FRAME_LEN,
	};
	file->sections[2] = (struct pd_elf_section){
		.name = ".eh_frame_hdr",
		.type = SHT_PROGBITS,
		.addr = BASE + HDR_OFF,
		.off = HDR_OFF,
		.len = HDR_LEN,
	};
	file->elf = (struct pd_elf_image){
		.from = { .read = read_at, .ctx = file },
		.is_64 = true,
		.swap = file->bytes.swap,
		.is_big_endian = is_big_endian,
		.segments = { { 0, BASE, HDR_OFF + HDR_LEN } },
		.segment_nr = 1,
		.sections = file->sections,
		.section_nr = 3,
	};
}

static struct pd_eh_frame *open_frames(struct file *file, bool is_scanned)
{
	struct pd_eh_frame *frames;

	assert_int_equal(pd_eh_frame_open(&file->elf, is_scanned, &frames), 0);
	return frames;
}

static void finds(struct pd_eh_frame *frames, uint64_t off)
{
	uint64_t in = off - CODE_OFF, start = 0, end = 0;
	bool is_covered = off >= CODE_OFF && in < FUNCTION_NR * STRIDE &&
			  in % STRIDE < FUNCTION_LEN;

	assert_int_equal(pd_eh_frame_bounds(frames, off, &start, &end),
			 is_covered);
	assert_int_equal(start, is_covered ? off - in % STRIDE : 0);
	assert_int_equal(end, is_covered ? start + FUNCTION_LEN : 0);
}

/* In whatever order they are asked. */
static void find_all(struct pd_eh_frame *frames)
{
	const uint64_t end = FRAME_OFF + 64;
	uint32_t random = 1;

	for (uint64_t off = 0; off < end; off += 11)
		finds(frames, off);
	for (uint64_t off = end; off > 100; off -= 101)
		finds(frames, off);
	for (size_t i = 0; i < 5000; i++) {
		random = random * 1664525 + 1013904223;
		finds(frames, (random >> 8) % end);
	}
}

static void test_eh_frame__bounds_are_those_of_the_entry(void **state)
{
	struct pd_eh_frame *frames;
	struct file file;

	(void)state;
	for (int is_big_endian = 0; is_big_endian < 2; is_big_endian++) {
		make(&file, is_big_endian);
		frames = open_frames(&file, false);
		assert_null(frames->functions);
		find_all(frames);
		pd_eh_frame_close(frames);
		pd_buf_release(&file.bytes);
	}
}

static void test_eh_frame__without_a_table_all_is_read(void **state)
{
	struct pd_eh_frame *frames;
	struct file file;

	(void)state;
	make(&file, false);
	file.bytes.data[FRAME_LEN] = 2; /* an unknown version */
	assert_null(open_frames(&file, false));
	frames = open_frames(&file, true);
	assert_int_equal(frames->nr, FUNCTION_NR);
	find_all(frames);
	pd_eh_frame_close(frames);
	/* or the table is longer than the file */
	file.bytes.data[FRAME_LEN] = 1;
	file.bytes.len--;
	assert_null(open_frames(&file, false));
	frames = open_frames(&file, true);
	assert_int_equal(frames->nr, FUNCTION_NR);
	pd_eh_frame_close(frames);
	pd_buf_release(&file.bytes);
}

static void test_eh_frame__an_address_costs_few_reads(void **state)
{
	struct pd_eh_frame *frames;
	struct file file;
	size_t block_nr = HDR_LEN / PD_EH_FRAME_BLOCK_LEN + 1, nr = 0;

	(void)state;
	make(&file, false);
	frames = open_frames(&file, false);
	file.read_nr = 0;
	finds(frames, CODE_OFF + FUNCTION_NR / 3 * STRIDE);
	assert_true(file.read_nr < 10);
	assert_true(file.read_len < 10 * PD_EH_FRAME_BLOCK_LEN);
	/* if addresses ascend, their blocks a few times, and entries many at
	 * once */
	file.read_nr = 0;
	for (uint64_t off = CODE_OFF; off < FRAME_OFF; off += STRIDE, nr++)
		finds(frames, off);
	assert_int_equal(nr, FUNCTION_NR);
	assert_true(file.read_nr <= 20 * block_nr);
	pd_eh_frame_close(frames);
	pd_buf_release(&file.bytes);
}

static void test_eh_frame__a_function_lies_in_one_segment(void **state)
{
	uint64_t start = 1, end = 2, middle = CODE_OFF + FUNCTION_LEN / 2;
	struct pd_eh_frame *frames;
	struct file file;

	(void)state;
	make(&file, false);
	file.elf.segments[0].off = middle;
	file.elf.segments[0].addr = BASE + middle;
	/* what is before is elsewhere */
	file.elf.segments[file.elf.segment_nr++] =
		(struct pd_elf_segment){ 0, 2 * BASE, middle };
	frames = open_frames(&file, false);
	assert_false(pd_eh_frame_bounds(frames, middle, &start, &end));
	assert_false(pd_eh_frame_bounds(NULL, middle, &start, &end));
	assert_int_equal(start, 1);
	assert_int_equal(end, 2);
	finds(frames, CODE_OFF + STRIDE);
	pd_eh_frame_close(frames);
	pd_buf_release(&file.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eh_frame__bounds_are_those_of_the_entry),
		cmocka_unit_test(test_eh_frame__without_a_table_all_is_read),
		cmocka_unit_test(test_eh_frame__an_address_costs_few_reads),
		cmocka_unit_test(test_eh_frame__a_function_lies_in_one_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
