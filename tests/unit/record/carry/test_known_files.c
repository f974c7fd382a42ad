/* Names that are known from before are those that the file gives. */
#include "record/carry/known_files.h"

#include "record/carry/carry.h"
#include "tests/unit/record/carry/made_elf.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#define FUNC ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)

enum { ROUNDS = 50, HITS = 6 };

/* A file, and what was hit in it in one recording. */
struct hit {
	struct rec_hits hits;
	struct rec_hit_file file;
	size_t budget;
};

static struct rec_known_files *new_table(void)
{
	const struct rec_known_conf conf = { .what = REC_CARRY_NAMES,
					     .memory_len = REC_CARRY_MEMORY_LEN,
					     .from = { .proc_fd = -1 },
					     .look_cpu_ns = 1000000000,
					     .index_fd = -1 };
	struct rec_known_files *known = rec_known_files_new(&conf);

	assert_non_null(known);
	known->limits.until_ns = UINT64_MAX;
	return known;
}

static void begin(struct hit *hit, char *path)
{
	*hit = (struct hit){ .file.path = path, .budget = 1 << 20 };
}

static void add(struct hit *hit, uint64_t addr)
{
	assert_true(rec_hit_set_add(&hit->file.hits, addr, &hit->budget));
}

static void end(struct hit *hit, struct rec_known_files *known)
{
	rec_hit_set_release(&hit->file.hits);
	rec_known_files_next(known);
}

/* Find the names and print them. */
static int print(struct hit *hit, struct rec_known_files *known, char *ret,
		 size_t cap)
{
	uint64_t *hits = rec_hit_set_list(&hit->file.hits), named = 0;
	int rc = rec_known_files_find(known, &hit->hits, &hit->file);
	struct pd_carried_name *names;
	size_t len = 0;
	uint32_t nr;

	*ret = '\0';
	assert_non_null(hit->file.names);
	if (hit->file.names->known) {
		assert_int_equal(rec_known_file_names(hit->file.names->known,
						      hits, hit->file.hits.nr,
						      &names, &nr, &named),
				 0);
		for (uint32_t i = 0; i < nr && len + 200 < cap; i++)
			len += (size_t)snprintf(
				ret + len, cap - len, "%llx+%llx %d %.60s\n",
				(unsigned long long)names[i].start,
				(unsigned long long)names[i].len,
				names[i].source, names[i].text.ptr);
		free(names);
	}
	free(hits);
	return rc;
}

static const struct made_symbol syms[] = {
	{ "main", 0x401100, 0x40, FUNC, 0, 0 },
	{ "alias", 0x401100, 0x40, FUNC, 0, 0 },
	{ "no_size", 0x401200, 0, FUNC, 0, 0 },
	{ "outer", 0x401300, 0x100, FUNC, 0, 0 },
	{ "inner", 0x401320, 0x10, FUNC, 0, 0 },
	{ "past", 0x401500, 0x10, FUNC, 0, 0 },
	{ "over_slots", 0x401580, 0x300, FUNC, 0, 0 },
	{ "last", 0x4019f0, 0, FUNC, 0, 0 },
};

/* A PLT of two slots behind its header, at 0x1600. */
static void add_plt(struct made_elf *e)
{
	static const struct made_symbol called[] = {
		{ "open", 0, 0, FUNC, 0, 0 },
		{ "read", 0, 0, FUNC, 0, 0 },
	};
	uint16_t dynsym = made_symbols(e, MADE_DYNSYM, SHT_DYNSYM, called, 2);
	size_t at = e->end + 8, start = at;

	for (unsigned i = 0; i < 2; i++) {
		made_field(e, &at, 0, 0x403000 + 8 * i);
		made_field(e, &at, 0, (uint64_t)(i + 1) << 32);
		made_field(e, &at, 0, 0);
	}
	made_section(e, MADE_RELA_PLT, SHT_RELA, 0, start, at - start, dynsym,
		     24);
	made_section(e, MADE_PLT, SHT_PROGBITS, 0x401600, 0x1600, 48, 0, 16);
	e->end = (uint32_t)at;
}

/* Bytes that stand for a note at 0x3000. */
static const struct {
	Elf64_Nhdr head;
	char name[4];
	uint8_t id[20];
} note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 1 } };

static int new_file(const struct made_symbol *list, size_t nr)
{
	struct made_elf *e = calloc(1, sizeof(*e));
	int fd;

	assert_non_null(e);
	made_start(e, EM_X86_64);
	made_symbols(e, MADE_SYMTAB, SHT_SYMTAB, list, nr);
	add_plt(e);
	fd = made_finish(e);
	free(e);
	return fd;
}

