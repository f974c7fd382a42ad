/* fuzz_go_table.c: any bytes as a Go program that is asked for functions, lines
 * and inlined calls: the same from memory as by reads, which are few.
 *
 *	u8 flags, u16 offsets of the table, the relocations and the data, and
 *	where each ends; the file
 *
 * Addresses are ADDR more than offsets. */
#include "format/symtab/go_table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { IS_64 = 1, IS_BIG = 2, IS_SEARCHED = 4 };
enum {
	HEAD_LEN = 13,
	ADDR = 0x400000,
	HIT_NR = 128,
	CALL_NR = 8,
	READ_NR_MAX = 40,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct file {
	const uint8_t *bytes;
	size_t len;
	size_t read_nr;
};

static int read_at(void *ctx, uint64_t off, void *ret, size_t len)
{
	struct file *file = ctx;

	file->read_nr++;
	if (len > file->len || off > file->len - len)
		return -EBADMSG;
	memcpy(ret, file->bytes + off, len);
	return 0;
}

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void ask(struct pd_go_table *t, const struct pd_go_function *f,
		uint64_t off)
{
	uint64_t addr = f->start + (off - f->off);
	struct pd_go_call calls[CALL_NR];
	struct pd_str file;
	uint32_t line;
	size_t nr;

	if (pd_go_table_line(t, f, addr, &file, &line))
		check(file.len && !memchr(file.ptr, 0, file.len) && line);
	nr = pd_go_table_calls(t, f, addr, calls, CALL_NR);
	check(nr <= CALL_NR);
	for (size_t i = 0; i < nr; i++) {
		check(calls[i].addr < f->end);
		(void)pd_go_table_name(t, calls[i].name);
	}
}

static void find(struct pd_go_table *memory, struct pd_go_table *reads,
		 struct file *file, uint64_t off)
{
	struct pd_go_function f, g;
	struct pd_str name;
	bool is_found = pd_go_table_find(memory, off, &f);

	file->read_nr = 0;
	check(pd_go_table_find(reads, off, &g) == is_found);
	check(file->read_nr <= READ_NR_MAX);
	if (!is_found)
		return;
	check(f.start == g.start && f.end == g.end && f.name == g.name);
	check(f.off <= off && off - f.off < f.end - f.start);
	name = pd_go_table_name(memory, f.name);
	check(!memchr(name.ptr, 0, name.len));
	ask(memory, &f, off);
}

static uint16_t u16_at(const uint8_t *data)
{
	return (uint16_t)(data[0] | data[1] << 8);
}

static struct pd_elf_section section_of(const uint8_t *place, const char *name,
					uint32_t type)
{
	uint16_t off = u16_at(place), end = u16_at(place + 2);

	return (struct pd_elf_section){
		.name = name,
		.type = type,
		.flags = SHF_ALLOC | SHF_WRITE,
		.addr = ADDR + (uint64_t)off,
		.off = off,
		.len = end > off ? end - off : 0,
	};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_elf_section sections[5] = { { .name = "" } };
	struct pd_elf_image image = {
		.sections = sections,
		.section_nr = 5,
		.segments = { { 0, ADDR, len } },
		.memory_lens = { len },
		.segment_nr = 1,
	};
	struct pd_elf_image read_image;
	struct pd_go_table *memory, *reads;
	struct file file;
	int rc;

	if (len < HEAD_LEN)
		return 0;
	file = (struct file){ data + HEAD_LEN, len - HEAD_LEN, 0 };
	image.is_64 = data[0] & IS_64;
	image.is_big_endian = data[0] & IS_BIG;
	image.swap = image.is_big_endian != PD_HOST_IS_BIG_ENDIAN;
	sections[1] = section_of(
		data + 1, data[0] & IS_SEARCHED ? ".data.rel.ro" : ".gopclntab",
		SHT_PROGBITS);
	sections[2] = section_of(data + 5, ".rela.dyn", SHT_RELA);
	sections[3] = section_of(data + 9, ".noptrdata", SHT_PROGBITS);
	sections[4].name = ".go.buildinfo";
	image.from = (struct pd_read_at){ .bytes = file.bytes,
					  .len = file.len,
					  .there_len = file.len };
	read_image = image;
	read_image.from = (struct pd_read_at){ .read = read_at,
					       .ctx = &file,
					       .there_len = file.len };
	rc = pd_go_table_open(&image, &memory);
	check(pd_go_table_open(&read_image, &reads) == rc);
	check(!memory == !reads);
	for (uint64_t i = 0; i < HIT_NR && memory; i++)
		find(memory, reads, &file, i * len / HIT_NR);
	pd_go_table_close(memory);
	pd_go_table_close(reads);
	return 0;
}
