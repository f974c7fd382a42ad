#include "report/elf/symbol_table.h"

#include "report/elf/demangle.h"
#include "report/elf/symbol_overlap.h"
#include "report/elf/symbol_sort.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Chunks and tables double from what one KSYMBOL needs: a file can tell of tens
 * of thousands, each a DSO. */
#define CHUNK_LEN_MIN ((size_t)64)
#define CHUNK_LEN_MAX ((size_t)64 * 1024)
#define SYMS_NR_MIN   ((size_t)2)
#define PAGE_LEN      4096u

struct rpt_symbol_chunk {
	struct rpt_symbol_chunk *next;
	size_t used_len;
	size_t cap_len;
	char bytes[];
};

void rpt_symbol_table_init(struct rpt_symbol_table *table, bool raw_names)
{
	memset(table, 0, sizeof(*table));
	table->raw_names = raw_names;
}

void rpt_symbol_table_release(struct rpt_symbol_table *table)
{
	struct rpt_symbol_chunk *next;

	for (; table->chunks; table->chunks = next) {
		next = table->chunks->next;
		free(table->chunks);
	}
	rpt_symbol_overlap_free(table->overlap);
	rpt_symbol_index_release(&table->index);
	free(table->dropped);
	free(table->syms);
	rpt_symbol_table_init(table, table->raw_names);
}

int rpt_symbol_table_add(struct rpt_symbol_table *table,
			 const struct rpt_symbol *sym)
{
	size_t cap = table->cap ? table->cap * 2 : SYMS_NR_MIN;
	struct rpt_symbol *syms;

	if (table->added_nr == UINT32_MAX)
		return -ENOMEM;
	if (table->nr == table->cap) {
		syms = reallocarray(table->syms, cap, sizeof(*syms));
		if (!syms)
			return -ENOMEM;
		table->syms = syms;
		table->cap = cap;
	}
	table->syms[table->nr] = *sym;
	table->syms[table->nr++].order = table->added_nr++;
	return 0;
}

char *rpt_symbol_table_room(struct rpt_symbol_table *table, size_t len)
{
	struct rpt_symbol_chunk *chunk = table->chunks;
	size_t cap_len = chunk ? chunk->cap_len * 2 : CHUNK_LEN_MIN;
	char *room;

	if (cap_len > CHUNK_LEN_MAX)
		cap_len = CHUNK_LEN_MAX;
	if (cap_len < len)
		cap_len = len;
	if (!chunk || chunk->cap_len - chunk->used_len < len) {
		chunk = malloc(sizeof(*chunk) + cap_len);
		if (!chunk)
			return NULL;
		chunk->next = table->chunks;
		chunk->used_len = 0;
		chunk->cap_len = cap_len;
		table->chunks = chunk;
	}
	room = chunk->bytes + chunk->used_len;
	chunk->used_len += len;
	return room;
}

