/* made_go.h: the table of a Go program (format/symtab/go_table.h) in the memory
 * of a test, of each version, word size and byte order.
 *
 *	offset in function 0	0	8	16	32
 *	lies in			-	twice	add	-
 *	file			main.go	main.go	add.go	main.go
 *	line			10	20	30	11
 *	frame			0	16	16	16
 *
 * add is called at 12, which is in twice, that at 4.
 */
#ifndef TEST_MADE_GO_H
#define TEST_MADE_GO_H

#include "format/symtab/go_table.h"

#include <elf.h>
#include <string.h>

#define MADE_GO_BASE UINT64_C(0x400000) /* address of byte 0 */

enum {
	MADE_GO_FUNCTION_NR = 3,
	MADE_GO_FUNCTION_LEN = 64,
	MADE_GO_CODE = 0x200, /* offsets in the file */
	MADE_GO_TABLE = 0x400,
	MADE_GO_TABLE_LEN = 0x600,
	MADE_GO_TREE = 0xa00,
	MADE_GO_MODULE = 0xb00,
	MADE_GO_RELA = 0xd00,
	MADE_GO_LEN = 0xf00,
};

/* Offsets in the table. */
enum {
	MADE_GO_NAMES = 0x100,
	MADE_GO_UNITS = 0x200,
	MADE_GO_FILES = 0x240,
	MADE_GO_STEPS = 0x2c0,
	MADE_GO_LIST = 0x340,
	MADE_GO_FUNCTION = 0x400,
	MADE_GO_STRIDE = 0x80,
};

struct made_go {
	enum pd_go_version version;
	bool is_moved;	 /* words stand in relocations, the table in
			  * .data.rel.ro */
	bool lacks_text; /* as of Go 1.26: the runtime's data has it */
	uint8_t data[MADE_GO_LEN];
	size_t rela_nr;
	struct pd_elf_section sections[5];
	struct pd_elf_image elf;
};

static inline void made_go_put(struct made_go *m, size_t off, uint64_t v,
			       unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		m->data[off + i] =
			(uint8_t)(v >>
				  8 * (m->elf.is_big_endian ? len - 1 - i : i));
}

static inline unsigned made_go_word_len(const struct made_go *m)
{
	return m->elf.is_64 ? 8 : 4;
}

/* An address, which a relocation sets if the program moves. */
static inline void made_go_addr(struct made_go *m, size_t off, uint64_t addr)
{
	unsigned len = made_go_word_len(m);
	size_t at = MADE_GO_RELA + 3 * len * m->rela_nr;

	made_go_put(m, off, m->is_moved ? 0 : addr, len);
	if (!m->is_moved)
		return;
	m->rela_nr++;
	made_go_put(m, at, MADE_GO_BASE + off, len);
	made_go_put(m, at + len, 8, len);
	made_go_put(m, at + 2 * len, addr, len);
}

static inline void made_go_text(struct made_go *m, size_t off, const char *text)
{
	strcpy((char *)m->data + off, text);
}

static inline void made_go_head(struct made_go *m)
{
	static const uint32_t numbers[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0,
					    0xfffffff1 };
	unsigned len = made_go_word_len(m);
	size_t at = MADE_GO_TABLE;

	made_go_put(m, at, numbers[m->version], 4);
	m->data[at + 6] = 4;
	m->data[at + 7] = (uint8_t)len;
	made_go_put(m, at += 8, MADE_GO_FUNCTION_NR, len);
	if (m->version == PD_GO_1_2)
		return;
	made_go_put(m, at += len, 2, len); /* files */
	if (m->version >= PD_GO_1_18) {
		at += len;
		if (!m->lacks_text)
			made_go_addr(m, at, MADE_GO_BASE + MADE_GO_CODE);
	}
	made_go_put(m, at += len, MADE_GO_NAMES, len);
	made_go_put(m, at += len, MADE_GO_UNITS, len);
	made_go_put(m, at += len, MADE_GO_FILES, len);
	made_go_put(m, at += len, MADE_GO_STEPS, len);
	made_go_put(m, at + len, MADE_GO_LIST, len);
}

/* Steps are "change of the value, length", with a 0 behind the last. */
static inline uint32_t made_go_steps(struct made_go *m, uint32_t at,
				     const uint8_t *steps, size_t len)
{
	memcpy(m->data + MADE_GO_TABLE + MADE_GO_STEPS + at, steps, len);
	return at + (m->version == PD_GO_1_2 ? (uint32_t)MADE_GO_STEPS : 0);
}

