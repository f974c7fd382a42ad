#include "report/elf/sparse_cfi.h"

#include "format/symtab/eh_frame.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { OFF = 0x2000, ADDR = 0x402000, SECTION_LEN = 0x400 };

static const uint8_t cie[20] = { 16,  0,   0, 0, 0,    0,  0, 0,   1,
				 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b },
		     fde[24] = { 20, 0, 0, 0, 0xcc };
static const struct pd_carried_piece pieces[] = {
	{ OFF + 0x100, 0, cie, sizeof(cie), PD_CARRIED_CIE },
	{ OFF + 0x114, 0x401800, fde, sizeof(fde), PD_CARRIED_FRAME },
	{ OFF + 0x130, 0x401000, fde, sizeof(fde), PD_CARRIED_FRAME },
	{ OFF + 0x200, 0x401400, fde, sizeof(fde), PD_CARRIED_FRAME },
	{ OFF + 0x300, 0, fde, sizeof(fde), PD_CARRIED_CODE },
};
static const struct pd_carried_cfi frames = {
	.off = OFF,
	.addr = ADDR,
	.len = SECTION_LEN,
	.pieces = pieces,
	.piece_nr = 5,
};
static struct pd_elf_segment segment = { OFF - 0x100, ADDR - 0x100, 0x600 };

static struct pd_carried_file make_file(void)
{
	return (struct pd_carried_file){
		.frames = &frames,
		.segments = &segment,
		.segment_nr = 1,
		.is_64 = true,
	};
}

static uint32_t word(const struct pd_buf *b, size_t at)
{
	uint32_t v;

	memcpy(&v, b->data + at, sizeof(v));
	return v;
}

/* Entry after entry, so that those who read it from the start find all. */
static void test_sparse_cfi__leave_no_gap(void **state)
{
	struct pd_carried_file file = make_file();
	struct rpt_sparse_cfi f;
	struct pd_cfi_section s = { .is_64 = true };
	unsigned fdes = 0, cies = 0;

	(void)state;
	assert_true(rpt_sparse_cfi_make(&file, 0x1000, &f));
	assert_int_equal(f.off, OFF + 0x100);
	assert_int_equal(f.addr, ADDR + 0x100);
	assert_int_equal(f.eh_frame.len, 0x100 + sizeof(fde));
	s.off = f.off;
	s.addr = f.addr;
	s.len = f.eh_frame.len;
	for (size_t at = 0; at < f.eh_frame.len;) {
		struct pd_cfi_entry e;

		assert_true(pd_cfi_entry_read(&s, f.off + at,
					      f.eh_frame.data + at,
					      f.eh_frame.len - at, &e));
		fdes += !e.is_cie;
		cies += e.is_cie;
		at += e.len;
	}
	assert_int_equal(fdes, 3);
	assert_int_equal(cies, 2); /* one fills what is long enough for it */
	rpt_sparse_cfi_release(&f);
}

static void test_sparse_cfi__table_is_by_start(void **state)
{
	static const uint64_t starts[] = { 0x401000, 0x401400, 0x401800 },
			      fdes[] = { 0x130, 0x200, 0x114 };
	struct pd_carried_file file = make_file();
	struct rpt_sparse_cfi f;

	(void)state;
	assert_true(rpt_sparse_cfi_make(&file, 0x1000, &f));
	assert_int_equal(f.hdr.len, 12 + 3 * 8);
	assert_true(f.hdr_off + f.hdr.len <= f.off);
	assert_int_equal(f.addr - f.hdr_addr, f.off - f.hdr_off);
	assert_int_equal(f.hdr_addr + 4 + word(&f.hdr, 4), f.addr);
	assert_int_equal(word(&f.hdr, 8), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal((uint32_t)f.hdr_addr +
					 word(&f.hdr, 12 + 8 * i),
				 starts[i]);
		assert_int_equal((uint32_t)f.hdr_addr +
					 word(&f.hdr, 16 + 8 * i),
				 ADDR + fdes[i]);
	}
	rpt_sparse_cfi_release(&f);
}

static void test_sparse_cfi__have_their_place(void **state)
{
	struct pd_carried_file file = make_file();
	struct pd_carried_piece far[2] = { pieces[0], pieces[1] };
	struct pd_carried_cfi f = frames;
	struct rpt_sparse_cfi out;
	uint64_t len = segment.len;

	(void)state;
	/* the head of the file is longer */
	assert_false(rpt_sparse_cfi_make(&file, OFF + 0x100, &out));
	rpt_sparse_cfi_release(&out);
	segment.len = 0x100 + 0x200 + sizeof(fde) - 1;
	assert_false(rpt_sparse_cfi_make(&file, 0x1000, &out));
	rpt_sparse_cfi_release(&out);
	segment.len++;
	assert_true(rpt_sparse_cfi_make(&file, 0x1000, &out));
	rpt_sparse_cfi_release(&out);
	segment.len = len;
	f.pieces = far;
	f.piece_nr = 2;
	far[1].start += UINT64_C(1) << 32; /* what a table cannot say */
	file.frames = &f;
	assert_false(rpt_sparse_cfi_make(&file, 0x1000, &out));
	rpt_sparse_cfi_release(&out);
	f.piece_nr = 1; /* no function */
	assert_false(rpt_sparse_cfi_make(&file, 0x1000, &out));
	rpt_sparse_cfi_release(&out);
	file.frames = NULL;
	assert_false(rpt_sparse_cfi_make(&file, 0x1000, &out));
	rpt_sparse_cfi_release(&out);
}

/* Numbers are of the file's byte order. */
static void test_sparse_cfi__of_a_big_endian_file(void **state)
{
	struct pd_carried_file file = make_file();
	struct rpt_sparse_cfi f;

	(void)state;
	file.is_big_endian = true;
	file.is_64 = false;
	assert_true(rpt_sparse_cfi_make(&file, 0x1000, &f));
	assert_int_equal(word(&f.hdr, 8), 3u << 24);
	assert_int_equal(word(&f.eh_frame, 0), 16u << 24);
	rpt_sparse_cfi_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse_cfi__leave_no_gap),
		cmocka_unit_test(test_sparse_cfi__table_is_by_start),
		cmocka_unit_test(test_sparse_cfi__have_their_place),
		cmocka_unit_test(test_sparse_cfi__of_a_big_endian_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
