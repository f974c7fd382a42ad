/* elf_image.h, elf_names.h and elf_plt.h: what is taken of ELF files, good and
 * bad. */
#include "record/carry/elf_names.h"

#include "record/base/read_file.h"
#include "tests/unit/record/carry/made_elf.h"

#include <stdio.h>
#include <time.h>

#define FUNC   ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define NOTYPE ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)

/* Read the names around hits, as "start+len name\n" each. */
static int names_at(int fd, const uint64_t *hits, size_t nr, char *ret,
		    size_t cap, uint64_t *ret_named)
{
	struct rec_name_list list = { .items = NULL };
	struct pd_elf_image elf;
	const struct rec_elf_names_from from = { .mapped = &elf,
						 .symbols = &elf };
	size_t len = 0;
	int rc = pd_elf_image_read(rec_read_at(fd), &elf);

	*ret = '\0';
	if (rc)
		return rc;
	rc = rec_elf_names(&from, hits, nr, NULL, &list);
	assert_true(rec_name_list_sort(&list));
	for (uint32_t i = 0; i < list.nr && len + 100 < cap; i++)
		len += (size_t)snprintf(
			ret + len, cap - len, "%llx+%llx %.60s%s\n",
			(unsigned long long)list.items[i].start,
			(unsigned long long)list.items[i].len,
			list.items[i].text.ptr,
			list.items[i].source == PD_CARRIED_PLT ? "@plt" : "");
	if (ret_named)
		*ret_named = list.named_nr;
	rec_name_list_release(&list);
	pd_elf_image_release(&elf);
	return rc;
}

static struct made_elf *new_elf(bool is_32, bool is_big)
{
	struct made_elf *e = calloc(1, sizeof(*e));

	assert_non_null(e);
	e->is_32 = is_32;
	e->is_big = is_big;
	made_start(e, EM_X86_64);
	return e;
}

static const struct made_symbol syms[] = {
	{ "before", 0x401000, 0x10, FUNC, 0, 0 },
	{ "main", 0x401100, 0x40, FUNC, 0, 0 },
	{ "alias", 0x401100, 0x40, FUNC, 0, 0 },
	{ "undefined", 0x401100, 0x40, FUNC, SHN_ABS, 0 },
	{ "hidden_label", 0x401108, 0, NOTYPE, 0, STV_HIDDEN },
	{ "no_size", 0x401200, 0, FUNC, 0, 0 },
	{ "outer", 0x401300, 0x100, FUNC, 0, 0 },
	{ "inner", 0x401320, 0x10, FUNC, 0, 0 },
	{ "past", 0x401500, 0x10, FUNC, 0, 0 },
	{ "", 0x401340, 0x10, FUNC, 0, 0 },
};

static void test_elf_names__all_that_a_reader_could_choose(void **state)
{
	static const uint64_t hits[] = { 0x1110, 0x1250, 0x1350, 0x14f0 };
	char text[1000];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct made_elf *e = new_elf(i & 1, i & 2);
		uint64_t named;
		int fd;

		made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, syms,
			     sizeof(syms) / sizeof(syms[0]));
		fd = made_finish(e);
		assert_int_equal(
			names_at(fd, hits, 4, text, sizeof(text), &named), 0);
		assert_string_equal(text, "1100+40 main\n1100+40 alias\n"
					  "1200+100 no_size\n1300+100 outer\n"
					  "1320+10 inner\n");
		/* 0x14f0 lies in none */
		assert_int_equal(named, 3);
		close(fd);
		free(e);
	}
}

/* A second pass over a long table is not needed for few hits, unless something
 * else reaches over a hit, or has many names. */
