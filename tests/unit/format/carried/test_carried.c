#include "format/carried/carried.h"
#include "format/carried/carried_cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct pd_elf_segment segments[2] = {
	{ .off = 0, .addr = 0, .len = 0x800 },
	{ .off = 0x1000, .addr = 0x401000, .len = 0x2000 },
};

static const struct pd_carried_name names[3] = {
	{ .start = 0x1010,
	  .len = 0x30,
	  .text = { "main", 4 },
	  .source = PD_CARRIED_SYMTAB,
	  .info = 0x12 },
	{ .start = 0x1010, .text = { "_Z1fv", 5 }, .info = 0x22 },
	{ .start = 0x1080,
	  .len = 16,
	  .text = { "", 0 },
	  .source = PD_CARRIED_FDE },
};

static const struct pd_carried_name line = {
	.start = UINT64_C(0xffffffffc0123000),
	.text = { "ext4_sync\t[ext4]", 16 },
	.source = PD_CARRIED_LINE,
	.info = 't',
};

static const uint8_t cie[12] = { 8, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0 };
/* An FDE of 0x401010 whose words are as expected, one that is too short for
 * them, and one of another CIE. */
static const uint8_t fde[16] = { 12,   0,    0, 0,    16, 0, 0, 0,
				 0xf8, 0xff, 0, 0x80, 1,  2, 3, 4 };
static const uint8_t other_fde[8] = { 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff };
static const uint8_t code[9] = { 0xff, 0x25, 1, 2, 3, 4, 0x68, 5, 6 };

static const struct pd_carried_piece pieces[4] = {
	{ .off = 0x1010,
	  .data = code,
	  .len = sizeof(code),
	  .kind = PD_CARRIED_CODE },
	{ .off = 0x2000, .data = cie, .len = sizeof(cie) },
	{ .off = 0x200c,
	  .start = 0x401010,
	  .data = fde,
	  .len = sizeof(fde),
	  .kind = PD_CARRIED_FRAME },
	{ .off = 0x2100,
	  .start = 0x401000,
	  .data = other_fde,
	  .len = sizeof(other_fde),
	  .kind = PD_CARRIED_FRAME },
};

static const struct pd_carried_cfi no_frames = { .off = 0x40, .len = 0x10 };
static const struct pd_carried_cfi frames = {
	.off = 0x2000,
	.addr = 0x402000,
	.len = 0x200,
	.pieces = pieces,
	.piece_nr = 4,
};

static const struct pd_carried_file files[3] = {
	{ .kind = PD_CARRIED_KERNEL,
	  .path = { "[kernel.kallsyms]", 17 },
	  .build_id = { 1, 2, 3 },
	  .build_id_len = 20,
	  .hit_nr = 1,
	  .named_nr = 1,
	  .names = &line,
	  .name_nr = 1 },
	{ .path = { "/gone", 5 },
	  .reason = PD_CARRIED_GONE,
	  .hit_nr = 7,
	  .frames = &no_frames },
	{ .path = { "/bin/t", 6 },
	  .build_id = { 9 },
	  .build_id_len = 8,
	  .is_64 = true,
	  .machine = 62,
	  .type = 3,
	  .hit_nr = 5,
	  .named_nr = 4,
	  .segments = segments,
	  .segment_nr = 2,
	  .names = names,
	  .name_nr = 3,
	  .frames = &frames },
};

static const struct pd_carried_account account = {
	.sample_nr = 1000,
	.address_nr = 40,
	.unmapped_nr = 2,
	.is_cut = true,
	.cpu_ns = 5000000,
	.wall_ns = UINT64_MAX,
};

/* A file of four other bytes, then the sections. */
struct made {
	struct pd_buf b;
	struct pd_carried_sections sections;
	struct pd_trailer trailer;
};

static void make(struct made *m)
{
	*m = (struct made){ .b = PD_BUF_INIT };
	pd_buf_bytes(&m->b, "head", 4);
	pd_carried_write(&m->b, 0, files, 3, &account, &m->sections);
	m->trailer.section_nr = m->sections.nr;
	m->trailer.sections = m->sections.items;
	assert_int_equal(pd_buf_status(&m->b), 0);
	assert_int_equal(m->trailer.section_nr, 4);
	assert_int_equal(m->sections.items[0].off, 4);
}

static int read_made(const struct made *m, struct pd_carried *ret)
{
	int rc = pd_carried_read(m->b.data, m->b.len, &m->trailer, ret, NULL);

	if (rc)
		pd_carried_release(ret);
	return rc;
}

static void same_name(const struct pd_carried_name *a,
		      const struct pd_carried_name *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->source, b->source);
	assert_int_equal(a->info, b->info);
	assert_int_equal(a->text.len, b->text.len);
	assert_memory_equal(a->text.ptr, b->text.ptr, a->text.len);
}

