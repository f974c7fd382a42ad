/* symbol_index.h, and elf_names.h with one: what is found is the same. */
#include "record/carry/elf_names.h"

#include "record/base/read_file.h"
#include "record/carry/known_file.h"
#include "tests/unit/record/carry/made_elf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NR = 5000, HITS_MAX = 40, SPACE = 1 << 20, TEXT_LEN = 16 * NR };

#define FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % below;
}

static Elf64_Sym draw_symbol(const Elf64_Sym *before, uint64_t space)
{
	Elf64_Sym sym = { .st_info = FUNC,
			  .st_shndx = 1,
			  .st_value = MADE_ADDR + draw(space),
			  .st_size = draw(4) ? 1 + draw(300) : 0 };

	if (!draw(4))
		sym.st_value = before->st_value;
	if (!draw(200))
		sym.st_size = draw(space);
	if (!draw(8))
		sym.st_info = ELF64_ST_INFO(STB_WEAK, STT_OBJECT);
	return sym;
}

/* A file of NR symbols, in no order. */
static int make_file(uint64_t space)
{
	static const struct made_symbol first = { "first", MADE_ADDR, 1,
						  FUNC,	   0,	      0 };
	struct made_elf *e = calloc(1, sizeof(*e));
	Elf64_Sym *table = calloc(NR, sizeof(*table));
	const size_t at = MADE_SECTIONS_OFF + 2 * sizeof(Elf64_Shdr);
	char *text = calloc(1, TEXT_LEN);
	uint64_t len = space;
	int fd;

	assert_true(e && table && text);
	for (size_t i = 1; i < NR; i++) {
		table[i] = draw_symbol(&table[i - 1], space);
		table[i].st_name = (Elf64_Word)(16 * i);
		snprintf(text + 16 * i, 16, "f%zu", i);
	}
	made_start(e, EM_X86_64);
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, &first, 1);
	made_put(e, at + 24, MADE_LEN + TEXT_LEN, 8);
	made_put(e, at + 32, NR * sizeof(*table), 8);
	made_put(e, at + 64 + 24, MADE_LEN, 8);
	made_put(e, at + 64 + 32, TEXT_LEN, 8);
	fd = made_finish(e);
	assert_int_equal(pwrite(fd, text, TEXT_LEN, MADE_LEN), TEXT_LEN);
	assert_int_equal(
		pwrite(fd, table, NR * sizeof(*table), MADE_LEN + TEXT_LEN),
		NR * sizeof(*table));
	assert_int_equal(pwrite(fd, &len, 8, 0x100 + 32), 8); /* p_filesz */
	free(text);
	free(table);
	free(e);
	return fd;
}

static size_t draw_hits(uint64_t *hits, uint64_t space)
{
	size_t nr = 1 + draw(HITS_MAX);

	hits[0] = MADE_OFF + draw(space / nr);
	for (size_t i = 1; i < nr; i++)
		hits[i] = hits[i - 1] + 1 + draw(space / nr);
	return nr;
}

struct found {
	struct rec_name_list list;
	struct rec_name_span spans[HITS_MAX];
};

static void find(int fd, const struct rec_symbol_index_place *place,
		 const uint64_t *hits, size_t nr, struct found *ret)
{
	struct pd_elf_image elf;
	bool makes = true;
	const struct rec_elf_names_from from = { .mapped = &elf,
						 .symbols = &elf,
						 .place = place,
						 .makes_index = &makes };

	memset(ret, 0, sizeof(*ret));
	assert_int_equal(pd_elf_image_read(rec_read_at(fd), &elf), 0);
	assert_int_equal(rec_elf_names(&from, hits, nr, ret->spans, &ret->list),
			 0);
	assert_true(rec_name_list_sort(&ret->list));
	pd_elf_image_release(&elf);
}

static void compare_names(const struct rec_name_list *a,
			  const struct rec_name_list *b)
{
	assert_int_equal(a->nr, b->nr);
	for (uint32_t i = 0; i < a->nr; i++) {
		assert_int_equal(a->items[i].start, b->items[i].start);
		assert_int_equal(a->items[i].len, b->items[i].len);
		assert_int_equal(a->items[i].info, b->items[i].info);
		assert_string_equal(a->items[i].text.ptr, b->items[i].text.ptr);
	}
}

/* Names that are found with the index are those without. */
static void compare(int fd, const struct rec_symbol_index_place *place,
		    uint64_t space)
{
	static struct found with, without;
	uint64_t hits[HITS_MAX + 1];
	size_t nr = draw_hits(hits, space);

	find(fd, NULL, hits, nr, &without);
	find(fd, place, hits, nr, &with);
	compare_names(&with.list, &without.list);
	assert_int_equal(with.list.named_nr, without.list.named_nr);
	for (size_t i = 0; i < nr; i++) {
		assert_true(with.spans[i].start >= without.spans[i].start);
		assert_true(with.spans[i].end <= without.spans[i].end);
		assert_true(with.spans[i].start <= hits[i]);
		assert_true(with.spans[i].end > hits[i]);
	}
	rec_name_list_release(&with.list);
	rec_name_list_release(&without.list);
}

