#include "format/carried/carried_identity.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct pd_file_key keys[3] = {
	{ .maj = 8, .min = 1, .ino = 131074, .ino_generation = 77 },
	{ .maj = 0, .min = 45, .ino = UINT64_MAX },
	{ .maj = UINT32_MAX, .ino_generation = UINT64_MAX },
};

static struct pd_carried_name names[][3] = {
	{ { .start = 0x100, .len = 0x40, .text = { "work", 4 } },
	  { .start = 0x200, .len = 0x10, .text = { "_Z4restv", 8 } } },
	{ { .start = 0x100, .len = 0x40, .text = { "evil", 4 } } },
	{ { .start = 0x300, .len = 0x10, .text = { "other", 5 } } },
	{ { .start = 0x120, .len = 0x10, .text = { "inside", 6 } } },
	{ { .start = 0x100, .len = 0x40, .text = { "also", 4 } },
	  { .start = 0x100, .len = 0x40, .text = { "work", 4 } },
	  { .start = 0x120, .len = 0x10, .text = { "inside", 6 } } },
};

/* Files of one path and build-id, but for the last. */
static struct pd_carried_file files[6] = {
	{ .path = { "/bin/t", 6 },
	  .names = names[0],
	  .name_nr = 2,
	  .owner = { true, 0, 0100755, 16224, UINT64_C(1764427980123456789) },
	  .keys = keys,
	  .key_nr = 2,
	  .is_known_by_id = true },
	{ .path = { "/bin/t", 6 },
	  .names = names[1],
	  .name_nr = 1,
	  .owner = { true, 65534, 0100755, 16000, 0 },
	  .keys = keys + 2,
	  .key_nr = 1 },
	{ .path = { "/bin/t", 6 }, .names = names[2], .name_nr = 1 },
	{ .path = { "/bin/t", 6 }, .names = names[3], .name_nr = 1 },
	{ .path = { "/bin/t", 6 },
	  .names = names[4],
	  .name_nr = 3,
	  .is_known_by_id = true },
	{ .path = { "/bin/none", 9 } },
};

struct made {
	struct pd_buf b;
	struct pd_carried_sections sections;
	struct pd_trailer trailer;
	struct pd_carried carried;
};

static void make(struct made *m, const struct pd_carried_file *list,
		 uint32_t nr)
{
	static const struct pd_carried_account account;

	*m = (struct made){ .b = PD_BUF_INIT };
	pd_carried_write(&m->b, 0, list, nr, &account, &m->sections);
	m->trailer.section_nr = m->sections.nr;
	m->trailer.sections = m->sections.items;
	assert_int_equal(pd_buf_status(&m->b), 0);
}

static int read_made(struct made *m)
{
	return pd_carried_read(m->b.data, m->b.len, &m->trailer, &m->carried,
			       NULL);
}

static void release(struct made *m)
{
	pd_carried_release(&m->carried);
	pd_buf_release(&m->b);
}

static void test_carried_identity__reads_what_was_written(void **state)
{
	struct made m;

	(void)state;
	make(&m, files, 6);
	assert_int_equal(m.sections.nr, 4);
	assert_int_equal(m.sections.items[3].kind, PD_CARRIED_IDENTITY);
	assert_int_equal(read_made(&m), 0);
	assert_true(m.carried.has_identities);
	for (uint32_t i = 0; i < 6; i++) {
		const struct pd_carried_file *got = &m.carried.files[i];

		assert_int_equal(got->owner.is_known, files[i].owner.is_known);
		assert_int_equal(got->owner.uid, files[i].owner.uid);
		assert_int_equal(got->owner.mode, files[i].owner.mode);
		assert_int_equal(got->owner.file_len, files[i].owner.file_len);
		assert_int_equal(got->owner.mtime_ns, files[i].owner.mtime_ns);
		assert_int_equal(got->is_known_by_id, files[i].is_known_by_id);
		assert_int_equal(got->key_nr, files[i].key_nr);
		if (got->key_nr)
			assert_memory_equal(got->keys, files[i].keys,
					    got->key_nr * sizeof(keys[0]));
	}
	release(&m);
}

static void test_carried_identity__no_section_without_any(void **state)
{
	struct made m;

	(void)state;
	make(&m, files + 5, 1);
	assert_int_equal(m.sections.nr, 3);
	assert_int_equal(read_made(&m), 0);
	assert_false(m.carried.has_identities);
	release(&m);
}