static void test_carried__reads_what_was_written(void **state)
{
	struct pd_carried_name got[3];
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(read_made(&m, &carried), 0);
	assert_int_equal(carried.file_nr, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct pd_carried_file *f = &carried.files[i];

		assert_int_equal(f->kind, files[i].kind);
		assert_int_equal(f->reason, files[i].reason);
		assert_int_equal(f->path.len, files[i].path.len);
		assert_memory_equal(f->path.ptr, files[i].path.ptr,
				    f->path.len);
		assert_int_equal(f->build_id_len, files[i].build_id_len);
		assert_memory_equal(f->build_id, files[i].build_id, 20);
		assert_int_equal(f->is_64, files[i].is_64);
		assert_int_equal(f->is_big_endian, false);
		assert_int_equal(f->machine, files[i].machine);
		assert_int_equal(f->type, files[i].type);
		assert_int_equal(f->hit_nr, files[i].hit_nr);
		assert_int_equal(f->named_nr, files[i].named_nr);
		assert_int_equal(f->segment_nr, files[i].segment_nr);
		assert_int_equal(f->name_nr, files[i].name_nr);
	}
	assert_memory_equal(carried.files[2].segments, segments,
			    sizeof(segments));
	assert_int_equal(pd_carried_names(&carried, 2, got, NULL), 0);
	for (size_t i = 0; i < 3; i++)
		same_name(&got[i], &names[i]);
	assert_int_equal(pd_carried_names(&carried, 0, got, NULL), 0);
	same_name(&got[0], &line);
	assert_memory_equal(&carried.account, &account, sizeof(account));
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

static void test_carried__reads_the_frames_that_were_written(void **state)
{
	const struct pd_carried_cfi *got;
	struct pd_carried_piece list[4];
	struct pd_carried carried;
	uint8_t room[200];
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(read_made(&m, &carried), 0);
	assert_null(pd_carried_cfi_of(&carried, 0));
	got = pd_carried_cfi_of(&carried, 1);
	assert_non_null(got);
	assert_int_equal(got->piece_nr, 0);
	assert_int_equal(got->len, 0x10);
	got = pd_carried_cfi_of(&carried, 2);
	assert_int_equal(got->piece_nr, 4);
	assert_int_equal(got->addr, 0x402000);
	assert_true(got->text_len <= sizeof(room));
	assert_int_equal(pd_carried_pieces(&carried, got, list, room, NULL), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(list[i].off, pieces[i].off);
		assert_int_equal(list[i].start, pieces[i].start);
		assert_int_equal(list[i].kind, pieces[i].kind);
		assert_int_equal(list[i].len, pieces[i].len);
		assert_memory_equal(list[i].data, pieces[i].data, list[i].len);
	}
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

/* Return what reading them says of pieces as given. */
static int read_pieces(const struct pd_carried_cfi *given)
{
	const struct pd_carried_file file = {
		.path = { "/bin/t", 6 },
		.frames = given,
	};
	struct made m = { .b = PD_BUF_INIT };
	struct pd_carried_piece list[4];
	struct pd_carried carried;
	uint8_t room[200];
	int rc;

	pd_carried_write(&m.b, 0, &file, 1, &account, &m.sections);
	m.trailer.section_nr = m.sections.nr;
	m.trailer.sections = m.sections.items;
	rc = read_made(&m, &carried);
	if (!rc) {
		rc = pd_carried_pieces(&carried, pd_carried_cfi_of(&carried, 0),
				       list, room, NULL);
		pd_carried_release(&carried);
	}
	pd_buf_release(&m.b);
	return rc;
}

static void test_carried__frames_lie_in_their_section(void **state)
{
	struct pd_carried_cfi f = frames;

	(void)state;
	assert_int_equal(read_pieces(&f), 0);
	f.len = 0x107;
	assert_int_equal(read_pieces(&f), -EBADMSG);
	f.len = 0x108;
	assert_int_equal(read_pieces(&f), 0);
	f.off = 0x2001;
	assert_int_equal(read_pieces(&f), -EBADMSG);
}

static void test_carried__frames_have_limits(void **state)
{
	struct pd_carried_piece twice[2] = { pieces[1], pieces[1] };
	struct pd_carried_cfi f = frames;

	(void)state;
	f.len = UINT64_C(257) << 20;
	assert_int_equal(read_pieces(&f), -EFBIG);
	f.len = UINT64_MAX - 0x1000;
	assert_int_equal(read_pieces(&f), -EBADMSG);
	f = frames;
	f.pieces = twice;
	f.piece_nr = 2;
	assert_int_equal(read_pieces(&f), -EBADMSG); /* they overlap */
	twice[1].off += 12;
	assert_int_equal(read_pieces(&f), 0);
	twice[1].kind = PD_CARRIED_PIECE_KIND_NR;
	assert_int_equal(read_pieces(&f), -EBADMSG);
}

static void test_carried__a_file_without_sections_carries_nothing(void **state)
{
	struct pd_trailer trailer = { .frames = NULL };
	struct pd_carried carried;

	(void)state;
	assert_int_equal(pd_carried_read((const uint8_t *)"", 0, &trailer,
					 &carried, NULL),
			 0);
	assert_int_equal(carried.file_nr, 0);
}

static void test_carried__every_flipped_bit_is_found(void **state)
{
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m);
	for (size_t bit = 4 * 8; bit < m.b.len * 8; bit++) {
		m.b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(read_made(&m, &carried), -EBADMSG);
		m.b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	pd_buf_release(&m.b);
}

/* Read them with a byte of the section flipped, and look at what is left. */
static void lose_section(struct made *m, enum pd_carried_section kind,
			 struct pd_carried *ret)
{
	struct pd_err err = PD_ERR_INIT;
	uint64_t off = 0;

	for (size_t i = 0; i < m->sections.nr; i++)
		if (m->sections.items[i].kind == kind)
			off = m->sections.items[i].off;
	assert_true(off);
	m->b.data[off] ^= 1;
	assert_int_equal(
		pd_carried_read(m->b.data, m->b.len, &m->trailer, ret, &err),
		-EBADMSG);
	assert_int_equal(err.off, off);
	assert_int_equal(ret->lost_kinds, 1u << kind);
	m->b.data[off] ^= 1;
}

static void test_carried__each_section_is_lost_alone(void **state)
{
	struct pd_carried_name got[3];
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m);
	lose_section(&m, PD_CARRIED_CFI, &carried);
	assert_null(pd_carried_cfi_of(&carried, 2));
	assert_int_equal(pd_carried_names(&carried, 2, got, NULL), 0);
	same_name(&got[2], &names[2]);
	assert_memory_equal(&carried.account, &account, sizeof(account));
	pd_carried_release(&carried);

	lose_section(&m, PD_CARRIED_NAMES, &carried);
	assert_non_null(pd_carried_cfi_of(&carried, 2));
	assert_int_equal(carried.file_nr, 3);
	assert_int_equal(carried.files[2].name_nr, 0);
	assert_int_equal(pd_carried_names(&carried, 2, got, NULL), 0);
	pd_carried_release(&carried);

	lose_section(&m, PD_CARRIED_ACCOUNT, &carried);
	assert_non_null(pd_carried_cfi_of(&carried, 2));
	assert_int_equal(carried.files[2].name_nr, files[2].name_nr);
	assert_int_equal(carried.account.sample_nr, 0);
	pd_carried_release(&carried);

	lose_section(&m, PD_CARRIED_FILES, &carried);
	assert_int_equal(carried.file_nr, 0);
	assert_null(pd_carried_cfi_of(&carried, 2));
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

/* A repaired file may have the others without it. */
static void test_carried__names_may_be_missing(void **state)
{
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m);
	m.sections.items[1].kind = 200;
	assert_int_equal(read_made(&m, &carried), 0);
	assert_int_equal(carried.files[2].name_nr, 0);
	assert_non_null(pd_carried_cfi_of(&carried, 2));
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

static void test_carried__sections_lie_in_the_file(void **state)
{
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m);
	m.sections.items[1].len += 1000;
	assert_int_equal(read_made(&m, &carried), -EBADMSG);
	m.sections.items[1].len -= 1000;
	m.sections.items[1].off = UINT64_MAX;
	assert_int_equal(read_made(&m, &carried), -EBADMSG);
	pd_buf_release(&m.b);
}

static void test_carried__plain_text_has_a_limit(void **state)
{
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m);
	m.sections.items[1].plain_len = (uint64_t)1 << 40;
	assert_int_equal(read_made(&m, &carried), -EFBIG);
	m.sections.items[1].plain_len = 2 << 20; /* of a few bytes */
	assert_int_equal(read_made(&m, &carried), -EFBIG);
	pd_buf_release(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried__reads_what_was_written),
		cmocka_unit_test(
			test_carried__reads_the_frames_that_were_written),
		cmocka_unit_test(test_carried__frames_lie_in_their_section),
		cmocka_unit_test(test_carried__frames_have_limits),
		cmocka_unit_test(
			test_carried__a_file_without_sections_carries_nothing),
		cmocka_unit_test(test_carried__every_flipped_bit_is_found),
		cmocka_unit_test(test_carried__each_section_is_lost_alone),
		cmocka_unit_test(test_carried__names_may_be_missing),
		cmocka_unit_test(test_carried__sections_lie_in_the_file),
		cmocka_unit_test(test_carried__plain_text_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
