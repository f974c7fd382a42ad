#include "report/elf/symbol_table.h"

#include "format/base/search.h"
#include "format/symtab/kallsyms_line.h"
#include "format/symtab/symbol_search.h"
#include "report/base/radix_sort.h"
#include "report/elf/demangle.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

void rpt_symbol_table_init(struct rpt_symbol_table *table, bool raw_names)
{
	memset(table, 0, sizeof(*table));
	table->raw_names = raw_names;
}

void rpt_symbol_table_release(struct rpt_symbol_table *table)
{
	rpt_arena_release(&table->names);
	free(table->spans);
	free(table->syms);
	rpt_symbol_table_init(table, table->raw_names);
}

void rpt_symbol_table_add(struct rpt_symbol_table *table,
			  const struct rpt_symbol *sym)
{
	table->syms = rpt_grow(table->syms, &table->cap, (uint32_t)table->nr,
			       sizeof(*table->syms));
	table->syms[table->nr++] = *sym;
	free(table->spans);
	table->spans = NULL;
}

/* Demangle the symbol's name, mark that of a PLT slot, and make it safe to
 * print, once. */
static void finish_name(struct rpt_symbol_table *table, struct rpt_symbol *sym)
{
	const char *mark = sym->is_plt ? "@plt" : "";
	char *plain = NULL, *name;
	size_t len, mark_len = strlen(mark);

	if (sym->is_named)
		return;
	sym->is_named = true;
	if (!table->raw_names)
		plain = rpt_demangle(sym->name, table->with_parameters);
	if (plain || mark_len) {
		len = strlen(plain ? plain : sym->name);
		name = rpt_arena_alloc(&table->names, len + mark_len + 1);
		memcpy(name, plain ? plain : sym->name, len);
		memcpy(name + len, mark, mark_len + 1);
		sym->name = name;
		free(plain);
	}
	sym->name = rpt_arena_safe(&table->names, sym->name);
}

static uint64_t start_of(const void *ctx, uint32_t item, unsigned word_idx)
{
	(void)word_idx;
	return ((const struct rpt_symbol *)ctx)[item].start;
}

static int compare_symbols(const void *a, const void *b, void *ctx)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t p = start_of(ctx, x, 0), q = start_of(ctx, y, 0);

	return p == q ? (x > y) - (x < y) : (p > q) - (p < q);
}

/* Return how many of the first symbols are in order. */
static size_t sorted_nr(const struct rpt_symbol_table *table)
{
	size_t i = 1;

	while (i < table->nr &&
	       table->syms[i - 1].start <= table->syms[i].start)
		i++;
	return i < table->nr ? i : table->nr;
}

/* Merge the first head_nr symbols, which are in order, and those behind in the
 * order of items, from the last place on. */
static void merge(struct rpt_symbol_table *table, size_t head_nr,
		  const uint32_t *items)
{
	struct rpt_symbol *syms = table->syms, *tail;
	size_t tail_nr = table->nr - head_nr;

	tail = rpt_realloc_array(NULL, tail_nr, sizeof(*tail));
	for (size_t i = 0; i < tail_nr; i++)
		tail[i] = syms[items[i]];
	for (size_t h = head_nr, t = tail_nr; t;) {
		bool is_head = h && syms[h - 1].start > tail[t - 1].start;
		size_t last = h + t - 1;

		syms[last] = is_head ? syms[--h] : tail[--t];
	}
	free(tail);
}

/* Sort by start; symbols with the same start keep their order.  Those that are
 * added to a sorted table, as of a PLT, are few, and so are those of BPF
 * programs behind all others of the kernel. */
static void sort_symbols(struct rpt_symbol_table *table)
{
	const struct rpt_radix_sort sort = { .word = start_of,
					     .word_nr = 1,
					     .compare = compare_symbols,
					     .ctx = table->syms };
	size_t head_nr = sorted_nr(table);
	size_t tail_nr = table->nr - head_nr;
	uint32_t *items;

	if (!tail_nr)
		return;
	items = rpt_realloc_array(NULL, tail_nr, sizeof(*items));
	for (size_t i = 0; i < tail_nr; i++)
		items[i] = (uint32_t)(head_nr + i);
	rpt_radix_sort(&sort, items, (uint32_t)tail_nr);
	merge(table, head_nr, items);
	free(items);
}

static bool is_of_module(const struct rpt_symbol *sym)
{
	return pd_kallsyms_is_of_module(
		(struct pd_str){ sym->name, strlen(sym->name) });
}