/* Damage of one section takes no other one with it. */
static void test_carried_identity__a_damaged_section_is_lost_alone(void **state)
{
	struct made m;

	(void)state;
	make(&m, files, 6);
	m.b.data[m.sections.items[3].off] ^= 1;
	assert_int_equal(read_made(&m), -EBADMSG);
	assert_int_equal(m.carried.lost_kinds, 1 << PD_CARRIED_IDENTITY);
	assert_int_equal(m.carried.file_nr, 6);
	assert_int_equal(m.carried.files[0].name_nr, 2);
	assert_false(m.carried.has_identities);
	release(&m);
}

static int read_text(const char *text, size_t len)
{
	struct pd_carried carried = {
		.files = calloc(3, sizeof(*carried.files)),
		.file_nr = 3,
	};
	uint8_t *copy = malloc(len + 1);
	int rc;

	for (size_t i = 0; i < len; i++)
		copy[i] = (uint8_t)text[i];
	rc = pd_carried_identity_read(&carried, copy, len, 0, NULL);
	for (uint32_t i = 0; i < 3 && rc; i++) {
		assert_false(carried.files[i].owner.is_known);
		assert_false(carried.files[i].is_known_by_id);
		assert_int_equal(carried.files[i].key_nr, 0);
		assert_null(carried.files[i].keys);
	}
	pd_carried_release(&carried);
	return rc;
}

static void
test_carried_identity__lists_that_cannot_be_are_damaged(void **state)
{
	char *many = calloc(1, (size_t)5 << 20);

	(void)state;
	assert_int_equal(read_text("\1\2\2\1\1\2\3\4", 8), 0);
	assert_int_equal(read_text("\2\0\2\0\1\1\1\2\3\4\5", 11), -ENODATA);
	assert_int_equal(read_text("\2\0\2\0\0\2\0", 7), -EBADMSG);
	assert_int_equal(read_text("\1\3\2\0", 4), -EBADMSG);
	assert_int_equal(read_text("\1\0\2\2\1\2\3\4", 8), -ENODATA);
	assert_int_equal(read_text("\1\0\2\1\xff\xff\xff\xff\x1f\2\3\4", 12),
			 -EBADMSG);
	assert_int_equal(
		read_text("\1\0\2\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 12),
		-ENODATA);
	assert_int_equal(read_text("\3\0\2\0", 4), -ENODATA);
	assert_int_equal(read_text("", 0), -ENODATA);
	many[0] = 1;
	assert_int_equal(read_text(many, (size_t)5 << 20), -EFBIG);
	free(many);
}

static bool disagree(const struct made *m, uint32_t a, uint32_t b)
{
	bool differs = pd_carried_disagree(&m->carried, a, &m->carried, b);

	assert_int_equal(pd_carried_disagree(&m->carried, b, &m->carried, a),
			 differs);
	return differs;
}

/* A symbol around another one is carried with it. */
static void test_carried_identity__names_of_one_build_id(void **state)
{
	struct made m;

	(void)state;
	make(&m, files, 6);
	assert_int_equal(read_made(&m), 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_false(disagree(&m, i, i));
	assert_true(disagree(&m, 0, 1));
	assert_false(disagree(&m, 0, 2));
	assert_true(disagree(&m, 0, 3));
	assert_false(disagree(&m, 0, 4));
	assert_true(disagree(&m, 1, 4));
	assert_false(disagree(&m, 2, 3));
	assert_false(disagree(&m, 0, 5));
	release(&m);
}

static void test_carried_identity__root_is_preferred_then_names(void **state)
{
	(void)state;
	assert_true(pd_carried_is_preferred(&files[0], &files[4]));
	assert_false(pd_carried_is_preferred(&files[4], &files[0]));
	assert_true(pd_carried_is_preferred(&files[4], &files[1]));
	assert_false(pd_carried_is_preferred(&files[1], &files[4]));
	assert_true(pd_carried_is_preferred(&files[2], &files[3]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_carried_identity__reads_what_was_written),
		cmocka_unit_test(test_carried_identity__no_section_without_any),
		cmocka_unit_test(
			test_carried_identity__a_damaged_section_is_lost_alone),
		cmocka_unit_test(
			test_carried_identity__lists_that_cannot_be_are_damaged),
		cmocka_unit_test(test_carried_identity__names_of_one_build_id),
		cmocka_unit_test(
			test_carried_identity__root_is_preferred_then_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
