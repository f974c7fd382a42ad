/* made_elf.h: ELF files in memory, of both word sizes and byte orders, whose
 * symbols a test chooses.
 *
 * Code lies at 0x1000 in the file, at 0x401000 in memory.
 */
#ifndef TEST_MADE_ELF_H
#define TEST_MADE_ELF_H

#include "format/symtab/elf_image.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	MADE_LEN = 64 * 1024,
	MADE_SECTIONS_OFF = 0xf000,
	MADE_ADDR = 0x401000,
	MADE_OFF = 0x1000,
	MADE_CODE_LEN = 0x1000,
};

struct made_elf {
	bool is_32;
	bool is_big;
	uint16_t machine;
	uint16_t section_nr; /* so far */
	uint32_t end;	     /* of what was put behind the code */
	uint8_t data[MADE_LEN];
};

struct made_symbol {
	const char *name;
	uint64_t addr;
	uint64_t len;
	uint8_t info;
	uint16_t section; /* 0: .text, the first */
	uint8_t other;
};

static inline void made_put(struct made_elf *e, size_t off, uint64_t value,
			    unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		e->data[off + i] =
			(uint8_t)(value >> 8 * (e->is_big ? len - 1 - i : i));
}

/* Put the values one behind the other: of w bytes, or of a word if w is 0. */
static inline size_t made_field(struct made_elf *e, size_t *off, unsigned w,
				uint64_t value)
{
	unsigned len = w ? w : e->is_32 ? 4 : 8;

	made_put(e, *off, value, len);
	*off += len;
	return *off;
}

/* A section; names are put by made_finish(). Return its number. */
static inline uint16_t made_section(struct made_elf *e, uint32_t name,
				    uint32_t type, uint64_t addr, uint64_t off,
				    uint64_t len, uint32_t link,
				    uint64_t entry_len)
{
	size_t at = MADE_SECTIONS_OFF +
		    (size_t)e->section_nr * (e->is_32 ? sizeof(Elf32_Shdr)
						      : sizeof(Elf64_Shdr));

	made_field(e, &at, 4, name);
	made_field(e, &at, 4, type);
	made_field(e, &at, 0, 0);
	made_field(e, &at, 0, addr);
	made_field(e, &at, 0, off);
	made_field(e, &at, 0, len);
	made_field(e, &at, 4, link);
	made_field(e, &at, 4, 0);
	made_field(e, &at, 0, 1);
	made_field(e, &at, 0, entry_len);
	return e->section_nr++;
}

/* Names of sections, as they stand in .shstrtab. */
static const char made_names[] =
	"\0.text\0.symtab\0.strtab\0.shstrtab\0.dynsym\0"
	".dynstr\0.rela.plt\0.plt";
enum {
	MADE_TEXT = 1,
	MADE_SYMTAB = 7,
	MADE_STRTAB = 15,
	MADE_SHSTRTAB = 23,
	MADE_DYNSYM = 33,
	MADE_DYNSTR = 41,
	MADE_RELA_PLT = 49,
	MADE_PLT = 59,
};

static inline void made_start(struct made_elf *e, uint16_t machine)
{
	e->machine = machine;
	e->end = 0x2000;
	e->section_nr = 0;
	made_section(e, 0, SHT_NULL, 0, 0, 0, 0, 0);
	made_section(e, MADE_TEXT, SHT_PROGBITS, MADE_ADDR, MADE_OFF,
		     MADE_CODE_LEN, 0, 0);
}

/* Symbols and their names. Return the number of the symbol table. */
static inline uint16_t made_symbols(struct made_elf *e, uint32_t name,
				    uint32_t type,
				    const struct made_symbol *syms, size_t nr)
{
	size_t off = e->end, start = off;
	uint32_t text = 1;
	size_t entry_len = e->is_32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
	size_t texts = off + (nr + 1) * entry_len;

	off += entry_len;
	for (size_t i = 0; i < nr; i++) {
		uint16_t section = syms[i].section ? syms[i].section : 1;

		strcpy((char *)e->data + texts + text, syms[i].name);
		made_field(e, &off, 4, *syms[i].name ? text : 0);
		if (e->is_32) {
			made_field(e, &off, 4, syms[i].addr);
			made_field(e, &off, 4, syms[i].len);
		}
		made_field(e, &off, 1, syms[i].info);
		made_field(e, &off, 1, syms[i].other);
		made_field(e, &off, 2, section);
		if (!e->is_32) {
			made_field(e, &off, 8, syms[i].addr);
			made_field(e, &off, 8, syms[i].len);
		}
		text += (uint32_t)strlen(syms[i].name) + 1;
	}
	e->end = (uint32_t)(texts + text);
	made_section(e, name, type, 0, start, texts - start, e->section_nr + 1U,
		     entry_len);
	made_section(e, name == MADE_SYMTAB ? MADE_STRTAB : MADE_DYNSTR,
		     SHT_STRTAB, 0, texts, text, 0, 0);
	return (uint16_t)(e->section_nr - 2);
}

/* Put the headers and return it as a file, which the caller closes. */
static inline int made_finish(struct made_elf *e)
{
	size_t at = EI_NIDENT;
	uint16_t names;
	int fd;

	memcpy(e->data + 0x3f00, made_names, sizeof(made_names));
	names = made_section(e, MADE_SHSTRTAB, SHT_STRTAB, 0, 0x3f00,
			     sizeof(made_names), 0, 0);
	memcpy(e->data, ELFMAG, SELFMAG);
	e->data[EI_CLASS] = e->is_32 ? ELFCLASS32 : ELFCLASS64;
	e->data[EI_DATA] = e->is_big ? ELFDATA2MSB : ELFDATA2LSB;
	made_field(e, &at, 2, ET_DYN);
	made_field(e, &at, 2, e->machine);
	made_field(e, &at, 4, EV_CURRENT);
	made_field(e, &at, 0, 0);
	made_field(e, &at, 0, 0x100);
	made_field(e, &at, 0, MADE_SECTIONS_OFF);
	made_field(e, &at, 4, 0);
	made_field(e, &at, 2, 0);
	made_field(e, &at, 2,
		   e->is_32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr));
	made_field(e, &at, 2, 1);
	made_field(e, &at, 2,
		   e->is_32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr));
	made_field(e, &at, 2, e->section_nr);
	made_field(e, &at, 2, names);
	at = 0x100;
	made_field(e, &at, 4, PT_LOAD);
	if (!e->is_32)
		made_field(e, &at, 4, PF_X);
	made_field(e, &at, 0, MADE_OFF);
	made_field(e, &at, 0, MADE_ADDR);
	made_field(e, &at, 0, MADE_ADDR);
	made_field(e, &at, 0, MADE_CODE_LEN);
	fd = memfd_create("made", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, e->data, MADE_LEN), MADE_LEN);
	return fd;
}

#endif
