#include "report/elf/symbol_windows.h"

#include "report/base/intern.h"
#include "report/base/memory.h"
#include "report/elf/elf_symbols.h"
#include "report/elf/plt.h"

#include <stdlib.h>
#include <string.h>

#define SOURCES_NR   2u
#define SOURCE_BIT   31u /* in an item: which source */
#define ITEM_MASK    ((UINT32_C(1) << SOURCE_BIT) - 1)
#define IN_BUCKET_NR 8u	 /* symbols, about */
#define WALK_NR	     64u /* buckets: passing them takes as long as a symbol */

struct bucket {
	uint64_t reach; /* highest end of its symbols */
	uint32_t end;	/* its last item + 1; its first is the end before */
	struct window *window; /* NULL: not asked for yet */
};

/* Buckets first to last, their addresses, and what these belong to. */
struct window {
	size_t first;
	size_t last;
	uint64_t start;
	uint64_t end; /* UINT64_MAX: up to the last address */
	struct rpt_symbol_table table;
};

struct rpt_symbol_windows {
	struct pd_elf_symtab sources[SOURCES_NR];
	struct pd_elf_strings strings[SOURCES_NR];
	const struct rpt_elf *runtime;
	bool raw_names, with_parameters;
	struct pd_elf_plt slots; /* nr 0 if nothing else has a name */
	uint32_t *items;	 /* by bucket, there in their order */
	uint32_t items_nr;
	unsigned shift; /* bucket = address >> shift; the last has the rest */
	struct bucket *buckets;
	size_t buckets_nr;
	uint64_t taken_nr; /* symbols that were looked at for tables, or as much
			    * work */
	struct window **all;
	uint32_t all_nr, all_cap;
	struct rpt_arena names;		   /* of all tables */
	struct rpt_intern keys;		   /* struct key */
	const struct rpt_symbol **symbols; /* by number of the key */
	uint32_t symbols_cap;
};

/* The key of a symbol; hashed, so without padding. */
struct key {
	uint64_t start;
	uint64_t is_plt;
};

static bool symbol_of(const struct rpt_symbol_windows *windows, uint32_t item,
		      struct rpt_symbol *ret)
{
	uint32_t source = item >> SOURCE_BIT;
	const struct pd_elf_symtab *from = &windows->sources[source];
	struct pd_elf_symbol sym;

	return pd_elf_symtab_at(from, item & ITEM_MASK, &sym) &&
	       rpt_elf_symbol(from, &windows->strings[source], &sym, ret);
}

static size_t bucket_of(const struct rpt_symbol_windows *windows, uint64_t addr)
{
	uint64_t idx = addr >> windows->shift;

	return idx < windows->buckets_nr ? (size_t)idx
					 : windows->buckets_nr - 1;
}

static uint32_t first_item(const struct rpt_symbol_windows *windows,
			   size_t bucket)
{
	return bucket ? windows->buckets[bucket - 1].end : 0;
}

/* Make buckets for a file of so many symbols. */
static void make_buckets(struct rpt_symbol_windows *windows, size_t nr)
{
	const struct pd_elf_image *file = &windows->runtime->image;
	uint64_t end = 0;

	for (uint32_t i = 0; i < file->segment_nr; i++)
		if (file->segments[i].off + file->segments[i].len > end)
			end = file->segments[i].off + file->segments[i].len;
	while (windows->shift < 63 && end >> windows->shift > nr / IN_BUCKET_NR)
		windows->shift++;
	windows->buckets_nr = (size_t)(end >> windows->shift) + 1;
	windows->buckets = rpt_alloc_zeroed(windows->buckets_nr,
					    sizeof(*windows->buckets));
}

/* A source of symbols, by its number. */
struct taking {
	struct rpt_symbol_windows *windows;
	uint32_t source;
};

static int count(void *ctx, const struct pd_elf_symbol *sym)
{
	struct rpt_symbol_windows *windows = ((struct taking *)ctx)->windows;
	struct bucket *bucket =
		&windows->buckets[bucket_of(windows, sym->start)];

	bucket->end++;
	if (sym->start + sym->len > bucket->reach)
		bucket->reach = sym->start + sym->len;
	return 0;
}