static void test_elf_names__few_hits_in_a_long_table(void **state)
{
	enum { NR = sizeof(syms) / sizeof(syms[0]), MORE = 400, ALIASES = 6 };
	static const uint64_t hits[] = { 0x1110, 0x1250, 0x14f0, 0x1604 };
	static const uint64_t reached[] = { 0x1110, 0x1350 };
	static char names[ALIASES][3];
	struct made_symbol all[NR + MORE + ALIASES];
	struct made_elf *e = new_elf(false, false);
	char text[1000];
	int fd;

	(void)state;
	memcpy(all, syms, sizeof(syms));
	for (unsigned i = 0; i < MORE; i++)
		all[NR + i] = (struct made_symbol){ "more", 0x401700 + 4 * i,
						    4,	    FUNC,
						    0,	    0 };
	for (unsigned i = 0; i < ALIASES; i++) {
		snprintf(names[i], sizeof(names[i]), "a%u", i);
		all[NR + MORE + i] =
			(struct made_symbol){ names[i], 0x401600, 0x10,
					      FUNC,	0,	  0 };
	}
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, all, NR + MORE + ALIASES);
	fd = made_finish(e);
	assert_int_equal(names_at(fd, hits, 3, text, sizeof(text), NULL), 0);
	assert_string_equal(text, "1100+40 main\n1100+40 alias\n"
				  "1200+100 no_size\n1320+10 inner\n");
	assert_int_equal(names_at(fd, hits, 4, text, sizeof(text), NULL), 0);
	assert_string_equal(text,
			    "1100+40 main\n1100+40 alias\n"
			    "1200+100 no_size\n1320+10 inner\n"
			    "1600+10 a0\n1600+10 a1\n1600+10 a2\n1600+10 a3\n"
			    "1600+10 a4\n1600+10 a5\n");
	assert_int_equal(names_at(fd, reached, 2, text, sizeof(text), NULL), 0);
	assert_string_equal(text, "1100+40 main\n1100+40 alias\n"
				  "1300+100 outer\n1320+10 inner\n");
	close(fd);
	free(e);
}

static void test_elf_names__the_last_without_size_ends_at_a_page(void **state)
{
	static const struct made_symbol last[] = {
		{ "last", 0x401810, 0, FUNC, 0, 0 },
	};
	const uint64_t hit = 0x1900;
	struct made_elf *e = new_elf(false, false);
	char text[200];
	int fd;

	(void)state;
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, last, 1);
	fd = made_finish(e);
	assert_int_equal(names_at(fd, &hit, 1, text, sizeof(text), NULL), 0);
	assert_string_equal(text, "1810+17f0 last\n");
	close(fd);
	free(e);
}

/* Whoever makes a file chooses how long its names are.  The best one goes
 * first, then aliases as far as there is room; one that is too long is left
 * out. */
static void test_elf_names__take_a_share(void **state)
{
	enum { NR = 12, LONG = 2000 };
	static char names[NR][LONG + 1];
	struct made_symbol many[NR + 2];
	const uint64_t hit = 0x1110;
	struct made_elf *e = new_elf(false, false);
	char text[8000];
	int fd, rc;

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		memset(names[i], 'a' + (int)i, LONG);
		many[i] = (struct made_symbol){
			names[i], 0x401100,
			0x40,	  ELF64_ST_INFO(STB_WEAK, STT_FUNC),
			0,	  0
		};
	}
	many[NR] = (struct made_symbol){ "best", 0x401100, 0x40, FUNC, 0, 0 };
	many[NR + 1] =
		(struct made_symbol){ "next", 0x401100, 0x40, FUNC, 0, 0 };
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, many, NR + 2);
	fd = made_finish(e);
	rc = names_at(fd, &hit, 1, text, sizeof(text), NULL);
	assert_int_equal(rc, 0);
	assert_memory_equal(text, "1100+40 best\n1100+40 aaaa", 24);
	assert_non_null(strstr(text, "hhhh"));
	assert_null(strstr(text, "iiii")); /* 17 KiB are full */
	assert_non_null(strstr(text, "next"));
	close(fd);
	free(e);
}

/* A PLT of three slots behind its header, at 0x1600, whose section says that a
 * slot is entry_len long. */
static void add_plt(struct made_elf *e, uint64_t entry_len)
{
	static const struct made_symbol called[] = {
		{ "open", 0, 0, FUNC, 0, 0 },
		{ "read", 0, 0, FUNC, 0, 0 },
	};
	uint16_t dynsym = made_symbols(e, MADE_DYNSYM, SHT_DYNSYM, called, 2);
	size_t at = e->end + 8, start = at;

	for (unsigned i = 0; i < 3; i++) {
		made_field(e, &at, 0, 0x403000 + 8 * i);
		made_field(e, &at, 0, (uint64_t)(i + 1) << (e->is_32 ? 8 : 32));
		made_field(e, &at, 0, 0);
	}
	made_section(e, MADE_RELA_PLT, SHT_RELA, 0, start, at - start, dynsym,
		     e->is_32 ? 12 : 24);
	made_section(e, MADE_PLT, SHT_PROGBITS, 0x401600, 0x1600, 64, 0,
		     entry_len);
	e->end = (uint32_t)at;
}