/* Write the numbers of function idx; the first function has inlined calls. */
static inline void made_go_function(struct made_go *m, unsigned idx,
				    uint32_t name)
{
	static const uint8_t files[] = { 2, 4, 2, 4, 1, 8, 0 };
	static const uint8_t old_files[] = { 4, 4, 2, 4, 1, 8, 0 };
	static const uint8_t frames[] = { 2, 2, 32, 14, 0 };
	static const uint8_t lines[] = { 22, 2, 20, 2, 20, 4, 37, 8, 0 };
	static const uint8_t calls[] = { 0, 2, 2, 2, 2, 4, 3, 8, 0 };
	bool is_old = m->version == PD_GO_1_2;
	unsigned len = m->version >= PD_GO_1_18 ? 4 : made_go_word_len(m);
	size_t at = MADE_GO_TABLE + MADE_GO_FUNCTION + idx * MADE_GO_STRIDE;
	uint64_t code = MADE_GO_CODE + idx * MADE_GO_FUNCTION_LEN;

	if (len == 4 && m->version >= PD_GO_1_18)
		made_go_put(m, at, code - MADE_GO_CODE, 4);
	else
		made_go_addr(m, at, MADE_GO_BASE + code);
	at += len;
	made_go_put(m, at, name, 4);
	made_go_put(m, at + 12, made_go_steps(m, 48, frames, sizeof(frames)),
		    4);
	made_go_put(m, at + 16,
		    is_old ? made_go_steps(m, 1, old_files, sizeof(old_files))
			   : made_go_steps(m, 1, files, sizeof(files)),
		    4);
	made_go_put(m, at + 20, made_go_steps(m, 16, lines, sizeof(lines)), 4);
	if (is_old || idx)
		return;
	made_go_put(m, at + 24, 3, 4); /* lists of steps behind */
	made_go_put(m, at + 28, 1, 4); /* the unit */
	at += m->version == PD_GO_1_20 ? 36 : 32;
	m->data[at + 3] = 4; /* other data */
	at += 4;
	made_go_put(m, at + 8, made_go_steps(m, 32, calls, sizeof(calls)), 4);
	at += 12;
	if (m->version >= PD_GO_1_18) {
		made_go_put(m, at + 12, 0x20, 4);
		return;
	}
	at += -at % made_go_word_len(m);
	made_go_addr(m, at + 3 * made_go_word_len(m),
		     MADE_GO_BASE + MADE_GO_TREE + 0x20);
}

/* The list of functions, with the address behind the last. */
static inline void made_go_list(struct made_go *m)
{
	bool is_old = m->version == PD_GO_1_2;
	unsigned word_len = made_go_word_len(m);
	unsigned len = m->version >= PD_GO_1_18 ? 4 : word_len;
	size_t at = MADE_GO_TABLE + (is_old ? 8 + word_len : MADE_GO_LIST);

	for (unsigned i = 0; i <= MADE_GO_FUNCTION_NR; i++, at += 2 * len) {
		uint64_t code = i * MADE_GO_FUNCTION_LEN;

		if (m->version >= PD_GO_1_18)
			made_go_put(m, at, code, 4);
		else
			made_go_addr(m, at, MADE_GO_BASE + MADE_GO_CODE + code);
		made_go_put(m, at + len,
			    i == MADE_GO_FUNCTION_NR
				    ? MADE_GO_FILES
				    : MADE_GO_FUNCTION + i * MADE_GO_STRIDE -
					      (is_old ? 0 : MADE_GO_LIST),
			    i == MADE_GO_FUNCTION_NR ? 4 : len);
	}
}

