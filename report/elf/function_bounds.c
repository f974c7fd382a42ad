#include "report/elf/function_bounds.h"

#include "format/symtab/frame_entry.h"

#include <string.h>

#define HEAD_LEN   12 /* includes the pointer to .eh_frame and the count */
#define ENTRY_LEN  8  /* a function's start, and its entry in .eh_frame */
#define VERSION	   1
#define PTR_FORM   0x0f
#define PTR_SDATA4 0x0b
#define COUNT_FORM 0x03 /* DW_EH_PE_udata4 */
#define TABLE_FORM 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */

static uint32_t read_u32(const struct rpt_function_table *table, size_t off)
{
	uint32_t value;

	memcpy(&value, table->bytes + off, sizeof(value));
	return table->is_swapped ? __builtin_bswap32(value) : value;
}

static bool is_swapped(const struct rpt_elf *file)
{
	const uint16_t one = 1;
	bool is_little = *(const uint8_t *)&one;

	return (file->ehdr.e_ident[EI_DATA] == ELFDATA2LSB) != is_little;
}

static void find_entries(const struct rpt_elf *file,
			 struct rpt_function_table *ret)
{
	struct rpt_elf_section section;
	const Elf_Data *data;

	if (!rpt_elf_section(file, ".eh_frame", &section))
		return;
	data = elf_rawdata(section.scn, NULL);
	if (!data || !data->d_buf)
		return;
	ret->eh_frame = data->d_buf;
	ret->section = (struct pd_frame_section){
		.off = section.shdr.sh_offset,
		.addr = section.shdr.sh_addr,
		.len = data->d_size,
		.is_64 = file->ehdr.e_ident[EI_CLASS] == ELFCLASS64,
		.swap = ret->is_swapped,
	};
}

static void find_table(const struct rpt_elf *file,
		       struct rpt_function_table *ret)
{
	struct rpt_elf_section section;
	const Elf_Data *data;
	uint32_t nr;

	*ret = (struct rpt_function_table){ .is_searched = true };
	if (!rpt_elf_section(file, ".eh_frame_hdr", &section))
		return;
	data = elf_rawdata(section.scn, NULL);
	if (!data || !data->d_buf || data->d_size < HEAD_LEN)
		return;
	ret->bytes = data->d_buf;
	ret->addr = section.shdr.sh_addr;
	ret->is_swapped = is_swapped(file);
	if (ret->bytes[0] != VERSION ||
	    (ret->bytes[1] & PTR_FORM) != PTR_SDATA4 ||
	    ret->bytes[2] != COUNT_FORM || ret->bytes[3] != TABLE_FORM)
		return;
	nr = read_u32(ret, HEAD_LEN - 4);
	if (nr <= (data->d_size - HEAD_LEN) / ENTRY_LEN)
		ret->nr = nr;
	find_entries(file, ret);
}

static uint64_t start_of(const struct rpt_function_table *table, uint32_t idx)
{
	int32_t off =
		(int32_t)read_u32(table, HEAD_LEN + (size_t)idx * ENTRY_LEN);

	return table->addr + (uint64_t)(int64_t)off;
}

/* Return how many starts are at or before addr. */
static uint32_t starts_to(struct rpt_elf *file, uint64_t addr)
{
	const struct rpt_function_table *table = &file->functions;
	uint32_t low = 0, high;

	if (!table->is_searched)
		find_table(file, &file->functions);
	high = table->nr;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (start_of(table, mid) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Read the entry of .eh_frame at an offset in the file. */
static bool read_entry(const struct rpt_function_table *table, uint64_t off,
		       struct pd_frame_entry *ret)
{
	const struct pd_frame_section *s = &table->section;
	uint64_t at = off - s->off;

	return off >= s->off && at < s->len &&
	       pd_frame_entry_read(s, off, table->eh_frame + at, s->len - at,
				   ret);
}

bool rpt_function_frame(struct rpt_elf *file, uint64_t addr,
			struct rpt_function_frame *ret)
{
	const struct rpt_function_table *table = &file->functions;
	uint32_t nr = starts_to(file, addr);
	const struct pd_frame_section *s = &table->section;
	struct pd_frame_entry *fde = &ret->fde, *cie = &ret->cie;
	int32_t distance;

	if (!nr || !table->eh_frame)
		return false;
	distance = (int32_t)read_u32(
		table, HEAD_LEN + (size_t)(nr - 1) * ENTRY_LEN + 4);
	return read_entry(table,
			  table->addr + (uint64_t)(int64_t)distance - s->addr +
				  s->off,
			  fde) &&
	       !fde->is_cie && fde->len != 4 &&
	       read_entry(table, fde->cie_off, cie) && cie->is_cie &&
	       pd_frame_range(s, fde, pd_frame_encoding(s, cie), &ret->start,
			      &ret->len) &&
	       addr - ret->start < ret->len;
}

bool rpt_function_bounds(struct rpt_elf *file, uint64_t addr,
			 uint64_t *ret_start, uint64_t *ret_len)
{
	struct rpt_function_frame frame;

	if (!rpt_function_frame(file, addr, &frame))
		return false;
	*ret_start = frame.start;
	*ret_len = frame.len;
	return true;
}
