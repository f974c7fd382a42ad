/* fuzz_perf_map.c: any text as a JIT compiler's perf-PID.map: every symbol is
 * found where it begins, by whoever has the lines around that address, too. */
#include "format/symtab/perf_map_line.h"
#include "report/symbols/dso.h"
#include "report/symbols/perf_map.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(struct rpt_dso *dso)
{
	for (size_t i = 0; i < dso->names.table.nr; i++) {
		const struct rpt_symbol *sym = rpt_symbol_table_find(
			&dso->names.table, dso->names.table.syms[i].start);

		if (sym && (!sym->name || sym->start > sym->end))
			abort();
	}
}

static void add(struct rpt_symbol_table *table, uint64_t start, uint64_t len,
		struct pd_str name)
{
	struct rpt_symbol sym = {
		.start = start,
		.end = start + len,
		.name = rpt_arena_copy(&table->names, name.ptr, name.len),
		.binding = STB_GLOBAL,
		.type = STT_FUNC,
	};

	rpt_symbol_table_add(table, &sym);
}

static int take(void *ctx, const struct pd_symbol_start *symbol, uint64_t len)
{
	if (!symbol->rank)
		add(ctx, symbol->start, len, symbol->name);
	return 0;
}

/* Keep what a recorder does of the lines: what covers the hit. */
static void carry(struct rpt_symbol_table *table, uint64_t hit,
		  const uint8_t *data, size_t len)
{
	const char *text = (const char *)data, *end = text + len, *newline;
	struct pd_symbol_search search;
	uint64_t named_nr;

	if (pd_symbol_search_init(&search, &hit, 1))
		abort();
	for (;
	     text < end && (newline = memchr(text, '\n', (size_t)(end - text)));
	     text = newline + 1) {
		const struct pd_str whole = { text, (size_t)(newline - text) };
		struct pd_perf_map_line line;
		struct pd_symbol_start symbol;

		if (!pd_perf_map_line_read(whole, &line))
			continue;
		symbol = pd_perf_map_symbol(&line);
		if (pd_symbol_search_see(&search, &symbol))
			abort();
		if (line.len && hit - line.start < line.len)
			add(table, line.start, line.len, line.name);
	}
	if (pd_symbol_search_each(&search, take, table, &named_nr))
		abort();
	pd_symbol_search_release(&search);
}

static void check_carried(struct rpt_symbol_table *whole, uint64_t hit,
			  const uint8_t *data, size_t len)
{
	const struct rpt_symbol *sym = rpt_symbol_table_find(whole, hit), *got;
	struct rpt_symbol_table table;

	rpt_symbol_table_init(&table, whole->raw_names);
	carry(&table, hit, data, len);
	rpt_symbol_table_fix_up(&table, RPT_ENDS_PERF_MAP);
	got = rpt_symbol_table_find(&table, hit);
	if (!sym != !got ||
	    (sym && (sym->start != got->start || sym->end != got->end ||
		     strcmp(sym->name, got->name) != 0)))
		abort();
	rpt_symbol_table_release(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct rpt_symbols_conf conf = { .buildid_dir = "/nowhere" };
	struct rpt_dso_key key = { .kind = RPT_DSO_USER };
	static char path[64];
	static int fd = -1;
	struct rpt_symbols *symbols;
	struct rpt_dso *dso;

	if (fd < 0) {
		fd = memfd_create("map", MFD_CLOEXEC);
		if (fd < 0)
			abort();
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	key.name = path;
	key.name_len = strlen(path);
	symbols = rpt_symbols_new(&conf);
	dso = rpt_symbols_dso(symbols, &key);
	rpt_perf_map_read(dso);
	check(dso);
	for (size_t i = 0; i < dso->names.table.nr && i < 8; i++) {
		const struct rpt_symbol *sym = &dso->names.table.syms[i];

		check_carried(&dso->names.table, sym->start, data, len);
		if (sym->end > sym->start)
			check_carried(&dso->names.table, sym->end - 1, data,
				      len);
	}
	rpt_symbols_free(symbols);
	return 0;
}
