/* fuzz_elf.c: any bytes as an ELF file: its symbols, PLT slots and note.  What
 * is read around an address is what a table of all symbols has there. */
#include "report/elf/elf_symbols.h"
#include "report/elf/plt.h"
#include "report/elf/symbol_windows.h"

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

static void read_space(const struct rpt_elf *file, enum pd_elf_space space)
{
	struct rpt_symbol_table table;

	rpt_symbol_table_init(&table, false);
	if (rpt_elf_symbols_read(&table, file, space)) {
		rpt_plt_symbols_read(&table, file);
		look_up(&table);
	}
	rpt_symbol_table_release(&table);
}

static void compare(const struct rpt_symbol *one, const struct rpt_symbol *all)
{
	if (!one != !all)
		abort();
	if (one && (one->start != all->start || strcmp(one->name, all->name)))
		abort();
}

/* Ask for the addresses around each symbol. */
static void compare_windows(struct rpt_symbol_windows *windows,
			    struct rpt_symbol_table *table)
{
	for (size_t i = 0; i < table->nr; i++) {
		const uint64_t addrs[] = { table->syms[i].start - 1,
					   table->syms[i].start,
					   table->syms[i].end };

		for (size_t a = 0; a < sizeof(addrs) / sizeof(addrs[0]); a++) {
			struct rpt_addr_range range = RPT_RANGE_ALL;

			compare(rpt_symbol_windows_find(windows, addrs[a],
							&range),
				rpt_symbol_table_find(table, addrs[a]));
		}
	}
}

static void read_windows(const struct rpt_elf *file)
{
	const struct rpt_symbol_windows_conf conf = {
		.sources = { file },
		.runtime = file,
	};
	struct pd_err err = PD_ERR_INIT;
	struct rpt_symbol_windows *windows =
		rpt_symbol_windows_new(&conf, &err);
	struct rpt_symbol_table table;

	rpt_symbol_table_init(&table, false);
	if (!rpt_elf_symbols_add(&table, file, file, PD_ELF_SPACE_FILE)) {
		if (windows)
			abort();
	} else {
		rpt_symbol_table_fix_up(&table, RPT_ENDS_ELF);
		if (table.nr)
			rpt_plt_symbols_read(&table, file);
		compare_windows(windows, &table);
	}
	rpt_symbol_table_release(&table);
	rpt_symbol_windows_free(windows);
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
	read_space(file, PD_ELF_SPACE_FILE);
	read_space(file, PD_ELF_SPACE_MODULE);
	read_windows(file);
	rpt_elf_close(file);
	return 0;
}
