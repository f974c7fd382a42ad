/* dso_go.h: what is shown of a stripped Go program, here and with what a
 * recording carries of it. */
#include "report/symbols/dso_go.h"

#include "format/carried/carried.h"
#include "report/symbols/carried_texts.h"
#include "report/symbols/dso.h"
#include "report/symbols/source_line.h"
#include "tests/unit/made_go.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { IN_ADD = MADE_GO_CODE + 16 };

/* The program as a file. */
struct elf {
	uint8_t data[MADE_GO_LEN];
	char names[64];
	Elf64_Shdr sections[6];
};

static void put_section(struct elf *elf, unsigned idx, const char *name,
			const struct pd_elf_section *s)
{
	static const unsigned name_len = 16;

	snprintf(elf->names + 1 + (idx - 1) * name_len, name_len, "%s", name);
	elf->sections[idx] = (Elf64_Shdr){
		.sh_name = 1 + (idx - 1) * name_len,
		.sh_type = s->type,
		.sh_flags = s->flags,
		.sh_addr = s->addr,
		.sh_offset = s->off,
		.sh_size = s->len,
	};
}

static void put_headers(struct elf *elf, uint16_t section_nr)
{
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_shoff = offsetof(struct elf, sections),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = section_nr,
		.e_shstrndx = 1,
	};
	const Elf64_Phdr load = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = MADE_GO_BASE,
		.p_filesz = MADE_GO_LEN,
		.p_memsz = MADE_GO_LEN,
	};

	memcpy(elf->data, &head, sizeof(head));
	memcpy(elf->data + sizeof(head), &load, sizeof(load));
}

/* Write the program to path; one that is_cut lacks the data in which its table
 * is sought. */
static void write_program(char *path, bool is_cut)
{
	struct made_go m = { .version = PD_GO_1_20 };
	struct elf elf = { .names = "" };
	struct pd_elf_section names = { .type = SHT_STRTAB,
					.off = offsetof(struct elf, names),
					.len = sizeof(elf.names) };
	struct pd_elf_section *table = &m.sections[1];
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	m.elf.is_64 = true;
	made_go(&m);
	memcpy(elf.data, m.data, MADE_GO_LEN);
	put_section(&elf, 1, ".shstrtab", &names);
	if (is_cut) {
		table->off = sizeof(elf);
		put_section(&elf, 2, ".data.rel.ro", table);
		put_section(&elf, 3, ".go.buildinfo", &m.sections[4]);
	} else {
		put_section(&elf, 2, ".gopclntab", table);
		put_section(&elf, 3, ".noptrdata", &m.sections[2]);
	}
	put_headers(&elf, 4);
	assert_int_equal(write(fd, &elf, sizeof(elf)), sizeof(elf));
	close(fd);
}

/* A program at path, in a recording that carries nothing yet. */
struct program {
	char path[32];
	struct rpt_symbols *symbols;
	struct rpt_dso *dso;
};

static void open_program(struct program *p, bool is_cut)
{
	struct rpt_symbols_conf conf = { .symfs = "", .buildid_dir = "" };
	struct rpt_dso_key key = { .kind = RPT_DSO_USER, .name = p->path };

	strcpy(p->path, "/tmp/perfpair-test-XXXXXX");
	write_program(p->path, is_cut);
	key.name_len = strlen(p->path);
	p->symbols = rpt_symbols_new(&conf);
	p->dso = rpt_symbols_dso(p->symbols, &key);
	rpt_dso_note_run(p->dso);
}

static void close_program(struct program *p)
{
	rpt_symbols_free(p->symbols);
	unlink(p->path);
}

static void has_name(const struct program *p, uint64_t addr, const char *name)
{
	const struct rpt_symbol *sym = rpt_dso_symbol(p->dso, addr);

	assert_non_null(sym);
	assert_string_equal(sym->name, name);
}

static void has_line(const struct program *p, const char *file, int line)
{
	const char *own_file;
	int own_line;

	assert_true(rpt_dso_source_line(p->dso, IN_ADD, &own_file, &own_line));
	assert_string_equal(own_file, file);
	assert_int_equal(own_line, line);
}

static void has_call(const struct program *p,
		     const struct rpt_inline_frame *frame, int line)
{
	const char *file;
	int own_line;

	assert_true(
		rpt_dso_call_line(p->dso, frame->call_off, &file, &own_line));
	assert_string_equal(file, "main.go");
	assert_int_equal(own_line, line);
}

static void test_dso_go__the_table_names_functions_and_lines(void **state)
{
	const struct rpt_inline_frame *frames;
	struct program p;

	(void)state;
	open_program(&p, false);
	has_name(&p, MADE_GO_CODE, "main.main");
	has_name(&p, MADE_GO_CODE + MADE_GO_FUNCTION_LEN, "main.Sum[...]");
	has_line(&p, "add.go", 30);
	assert_int_equal(rpt_dso_inline_frames(p.dso, IN_ADD, &frames), 3);
	assert_string_equal(frames[0].name, "main.add[...].func1");
	assert_string_equal(frames[1].name, "main.twice");
	assert_string_equal(frames[2].name, "main.main");
	has_call(&p, &frames[1], 20);
	has_call(&p, &frames[2], 10);
	assert_null(rpt_dso_problem(p.dso));
	close_program(&p);
}

