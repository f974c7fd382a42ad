#include "report/elf/file_names.h"

#include "report/base/memory.h"
#include "report/elf/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

/* Translate an address to an offset in the file; false if no segment has it. */
static bool addr_to_off(const struct pd_carried_file *file, uint64_t *addr)
{
	for (uint32_t i = 0; i < file->segment_nr; i++) {
		const struct pd_elf_segment *s = &file->segments[i];

		if (*addr >= s->addr && *addr - s->addr < s->len) {
			*addr = *addr - s->addr + s->off;
			return true;
		}
	}
	return false;
}

static void add_symbol(struct rpt_file_names *names,
		       const struct pd_carried_file *file,
		       const struct rpt_symbol *sym)
{
	size_t len = strlen(sym->name);
	uint64_t start = sym->start;

	if (!addr_to_off(file, &start) ||
	    start + (sym->end - sym->start) < start)
		return;
	names->items[names->nr++] = (struct pd_carried_name){
		.start = start,
		.len = sym->end - sym->start,
		.text = { rpt_arena_copy(&names->texts, sym->name, len), len },
		.source = PD_CARRIED_SYMTAB,
		.info = (uint8_t)GELF_ST_INFO(sym->binding, sym->type),
	};
}

/* Symbols of file with addresses as they stand in it. */
static void read_packed(const struct pd_carried_file *file,
			struct rpt_symbol_table *table, struct rpt_elf **ret)
{
	struct pd_err err = PD_ERR_INIT;

	rpt_symbol_table_init(table, true);
	*ret = file->packed.len ? rpt_elf_open_packed_memory(
					  (const uint8_t *)file->packed.ptr,
					  file->packed.len, &err)
				: NULL;
	if (*ret)
		(void)!rpt_elf_symbols_add(table, *ret, *ret,
					   PD_ELF_SPACE_ADDR);
}

int rpt_file_names_read(const struct pd_carried *carried, uint32_t idx,
			struct rpt_file_names *ret, struct pd_err *err)
{
	const struct pd_carried_file *file = &carried->files[idx];
	struct rpt_symbol_table table;
	struct rpt_elf *packed;
	int rc;

	*ret = (struct rpt_file_names){ .nr = 0 };
	read_packed(file, &table, &packed);
	ret->items = rpt_alloc_zeroed(table.nr + file->name_nr + 1,
				      sizeof(*ret->items));
	for (size_t i = 0; i < table.nr; i++)
		add_symbol(ret, file, &table.syms[i]);
	rpt_symbol_table_release(&table);
	rpt_elf_close(packed);
	rc = pd_carried_names(carried, idx, ret->items + ret->nr, err);
	if (!rc)
		ret->nr += file->name_nr;
	return rc;
}

void rpt_file_names_release(struct rpt_file_names *names)
{
	free(names->items);
	rpt_arena_release(&names->texts);
	*names = (struct rpt_file_names){ .nr = 0 };
}
