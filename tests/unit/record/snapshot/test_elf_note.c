#include "record/base/elf_note.h"

#include "record/snapshot/build_id_cache.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

/* A foreign note in front, then a build-id of 8 bytes; little endian. */
static const uint8_t notes_le[] = {
	6,   0, 0, 0, 4,    0,	  0,	0,    1, 1, 0, 0, 'L', 'i', 'n', 'u',
	'x', 0, 0, 0, 0xaa, 0xbb, 0xcc, 0xdd, 4, 0, 0, 0, 8,   0,   0,	 0,
	3,   0, 0, 0, 'G',  'N',  'U',	0,    1, 2, 3, 4, 5,   6,   7,	 8,
};

static const uint8_t notes_be[] = {
	0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 3, 'G', 'N', 'U', 0, 9, 8, 0, 0,
};

#define IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static void test_elf_note__build_id_behind_another_note(void **state)
{
	struct rec_build_id id;

	(void)state;
	assert_true(
		rec_note_build_id(notes_le, sizeof(notes_le), IS_BIG, 4, &id));
	assert_int_equal(id.len, 8);
	assert_memory_equal(id.bytes, "\1\2\3\4\5\6\7\10", 8);
	assert_true(
		rec_note_build_id(notes_be, sizeof(notes_be), !IS_BIG, 4, &id));
	assert_int_equal(id.len, 2);
	assert_memory_equal(id.bytes, "\11\10", 2);
}

static void test_elf_note__cut_at_every_length_is_no_build_id(void **state)
{
	struct rec_build_id id;

	(void)state;
	for (size_t len = 0; len < sizeof(notes_le); len++) {
		uint8_t *copy = malloc(len + 1);

		memcpy(copy, notes_le, len);
		assert_false(rec_note_build_id(copy, len, IS_BIG, 4, &id));
		free(copy);
	}
}

static void test_elf_note__lengths_beyond_the_data_are_refused(void **state)
{
	uint8_t notes[sizeof(notes_le)];
	struct rec_build_id id;

	(void)state;
	memcpy(notes, notes_le, sizeof(notes));
	memset(notes, 0xff, 4); /* name length */
	assert_false(rec_note_build_id(notes, sizeof(notes), IS_BIG, 4, &id));
	memcpy(notes, notes_le, sizeof(notes));
	memset(notes + 28, 0xff, 4); /* build-id's length */
	assert_false(rec_note_build_id(notes, sizeof(notes), IS_BIG, 4, &id));
	memcpy(notes, notes_le, sizeof(notes));
	notes[28] = 0;
	assert_false(rec_note_build_id(notes, sizeof(notes), IS_BIG, 4, &id));
}

/* A 32 bit ELF file of the other byte order than x86's: header, one PT_NOTE
 * program header at 52, the notes at 84. */
static void make_elf32_be(uint8_t ret[104])
{
	memset(ret, 0, 104);
	memcpy(ret, "\177ELF\1\2\1", 7);
	ret[31] = 52; /* program headers' offset */
	ret[43] = 32; /* length of one */
	ret[45] = 1;  /* how many */
	ret[55] = 4;  /* PT_NOTE */
	ret[59] = 84; /* offset */
	ret[71] = sizeof(notes_be);
	ret[83] = 4; /* align */
	memcpy(ret + 84, notes_be, sizeof(notes_be));
}

static bool id_of_bytes(const uint8_t *data, size_t len,
			struct rec_build_id *ret)
{
	char path[] = "/tmp/test_elf_note.XXXXXX";
	const int fd = mkstemp(path);
	bool found;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, data, len), len);
	found = rec_elf_build_id(fd, ret);
	close(fd);
	return found;
}

static void test_elf_note__elf_of_32_bits_and_big_endian(void **state)
{
	uint8_t elf[104];
	struct rec_build_id id;

	(void)state;
	make_elf32_be(elf);
	assert_true(id_of_bytes(elf, sizeof(elf), &id));
	assert_int_equal(id.len, 2);
	assert_memory_equal(id.bytes, "\11\10", 2);
	for (size_t len = 0; len < sizeof(elf); len++)
		assert_false(id_of_bytes(elf, len, &id));
}

static void test_elf_note__every_byte_changed_does_no_harm(void **state)
{
	struct rec_build_id id;
	uint8_t elf[104];

	(void)state;
	for (size_t i = 0; i < sizeof(elf); i++) {
		make_elf32_be(elf);
		elf[i] ^= 0xff;
		memset(&id, 0, sizeof(id));
		id_of_bytes(elf, sizeof(elf), &id);
		assert_true(id.len <= PD_BUILD_ID_LEN_MAX);
	}
}

static void test_elf_note__our_own_program_has_one(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY);
	struct rec_build_id id = { .len = 0 };

	(void)state;
	assert_true(fd >= 0);
	if (!rec_elf_build_id(fd, &id)) {
		close(fd);
		skip(); /* a toolchain that makes none */
	}
	assert_true(id.len == 20 || id.len == 16 || id.len == 8);
	close(fd);
}

static void test_build_id_cache__stores_each_file_once(void **state)
{
	enum { FILE_NR = 5000 };
	struct rec_build_id_cache cache = REC_BUILD_ID_CACHE_INIT;
	struct rec_build_id *id;

	(void)state;
	for (uint32_t i = 0; i < FILE_NR; i++) {
		id = rec_build_id_cache_get(&cache, i % 3, i % 7, i, 0);
		assert_non_null(id);
		assert_int_equal(id->len, REC_BUILD_ID_UNKNOWN);
		id->len = 4;
		memcpy(id->bytes, &i, sizeof(i));
	}
	for (uint32_t i = 0; i < FILE_NR; i++) {
		id = rec_build_id_cache_get(&cache, i % 3, i % 7, i, 0);
		assert_int_equal(id->len, 4);
		assert_memory_equal(id->bytes, &i, sizeof(i));
	}
	id = rec_build_id_cache_get(&cache, 3, 0, 0, 0);
	assert_int_equal(id->len, REC_BUILD_ID_UNKNOWN);
	assert_int_equal(cache.nr, FILE_NR + 1);
	rec_build_id_cache_release(&cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elf_note__build_id_behind_another_note),
		cmocka_unit_test(
			test_elf_note__cut_at_every_length_is_no_build_id),
		cmocka_unit_test(
			test_elf_note__lengths_beyond_the_data_are_refused),
		cmocka_unit_test(test_elf_note__elf_of_32_bits_and_big_endian),
		cmocka_unit_test(
			test_elf_note__every_byte_changed_does_no_harm),
		cmocka_unit_test(test_elf_note__our_own_program_has_one),
		cmocka_unit_test(test_build_id_cache__stores_each_file_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