/* Put an item to the end of its bucket, whose end moves there. */
static int put(void *ctx, const struct pd_elf_symbol *sym)
{
	const struct taking *from = ctx;
	struct rpt_symbol_windows *windows = from->windows;
	size_t bucket = bucket_of(windows, sym->start);

	if (windows->buckets[bucket].end >= windows->items_nr)
		return 0; /* the file has changed since its symbols were counted
			   */
	windows->items[windows->buckets[bucket].end++] =
		from->source << SOURCE_BIT | sym->idx;
	return 0;
}

/* Call take with each symbol, in the order of the files. */
static void each_place(struct rpt_symbol_windows *windows,
		       int (*take)(void *ctx, const struct pd_elf_symbol *sym))
{
	struct taking from = { .windows = windows };

	for (; from.source < SOURCES_NR; from.source++)
		(void)!pd_elf_symtab_each(&windows->sources[from.source], take,
					  &from);
}

static void fill_buckets(struct rpt_symbol_windows *windows)
{
	uint32_t nr = 0;

	make_buckets(windows,
		     (size_t)windows->sources[0].nr + windows->sources[1].nr);
	each_place(windows, count);
	for (size_t b = 0; b < windows->buckets_nr; b++) {
		uint32_t bucket_nr = windows->buckets[b].end;

		windows->buckets[b].end = nr;
		nr += bucket_nr;
	}
	windows->items =
		rpt_alloc_zeroed((size_t)nr + 1, sizeof(*windows->items));
	windows->items_nr = nr;
	each_place(windows, put);
}

static bool has_symbol(const struct rpt_symbol_windows *windows)
{
	struct rpt_symbol sym;

	for (uint32_t i = 0; i < windows->items_nr; i++)
		if (symbol_of(windows, windows->items[i], &sym))
			return true;
	return false;
}

struct rpt_symbol_windows *
rpt_symbol_windows_new(const struct rpt_symbol_windows_conf *conf,
		       struct pd_err *err)
{
	struct rpt_symbol_windows *windows =
		rpt_alloc_zeroed(1, sizeof(*windows));

	windows->runtime = conf->runtime;
	windows->raw_names = conf->raw_names;
	windows->with_parameters = conf->with_parameters;
	windows->keys.is_bytes = true;
	for (uint32_t s = 0; s < SOURCES_NR && conf->sources[s]; s++) {
		int rc = pd_elf_symtab_open(
			&windows->sources[s], &conf->sources[s]->image,
			&conf->runtime->image, PD_ELF_SPACE_FILE);

		if (!rc && windows->sources[s].nr)
			pd_elf_strings_init(&windows->strings[s],
					    &conf->sources[s]->image,
					    windows->sources[s].strings);
		if (!rc)
			continue;
		pd_err_set(err, rc,
			   rc == -EFBIG ? "its symbol table is larger than the "
					  "limit allows: left out"
					: "its symbol table is damaged");
		rpt_symbol_windows_free(windows);
		return NULL;
	}
	fill_buckets(windows);
	if (has_symbol(windows))
		pd_elf_plt_find(&windows->runtime->image, &windows->slots);
	return windows;
}

void rpt_symbol_windows_free(struct rpt_symbol_windows *windows)
{
	if (!windows)
		return;
	for (uint32_t i = 0; i < windows->all_nr; i++) {
		rpt_symbol_table_release(&windows->all[i]->table);
		free(windows->all[i]);
	}
	pd_elf_plt_release(&windows->slots);
	rpt_arena_release(&windows->names);
	rpt_intern_release(&windows->keys);
	free(windows->all);
	free(windows->symbols);
	free(windows->items);
	free(windows->buckets);
	free(windows);
}

