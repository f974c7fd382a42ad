#include "format/carried/carried_jit.h"
#include "format/carried/carried.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct pd_jit_code codes[4] = {
	{ .time_ns = 1000,
	  .addr = 0x7f0000001000,
	  .len = 64,
	  .idx = 1,
	  .name = { "first", 5 },
	  .eh_frame = { "a\0b", 3 },
	  .machine = 62 },
	{ .time_ns = 1500,
	  .addr = 0x1000,
	  .len = UINT32_MAX,
	  .idx = UINT64_MAX,
	  .name = { "*second a.js:1", 14 } },
	{ .time_ns = UINT64_MAX, .addr = UINT64_MAX - 8, .len = 8, .idx = 1 },
	{ .time_ns = 0,
	  .addr = 0x7f0000001000,
	  .len = 1,
	  .idx = 0,
	  .name = { "third", 5 } },
};

static const struct pd_carried_jit dump = {
	.path = { "/tmp/jit-12.dump", 16 },
	.codes = codes,
	.code_nr = 4,
};
static const struct pd_carried_jit empty = {
	.path = { "/home/jit-7.dump", 16 },
	.has_cpu_times = true,
	.is_cut = true,
};

static const struct pd_carried_file files[4] = {
	{ .path = { "/bin/t", 6 } },
	{ .kind = PD_CARRIED_PERF_MAP, .pid = 7, .jit = &empty },
	{ .kind = PD_CARRIED_PERF_MAP, .pid = 8 },
	{ .kind = PD_CARRIED_PERF_MAP, .pid = 12, .jit = &dump },
};

struct made {
	struct pd_buf b;
	struct pd_carried_sections sections;
	struct pd_trailer trailer;
};

static void make(struct made *m, const struct pd_carried_file *from,
		 uint32_t nr)
{
	static const struct pd_carried_account account;

	*m = (struct made){ .b = PD_BUF_INIT };
	pd_carried_write(&m->b, 0, from, nr, &account, &m->sections);
	m->trailer.section_nr = m->sections.nr;
	m->trailer.sections = m->sections.items;
	assert_int_equal(pd_buf_status(&m->b), 0);
}

static int read_made(const struct made *m, struct pd_carried *ret)
{
	return pd_carried_read(m->b.data, m->b.len, &m->trailer, ret, NULL);
}

static void test_carried_jit__reads_what_was_written(void **state)
{
	const struct pd_carried_jit *jit;
	struct pd_jit_code got[4];
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m, files, 4);
	assert_int_equal(m.sections.items[3].kind, PD_CARRIED_JIT);
	assert_int_equal(read_made(&m, &carried), 0);
	assert_null(pd_carried_jit_of(&carried, 0));
	assert_null(pd_carried_jit_of(&carried, 2));
	jit = pd_carried_jit_of(&carried, 1);
	assert_true(jit->has_cpu_times && jit->is_cut);
	assert_int_equal(jit->code_nr, 0);
	jit = pd_carried_jit_of(&carried, 3);
	assert_false(jit->has_cpu_times || jit->is_cut);
	assert_true(pd_str_eq(jit->path, "/tmp/jit-12.dump"));
	assert_int_equal(jit->code_nr, 4);
	assert_int_equal(pd_carried_jit_codes(&carried, jit, got, NULL), 0);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(got[i].time_ns, codes[i].time_ns);
		assert_int_equal(got[i].addr, codes[i].addr);
		assert_int_equal(got[i].len, codes[i].len);
		assert_int_equal(got[i].idx, codes[i].idx);
		assert_int_equal(got[i].name.len, codes[i].name.len);
		if (codes[i].name.len)
			assert_memory_equal(got[i].name.ptr, codes[i].name.ptr,
					    got[i].name.len);
		assert_int_equal(got[i].machine, 62);
		assert_int_equal(got[i].eh_frame.len, codes[i].eh_frame.len);
		if (codes[i].eh_frame.len)
			assert_memory_equal(got[i].eh_frame.ptr, "a\0b", 3);
	}
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

static void test_carried_jit__no_section_without_dumps(void **state)
{
	struct made m;

	(void)state;
	make(&m, files, 1);
	assert_int_equal(m.sections.nr, 3);
	pd_buf_release(&m.b);
}

