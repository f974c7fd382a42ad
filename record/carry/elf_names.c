#include "record/carry/elf_names.h"

#include "format/base/search.h"
#include "format/symtab/elf_plt.h"
#include "format/symtab/symbol_search.h"
#include "record/names/hit_set.h"
#include "record/names/name_share.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

enum {
	KEPT_MAX = 1 << 19, /* 16 MiB */
	NOTED_NR = 4,	    /* aliases of which the place is noted */
	NOTED_HITS = 8192,  /* for no more hits */
	NOTED_SHARE = 64, /* symbols of the table for one that is read alone */
	PIECE_NR = 1024,
};

/* The symbols that start last before a hit, and behind the hit before that. */
struct nearest {
	uint64_t start;
	bool is_any;
	bool is_sized_all; /* all of them have sizes */
};

/* The places of these in the table. */
struct noted {
	uint64_t behind; /* the least start behind the hit, and before the next
			  * hit */
	uint32_t idxs[NOTED_NR];
	uint8_t nr; /* more than NOTED_NR: not all are noted */
};

/* The start of a slot that gives way to a symbol, if one covers it. */
struct slot {
	uint64_t start;
	uint64_t nearest; /* start of the symbols before it */
	bool is_any;
	bool is_open; /* the last of these has no size */
	bool is_covered;
};

/* A symbol that is carried. */
struct kept {
	uint64_t start;
	uint64_t len;
	uint32_t idx; /* in the table of the file */
	uint32_t name;
	uint32_t wanted; /* index of its start */
	uint8_t info;
};

/* A growing list of addresses, ascending in the end, each of them once. */
struct starts {
	uint64_t *items; /* owned */
	size_t nr;
	size_t cap;
};

/* A list of addresses, ascending, in which many are looked up. */
struct index {
	const uint64_t *items; /* borrowed */
	size_t nr;
	uint32_t *below; /* owned; PIECE_NR + 1: the space from the first item
			  * on in pieces, and how many are below each */
	unsigned piece_shift;
};

struct finder {
	const uint64_t *hits;
	size_t nr;
	struct index at_hits;
	struct pd_elf_symtab symtab;
	struct rec_symbol_index index; /* owned; of the table */
	struct pd_elf_strings strings;
	struct pd_elf_plt plt;
	struct slot slots[2];
	struct rec_name_span *spans; /* the caller's; by hit; NULL: none */
	struct nearest *nearest;     /* owned; by hit */
	struct noted *noted; /* owned; by hit; NULL: there are many hits */
	int64_t *covers; /* owned; by hit: how many symbols more reach over it
			  * than over the hit before */
	struct starts wanted;
	struct index at_wanted;
	uint64_t *next; /* owned; by wanted start: where the next symbol starts,
			 * UINT64_MAX: nowhere */
	struct kept *kept; /* owned */
	size_t kept_nr;
	size_t kept_cap;
	size_t share_left; /* bytes of texts: name_share.h */
	bool has_index;
	bool is_any;	/* the file has a symbol */
	bool is_packed; /* most are in .gnu_debugdata, not read here */
};

/* Make room for one more of nr items.  Return NULL, and leave them, if there
 * are too many or there is no memory. */
static void *grow(void *items, size_t nr, size_t *cap, size_t len)
{
	size_t more_cap = *cap ? 2 * *cap : 64;

	if (nr < *cap)
		return items;
	items = more_cap > KEPT_MAX ? NULL : reallocarray(items, more_cap, len);
	if (items)
		*cap = more_cap;
	return items;
}

static int add_start(struct starts *to, uint64_t start)
{
	uint64_t *items;

	if (to->nr && to->items[to->nr - 1] == start)
		return 0;
	items = grow(to->items, to->nr, &to->cap, sizeof(start));
	if (!items)
		return -EFBIG;
	to->items = items;
	to->items[to->nr++] = start;
	return 0;
}

/* Only marks of linkers are told by their names. */
static bool is_taken(struct finder *f, const struct pd_elf_symbol *sym)
{
	struct pd_str name;

	if (!pd_elf_symtab_doubts(&f->symtab, sym))
		return true;
	name = pd_elf_strings_at(&f->strings, sym->name);
	return pd_elf_symtab_takes(&f->symtab, sym, name.ptr);
}

static void note_place(struct noted *noted, bool is_first, uint32_t idx)
{
	if (is_first)
		noted->nr = 0;
	if (noted->nr < NOTED_NR)
		noted->idxs[noted->nr] = idx;
	if (noted->nr <= NOTED_NR)
		noted->nr++;
}