static void give_ends(struct rpt_symbol_table *table, enum rpt_symbol_ends ends)
{
	struct rpt_symbol *sym = table->syms;
	bool has_modules = ends == RPT_ENDS_KALLSYMS;
	bool is_module = has_modules && table->nr && is_of_module(sym);

	for (size_t i = 0; i < table->nr; i++, sym++) {
		bool is_last = i + 1 == table->nr;
		bool is_next = !is_last && has_modules && is_of_module(sym + 1);

		if (sym->end == sym->start)
			sym->end =
				is_last ? pd_symbol_last_end(sym->start)
					: pd_symbol_end(sym->start, is_module,
							sym[1].start, is_next);
		is_module = is_next;
	}
}

/* Bytes of names that are compared to choose between aliases, for each symbol
 * and for each table.  Names can share one text, and become longer when they
 * are demangled: 520,000 aliases in 78 MB had 17 GB.  Of 38,426 files of a
 * machine none has more than 76 for each symbol. */
#define ALIAS_LEN      256u
#define ALIAS_FREE_LEN ((uint64_t)64 << 10)

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Return whether name is an old one of a system call entry, which gives way to
 * any other name. */
static bool is_syscall_alias(const char *name)
{
	return strncmp(name, "SyS", 3) == 0 ||
	       strncmp(name, "compat_SyS", 10) == 0;
}

/* Return true if a stays and b goes.  Both start at the same address; a comes
 * first in the file, and stays if the names would take more than *left. */
static bool is_better(struct rpt_symbol_table *table, struct rpt_symbol *a,
		      struct rpt_symbol *b, uint64_t *left)
{
	bool sized_a = a->end != a->start, sized_b = b->end != b->start;
	bool weak_a = a->binding == STB_WEAK, weak_b = b->binding == STB_WEAK;
	bool global_a = a->binding == STB_GLOBAL;
	bool global_b = b->binding == STB_GLOBAL;
	size_t len_a, len_b, under_a, under_b;

	if (sized_a != sized_b)
		return sized_a;
	if (weak_a != weak_b)
		return weak_b;
	if (global_a != global_b)
		return global_a;
	if (!*left)
		return true;
	finish_name(table, a);
	finish_name(table, b);
	len_a = strlen(a->name);
	len_b = strlen(b->name);
	*left -= len_a + len_b < *left ? len_a + len_b : *left;
	under_a = underscores(a->name);
	under_b = underscores(b->name);
	if (under_a != under_b)
		return under_a < under_b;
	if (len_a != len_b)
		return len_a > len_b;
	return !is_syscall_alias(a->name);
}

static void drop_aliases(struct rpt_symbol_table *table,
			 enum rpt_symbol_ends ends)
{
	struct rpt_symbol *syms = table->syms;
	uint64_t left = table->nr * (uint64_t)ALIAS_LEN + ALIAS_FREE_LEN;
	size_t last = 0;

	for (size_t i = 1; i < table->nr; i++) {
		if (syms[i].start != syms[last].start)
			syms[++last] = syms[i];
		else if (ends == RPT_ENDS_KALLSYMS ||
			 !is_better(table, &syms[last], &syms[i], &left))
			syms[last] = syms[i];
	}
	if (table->nr)
		table->nr = last + 1;
}

/* Functions without a size give way to all others of their start. */
static void drop_unsized(struct rpt_symbol_table *table)
{
	struct rpt_symbol *syms = table->syms;
	size_t kept = 0;

	for (size_t i = 0; i < table->nr; i++) {
		bool is_alias =
			(kept && syms[kept - 1].start == syms[i].start) ||
			(i + 1 < table->nr &&
			 syms[i + 1].start == syms[i].start);

		if (syms[i].end != syms[i].start || !is_alias)
			syms[kept++] = syms[i];
	}
	table->nr = kept;
}

void rpt_symbol_table_fix_up(struct rpt_symbol_table *table,
			     enum rpt_symbol_ends ends)
{
	sort_symbols(table);
	if (ends == RPT_ENDS_PERF_MAP)
		drop_unsized(table);
	give_ends(table, ends);
	if (ends != RPT_ENDS_PERF_MAP)
		drop_aliases(table, ends);
}

/* Symbols that hold the address which make_spans() has reached, the one that
 * starts last on top. */
struct open_symbols {
	uint32_t *idxs;
	size_t nr;
};

/* Labels have an address if nothing else has. */
struct open_kinds {
	struct open_symbols labels;
	struct open_symbols others;
};