static void assert_same_names(char *path, uint64_t start, uint64_t len)
{
	static char text[1 << 16], expected[1 << 16];
	struct rec_known_files *known = new_table();
	unsigned seed = 7, read_nr = 0;
	struct hit hit, other;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct rec_known_files *fresh = new_table();

		begin(&hit, path);
		begin(&other, path);
		for (unsigned i = 0; i < HITS; i++) {
			uint64_t addr = start + (uint64_t)rand_r(&seed) % len;

			add(&hit, addr);
			add(&other, addr);
			/* found in two steps */
			if (i == HITS / 2)
				assert_int_equal(
					print(&hit, known, text, sizeof(text)),
					0);
		}
		read_nr += known->files[0]->spans.nr > 0;
		assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
		assert_int_equal(
			print(&other, fresh, expected, sizeof(expected)), 0);
		assert_string_equal(text, expected);
		end(&hit, known);
		end(&other, fresh);
		rec_known_files_free(fresh);
	}
	assert_int_equal(read_nr, ROUNDS);
	rec_known_files_free(known);
}

static void test_known_files__names_are_those_of_the_file(void **state)
{
	int fd = new_file(syms, sizeof(syms) / sizeof(syms[0]));
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_same_names(path, 0x1000, 0x1000);
	close(fd);
}

static void test_known_files__of_a_program_too(void **state)
{
	char path[] = "/proc/self/exe";

	(void)state;
	assert_same_names(path, 0x1000, 0x8000);
}

/* This program, with symbols of four bytes for a third of its functions: the
 * rest has bounds alone. */
