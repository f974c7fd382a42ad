#include "record/carry/kernel_names.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define K(x) (UINT64_C(0xffffffff00000000) + (x))

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000100 T first\n"
			       "ffffffff81000300 T third\n"
			       "ffffffff81000200 t second\n"
			       "ffffffff81000200 W second_alias\n"
			       "ffffffff81000280 r a_constant\n"
			       "ffffffff81000900 T last\n"
			       "ffffffffc0000100 t work\t[made]\n"
			       "ffffffffc0000200 t more\t[made]\n"
			       "ffffffffc0001000 t other\t[more]\n";

static int names_of(struct rec_kallsyms *source, const uint64_t *hits,
		    size_t nr, char *ret, size_t cap, uint64_t *ret_named)
{
	struct rec_name_list list = { .items = NULL };
	int rc = rec_kernel_names(source, hits, nr, &list);
	size_t len = 0;

	*ret = '\0';
	for (uint32_t i = 0; i < list.nr; i++)
		len += (size_t)snprintf(
			ret + len, cap - len, "%llx+%llx %c %s\n",
			(unsigned long long)list.items[i].start & 0xffffffff,
			(unsigned long long)list.items[i].len,
			list.items[i].info, list.items[i].text.ptr);
	*ret_named = list.named_nr;
	rec_name_list_release(&list);
	return rc;
}

static int names_at(const char *text, const uint64_t *hits, size_t nr,
		    char *ret, size_t cap, uint64_t *ret_named)
{
	struct rec_kallsyms source = {
		.fd = memfd_create("kallsyms", MFD_CLOEXEC),
		.copy_fd = -1,
		.modules_fd = -1,
	};
	int rc;

	assert_int_equal(write(source.fd, text, strlen(text)), strlen(text));
	rc = names_of(&source, hits, nr, ret, cap, ret_named);
	rec_kallsyms_close(&source);
	return rc;
}

static void test_kernel_names__lines_around_hits(void **state)
{
	const uint64_t hits[] = { K(0x81000101), K(0x81000290), K(0x810002ff),
				  K(0x81000a00), K(0xc0000250) };
	char text[1000];
	uint64_t named;

	(void)state;
	assert_int_equal(
		names_at(kallsyms, hits, 5, text, sizeof(text), &named), 0);
	/* The last of the kernel and of modules end behind a page, or at the
	 * next of their kind. */
	assert_string_equal(text, "81000000+0 T _stext\n"
				  "81000000+0 T _text\n"
				  "81000100+100 T first\n"
				  "81000200+100 W second_alias\n"
				  "81000900+1700 T last\n"
				  "c0000200+e00 t more\t[made]\n");
	assert_int_equal(named, 5);
}

static void test_kernel_names__of_a_hit_before_the_first(void **state)
{
	const uint64_t hits[] = { 0x1000 };
	char text[1000];
	uint64_t named;

	(void)state;
	assert_int_equal(
		names_at(kallsyms, hits, 1, text, sizeof(text), &named), 0);
	assert_string_equal(text, "81000000+0 T _stext\n"
				  "81000000+0 T _text\n");
	assert_int_equal(named, 0);
}

static void test_kernel_names__that_are_hidden(void **state)
{
	struct rec_kallsyms none = {
		.fd = -1,
		.copy_fd = -1,
		.modules_fd = -1,
	};
	struct rec_name_list list = { .items = NULL };
	const uint64_t hits[] = { K(0x81000101) };
	char text[100];
	uint64_t named;

	(void)state;
	assert_int_equal(names_at("0000000000000000 T _text\n"
				  "0000000000000000 T first\n",
				  hits, 1, text, sizeof(text), &named),
			 -EACCES);
	assert_string_equal(text, "");
	assert_int_equal(rec_kernel_names(&none, hits, 1, &list), -EACCES);
}

static void put_text(int fd, const char *text)
{
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, text, strlen(text), 0), strlen(text));
}

static void assert_named(struct rec_kallsyms *source, const char *name)
{
	const uint64_t hits[] = { K(0x81000101) };
	struct rec_name_list list = { .items = NULL };

	assert_int_equal(rec_kernel_names(source, hits, 1, &list), 0);
	assert_int_equal(list.nr, 1);
	assert_string_equal(list.items[0].text.ptr, name);
	rec_name_list_release(&list);
}