/* Return the end of the slots, UINT64_MAX if they wrap. */
static uint64_t end_of(const struct pd_elf_plt *slots)
{
	uint64_t len, end;

	if (__builtin_mul_overflow(slots->nr, slots->slot_len, &len) ||
	    __builtin_add_overflow(slots->first, len, &end))
		return UINT64_MAX;
	return end;
}

static bool has_slots(const struct window *window,
		      const struct pd_elf_plt *slots)
{
	uint64_t end = end_of(slots);

	return slots->nr && (end == UINT64_MAX || (window->start < end &&
						   window->end > slots->first));
}

/* Let the window be of buckets first to last. */
static void set_window(const struct rpt_symbol_windows *windows,
		       struct window *window, size_t first, size_t last)
{
	bool is_last = last + 1 == windows->buckets_nr;

	window->first = first;
	window->last = last;
	window->start = (uint64_t)first << windows->shift;
	window->end =
		is_last ? UINT64_MAX : (uint64_t)(last + 1) << windows->shift;
}

/* Return whether a bucket before the window has symbols that reach into it. */
static bool reaches(const struct rpt_symbol_windows *windows, size_t bucket,
		    const struct window *window)
{
	return windows->buckets[bucket].reach > window->start;
}

/* Return how many symbols the window's table will be made of, or as much work.
 */
static uint64_t size_of(const struct rpt_symbol_windows *windows,
			const struct window *window)
{
	uint64_t nr = windows->buckets[window->last].end -
		      first_item(windows, window->first) +
		      window->first / WALK_NR;

	for (size_t b = 0; b < window->first; b++)
		if (reaches(windows, b, window))
			nr += windows->buckets[b].end - first_item(windows, b);
	return nr;
}

/* Choose the window around an address.  All slots are in one, since names of
 * the first ones depend on the others; where addresses wrap, that is all. */
static void choose_window(struct rpt_symbol_windows *windows, uint64_t addr,
			  struct window *ret)
{
	const struct pd_elf_plt *slots = &windows->slots;
	size_t bucket = bucket_of(windows, addr), first, last;
	uint64_t slots_end = end_of(slots);

	set_window(windows, ret, bucket, bucket);
	if (has_slots(ret, slots)) {
		first = bucket_of(windows, slots->first);
		last = bucket_of(windows, slots_end - 1);
		set_window(windows, ret, first < bucket ? first : bucket,
			   last > bucket ? last : bucket);
	}
	windows->taken_nr += size_of(windows, ret);
	if (slots_end == UINT64_MAX || windows->taken_nr > windows->items_nr)
		set_window(windows, ret, 0, windows->buckets_nr - 1);
}

/* Fill ret with the symbol of a bucket that starts first; false: it has none.
 */
static bool first_of(struct rpt_symbol_windows *windows, size_t bucket,
		     struct rpt_symbol *ret)
{
	uint32_t first = first_item(windows, bucket);
	uint32_t end = windows->buckets[bucket].end;
	struct rpt_symbol sym;
	bool is_any = false;

	windows->taken_nr += end - first;
	for (uint32_t i = first; i < end; i++) {
		if (!symbol_of(windows, windows->items[i], &sym) ||
		    (is_any && sym.start >= ret->start))
			continue;
		*ret = sym;
		is_any = true;
	}
	return is_any;
}

/* The buckets whose symbols a window's table has: its own, those that reach
 * into it, and the last one before it, whose last symbol may have no size. */
struct choice {
	const struct window *window;
	size_t before; /* SIZE_MAX: there is none */
};

static struct choice choose_buckets(struct rpt_symbol_windows *windows,
				    const struct window *window)
{
	struct choice ret = { window, window->first };
	struct rpt_symbol sym;

	do
		ret.before--;
	while (ret.before != SIZE_MAX && !first_of(windows, ret.before, &sym));
	return ret;
}

static bool is_chosen(const struct rpt_symbol_windows *windows,
		      const struct choice *choice, size_t bucket)
{
	const struct window *window = choice->window;

	if (bucket >= window->first)
		return bucket <= window->last;
	return bucket == choice->before || reaches(windows, bucket, window);
}