static inline void made_go_texts(struct made_go *m)
{
	size_t names = MADE_GO_TABLE + MADE_GO_NAMES;
	size_t files = MADE_GO_TABLE + MADE_GO_FILES;
	bool is_old = m->version == PD_GO_1_2;

	made_go_text(m, names + 1, "main.main");
	made_go_text(m, names + 16, "main.Sum[go.shape.[]int]");
	made_go_text(m, names + 48, "main.last");
	made_go_text(m, names + 64, "main.twice");
	made_go_text(m, names + 80, "main.add[int].func1");
	made_go_text(m, files + 16, "main.go");
	made_go_text(m, files + 32, "add.go");
	if (is_old) {
		made_go_put(m, files, 3, 4);
		made_go_put(m, files + 4, MADE_GO_FILES + 16, 4);
		made_go_put(m, files + 8, MADE_GO_FILES + 32, 4);
		return;
	}
	made_go_put(m, MADE_GO_TABLE + MADE_GO_UNITS + 4, 16, 4);
	made_go_put(m, MADE_GO_TABLE + MADE_GO_UNITS + 8, 32, 4);
}

/* The tree of inlined calls, and the runtime's account. */
static inline void made_go_calls(struct made_go *m)
{
	bool is_new = m->version == PD_GO_1_20;
	size_t len = is_new ? 16 : 20, name = is_new ? 4 : 12;
	size_t at = MADE_GO_TREE + 0x20, module = MADE_GO_MODULE;
	unsigned word_len = made_go_word_len(m), data = is_new ? 40 : 38;

	made_go_put(m, at + name, 64, 4);
	made_go_put(m, at + name + 4, 4, 4);
	made_go_put(m, at + len + name, 80, 4);
	made_go_put(m, at + len + name + 4, 12, 4);
	made_go_addr(m, module, MADE_GO_BASE + MADE_GO_TABLE);
	made_go_addr(m, module + 13 * word_len,
		     MADE_GO_BASE + MADE_GO_TABLE + MADE_GO_LIST);
	made_go_addr(m, module + 20 * word_len, MADE_GO_BASE + MADE_GO_CODE);
	made_go_addr(m, module + 22 * word_len, MADE_GO_BASE + MADE_GO_CODE);
	made_go_addr(m, module + (data - 1) * word_len,
		     MADE_GO_BASE + MADE_GO_TABLE);
	made_go_addr(m, module + data * word_len, MADE_GO_BASE + MADE_GO_TREE);
}

static inline struct pd_elf_section
made_go_section(const char *name, uint32_t type, size_t off, size_t len)
{
	return (struct pd_elf_section){
		.name = name,
		.type = type,
		.flags = SHF_ALLOC | SHF_WRITE,
		.addr = MADE_GO_BASE + off,
		.off = off,
		.len = len,
	};
}

/* Fill in m, of which version, is_moved, lacks_text, and of elf the word size
 * and byte order are set.  Nothing is to be released. */
static inline void made_go(struct made_go *m)
{
	size_t table_off = MADE_GO_TABLE - (m->is_moved ? 0x40 : 0);

	m->elf.swap = m->elf.is_big_endian != PD_HOST_IS_BIG_ENDIAN;
	made_go_head(m);
	made_go_list(m);
	made_go_texts(m);
	made_go_function(m, 0, m->version == PD_GO_1_2 ? MADE_GO_NAMES + 1 : 1);
	made_go_function(m, 1,
			 m->version == PD_GO_1_2 ? MADE_GO_NAMES + 16 : 16);
	made_go_function(m, 2,
			 m->version == PD_GO_1_2 ? MADE_GO_NAMES + 48 : 48);
	made_go_calls(m);
	m->sections[1] = made_go_section(
		m->is_moved ? ".data.rel.ro" : ".gopclntab", SHT_PROGBITS,
		table_off, MADE_GO_TABLE + MADE_GO_TABLE_LEN - table_off);
	m->sections[2] = made_go_section(".noptrdata", SHT_PROGBITS,
					 MADE_GO_MODULE - 8, 0x200);
	m->sections[3] = made_go_section(".rela.dyn", SHT_RELA, MADE_GO_RELA,
					 3u * made_go_word_len(m) * m->rela_nr);
	m->sections[4] = made_go_section(".go.buildinfo", SHT_PROGBITS, 0, 0);
	m->elf.from = (struct pd_read_at){ .bytes = m->data,
					   .len = MADE_GO_LEN,
					   .there_len = MADE_GO_LEN };
	m->elf.segments[0] =
		(struct pd_elf_segment){ 0, MADE_GO_BASE, MADE_GO_LEN };
	m->elf.memory_lens[0] = MADE_GO_LEN;
	m->elf.segment_nr = 1;
	m->elf.sections = m->sections;
	m->elf.section_nr = 5;
}

#endif