static char folder[] = "/tmp/perfpair-test-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

/* Count what is in the folder; the last one's name is ret. */
static unsigned list_folder(char *ret, size_t cap)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	unsigned nr = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			snprintf(ret, cap, "%s", entry->d_name);
			nr++;
		}
	closedir(dir);
	return nr;
}

static int tear_down(void **state)
{
	char name[300], path[400];

	(void)state;
	while (list_folder(name, sizeof(name))) {
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		unlink(path);
	}
	return rmdir(folder);
}

static void test_symbol_index__finds_what_the_table_has(void **state)
{
	struct rec_symbol_index_place place = {
		.dir_fd = rec_symbol_index_dir(folder),
	};
	char name[300];

	(void)state;
	assert_true(place.dir_fd >= 0);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t space = i % 3 ? SPACE : SPACE / 256;
		int fd;

		seed = i;
		fd = make_file(space);
		place.key[0] = i;
		for (unsigned j = 0; j < 8; j++)
			compare(fd, &place, space);
		assert_int_equal(list_folder(name, sizeof(name)), i + 1);
		close(fd);
	}
	close(place.dir_fd);
}

static void test_symbol_index__reads_a_part(void **state)
{
	const struct rec_symbol_index_place place = {
		.dir_fd = rec_symbol_index_dir(folder),
		.key = { 0 },
	};
	struct rec_symbol_index index;

	(void)state;
	assert_int_equal(rec_symbol_index_open(&index, &place), 0);
	assert_true(index.block_nr > 30);
	assert_true(index.symbol_nr > NR / 2 && index.symbol_nr < NR);
	rec_symbol_index_close(&index);
	close(place.dir_fd);
}

/* Give the file a build-id of the byte. */
static void put_id(int fd, int byte)
{
	const Elf64_Half phdr_nr = 2;
	const Elf64_Phdr notes = { .p_type = PT_NOTE,
				   .p_offset = 0x3000,
				   .p_filesz = 36,
				   .p_align = 4 };
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[20];
	} note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 0 } };

	memset(note.id, byte, sizeof(note.id));
	assert_int_equal(pwrite(fd, &phdr_nr, 2, 56), 2); /* e_phnum */
	assert_int_equal(
		pwrite(fd, &notes, sizeof(notes), 0x100 + sizeof(notes)),
		sizeof(notes));
	assert_int_equal(pwrite(fd, &note, sizeof(note), 0x3000), 36);
}

/* Read it for the fourth time, after an image of equal numbers. */
static void read_fourth(int fd, int dir_fd, uint64_t *index_until_ns)
{
	struct rec_known_limits limits = { .names_len = 1 << 20,
					   .packed_len = 1 << 20,
					   .until_ns = UINT64_MAX,
					   .index_until_ns = *index_until_ns };
	struct rec_known_file file = { .dev = 7,
				       .ino = 2,
				       .len = 3,
				       .index_fd = dir_fd,
				       .names.budget = &limits.names_len,
				       .read_nr = 3 };
	uint64_t hits[HITS_MAX + 1];
	struct rec_known_wish wish = { .hits = hits, .has_names = true };
	static struct found without;

	wish.nr = draw_hits(hits, SPACE);
	find(fd, NULL, hits, wish.nr, &without);
	assert_int_equal(rec_known_file_read(&file, &limits, fd, &wish), 0);
	compare_names(&file.names, &without.list);
	rec_name_list_release(&without.list);
	rec_known_file_release(&file, &limits);
	*index_until_ns = limits.index_until_ns;
}

static void test_symbol_index__is_of_one_build_id(void **state)
{
	int dir_fd = rec_symbol_index_dir(folder);
	char name[300];
	unsigned nr = list_folder(name, sizeof(name));

	(void)state;
	for (int i = 0; i < 3; i++) {
		uint64_t until_ns = UINT64_MAX;
		int fd;

		seed = 1000 + (uint64_t)i;
		fd = make_file(SPACE);
		if (i) /* there is no index of the first */
			put_id(fd, i);
		read_fourth(fd, dir_fd, &until_ns);
		read_fourth(fd, dir_fd, &until_ns);
		assert_int_equal(list_folder(name, sizeof(name)),
				 nr + (unsigned)i);
		close(fd);
	}
	close(dir_fd);
}