char *rpt_symbol_table_keep(struct rpt_symbol_table *table, const char *text,
			    size_t len)
{
	char *copy = rpt_symbol_table_room(table, len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

/* Puts the demangled name in the symbol, once. */
static void settle_name(struct rpt_symbol_table *table, struct rpt_symbol *sym)
{
	char *plain;
	const char *kept;

	if (sym->is_named || table->raw_names)
		return;
	sym->is_named = true;
	plain = rpt_demangle(sym->name, table->with_parameters);
	if (!plain)
		return;
	kept = rpt_symbol_table_keep(table, plain, strlen(plain));
	if (kept)
		sym->name = kept;
	free(plain);
}

void rpt_symbol_table_keep_first(struct rpt_symbol_table *table, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		table->syms[i].order = (uint32_t)i;
	table->nr = nr;
	table->added_nr = (uint32_t)nr;
	table->settled_nr = 0;
	free(table->dropped);
	table->dropped = NULL;
	table->dropped_nr = 0;
}

static uint64_t page_after(uint64_t addr)
{
	if (addr > UINT64_MAX - 2 * PAGE_LEN)
		return UINT64_MAX;
	return ((addr + PAGE_LEN - 1) & ~(uint64_t)(PAGE_LEN - 1)) + PAGE_LEN;
}

/* Kallsyms names of modules end in "\t[ext4]". */
static bool is_of_module(const struct rpt_symbol *sym)
{
	return strchr(sym->name, '[');
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
			sym->end = is_last || is_module != is_next
					   ? page_after(sym->start)
					   : sym[1].start;
		is_module = is_next;
	}
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* The old names of system call entries give way to any other. */
static bool is_syscall_alias(const char *name)
{
	return strncmp(name, "SyS", 3) == 0 ||
	       strncmp(name, "compat_SyS", 10) == 0;
}

/* True: a stays, b goes.  Both start at the same address, a is the earlier. */
static bool is_better(struct rpt_symbol_table *table, struct rpt_symbol *a,
		      struct rpt_symbol *b)
{
	bool sized_a = a->end != a->start, sized_b = b->end != b->start;
	bool weak_a = a->binding == STB_WEAK, weak_b = b->binding == STB_WEAK;
	bool global_a = a->binding == STB_GLOBAL;
	bool global_b = b->binding == STB_GLOBAL;
	size_t len_a, len_b;

	if (sized_a != sized_b)
		return sized_a;
	if (weak_a != weak_b)
		return weak_b;
	if (global_a != global_b)
		return global_a;
	settle_name(table, a);
	settle_name(table, b);
	len_a = underscores(a->name);
	len_b = underscores(b->name);
	if (len_a != len_b)
		return len_a < len_b;
	len_a = strlen(a->name);
	len_b = strlen(b->name);
	if (len_a != len_b)
		return len_a > len_b;
	return !is_syscall_alias(a->name);
}

static void drop(struct rpt_symbol_table *table, const struct rpt_symbol *sym)
{
	struct rpt_symbol_dropped *to = &table->dropped[table->dropped_nr++];

	to->start = sym->start;
	to->order = sym->order;
}

static size_t count_aliases(const struct rpt_symbol_table *table)
{
	size_t i, nr = 0;

	for (i = 1; i < table->nr; i++)
		nr += table->syms[i].start == table->syms[i - 1].start;
	return nr;
}

static int drop_aliases(struct rpt_symbol_table *table)
{
	struct rpt_symbol *syms = table->syms;
	size_t i, kept = 0, aliases_nr = count_aliases(table);

	if (aliases_nr == 0)
		return 0;
	table->dropped = calloc(aliases_nr, sizeof(*table->dropped));
	if (!table->dropped)
		return -ENOMEM;
	for (i = 1; i < table->nr; i++) {
		if (syms[i].start != syms[kept].start) {
			syms[++kept] = syms[i];
		} else if (is_better(table, &syms[kept], &syms[i])) {
			drop(table, &syms[i]);
		} else {
			drop(table, &syms[kept]);
			syms[kept] = syms[i];
		}
	}
	table->nr = kept + 1;
	return 0;
}

int rpt_symbol_table_settle(struct rpt_symbol_table *table,
			    enum rpt_symbol_ends ends)
{
	int rc = rpt_symbol_sort(table->syms, table->nr);

	if (rc)
		return rc;
	give_ends(table, ends);
	table->settled_nr = table->added_nr;
	return drop_aliases(table);
}

/* Where nothing that starts earlier, or with it, reaches into a symbol or
 * behind it, it is found by its start alone.  True: not so of all. */
static bool mark_alone(struct rpt_symbol_table *table)
{
	bool has_overlap = false;
	uint64_t end = 0; /* of all before */

	for (size_t i = 0; i < table->nr; i++) {
		struct rpt_symbol *sym = &table->syms[i];
		bool has_twin = i + 1 < table->nr && sym[1].start == sym->start;

		sym->is_alone = end <= sym->start && !has_twin &&
				(!i || sym[-1].start != sym->start);
		has_overlap |= !sym->is_alone;
		if (sym->end > end)
			end = sym->end;
	}
	return has_overlap;
}

int rpt_symbol_table_index(struct rpt_symbol_table *table)
{
	int rc = rpt_symbol_sort(table->syms, table->nr);

	rpt_symbol_overlap_free(table->overlap);
	table->overlap = NULL;
	if (rc)
		return rc;
	if (mark_alone(table))
		rc = rpt_symbol_overlap_make(table, &table->overlap);
	return rc ? rc
		  : rpt_symbol_index_make(&table->index, table->syms,
					  table->nr);
}

static struct rpt_symbol *find(const struct rpt_symbol_table *table,
			       uint64_t addr, struct rpt_addr_range *range)
{
	size_t nr = rpt_symbol_index_find(&table->index, table->syms, table->nr,
					  addr);

	if (table->overlap && nr && !table->syms[nr - 1].is_alone)
		return rpt_symbol_overlap_find(table, addr, range);
	if (nr < table->nr)
		rpt_range_until(range, table->syms[nr].start);
	if (!nr || !rpt_symbol_narrow(&table->syms[nr - 1], addr, range))
		return NULL;
	return &table->syms[nr - 1];
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
	struct rpt_symbol *sym = find(table, addr, range);

	if (sym)
		settle_name(table, sym);
	return sym;
}
