#include "report/carry/symbol_aliases.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/elf/elf_symbols.h"
#include "report/elf/plt.h"
#include "report/symbols/dso.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

struct item {
	uint64_t start;
	uint32_t idx;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int rc = rpt_compare_u64(x->start, y->start);

	return rc ? rc : rpt_compare_u64(x->idx, y->idx);
}

static void sort(struct rpt_symbol_aliases *aliases)
{
	uint32_t nr = (uint32_t)aliases->table.nr;
	struct item *items = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*items));

	for (uint32_t i = 0; i < nr; i++)
		items[i] = (struct item){ aliases->table.syms[i].start, i };
	qsort(items, nr, sizeof(*items), compare_items);
	aliases->order =
		rpt_alloc_zeroed(nr + (size_t)1, sizeof(*aliases->order));
	for (uint32_t i = 0; i < nr; i++)
		aliases->order[i] = items[i].idx;
	aliases->nr = nr;
	free(items);
}

void rpt_symbol_aliases_read(struct rpt_symbol_aliases *aliases,
			     const struct rpt_dso *dso)
{
	const struct rpt_dso_files *files = &dso->files;
	const struct rpt_elf *syms =
		files->debug ? files->debug : files->runtime;
	const struct rpt_elf *runtime =
		files->runtime ? files->runtime : files->debug;

	rpt_symbol_table_init(&aliases->table, true);
	if (!syms)
		return;
	rpt_elf_symbols_add(&aliases->table, syms, runtime, PD_ELF_SPACE_FILE);
	if (files->is_mini)
		rpt_elf_symbols_add(&aliases->table, runtime, runtime,
				    PD_ELF_SPACE_FILE);
	rpt_plt_symbols_read(&aliases->table, runtime);
	sort(aliases);
}

/* Add one of them.  What has no size gets that up to the end of chosen, which
 * readers would find by the next symbol. */
static void add_one(const struct rpt_symbol *sym,
		    const struct rpt_symbol *chosen,
		    struct rpt_found_names *found, struct rpt_found_file *list)
{
	struct pd_carried_name name = {
		.start = sym->start,
		.len = (sym->end > sym->start ? sym->end : chosen->end) -
		       sym->start,
		.source = sym->is_plt ? PD_CARRIED_PLT : PD_CARRIED_SYMTAB,
		.info = (uint8_t)ELF64_ST_INFO(sym->binding, sym->type),
	};
	size_t len = strlen(sym->name);

	name.text =
		(struct pd_str){ rpt_arena_copy(&found->texts, sym->name, len),
				 len };
	rpt_found_file_add(list, &name);
}

void rpt_symbol_aliases_add(const struct rpt_symbol_aliases *aliases,
			    const struct rpt_symbol *sym,
			    struct rpt_found_names *found,
			    struct rpt_found_file *list)
{
	uint32_t lo = 0, hi = aliases->nr;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (aliases->table.syms[aliases->order[mid]].start < sym->start)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < aliases->nr; lo++) {
		const struct rpt_symbol *at =
			&aliases->table.syms[aliases->order[lo]];

		if (at->start != sym->start)
			break;
		if (at->is_plt == sym->is_plt)
			add_one(at, sym, found, list);
	}
}

void rpt_symbol_aliases_release(struct rpt_symbol_aliases *aliases)
{
	rpt_symbol_table_release(&aliases->table);
	free(aliases->order);
}