/* One at a time, and only while there is time. */
static void test_symbol_index__few_are_made_at_once(void **state)
{
	uint64_t until_ns[] = { 0, 1, UINT64_MAX };
	static const unsigned more[] = { 0, 0, 1 };
	int dir_fd = rec_symbol_index_dir(folder);
	char name[300];
	unsigned nr = list_folder(name, sizeof(name));

	(void)state;
	for (int i = 0; i < 6; i++) {
		int fd;

		seed = 2000;
		fd = make_file(SPACE);
		put_id(fd, 100 + i);
		read_fourth(fd, dir_fd, &until_ns[i / 2]);
		close(fd);
		assert_int_equal(list_folder(name, sizeof(name)),
				 nr + more[i / 2]);
	}
	close(dir_fd);
}

static int open_file(const char *name)
{
	char path[400];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

/* The only file in the folder. */
static int open_index(char *ret_name, size_t cap)
{
	assert_int_equal(list_folder(ret_name, cap), 1);
	return open_file(ret_name);
}

/* A damaged one is left out, and made anew. */
static void test_symbol_index__damage_changes_no_name(void **state)
{
	char name[300];
	struct stat st;
	int fd;

	tear_down(state);
	assert_int_equal(mkdir(folder, 0700), 0);
	seed = 1;
	fd = make_file(SPACE);
	for (unsigned i = 0; i < 96; i++) {
		const struct rec_symbol_index_place at = {
			.dir_fd = rec_symbol_index_dir(folder),
			.key = { 100 },
		};
		uint8_t byte;
		off_t off;
		int bad;

		compare(fd, &at, SPACE);
		if (!list_folder(name, sizeof(name)))
			compare(fd, &at, SPACE);
		bad = open_index(name, sizeof(name));
		assert_int_equal(fstat(bad, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		off = (off_t)draw((uint64_t)(i % 2 ? 2000 : st.st_size));
		if (i % 8) {
			assert_int_equal(pread(bad, &byte, 1, off), 1);
			byte ^= (uint8_t)(1 + draw(255));
			assert_int_equal(pwrite(bad, &byte, 1, off), 1);
		} else {
			assert_int_equal(ftruncate(bad, off), 0);
		}
		close(bad);
		compare(fd, &at, SPACE);
		close(at.dir_fd);
	}
	close(fd);
}

static void test_symbol_index__the_oldest_give_way(void **state)
{
	static const char *const names[] = { "0123456789abcdef.symbols",
					     "0123456789abcdee.symbols.12",
					     "0123456789abcded.symbols",
					     "of others" };
	struct rec_symbol_index_place place = { .key = { 200 } };
	char path[400];
	int fd;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct timespec times[2] = { { .tv_sec = 1 + (long)i },
						   { .tv_sec = 1 + (long)i } };

		fd = open_file(names[i]);
		assert_int_equal(ftruncate(fd, (off_t)12 << 20), 0);
		assert_int_equal(futimens(fd, times), 0);
		close(fd);
	}
	place.dir_fd = rec_symbol_index_dir(folder);
	seed = 2;
	fd = make_file(SPACE);
	compare(fd, &place, SPACE);
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		assert_int_equal(access(path, F_OK) == 0, i >= 1);
	}
	close(fd);
	close(place.dir_fd);
}

static void test_symbol_index__what_others_may_write_is_not_used(void **state)
{
	struct rec_symbol_index_place place = {
		.dir_fd = rec_symbol_index_dir(folder),
		.key = { 200 },
	};
	struct rec_symbol_index index;
	char name[64];

	(void)state;
	assert_int_equal(rec_symbol_index_open(&index, &place), 0);
	assert_int_equal(fchmod(index.fd, 0620), 0);
	rec_symbol_index_close(&index);
	assert_int_equal(rec_symbol_index_open(&index, &place), -EPERM);
	close(place.dir_fd);
	assert_int_equal(chmod(folder, 0770), 0);
	assert_int_equal(rec_symbol_index_dir(folder), -EPERM);
	assert_int_equal(chmod(folder, 0700), 0);
	snprintf(name, sizeof(name), "%s/of others", folder);
	assert_int_equal(rec_symbol_index_dir(name), -ENOTDIR);
	snprintf(name, sizeof(name), "%s/a link", folder);
	assert_int_equal(symlink(folder, name), 0);
	assert_int_equal(rec_symbol_index_dir(name), -ENOTDIR);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbol_index__finds_what_the_table_has),
		cmocka_unit_test(test_symbol_index__reads_a_part),
		cmocka_unit_test(test_symbol_index__is_of_one_build_id),
		cmocka_unit_test(test_symbol_index__few_are_made_at_once),
		cmocka_unit_test(test_symbol_index__damage_changes_no_name),
		cmocka_unit_test(test_symbol_index__the_oldest_give_way),
		cmocka_unit_test(
			test_symbol_index__what_others_may_write_is_not_used),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