/* lld says that a slot has no length. */
static void test_elf_plt__slots_have_the_names_of_what_they_call(void **state)
{
	/* header; both slots; a relocation of a symbol that is not there */
	static const uint64_t hits[] = { 0x1604, 0x1610, 0x1628,
					 0x162c, 0x1630, 0x1650 };
	static const uint64_t entry_lens[] = { 16, 0 };
	char text[300];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct made_elf *e = new_elf(false, false);
		int fd;

		add_plt(e, entry_lens[i]);
		made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, syms, 2);
		fd = made_finish(e);
		assert_int_equal(
			names_at(fd, hits, 6, text, sizeof(text), NULL), 0);
		assert_non_null(
			strstr(text, "1610+10 open@plt\n1620+10 read@plt\n"));
		assert_null(strstr(text, "1630"));
		close(fd);
		free(e);
	}
}

/* As _init, which has no size and whose next symbol is _start. */
static void test_elf_plt__a_symbol_before_ends_behind_the_first(void **state)
{
	static const struct made_symbol around[] = {
		{ "_init", 0x401500, 0, FUNC, 0, 0 },
		{ "_start", 0x401700, 0x20, FUNC, 0, 0 },
	};
	static const uint64_t hits[] = { 0x1504, 0x1660 };
	struct made_elf *e = new_elf(false, false);
	char text[300];
	int fd;

	(void)state;
	add_plt(e, 16);
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, around, 2);
	fd = made_finish(e);
	assert_int_equal(names_at(fd, hits, 2, text, sizeof(text), NULL), 0);
	assert_string_equal(text, "1500+120 _init\n");
	close(fd);
	free(e);
}

/* Every byte of the headers and tables takes on two bad values: nothing crashes
 * and no name is out of range. */
static void test_elf_names__damage_costs_names_only(void **state)
{
	static const uint64_t hits[] = { 0x1110, 0x1250, 0x1610 };
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct made_elf *e = new_elf(false, false);
	char text[2000];
	uint32_t end;
	int fd;

	(void)state;
	add_plt(e, 16);
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, syms, 8);
	fd = made_finish(e);
	end = MADE_SECTIONS_OFF + e->section_nr * 64U;
	for (uint32_t i = 0; i < end; i++) {
		if (i == 0x140)
			i = 0x2000;
		if (i == e->end)
			i = 0x3f00;
		assert_int_equal(pwrite(fd, &values[i % sizeof(values)], 1, i),
				 1);
		names_at(fd, hits, 3, text, sizeof(text), NULL);
		assert_int_equal(pwrite(fd, &e->data[i], 1, i), 1);
	}
	for (off_t len = 0; len < end; len += 61) {
		assert_int_equal(ftruncate(fd, end - len), 0);
		names_at(fd, hits, 3, text, sizeof(text), NULL);
	}
	close(fd);
	free(e);
}

static void test_elf_image__what_is_none(void **state)
{
	struct made_elf *e = new_elf(false, false);
	char text[100];
	int fd = made_finish(e);

	(void)state;
	assert_int_equal(names_at(fd, NULL, 0, text, sizeof(text), NULL), 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	assert_int_equal(names_at(fd, NULL, 0, text, sizeof(text), NULL),
			 -EBADMSG);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(names_at(fd, NULL, 0, text, sizeof(text), NULL),
			 -EBADMSG);
	close(fd);
	free(e);
}

/* Numbers that do not fit the header stand in the first section. */
static void test_elf_image__more_sections_than_the_header_counts(void **state)
{
	struct made_elf *e = new_elf(false, false);
	const uint64_t hit = 0x1110;
	char text[200];
	int fd;

	(void)state;
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, syms, 2);
	fd = made_finish(e);
	made_put(e, MADE_SECTIONS_OFF + 32, e->section_nr, 8);
	made_put(e, MADE_SECTIONS_OFF + 40, e->data[62], 4);
	made_put(e, 60, 0, 2);
	made_put(e, 62, SHN_XINDEX, 2);
	assert_int_equal(pwrite(fd, e->data, MADE_LEN, 0), MADE_LEN);
	assert_int_equal(names_at(fd, &hit, 1, text, sizeof(text), NULL), 0);
	assert_string_equal(text, "1100+40 main\n");
	made_put(e, MADE_SECTIONS_OFF + 32, 0x2000000, 8);
	assert_int_equal(pwrite(fd, e->data, MADE_LEN, 0), MADE_LEN);
	assert_int_equal(names_at(fd, &hit, 1, text, sizeof(text), NULL),
			 -EFBIG);
	close(fd);
	free(e);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A file of a terabyte of holes says that all of it is its symbol table. */
static void test_elf_names__a_table_of_any_length(void **state)
{
	const uint64_t hit = 0x1110;
	struct made_elf *e = new_elf(false, false);
	double start = cpu_seconds();
	size_t entry = MADE_SECTIONS_OFF + 2 * sizeof(Elf64_Shdr);
	char text[100];
	int fd;

	(void)state;
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, syms, 2);
	made_put(e, entry + 32, (uint64_t)1 << 40, 8);
	fd = made_finish(e);
	assert_int_equal(ftruncate(fd, (off_t)1 << 41), 0);
	assert_int_equal(names_at(fd, &hit, 1, text, sizeof(text), NULL),
			 -EFBIG);
	assert_true(cpu_seconds() - start < 1);
	close(fd);
	free(e);
}

