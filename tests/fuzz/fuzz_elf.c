/* fuzz_elf.c: any bytes as an ELF file: its symbols, PLT slots and note. */
#include "report/elf/elf_symbols.h"
#include "report/elf/plt.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void look_up(struct rpt_symbol_table *table)
{
	const struct rpt_symbol *sym;
	size_t i;

	for (i = 0; i < table->nr; i++) {
		sym = rpt_symbol_table_find(table, table->syms[i].start);
		if (sym && strlen(sym->name) > SIZE_MAX / 2)
			abort();
	}
}

static void read_space(const struct rpt_elf *file, enum rpt_elf_space space)
{
	struct rpt_symbol_table table;

	rpt_symbol_table_init(&table, false);
	if (rpt_elf_symbols_read(&table, file, space)) {
		rpt_plt_symbols_read(&table, file);
		look_up(&table);
	}
	rpt_symbol_table_release(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *file;
	uint8_t id[20];
	char *image = malloc(len + 1);

	if (!image)
		return 0;
	memcpy(image, data, len);
	file = rpt_elf_open_memory(image, len, &err);
	if (!file)
		return 0;
	if (rpt_elf_build_id(file, id) > sizeof(id))
		abort();
	read_space(file, RPT_ADDRESS_SPACE_FILE);
	read_space(file, RPT_ADDRESS_SPACE_MODULE);
	rpt_elf_close(file);
	return 0;
}