static void test_dso_go__names_have_a_limit(void **state)
{
	const struct rpt_inline_frame *frames;
	struct program p;

	(void)state;
	open_program(&p, false);
	has_name(&p, MADE_GO_CODE, "main.main");
	assert_int_equal(p.dso->names.go->text_len, strlen("main.main"));
	p.dso->names.go->text_len = UINT64_C(1) << 30;
	assert_null(rpt_dso_symbol(p.dso, MADE_GO_CODE + MADE_GO_FUNCTION_LEN));
	has_name(&p, MADE_GO_CODE, "main.main"); /* is there */
	assert_int_equal(rpt_dso_inline_frames(p.dso, IN_ADD, &frames), 3);
	assert_string_equal(frames[0].name, "main.main");
	assert_string_equal(rpt_dso_problem(p.dso),
			    "the names of its Go table are longer than the "
			    "limit allows: some are left out");
	close_program(&p);
}

static void test_dso_go__steps_have_a_limit(void **state)
{
	struct program p;
	const char *file;
	int line;

	(void)state;
	open_program(&p, false);
	has_name(&p, MADE_GO_CODE, "main.main");
	p.dso->files.runtime->go_table->step_left_nr = 0;
	assert_false(rpt_dso_source_line(p.dso, IN_ADD, &file, &line));
	assert_string_equal(rpt_dso_problem(p.dso),
			    "its Go table has more steps than the limit "
			    "allows: some lines are left out");
	close_program(&p);
}

static void test_dso_go__damage_is_told(void **state)
{
	struct program p;

	(void)state;
	open_program(&p, true);
	assert_null(rpt_dso_symbol(p.dso, MADE_GO_CODE));
	assert_string_equal(rpt_dso_problem(p.dso),
			    "its Go table is damaged: left out");
	close_program(&p);
}

/* Carry the program's first function as a symbol. */
static void carry_name(const struct program *p, struct pd_carried *ret)
{
	const struct pd_carried_name name = {
		.start = MADE_GO_CODE,
		.len = MADE_GO_FUNCTION_LEN,
		.text = { "entry", 5 },
		.source = PD_CARRIED_SYMTAB,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	};
	const struct pd_carried_file file = {
		.path = { p->path, strlen(p->path) },
		.is_64 = true,
		.names = &name,
		.name_nr = 1,
	};
	const struct pd_carried_account account = { .sample_nr = 1 };
	struct pd_carried_sections sections;
	struct pd_trailer trailer = { .sections = sections.items };
	struct pd_buf b = PD_BUF_INIT;

	pd_carried_write(&b, 0, &file, 1, &account, &sections);
	trailer.section_nr = sections.nr;
	assert_int_equal(pd_carried_read(b.data, b.len, &trailer, ret, NULL),
			 0);
	pd_buf_release(&b);
}

static void *copy_of(const void *data, size_t len)
{
	void *ret = malloc(len);

	assert_non_null(ret);
	return memcpy(ret, data, len);
}

/* Carry lines of a function in another one. */
static struct rpt_carried_texts texts_of(void)
{
	const struct pd_str texts[] = { { "", 0 },
					{ "main.go", 7 },
					{ "inner", 5 } };
	const struct pd_carried_lines_file file = { .place_nr = 1 };
	const struct pd_carried_place place = {
		.addr = IN_ADD, .file = 1, .line = 7, .function_nr = 2
	};
	const struct pd_carried_function functions[] = {
		{ .name = 2, .call_file = 1, .call_line = 5 },
		{ .flags = PD_CARRIED_IS_SYMBOL },
	};

	return (struct rpt_carried_texts){ .lines = {
						   .texts = copy_of(
							   texts,
							   sizeof(texts)),
						   .text_nr = 3,
						   .files = copy_of(
							   &file, sizeof(file)),
						   .file_nr = 1,
						   .places = copy_of(
							   &place,
							   sizeof(place)),
						   .place_nr = 1,
						   .functions = copy_of(
							   functions,
							   sizeof(functions)),
						   .function_nr = 2,
					   } };
}

static void test_dso_go__what_is_carried_says_more(void **state)
{
	struct rpt_carried_texts texts = texts_of();
	const struct rpt_inline_frame *frames;
	struct pd_carried carried;
	struct program p;

	(void)state;
	open_program(&p, false);
	carry_name(&p, &carried);
	rpt_symbols_set_carried(p.symbols, &carried);
	rpt_symbols_set_lines(p.symbols, &texts);
	has_name(&p, MADE_GO_CODE, "entry");
	has_name(&p, MADE_GO_CODE + MADE_GO_FUNCTION_LEN, "main.Sum[...]");
	has_line(&p, "main.go", 7);
	assert_int_equal(rpt_dso_inline_frames(p.dso, IN_ADD, &frames), 2);
	assert_string_equal(frames[0].name, "inner");
	assert_string_equal(frames[1].name, "entry");
	has_call(&p, &frames[1], 5);
	close_program(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_dso_go__the_table_names_functions_and_lines),
		cmocka_unit_test(test_dso_go__names_have_a_limit),
		cmocka_unit_test(test_dso_go__steps_have_a_limit),
		cmocka_unit_test(test_dso_go__damage_is_told),
		cmocka_unit_test(test_dso_go__what_is_carried_says_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