static void note_nearest(struct finder *f, size_t hit,
			 const struct pd_elf_symbol *sym)
{
	struct nearest *n = &f->nearest[hit];
	bool is_first = !n->is_any || n->start != sym->start;

	if (n->is_any && n->start > sym->start)
		return;
	if (is_first)
		n->is_sized_all = true;
	n->is_any = true;
	n->start = sym->start;
	n->is_sized_all &= sym->len > 0;
	if (f->noted)
		note_place(&f->noted[hit], is_first, sym->idx);
}

static void note_slot(struct slot *s, const struct pd_elf_symbol *sym)
{
	if (sym->start > s->start)
		return;
	s->is_covered |= sym->start + sym->len > s->start;
	if (s->is_any && s->nearest > sym->start)
		return;
	s->is_any = true;
	s->nearest = sym->start;
	s->is_open = !sym->len;
}

/* Of two addresses at both sides of at, different symbols may count. */
static void cut_spans(struct finder *f, size_t first, uint64_t at)
{
	if (f->spans && first < f->nr && f->spans[first].start < at)
		f->spans[first].start = at;
	if (f->spans && first && f->spans[first - 1].end > at)
		f->spans[first - 1].end = at;
}

static int index_init(struct index *ret, const uint64_t *items, size_t nr)
{
	size_t piece = 0;

	*ret = (struct index){ .items = items, .nr = nr };
	ret->below = calloc(PIECE_NR + 1, sizeof(*ret->below));
	if (!ret->below)
		return -ENOMEM;
	while (nr && (items[nr - 1] - items[0]) >> ret->piece_shift >= PIECE_NR)
		ret->piece_shift++;
	for (size_t i = 0; i < nr; i++)
		for (; piece < (items[i] - items[0]) >> ret->piece_shift;
		     piece++)
			ret->below[piece + 1] = (uint32_t)i;
	for (; piece < PIECE_NR; piece++)
		ret->below[piece + 1] = (uint32_t)nr;
	return 0;
}

/* Return the index of the first item that is not before at. */
static size_t index_find(const struct index *index, uint64_t at)
{
	const uint64_t *items = index->items;
	size_t low, i;
	uint64_t piece;

	if (!index->nr || at <= items[0])
		return 0;
	piece = (at - items[0]) >> index->piece_shift;
	if (piece >= PIECE_NR)
		return index->nr;
	low = index->below[piece];
	PD_FIND_FIRST(i, index->below[piece + 1] - low, items[low + i] >= at);
	return low + i;
}

/* First pass: find which symbols start before hits, or reach over them. */
static int note_symbol(void *ctx, const struct pd_elf_symbol *sym)
{
	struct finder *f = ctx;
	uint64_t end = sym->start + sym->len;
	size_t first, behind;

	if (!is_taken(f, sym))
		return 0;
	f->is_any = true;
	note_slot(&f->slots[0], sym);
	note_slot(&f->slots[1], sym);
	first = index_find(&f->at_hits, sym->start);
	cut_spans(f, first, sym->start);
	if (first && f->noted && sym->start < f->noted[first - 1].behind)
		f->noted[first - 1].behind = sym->start;
	if (first == f->nr)
		return 0;
	note_nearest(f, first, sym);
	if (f->hits[first] >= end) {
		cut_spans(f, first, end);
		return 0;
	}
	behind = index_find(&f->at_hits, end);
	cut_spans(f, behind, end);
	f->covers[first]++;
	f->covers[behind]--;
	return add_start(&f->wanted, sym->start);
}