/* The file is read again if the modules are others. */
static void test_kernel_names__of_a_copy(void **state)
{
	struct rec_kallsyms source = {
		.fd = memfd_create("kallsyms", MFD_CLOEXEC),
		.keeps = true,
		.copy_fd = -1,
		.modules_fd = memfd_create("modules", MFD_CLOEXEC),
	};

	(void)state;
	put_text(source.modules_fd, "ext4 800 1 - Live 0xffffffffc0300000\n");
	put_text(source.fd, "ffffffff81000100 T first\n");
	assert_named(&source, "first");
	put_text(source.fd, "ffffffff81000100 T second\n");
	assert_named(&source, "first");
	put_text(source.modules_fd, "ext4 800 2 - Live 0xffffffffc0300000\n");
	assert_named(&source, "first");
	put_text(source.modules_fd, "ext4 800 2 - Live 0xffffffffc0400000\n");
	assert_named(&source, "second");
	put_text(source.fd, "ffffffff81000100 T third\n");
	assert_named(&source, "second");
	put_text(source.modules_fd, "jbd2 800 2 - Live 0xffffffffc0400000\n");
	assert_named(&source, "third");
	rec_kallsyms_close(&source);
}

/* Append lines of one address, ever again of several names, to text. */
static size_t put_lines(char *text, uint64_t addr, unsigned nr,
			const char *module)
{
	size_t len = 0;

	for (unsigned i = 0; i < nr; i++)
		len += (size_t)sprintf(text + len, "%016llx t name_%llx_%u%s\n",
				       (unsigned long long)addr,
				       (unsigned long long)addr, i, module);
	return len;
}

/* Lines of modules stand in any order, some addresses have many names, and all
 * of it takes several blocks of the copy. */
static void test_kernel_names__the_copy_names_as_the_file(void **state)
{
	enum { HIT_NR = 700, TEXT_LEN = 4 << 20 };
	char *text = calloc(2, TEXT_LEN), *got = text + TEXT_LEN;
	char *want = calloc(1, TEXT_LEN);
	struct rec_kallsyms kept = {
		.fd = memfd_create("kallsyms", MFD_CLOEXEC),
		.keeps = true,
		.copy_fd = -1,
		.modules_fd = -1,
	};
	uint64_t hits[HIT_NR], named, kept_named;
	size_t len = 0;

	(void)state;
	len += put_lines(text, K(0x81000000), 1, "");
	len += (size_t)sprintf(text + len, "ffffffff8100ffff T _stext\n");
	for (unsigned i = 1; i < 2000; i++)
		len += put_lines(text + len, K(0x81000000) + i * 64,
				 i % 500 ? 1 : 90, "");
	for (unsigned i = 900; i--;)
		len += put_lines(text + len,
				 K(0xc0000000) + (i * 7 % 900) * 512, 1,
				 "\t[made]");
	put_text(kept.fd, text);
	for (unsigned seed = 1; seed < 40; seed++) {
		uint64_t step = seed * seed * 97;

		for (size_t i = 0; i < HIT_NR; i++)
			hits[i] = K(i < HIT_NR / 2 ? 0x80ffffff : 0xbfffffff) +
				  (i % (HIT_NR / 2)) * step;
		assert_int_equal(
			names_at(text, hits, HIT_NR, want, TEXT_LEN, &named),
			0);
		assert_int_equal(names_of(&kept, hits, HIT_NR, got, TEXT_LEN,
					  &kept_named),
				 0);
		assert_true(kept.copy_fd >= 0);
		assert_string_equal(got, want);
		assert_int_equal(kept_named, named);
	}
	rec_kallsyms_close(&kept);
	free(text);
	free(want);
}

static void test_kernel_names__limits(void **state)
{
	const uint64_t hits[] = { K(0x81000101) };
	char *text = calloc(1, 1 << 20), got[1000];
	size_t len = 0;
	uint64_t named;

	(void)state;
	/* The last of many aliases is the name. */
	for (unsigned i = 0; i < 1000; i++)
		len += (size_t)sprintf(text + len,
				       "ffffffff81000100 T alias%u\n", i);
	assert_int_equal(names_at(text, hits, 1, got, sizeof(got), &named), 0);
	assert_string_equal(got, "81000100+1f00 T alias999\n");
	memset(text, 'f', 1 << 18);
	text[1 << 18] = '\0';
	assert_int_equal(names_at(text, hits, 1, got, sizeof(got), &named),
			 -EFBIG);
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_names__lines_around_hits),
		cmocka_unit_test(test_kernel_names__of_a_hit_before_the_first),
		cmocka_unit_test(test_kernel_names__that_are_hidden),
		cmocka_unit_test(test_kernel_names__of_a_copy),
		cmocka_unit_test(test_kernel_names__the_copy_names_as_the_file),
		cmocka_unit_test(test_kernel_names__limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