/* Return what reading the code says. */
static int read_code(const struct pd_jit_code *code)
{
	const struct pd_carried_jit jit = { .codes = code, .code_nr = 1 };
	const struct pd_carried_file file = { .kind = PD_CARRIED_PERF_MAP,
					      .jit = &jit };
	struct pd_carried carried;
	struct pd_jit_code got;
	struct made m;
	int rc;

	make(&m, &file, 1);
	assert_int_equal(read_made(&m, &carried), 0);
	rc = pd_carried_jit_codes(&carried, pd_carried_jit_of(&carried, 0),
				  &got, NULL);
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
	return rc;
}

static void test_carried_jit__code_lies_in_memory(void **state)
{
	struct pd_jit_code code = { .addr = UINT64_MAX - 8, .len = 8 };

	(void)state;
	assert_int_equal(read_code(&code), 0);
	code.len = 9;
	assert_int_equal(read_code(&code), -EBADMSG);
	code = (struct pd_jit_code){ .addr = 8, .len = 0 };
	assert_int_equal(read_code(&code), -EBADMSG);
	code.len = UINT64_C(1) << 32;
	assert_int_equal(read_code(&code), -EBADMSG);
}

/* Read the section's plain text, of four files.  Return the first error. */
static int read_text(const uint8_t *text, size_t len)
{
	struct pd_carried carried = {
		.files = calloc(4, sizeof(*carried.files)),
		.file_nr = 4,
	};
	uint8_t *own = malloc(len + 1);
	int rc;

	if (len)
		memcpy(own, text, len);
	for (uint32_t i = 0; i < 4; i++)
		carried.files[i].kind = files[i].kind;
	rc = pd_carried_jit_read(&carried, own, len, 0, NULL);
	for (uint32_t i = 0; i < carried.jit_nr && !rc; i++) {
		struct pd_jit_code *got =
			calloc(carried.jits[i].code_nr + 1u, sizeof(*got));

		assert_non_null(got);
		rc = pd_carried_jit_codes(&carried, &carried.jits[i], got,
					  NULL);
		free(got);
	}
	pd_carried_release(&carried);
	return rc;
}

/* Whoever names an ELF file by a dump is wrong. */
static void test_carried_jit__is_of_a_process(void **state)
{
	struct pd_carried_file file = files[3];
	struct pd_carried carried;
	struct made m;

	(void)state;
	file.kind = PD_CARRIED_ELF;
	make(&m, &file, 1);
	assert_int_equal(read_made(&m, &carried), -EBADMSG);
	assert_int_equal(carried.jit_nr, 0);
	pd_carried_release(&carried);
	pd_buf_release(&m.b);
}

static void test_carried_jit__every_cut_is_found(void **state)
{
	struct pd_buf b = PD_BUF_INIT;

	(void)state;
	pd_carried_jit_write(&b, files, 4);
	assert_int_equal(read_text(b.data, b.len), 0);
	for (size_t len = 0; len < b.len; len++)
		assert_int_not_equal(read_text(b.data, len), 0);
	pd_buf_release(&b);
}

static void test_carried_jit__flipped_bits_stay_in_bounds(void **state)
{
	struct pd_buf b = PD_BUF_INIT;

	(void)state;
	pd_carried_jit_write(&b, files, 4);
	for (size_t bit = 0; bit < b.len * 8; bit++) {
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		(void)read_text(b.data, b.len);
		b.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	pd_buf_release(&b);
}

static void
test_carried_jit__every_flipped_bit_of_the_file_is_found(void **state)
{
	struct pd_carried carried;
	struct made m;

	(void)state;
	make(&m, files, 4);
	for (size_t i = 0; i < m.sections.items[3].len * 8; i++) {
		uint8_t *at = m.b.data + m.sections.items[3].off + i / 8;

		*at ^= (uint8_t)(1u << i % 8);
		assert_int_equal(read_made(&m, &carried), -EBADMSG);
		pd_carried_release(&carried);
		*at ^= (uint8_t)(1u << i % 8);
	}
	pd_buf_release(&m.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried_jit__reads_what_was_written),
		cmocka_unit_test(test_carried_jit__no_section_without_dumps),
		cmocka_unit_test(test_carried_jit__code_lies_in_memory),
		cmocka_unit_test(test_carried_jit__is_of_a_process),
		cmocka_unit_test(test_carried_jit__every_cut_is_found),
		cmocka_unit_test(test_carried_jit__flipped_bits_stay_in_bounds),
		cmocka_unit_test(
			test_carried_jit__every_flipped_bit_of_the_file_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