/* As many aliases as count, each with a name of 60 KB that is the same text,
 * and as many hits: neither takes memory or time without bound. */
static void test_elf_names__aliases_without_number(void **state)
{
	enum { NR = 400000, HITS = 20000, TEXT_LEN = 60000 };
	struct made_elf *e = new_elf(false, false);
	size_t at = MADE_SECTIONS_OFF + 2 * sizeof(Elf64_Shdr);
	Elf64_Sym *table = calloc(NR, sizeof(*table));
	char *text = malloc(TEXT_LEN);
	uint64_t *hits = calloc(HITS, sizeof(*hits));
	size_t budget = 1 << 20;
	struct rec_name_list list = { .budget = &budget };
	double start = cpu_seconds();
	struct pd_elf_image elf;
	const struct rec_elf_names_from from = { .mapped = &elf,
						 .symbols = &elf };
	int fd;

	(void)state;
	assert_true(table && text && hits);
	memset(text, 'a', TEXT_LEN - 1);
	text[TEXT_LEN - 1] = '\0';
	for (size_t i = 0; i < NR; i++)
		table[i] = (Elf64_Sym){ .st_name = 1,
					.st_info = FUNC,
					.st_shndx = 1,
					.st_value = 0x401100,
					.st_size = 0xe00 };
	for (size_t i = 0; i < HITS; i++)
		hits[i] = 0x1100 + i % 0xe00;
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, syms, 1);
	made_put(e, at + 24, MADE_LEN + TEXT_LEN, 8);
	made_put(e, at + 32, NR * sizeof(*table), 8);
	made_put(e, at + 64 + 24, MADE_LEN, 8);
	made_put(e, at + 64 + 32, TEXT_LEN, 8);
	fd = made_finish(e);
	assert_int_equal(pwrite(fd, text, TEXT_LEN, MADE_LEN), TEXT_LEN);
	assert_int_equal(
		pwrite(fd, table, NR * sizeof(*table), MADE_LEN + TEXT_LEN),
		NR * sizeof(*table));
	assert_int_equal(pd_elf_image_read(rec_read_at(fd), &elf), 0);
	assert_int_equal(rec_elf_names(&from, hits, HITS, NULL, &list),
			 -ENOMEM);
	assert_true(list.nr < 20);
	assert_true(cpu_seconds() - start < 5);
	rec_name_list_release(&list);
	pd_elf_image_release(&elf);
	close(fd);
	free(hits);
	free(text);
	free(table);
	free(e);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_elf_names__all_that_a_reader_could_choose),
		cmocka_unit_test(
			test_elf_names__the_last_without_size_ends_at_a_page),
		cmocka_unit_test(test_elf_names__few_hits_in_a_long_table),
		cmocka_unit_test(
			test_elf_plt__slots_have_the_names_of_what_they_call),
		cmocka_unit_test(
			test_elf_plt__a_symbol_before_ends_behind_the_first),
		cmocka_unit_test(test_elf_names__damage_costs_names_only),
		cmocka_unit_test(test_elf_image__what_is_none),
		cmocka_unit_test(
			test_elf_image__more_sections_than_the_header_counts),
		cmocka_unit_test(test_elf_names__a_table_of_any_length),
		cmocka_unit_test(test_elf_names__aliases_without_number),
		cmocka_unit_test(test_elf_names__take_a_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