/* Second pass: keep those, with their aliases, and find what comes behind. */
static int keep_symbol(void *ctx, const struct pd_elf_symbol *sym)
{
	struct finder *f = ctx;
	const struct starts *w = &f->wanted;
	size_t at = index_find(&f->at_wanted, sym->start);
	bool is_wanted = at < w->nr && w->items[at] == sym->start;
	struct kept *kept;

	if (!is_wanted && (!at || f->next[at - 1] <= sym->start))
		return 0;
	if (!is_taken(f, sym))
		return 0;
	if (at && sym->start < f->next[at - 1])
		f->next[at - 1] = sym->start;
	if (!is_wanted)
		return 0;
	kept = grow(f->kept, f->kept_nr, &f->kept_cap, sizeof(*f->kept));
	if (!kept)
		return -EFBIG;
	f->kept = kept;
	f->kept[f->kept_nr++] = (struct kept){
		.start = sym->start,
		.len = sym->len,
		.idx = sym->idx,
		.name = sym->name,
		.wanted = (uint32_t)at,
		.info = sym->info,
	};
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int compare_kept(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->start != y->start ? compare_starts(&x->start, &y->start)
				    : (x->idx > y->idx) - (x->idx < y->idx);
}

/* Hand what starts before a hit on to the hits behind, and count those that
 * have a name. */
static int settle_hits(struct finder *f, uint64_t *named_nr)
{
	int64_t covers = 0;
	int rc = 0;

	for (size_t i = 0; i < f->nr && !rc; i++) {
		struct nearest *n = &f->nearest[i];

		covers += f->covers[i];
		if (!n->is_any && i)
			*n = n[-1];
		if (!n->is_any)
			continue;
		*named_nr += covers > 0 || !n->is_sized_all;
		rc = add_start(&f->wanted, n->start);
	}
	return rc;
}

static int settle_wanted(struct finder *f)
{
	struct starts *w = &f->wanted;
	size_t nr = 0;

	if (w->nr)
		qsort(w->items, w->nr, sizeof(*w->items), compare_starts);
	for (size_t i = 0; i < w->nr; i++)
		if (!nr || w->items[nr - 1] != w->items[i])
			w->items[nr++] = w->items[i];
	w->nr = nr;
	f->next = malloc((nr + 1) * sizeof(*f->next));
	if (!f->next || index_init(&f->at_wanted, w->items, nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		f->next[i] = UINT64_MAX;
	return 0;
}

/* Return whether the first pass noted the places of all that is wanted: nothing
 * else reaches over hits.  Then find what comes behind. */
static bool are_noted(struct finder *f)
{
	const struct starts *w = &f->wanted;
	uint64_t behind = UINT64_MAX;
	size_t found = 0;

	if (!f->noted)
		return false;
	for (size_t i = f->nr; i--;) {
		const struct nearest *n = &f->nearest[i];

		if (f->noted[i].behind < behind)
			behind = f->noted[i].behind;
		if (!n->is_any ||
		    (i && n[-1].is_any && n[-1].start == n->start))
			continue;
		if (f->noted[i].nr > NOTED_NR)
			return false;
		f->next[rec_hits_below(w->items, w->nr, n->start)] = behind;
		found++;
	}
	return found == w->nr && found <= f->symtab.nr / NOTED_SHARE;
}

/* Second pass, of what was noted alone. */
static int keep_noted(struct finder *f)
{
	uint64_t last = UINT64_MAX;
	struct pd_elf_symbol sym;
	int rc = 0;

	for (size_t i = 0; i < f->nr && !rc; i++) {
		const struct nearest *n = &f->nearest[i];
		const struct noted *noted = &f->noted[i];

		if (!n->is_any || n->start == last)
			continue;
		last = n->start;
		for (uint8_t j = 0; j < noted->nr && !rc; j++)
			if (pd_elf_symtab_at(&f->symtab, noted->idxs[j], &sym))
				rc = keep_symbol(f, &sym);
	}
	return rc;
}

static int each_symbol(struct finder *f,
		       int (*see)(void *ctx, const struct pd_elf_symbol *sym))
{
	return f->has_index ? rec_symbol_index_each(&f->index, see, f)
			    : pd_elf_symtab_each(&f->symtab, see, f);
}

static int find_kept(struct finder *f, uint64_t *named_nr)
{
	int rc;

	f->nearest = calloc(f->nr + 1, sizeof(*f->nearest));
	f->covers = calloc(f->nr + 1, sizeof(*f->covers));
	if (f->nr <= NOTED_HITS && !f->has_index)
		f->noted = calloc(f->nr + 1, sizeof(*f->noted));
	for (size_t i = 0; f->noted && i < f->nr; i++)
		f->noted[i].behind = UINT64_MAX;
	rc = f->nearest && f->covers ? index_init(&f->at_hits, f->hits, f->nr)
				     : -ENOMEM;
	if (!rc)
		rc = each_symbol(f, note_symbol);
	if (!rc)
		rc = settle_hits(f, named_nr);
	if (!rc)
		rc = settle_wanted(f);
	if (!rc && f->wanted.nr)
		rc = are_noted(f) ? keep_noted(f) : each_symbol(f, keep_symbol);
	if (f->kept_nr)
		qsort(f->kept, f->kept_nr, sizeof(*f->kept), compare_kept);
	return rc;
}

/* Return the length of a symbol.  One without a size reaches up to the next, or
 * if it is the last behind the page after its own; of aliases, the last one
 * does. */
static uint64_t len_of(const struct finder *f, size_t idx)
{
	const struct kept *s = &f->kept[idx];

	if (s->len)
		return s->len;
	if (idx + 1 < f->kept_nr && s[1].start == s->start)
		return 0;
	if (f->next[s->wanted] != UINT64_MAX)
		return f->next[s->wanted] - s->start;
	return pd_symbol_last_end(s->start) - s->start;
}

/* Add a name if the file's share has room for it.  Return 0, -EFBIG or
 * -ENOMEM. */
static int add_name(struct finder *f, const struct pd_carried_name *name,
		    struct rec_name_list *list)
{
	if (name->text.len > f->share_left)
		return -EFBIG;
	f->share_left -= name->text.len;
	return rec_name_list_add(list, name) ? 0 : -ENOMEM;
}

static int add_kept(struct finder *f, size_t idx, struct rec_name_list *list)
{
	const struct kept *s = &f->kept[idx];
	struct pd_carried_name name = {
		.start = s->start,
		.len = pd_elf_plt_cut(&f->plt, s->start,
				      s->start + len_of(f, idx)) -
		       s->start,
		.source = PD_CARRIED_SYMTAB,
		.info = s->info,
		.text = pd_elf_strings_at(&f->strings, s->name),
	};

	return name.text.len ? add_name(f, &name, list) : 0;
}

/* The rank of an alias, as far as its name is not looked at: the highest one is
 * shown (symbol_table.h of the reader). */
static unsigned rank_of(const struct kept *s)
{
	unsigned binding = ELF64_ST_BIND(s->info);

	return (s->len ? 4u : 0) + (binding != STB_WEAK ? 2u : 0) +
	       (binding == STB_GLOBAL ? 1u : 0);
}

/* Return where the aliases of the start of kept[idx] end; *ret_best is the
 * first of the highest rank. */
static size_t aliases_end(const struct finder *f, size_t idx, size_t *ret_best)
{
	const uint64_t start = f->kept[idx].start;

	for (*ret_best = idx; idx < f->kept_nr && f->kept[idx].start == start;
	     idx++)
		if (rank_of(&f->kept[idx]) > rank_of(&f->kept[*ret_best]))
			*ret_best = idx;
	return idx;
}

/* Add the best name of each start, then aliases as far as there is room. Return
 * -EFBIG if a start has none. */
static int add_names(struct finder *f, struct rec_name_list *list)
{
	size_t end, best;
	int rc = 0, over = 0;

	for (size_t i = 0; i < f->kept_nr && rc != -ENOMEM; i = end) {
		end = aliases_end(f, i, &best);
		rc = add_kept(f, best, list);
		over = rc ? rc : over;
	}
	for (size_t i = 0; i < f->kept_nr && rc != -ENOMEM; i = end) {
		end = aliases_end(f, i, &best);
		for (; i < end && rc != -ENOMEM; i++)
			rc = i == best ? rc : add_kept(f, i, list);
	}
	return rc == -ENOMEM ? rc : over;
}

static int add_slot(struct finder *f, uint64_t idx, struct rec_name_list *list)
{
	struct pd_carried_name name = {
		.start = f->plt.first + idx * f->plt.slot_len,
		.len = f->plt.slot_len,
		.source = PD_CARRIED_PLT,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	};
	const struct slot *slot = &f->slots[idx & 1];
	uint32_t name_off;

	if ((pd_elf_plt_gives_way(&f->plt, idx) &&
	     (f->is_packed || slot->is_covered || slot->is_open)) ||
	    !pd_elf_plt_slot(&f->plt, idx, &name_off))
		return 0;
	name.text = pd_elf_strings_at(&f->plt.names, name_off);
	return add_name(f, &name, list);
}

static void cut_to_slots(struct finder *f)
{
	const struct pd_elf_plt *plt = &f->plt;
	uint64_t end = plt->first + plt->nr * plt->slot_len;

	if (!plt->nr || !f->spans)
		return;
	cut_spans(f, rec_hits_below(f->hits, f->nr, plt->first), plt->first);
	cut_spans(f, rec_hits_below(f->hits, f->nr, end), end);
	for (size_t i = rec_hits_below(f->hits, f->nr, plt->first);
	     i < f->nr && (f->hits[i] - plt->first) / plt->slot_len < plt->nr;
	     i++) {
		uint64_t start =
			f->hits[i] - (f->hits[i] - plt->first) % plt->slot_len;

		cut_spans(f, i, start);
		cut_spans(f, i + 1, start + plt->slot_len);
	}
}

/* Boundaries between two hits were noted at one of them. */
static void settle_spans(struct finder *f)
{
	if (!f->spans)
		return;
	cut_to_slots(f);
	for (size_t i = 1; i < f->nr; i++)
		if (f->spans[i].start < f->spans[i - 1].start)
			f->spans[i].start = f->spans[i - 1].start;
	for (size_t i = f->nr; i-- > 1;)
		if (f->spans[i - 1].end > f->spans[i].end)
			f->spans[i - 1].end = f->spans[i].end;
}

static int add_slots(struct finder *f, struct rec_name_list *list)
{
	const struct pd_elf_plt *plt = &f->plt;
	uint64_t last = UINT64_MAX;
	int rc = 0;

	if (!plt->nr)
		return 0;
	for (size_t i = rec_hits_below(f->hits, f->nr, plt->first);
	     i < f->nr && !rc &&
	     (f->hits[i] - plt->first) / plt->slot_len < plt->nr;
	     i++) {
		uint64_t idx = (f->hits[i] - plt->first) / plt->slot_len;

		if (idx != last)
			rc = add_slot(f, idx, list);
		last = idx;
	}
	return rc;
}

/* Symbols of an index are read only around hits and for the first slots. */
static void open_index(struct finder *f, const struct rec_elf_names_from *from)
{
	int rc = from->place ? rec_symbol_index_open(&f->index, from->place)
			     : -ENOENT;

	if (rc && from->place && from->makes_index && *from->makes_index) {
		rc = rec_symbol_index_make(from->place, &f->symtab);
		*from->makes_index = rc == -EFBIG;
		if (!rc)
			rc = rec_symbol_index_open(&f->index, from->place);
	}
	if (rc)
		return;
	f->has_index = true;
	f->is_any = f->index.symbol_nr > 0;
	for (size_t i = 0; i < f->nr; i++)
		rec_symbol_index_want(&f->index, f->hits[i]);
	for (size_t i = 0; i < 2 && f->plt.nr; i++)
		rec_symbol_index_want(&f->index, f->slots[i].start);
}

static void release(struct finder *f)
{
	pd_elf_strings_release(&f->strings);
	pd_elf_plt_release(&f->plt);
	free(f->at_hits.below);
	free(f->at_wanted.below);
	free(f->nearest);
	free(f->noted);
	free(f->covers);
	free(f->wanted.items);
	free(f->next);
	free(f->kept);
	if (f->has_index)
		rec_symbol_index_close(&f->index);
}

static int find_names(struct finder *f, const struct rec_elf_names_from *from,
		      struct rec_name_list *list)
{
	int rc;

	f->is_packed = !pd_elf_has_symtab(from->symbols) &&
		       pd_elf_image_find(from->symbols, ".gnu_debugdata");
	pd_elf_strings_init(&f->strings, from->symbols, f->symtab.strings);
	pd_elf_plt_find(from->mapped, &f->plt);
	f->slots[0].start = f->plt.first;
	f->slots[1].start = f->plt.first + f->plt.slot_len;
	open_index(f, from);
	rc = find_kept(f, &list->named_nr);
	settle_spans(f);
	if (!rc)
		rc = add_names(f, list);
	/* The reader names the slots of files that have symbols. */
	if (!rc && (f->is_any || f->is_packed))
		rc = add_slots(f, list);
	return rc;
}

int rec_elf_names(const struct rec_elf_names_from *from, const uint64_t *hits,
		  size_t nr, struct rec_name_span *spans,
		  struct rec_name_list *list)
{
	struct finder f = { .hits = hits,
			    .nr = nr,
			    .spans = spans,
			    .share_left = rec_name_share(nr) };
	struct rec_elf_names_from without = *from;
	uint64_t named_nr = list->named_nr;
	int rc = pd_elf_symtab_open(&f.symtab, from->symbols, from->mapped,
				    PD_ELF_SPACE_FILE);

	for (size_t i = 0; spans && i < nr; i++)
		spans[i] = (struct rec_name_span){ 0, UINT64_MAX };
	if (rc || !f.symtab.nr)
		return rc;
	rc = find_names(&f, from, list);
	release(&f);
	if (!f.has_index || (rc != -EBADMSG && rc != -EIO))
		return rc;
	rec_symbol_index_remove(from->place);
	without.place = NULL;
	list->named_nr = named_nr;
	return rec_elf_names(&without, hits, nr, spans, list);
}