static void test_known_files__of_functions_with_bounds(void **state)
{
	int exe = open("/proc/self/exe", O_RDONLY);
	int fd = memfd_create("bounds", MFD_CLOEXEC);
	off_t len = lseek(exe, 0, SEEK_END);
	char *text, path[64];
	ElfW(Ehdr) * head;
	ElfW(Shdr) * sections;

	(void)state;
	assert_int_equal(ftruncate(fd, len), 0);
	text = mmap(NULL, (size_t)len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	assert_true(text != MAP_FAILED);
	assert_int_equal(pread(exe, text, (size_t)len, 0), len);
	close(exe);
	head = (void *)text;
	sections = (void *)(text + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++) {
		ElfW(Sym) *sym = (void *)(text + sections[i].sh_offset);

		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t n = 0; n < sections[i].sh_size / sizeof(*sym); n++)
			if (n % 3)
				sym[n].st_shndx = SHN_UNDEF;
			else if (sym[n].st_size > 4)
				sym[n].st_size = 4;
	}
	munmap(text, (size_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_same_names(path, 0x1000, 0x8000);
	close(fd);
}

/* Nothing is read if all is known: the file is not even there. */
static void test_known_files__what_is_known_outlives_the_file(void **state)
{
	int fd = new_file(syms, sizeof(syms) / sizeof(syms[0]));
	struct rec_known_files *known = new_table();
	char path[64], gone[] = "/nowhere", text[4096];
	struct hit hit;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	begin(&hit, path);
	add(&hit, 0x1310);
	assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
	hit.file.path = gone;
	add(&hit, 0x1311);
	assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
	assert_string_equal(text, "1300+100 0 outer\n");
	add(&hit, 0x1321);
	assert_int_equal(print(&hit, known, text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "1300+100 0 outer\n");
	end(&hit, known);
	rec_known_files_free(known);
	close(fd);
}

/* A file that a quiet minute did not hit may be hit in the next one. */
static void test_known_files__sixteen_recordings_keep_a_file(void **state)
{
	int fd = new_file(syms, sizeof(syms) / sizeof(syms[0]));
	struct rec_known_files *known = new_table();
	char path[64], text[4096];
	struct hit hit;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	begin(&hit, path);
	add(&hit, 0x1310);
	assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
	end(&hit, known);
	for (int i = 1; i < 16; i++)
		rec_known_files_next(known);
	assert_int_equal(known->nr, 1);
	rec_known_files_next(known);
	assert_int_equal(known->nr, 0);
	rec_known_files_free(known);
	close(fd);
}

/* If names are long, those that are used stay. */
static void test_known_files__what_is_used_least_goes_first(void **state)
{
	int fds[2] = { new_file(syms, sizeof(syms) / sizeof(syms[0])),
		       new_file(syms, sizeof(syms) / sizeof(syms[0])) };
	struct rec_known_files *known = new_table();
	char path[64], text[4096];
	struct hit hit;

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[i == 1]);
		begin(&hit, path);
		add(&hit, 0x1310);
		assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
		if (i == 2)
			known->conf.memory_len =
				2 * known->limits.names_len + 64;
		end(&hit, known);
	}
	assert_int_equal(known->nr, 1);
	assert_int_equal(known->files[0]->used_at, 2);
	rec_known_files_free(known);
	close(fds[0]);
	close(fds[1]);
}

/* The same inode with other contents is another file. */
static void
test_known_files__one_that_was_overwritten_is_read_anew(void **state)
{
	static const struct made_symbol others[] = {
		{ "other", 0x401300, 0x100, FUNC, 0, 0 },
	};
	int fd = new_file(syms, sizeof(syms) / sizeof(syms[0]));
	int other_fd = new_file(others, 1);
	struct rec_known_files *known = new_table();
	static char bytes[MADE_LEN];
	char path[64], text[4096];
	struct hit hit;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	begin(&hit, path);
	add(&hit, 0x1310);
	assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
	assert_string_equal(text, "1300+100 0 outer\n");
	end(&hit, known);
	/* a clock tick later */
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	assert_int_equal(pread(other_fd, bytes, MADE_LEN, 0), MADE_LEN);
	assert_int_equal(pwrite(fd, bytes, MADE_LEN, 0), MADE_LEN);
	begin(&hit, path);
	add(&hit, 0x1310);
	assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
	assert_string_equal(text, "1300+100 0 other\n");
	end(&hit, known);
	rec_known_files_free(known);
	close(fd);
	close(other_fd);
}

static bool is_over(const void *ctx)
{
	(void)ctx;
	return false;
}

/* A thread that loses its CPU has no time left: the file is read later. */
static void test_known_files__a_look_without_time_comes_again(void **state)
{
	int fd = new_file(syms, sizeof(syms) / sizeof(syms[0]));
	struct rec_known_files *known = new_table();
	char path[64];
	struct hit hit;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	begin(&hit, path);
	add(&hit, 0x1310);
	hit.hits.spaces.files = &hit.file;
	hit.hits.spaces.file_nr = 1;
	known->conf.look_cpu_ns = 1;
	rec_known_files_look(known, &hit.hits, 1, is_over, NULL);
	assert_null(hit.file.names->known);
	known->conf.look_cpu_ns = 1000000000;
	rec_known_files_look(known, &hit.hits, 2, is_over, NULL);
	assert_non_null(hit.file.names->known);
	assert_int_equal(hit.file.names->known->names.nr, 1);
	end(&hit, known);
	rec_known_files_free(known);
	close(fd);
}

/* Without generations of inodes, a record may stand for the next file, too. */
static void test_known_files__a_record_may_stand_for_two_files(void **state)
{
	int fd = new_file(syms, sizeof(syms) / sizeof(syms[0]));
	struct rec_known_files *known = new_table();
	char path[64], text[4096];
	struct stat st;
	struct hit hit;

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(fstat(fd, &st), 0);
	for (unsigned generation = 0; generation < 2; generation++) {
		begin(&hit, path);
		hit.file.key = (struct pd_file_key){
			.maj = major(st.st_dev),
			.min = minor(st.st_dev),
			.ino = st.st_ino,
			.ino_generation = generation,
		};
		add(&hit, 0x1310);
		assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
		assert_int_equal(futimens(fd, NULL), 0);
		rec_known_files_identify(known, &hit.file);
		assert_int_equal(hit.file.names->is_torn, !generation);
		end(&hit, known);
	}
	rec_known_files_free(known);
	close(fd);
}

/* The next image of a device may have all numbers of the one before. */
static void test_known_files__another_build_id_is_another_file(void **state)
{
	const Elf64_Phdr notes = { .p_type = PT_NOTE,
				   .p_offset = 0x3000,
				   .p_filesz = sizeof(note) };
	int fd = new_file(syms, sizeof(syms) / sizeof(syms[0]));
	struct rec_known_files *known = new_table();
	char path[64], text[4096];
	struct hit hit;

	(void)state;
	/* in the place of what is loaded */
	assert_int_equal(pwrite(fd, &notes, sizeof(notes), 0x100),
			 sizeof(notes));
	assert_int_equal(pwrite(fd, &note, sizeof(note), 0x3000), sizeof(note));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t nr = 1; nr < 4; nr++) {
		begin(&hit, path);
		add(&hit, 0x1310);
		assert_int_equal(print(&hit, known, text, sizeof(text)), 0);
		assert_int_equal(known->nr, nr < 3 ? 1 : 2);
		assert_int_equal(hit.file.names->known->head.build_id[0], 1);
		known->files[0]->head.build_id[0] = nr < 2 ? 1 : 2;
		end(&hit, known);
	}
	rec_known_files_free(known);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_files__names_are_those_of_the_file),
		cmocka_unit_test(test_known_files__of_a_program_too),
		cmocka_unit_test(test_known_files__of_functions_with_bounds),
		cmocka_unit_test(
			test_known_files__what_is_known_outlives_the_file),
		cmocka_unit_test(
			test_known_files__sixteen_recordings_keep_a_file),
		cmocka_unit_test(
			test_known_files__what_is_used_least_goes_first),
		cmocka_unit_test(
			test_known_files__one_that_was_overwritten_is_read_anew),
		cmocka_unit_test(
			test_known_files__a_look_without_time_comes_again),
		cmocka_unit_test(
			test_known_files__a_record_may_stand_for_two_files),
		cmocka_unit_test(
			test_known_files__another_build_id_is_another_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
