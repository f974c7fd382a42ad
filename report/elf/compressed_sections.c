#include "report/elf/compressed_sections.h"

#include "format/base/limits.h"

#include <gelf.h>
#include <stdatomic.h>
#include <string.h>

#define GNU_HEAD_LEN 12 /* "ZLIB", and the plain length, big end first */

/* The lengths of all open files that are within their limit. */
static _Atomic uint64_t all_packed_len;
static _Atomic uint64_t all_plain_len;

static bool is_over(uint64_t packed_len, uint64_t plain_len, uint64_t free_len)
{
	return plain_len > free_len &&
	       (plain_len - free_len) / PD_LIMIT_UNPACK_RATIO >= packed_len;
}

static void add(struct rpt_compressed_sections *to, uint64_t packed_len,
		uint64_t plain_len)
{
	if (__builtin_add_overflow(to->packed_len, packed_len, &to->packed_len))
		to->packed_len = UINT64_MAX;
	if (__builtin_add_overflow(to->plain_len, plain_len, &to->plain_len))
		to->plain_len = UINT64_MAX;
}

/* Sections may overlap, so count at most the file's length as packed. */
static bool is_over_alone(struct rpt_compressed_sections *sections, Elf *elf)
{
	size_t file_len = 0;

	if (sections->packed_len && !elf_rawfile(elf, &file_len))
		file_len = 0;
	if (sections->packed_len > file_len)
		sections->packed_len = file_len;
	return is_over(sections->packed_len, sections->plain_len,
		       PD_LIMIT_UNPACK_LEN);
}

static void add_marked(struct rpt_compressed_sections *to, Elf *elf, size_t nr)
{
	for (size_t i = 1; i < nr; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);
		GElf_Shdr shdr;
		GElf_Chdr chdr;

		if (!scn || !gelf_getshdr(scn, &shdr) ||
		    !(shdr.sh_flags & SHF_COMPRESSED) ||
		    shdr.sh_type == SHT_NOBITS || !gelf_getchdr(scn, &chdr))
			continue;
		add(to, shdr.sh_size, chdr.ch_size);
		to->has_strings |= shdr.sh_type == SHT_STRTAB;
	}
}

/* Add sections that older binutils packed, without the flag. */
static void add_named(struct rpt_compressed_sections *to, Elf *elf, size_t nr)
{
	size_t names_idx;

	if (elf_getshdrstrndx(elf, &names_idx) != 0)
		return;
	for (size_t i = 1; i < nr; i++) {
		Elf_Scn *scn = elf_getscn(elf, i);
		uint64_t plain_len = 0;
		const char *name;
		Elf_Data *data;
		GElf_Shdr shdr;

		name = scn && gelf_getshdr(scn, &shdr)
			       ? elf_strptr(elf, names_idx, shdr.sh_name)
			       : NULL;
		if (!name || strncmp(name, ".zdebug", 7) != 0)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf || data->d_size < GNU_HEAD_LEN ||
		    memcmp(data->d_buf, "ZLIB", 4) != 0)
			continue;
		for (size_t b = 4; b < GNU_HEAD_LEN; b++)
			plain_len = plain_len << 8 |
				    ((const uint8_t *)data->d_buf)[b];
		add(to, data->d_size, plain_len);
	}
}

void rpt_compressed_sections_take(struct rpt_compressed_sections *ret, Elf *elf)
{
	struct rpt_compressed_sections found = { 0 };
	uint64_t packed_len, plain_len;
	size_t nr;

	*ret = found;
	if (elf_getshdrnum(elf, &nr) != 0)
		return;
	add_marked(&found, elf, nr);
	found.is_over = is_over_alone(&found, elf);
	if (!found.is_over || !found.has_strings)
		add_named(&found, elf, nr);
	found.is_over = is_over_alone(&found, elf);
	*ret = found;
	if (ret->is_over)
		return;
	packed_len = atomic_fetch_add(&all_packed_len, found.packed_len);
	plain_len = atomic_fetch_add(&all_plain_len, found.plain_len);
	if (!is_over(packed_len + found.packed_len, plain_len + found.plain_len,
		     PD_LIMIT_UNPACK_ALL_LEN))
		return;
	rpt_compressed_sections_release(ret);
	ret->is_over = found.plain_len > 0;
}

void rpt_compressed_sections_release(struct rpt_compressed_sections *sections)
{
	if (sections->is_over)
		return;
	atomic_fetch_sub(&all_packed_len, sections->packed_len);
	atomic_fetch_sub(&all_plain_len, sections->plain_len);
	sections->packed_len = sections->plain_len = 0;
}