static bool is_label(const struct rpt_symbol *sym)
{
	return sym->type == STT_NOTYPE && sym->binding == STB_LOCAL;
}

/* Note that addresses from addr on belong to symbol idx. */
static void add_span(struct rpt_symbol_table *table, uint64_t addr,
		     uint32_t idx)
{
	struct rpt_symbol_span *spans = table->spans;

	if (table->spans_nr && spans[table->spans_nr - 1].start == addr)
		table->spans_nr--;
	if (!table->spans_nr || spans[table->spans_nr - 1].idx != idx)
		spans[table->spans_nr++] =
			(struct rpt_symbol_span){ addr, idx };
}

/* A symbol without a length covers its own address. */
static uint64_t end_of(const struct rpt_symbol *sym)
{
	if (sym->end > sym->start || sym->start == UINT64_MAX)
		return sym->end > sym->start ? sym->end : sym->start;
	return sym->start + 1;
}

static uint32_t top(const struct open_symbols *open)
{
	return open->nr ? open->idxs[open->nr - 1] : RPT_NO_SYMBOL;
}

static uint64_t top_end(const struct rpt_symbol_table *table,
			const struct open_symbols *open)
{
	return open->nr ? end_of(&table->syms[top(open)]) : UINT64_MAX;
}

static uint32_t holder(const struct open_kinds *open)
{
	return top(open->others.nr ? &open->others : &open->labels);
}

/* Remove the symbols on top that end at or before addr. */
static void drop_ended(const struct rpt_symbol_table *table,
		       struct open_symbols *open, uint64_t addr)
{
	while (open->nr && top_end(table, open) <= addr)
		open->nr--;
}

static void close_symbols(struct rpt_symbol_table *table,
			  struct open_kinds *open, uint64_t addr)
{
	while (open->labels.nr || open->others.nr) {
		uint64_t label_end = top_end(table, &open->labels);
		uint64_t end = top_end(table, &open->others);

		if (label_end < end)
			end = label_end;
		if (end > addr)
			return;
		drop_ended(table, &open->labels, end);
		drop_ended(table, &open->others, end);
		add_span(table, end, holder(open));
	}
}

/* Make at most two spans for each symbol. */
static void make_spans(struct rpt_symbol_table *table, struct open_kinds *open)
{
	for (uint32_t i = 0; i < table->nr; i++) {
		const struct rpt_symbol *sym = &table->syms[i];
		struct open_symbols *kind =
			is_label(sym) ? &open->labels : &open->others;

		close_symbols(table, open, sym->start);
		kind->idxs[kind->nr++] = i;
		add_span(table, sym->start, holder(open));
	}
	close_symbols(table, open, UINT64_MAX);
}

void rpt_symbol_table_index(struct rpt_symbol_table *table)
{
	struct open_kinds open = { .labels = { .nr = 0 } };
	uint32_t *idxs;

	if (table->spans)
		return;
	sort_symbols(table);
	table->spans_nr = 0;
	table->spans =
		rpt_alloc_zeroed(table->nr * 2 + 1, sizeof(*table->spans));
	idxs = rpt_alloc_zeroed(table->nr * 2 + 1, sizeof(*idxs));
	open.labels.idxs = idxs;
	open.others.idxs = idxs + table->nr;
	make_spans(table, &open);
	free(idxs);
	table->spans = rpt_realloc_array(table->spans, table->spans_nr + 1,
					 sizeof(*table->spans));
}

static struct rpt_symbol *find(const struct rpt_symbol_table *table,
			       uint64_t addr, struct rpt_addr_range *range)
{
	const struct rpt_symbol_span *spans = table->spans;
	size_t at;

	PD_FIND_FIRST(at, table->spans_nr, spans[at].start > addr);
	if (at < table->spans_nr)
		rpt_range_until(range, spans[at].start);
	if (!at)
		return NULL;
	rpt_range_from(range, spans[at - 1].start);
	return spans[at - 1].idx == RPT_NO_SYMBOL
		       ? NULL
		       : &table->syms[spans[at - 1].idx];
}

const struct rpt_symbol *rpt_symbol_table_find(struct rpt_symbol_table *table,
					       uint64_t addr)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;

	return rpt_symbol_table_find_range(table, addr, &range);
}

const struct rpt_symbol *
rpt_symbol_table_find_range(struct rpt_symbol_table *table, uint64_t addr,
			    struct rpt_addr_range *range)
{
	struct rpt_symbol *sym;

	rpt_symbol_table_index(table);
	sym = find(table, addr, range);
	if (sym)
		finish_name(table, sym);
	return sym;
}