/* A symbol without a size ends where the next one starts: add that start, if
 * the bucket behind has not been chosen. */
static void add_stop(struct rpt_symbol_windows *windows,
		     const struct choice *choice, size_t bucket,
		     struct rpt_symbol_table *table)
{
	struct rpt_symbol sym = { .start = 0 };

	while (++bucket < windows->buckets_nr)
		if (first_of(windows, bucket, &sym))
			break;
	if (bucket == windows->buckets_nr ||
	    is_chosen(windows, choice, bucket) || sym.start == UINT64_MAX)
		return;
	sym.end = sym.start + 1;
	rpt_symbol_table_add(table, &sym);
}

static void add_bucket(const struct rpt_symbol_windows *windows, size_t bucket,
		       struct rpt_symbol_table *table)
{
	struct rpt_symbol sym;

	for (uint32_t i = first_item(windows, bucket);
	     i < windows->buckets[bucket].end; i++)
		if (symbol_of(windows, windows->items[i], &sym))
			rpt_symbol_table_add(table, &sym);
}

/* A table has the arena while it may make names, since one for each would be a
 * page for each. */
static void swap_names(struct rpt_symbol_windows *windows,
		       struct window *window)
{
	struct rpt_arena names = windows->names;

	windows->names = window->table.names;
	window->table.names = names;
}

static void fill_window(struct rpt_symbol_windows *windows,
			struct window *window)
{
	struct choice choice = choose_buckets(windows, window);
	struct rpt_symbol_table *table = &window->table;

	rpt_symbol_table_init(table, windows->raw_names);
	table->with_parameters = windows->with_parameters;
	for (size_t b = 0; b <= window->last; b++) {
		if (!is_chosen(windows, &choice, b))
			continue;
		add_bucket(windows, b, table);
		if (!is_chosen(windows, &choice, b + 1))
			add_stop(windows, &choice, b, table);
	}
	swap_names(windows, window);
	rpt_symbol_table_fix_up(table, RPT_ENDS_ELF);
	if (has_slots(window, &windows->slots))
		rpt_plt_symbols_read(table, windows->runtime);
	else
		rpt_plt_cut(table, &windows->slots);
	swap_names(windows, window);
}

static struct window *make_window(struct rpt_symbol_windows *windows,
				  uint64_t addr)
{
	struct window *window = rpt_alloc_zeroed(1, sizeof(*window));

	choose_window(windows, addr, window);
	fill_window(windows, window);
	for (size_t b = window->first; b <= window->last; b++)
		if (!windows->buckets[b].window)
			windows->buckets[b].window = window;
	windows->all = rpt_grow(windows->all, &windows->all_cap,
				windows->all_nr, sizeof(*windows->all));
	windows->all[windows->all_nr++] = window;
	return window;
}

/* Return the first of equal symbols that was found, which two windows may have.
 */
static const struct rpt_symbol *only_one(struct rpt_symbol_windows *windows,
					 const struct rpt_symbol *sym)
{
	const struct key key = { sym->start, sym->is_plt };
	uint32_t known_nr = windows->keys.nr;
	uint32_t at = (uint32_t)rpt_intern(&windows->keys, &key, sizeof(key));

	windows->symbols = rpt_grow(windows->symbols, &windows->symbols_cap, at,
				    sizeof(*windows->symbols));
	if (at == known_nr)
		windows->symbols[at] = sym;
	return windows->symbols[at];
}

const struct rpt_symbol *
rpt_symbol_windows_find(struct rpt_symbol_windows *windows, uint64_t addr,
			struct rpt_addr_range *range)
{
	struct window *window =
		windows->buckets[bucket_of(windows, addr)].window;
	const struct rpt_symbol *sym;

	if (!window)
		window = make_window(windows, addr);
	swap_names(windows, window);
	sym = rpt_symbol_table_find_range(&window->table, addr, range);
	swap_names(windows, window);
	rpt_range_from(range, window->start);
	if (window->end != UINT64_MAX)
		rpt_range_until(range, window->end);
	return sym ? only_one(windows, sym) : NULL;
}
