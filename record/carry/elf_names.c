#include "record/carry/elf_names.h"

#include "record/carry/elf_plt.h"
#include "record/names/hit_set.h"

#include <elf.h>
#include <stdlib.h>

enum {
	SYMBOLS_MAX = 1 << 19, /* 16 MiB */
	SYMTAB_LEN_MAX = 64 << 20,
	READ_LEN_MAX = 256 << 20, /* of names, which may lie anywhere */
	SECTION_NAME_LEN = 256,	  /* of which more is not looked at */
	BLOCK_LEN = 64 * 1024,
	NAME_LEN_MAX = 64 * 1024,
	PLT_NAME_LEN_MAX = 4096,
	OVERLAPS_MAX =
		64, /* symbols before an address that may reach over it */
};

/* A symbol that counts; start is an offset in the mapped file. */
struct symbol {
	uint64_t start;
	uint64_t len;
	uint32_t idx;  /* among those that count, in the order of the file */
	uint32_t name; /* in the string table */
	uint8_t info;
	bool is_wanted;
};

/* The part of a table that was read last. */
struct block {
	uint64_t off;
	size_t len;
	char data[BLOCK_LEN];
};

struct reader {
	const struct pd_elf_image *mapped;
	const struct pd_elf_image *elf; /* that the symbols are in */
	const struct pd_elf_section *symtab;
	const struct pd_elf_section *strtab;
	struct symbol *symbols; /* owned */
	size_t nr;
	size_t cap;
	bool is_packed; /* most symbols are in .gnu_debugdata, not read here */
	struct block *names; /* owned */
	uint64_t read_len;   /* of names */
};

/* Return the text at off of the string table, cut at what is left of it. */
static struct pd_str name_at(struct reader *r, uint32_t name, char *buf,
			     size_t cap)
{
	struct block *b = r->names;
	uint64_t left = name < r->strtab->len ? r->strtab->len - name : 0;
	size_t len = left < cap ? (size_t)left : cap;
	struct pd_str text = { buf, 0 };

	if (name < b->off || name - b->off >= b->len ||
	    (!memchr(b->data + (name - b->off), 0,
		     b->len - (size_t)(name - b->off)) &&
	     b->off != name)) {
		b->off = name;
		b->len = left < BLOCK_LEN ? (size_t)left : BLOCK_LEN;
		r->read_len += b->len;
		if (r->read_len > READ_LEN_MAX ||
		    pd_elf_image_bytes(r->elf, r->strtab->off + name, b->data,
					b->len))
			b->len = 0;
	}
	if (name - b->off < b->len) {
		size_t there = b->len - (size_t)(name - b->off);

		text.len = strnlen(b->data + (name - b->off),
				   there < len ? there : len);
		memcpy(buf, b->data + (name - b->off), text.len);
	}
	return text;
}

/* "$a", "$d.12", "$x": marks of the ARM linkers, no names. */
static bool is_arm_mark(struct reader *r, uint32_t name)
{
	char text[4];
	struct pd_str s;

	if (r->elf->machine != EM_ARM && r->elf->machine != EM_AARCH64)
		return false;
	s = name_at(r, name, text, sizeof(text));
	return s.len >= 2 && text[0] == '$' && strchr("adtx", text[1]) &&
	       (s.len == 2 || text[2] == '.');
}

/* Labels count in code and data sections only. */
static bool is_label(const struct reader *r, uint8_t other, uint16_t section)
{
	unsigned visibility = ELF64_ST_VISIBILITY(other);
	const char *name;
	size_t len;

	if (visibility == STV_HIDDEN || visibility == STV_INTERNAL ||
	    section >= r->elf->section_nr)
		return false;
	name = r->elf->sections[section].name;
	len = strnlen(name, SECTION_NAME_LEN);
	return memmem(name, len, "text", 4) || memmem(name, len, "data", 4);
}

/* Return the offset in the mapped file; false if it lies in no part of it. */
static bool translate(const struct reader *r, uint64_t addr, uint16_t section,
		      uint64_t *ret)
{
	for (uint32_t i = 0; i < r->mapped->segment_nr; i++) {
		const struct pd_elf_segment *s = &r->mapped->segments[i];

		if (addr >= s->addr && addr - s->addr < s->len) {
			*ret = addr - s->addr + s->off;
			return true;
		}
	}
	if (section >= r->mapped->section_nr)
		return false;
	*ret = addr - r->mapped->sections[section].addr +
	       r->mapped->sections[section].off;
	return true;
}

struct raw_symbol {
	uint64_t value;
	uint64_t len;
	uint32_t name;
	uint16_t section;
	uint8_t info;
	uint8_t other;
};

static struct raw_symbol read_symbol(const struct pd_elf_image *elf,
				     struct pd_cursor *c)
{
	struct raw_symbol s = { .name = pd_cursor_u32(c) };

	if (elf->is_64) {
		s.info = pd_cursor_u8(c);
		s.other = pd_cursor_u8(c);
		s.section = pd_cursor_u16(c);
		s.value = pd_cursor_u64(c);
		s.len = pd_cursor_u64(c);
		return s;
	}
	s.value = pd_cursor_u32(c);
	s.len = pd_cursor_u32(c);
	s.info = pd_cursor_u8(c);
	s.other = pd_cursor_u8(c);
	s.section = pd_cursor_u16(c);
	return s;
}

static bool counts(struct reader *r, const struct raw_symbol *s)
{
	if (!s->name || s->section == SHN_UNDEF || s->section == SHN_ABS)
		return false;
	switch (ELF64_ST_TYPE(s->info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return is_label(r, s->other, s->section) &&
		       !is_arm_mark(r, s->name);
	default:
		return false;
	}
}

static int add_symbol(struct reader *r, const struct raw_symbol *raw)
{
	struct symbol s = { .len = raw->len,
			    .name = raw->name,
			    .info = raw->info };
	uint64_t value = raw->value;

	/* The lowest bit marks Thumb code; the address is even. */
	if (r->elf->machine == EM_ARM && ELF64_ST_TYPE(raw->info) == STT_FUNC)
		value &= ~UINT64_C(1);
	if (!counts(r, raw) || !translate(r, value, raw->section, &s.start) ||
	    s.start + s.len < s.start)
		return 0;
	if (r->nr == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 1024;
		struct symbol *more;

		if (cap > SYMBOLS_MAX)
			return -EFBIG;
		more = reallocarray(r->symbols, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->symbols = more;
		r->cap = cap;
	}
	s.idx = (uint32_t)r->nr;
	r->symbols[r->nr++] = s;
	return 0;
}

static int read_symbols(struct reader *r)
{
	size_t entry_len =
		r->elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t per_block = BLOCK_LEN / entry_len;
	uint64_t left = r->symtab->len / entry_len, off = r->symtab->off;
	uint8_t *raw = malloc(BLOCK_LEN);
	int rc = raw ? 0 : -ENOMEM;

	while (left && !rc) {
		size_t nr = left < per_block ? (size_t)left : per_block;
		struct pd_cursor c;

		rc = pd_elf_image_bytes(r->elf, off, raw, nr * entry_len);
		pd_cursor_init(&c, raw, nr * entry_len, off, "symbol table");
		c.swap = r->elf->swap;
		for (size_t i = 0; i < nr && !rc; i++) {
			struct raw_symbol s = read_symbol(r->elf, &c);

			rc = add_symbol(r, &s);
		}
		off += nr * entry_len;
		left -= nr;
	}
	free(raw);
	return rc;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->start != y->start
		       ? (x->start > y->start) - (x->start < y->start)
		       : (x->idx > y->idx) - (x->idx < y->idx);
}

/* The symbol and all that start where it does. */
static void want(struct reader *r, size_t idx)
{
	uint64_t start = r->symbols[idx].start;

	/* All of them are, or none. */
	if (r->symbols[idx].is_wanted)
		return;
	while (idx && r->symbols[idx - 1].start == start)
		idx--;
	for (; idx < r->nr && r->symbols[idx].start == start; idx++)
		r->symbols[idx].is_wanted = true;
}

/* Return whether a symbol covers the address. */
static bool want_at(struct reader *r, uint64_t hit)
{
	size_t lo = 0, hi = r->nr, next;
	bool is_covered = false;
	uint64_t start;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->symbols[mid].start <= hit)
			lo = mid + 1;
		else
			hi = mid;
	}
	next = lo;
	if (!lo)
		return false;
	start = r->symbols[lo - 1].start;
	want(r, lo - 1);
	for (unsigned i = 0;
	     i < OVERLAPS_MAX && lo && r->symbols[lo - 1].start == start;
	     i++, lo--)
		if (!r->symbols[lo - 1].len)
			is_covered = true;
	lo = next;
	for (unsigned i = 0; i < OVERLAPS_MAX && lo; i++, lo--)
		if (r->symbols[lo - 1].start + r->symbols[lo - 1].len > hit) {
			want(r, lo - 1);
			is_covered = true;
		}
	return is_covered;
}

/* Return whether a symbol has the address, without wanting it. */
static bool is_covered(const struct reader *r, uint64_t addr)
{
	size_t at = r->nr;

	while (at && r->symbols[at - 1].start > addr)
		at--;
	if (at && !r->symbols[at - 1].len)
		return true;
	for (unsigned i = 0; i < OVERLAPS_MAX && at; i++, at--)
		if (r->symbols[at - 1].start + r->symbols[at - 1].len > addr)
			return true;
	return false;
}

static int add_slot(struct reader *r, const struct rec_elf_plt *plt,
		    uint64_t idx, struct rec_name_list *list)
{
	struct pd_carried_name name = {
		.start = plt->first + idx * plt->slot_len,
		.len = plt->slot_len,
		.source = PD_CARRIED_PLT,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
	};
	char text[PLT_NAME_LEN_MAX];

	/* As in the reader, _init, which has no length and so reaches up to
	 * _start, keeps the first slot, or both if there are two. */
	if (((!idx || plt->nr == 2) &&
	     (r->is_packed || is_covered(r, name.start))) ||
	    !rec_elf_plt_name(plt, idx, text, sizeof(text)))
		return 0;
	name.text = (struct pd_str){ text, strlen(text) };
	return rec_name_list_add(list, &name) ? 0 : -ENOMEM;
}

static int add_slots(struct reader *r, const uint64_t *hits, size_t nr,
		     struct rec_name_list *list)
{
	uint64_t last = UINT64_MAX;
	struct rec_elf_plt plt;
	int rc = 0;

	if (!rec_elf_plt_find(r->mapped, &plt))
		return 0;
	for (size_t i = rec_hits_below(hits, nr, plt.first);
	     i < nr && !rc && (hits[i] - plt.first) / plt.slot_len < plt.nr;
	     i++) {
		uint64_t idx = (hits[i] - plt.first) / plt.slot_len;

		if (idx != last)
			rc = add_slot(r, &plt, idx, list);
		last = idx;
	}
	return rc;
}

/* Return the length of a symbol.  One without a size reaches up to the next, or
 * if it is the last behind the page after its own; of aliases, the last one
 * does. */
static uint64_t len_of(const struct reader *r, size_t idx)
{
	const struct symbol *s = &r->symbols[idx];
	const uint64_t page_len = 4096;

	if (s->len)
		return s->len;
	if (idx + 1 < r->nr)
		return s[1].start - s->start;
	return ((s->start + page_len - 1) & ~(page_len - 1)) + page_len -
	       s->start;
}

/* Return the length of a symbol, which ends behind the first slot of the PLT if
 * it reaches over all of them, as _init does: the reader's rule (elf/plt.c). */
static uint64_t len_before_plt(const struct reader *r, size_t idx,
			       const struct rec_elf_plt *plt)
{
	const uint64_t start = r->symbols[idx].start;
	const uint64_t len = len_of(r, idx);

	if (plt->nr > 2 && start <= plt->first &&
	    start + len > plt->first + plt->nr * plt->slot_len)
		return plt->first + plt->slot_len - start;
	return len;
}

static int add_names(struct reader *r, struct rec_name_list *list)
{
	struct rec_elf_plt plt;
	char *text = malloc(NAME_LEN_MAX);
	int rc = text ? 0 : -ENOMEM;

	if (!rec_elf_plt_find(r->mapped, &plt))
		plt.nr = 0;
	for (size_t i = 0; i < r->nr && !rc; i++) {
		const struct symbol *s = &r->symbols[i];
		struct pd_carried_name name = {
			.start = s->start,
			.len = len_before_plt(r, i, &plt),
			.source = PD_CARRIED_SYMTAB,
			.info = s->info,
		};

		if (!s->is_wanted)
			continue;
		name.text = name_at(r, s->name, text, NAME_LEN_MAX);
		if (name.text.len && !rec_name_list_add(list, &name))
			rc = -ENOMEM;
	}
	free(text);
	return rc;
}

static bool find_tables(struct reader *r)
{
	const struct pd_elf_section *s = pd_elf_image_find(r->elf, ".symtab");

	if (!s || s->type != SHT_SYMTAB)
		s = pd_elf_image_find(r->elf, ".dynsym");
	if (!s || s->link >= r->elf->section_nr || s->type == SHT_NOBITS)
		return false;
	r->symtab = s;
	r->strtab = &r->elf->sections[s->link];
	return true;
}

int rec_elf_names(const struct pd_elf_image *mapped,
		  const struct pd_elf_image *symbols, const uint64_t *hits,
		  size_t nr, struct rec_name_list *list)
{
	struct reader r = { .mapped = mapped, .elf = symbols };
	int rc = 0;

	if (!find_tables(&r))
		return 0;
	if (r.symtab->len > SYMTAB_LEN_MAX)
		return -EFBIG;
	r.is_packed = r.symtab->type != SHT_SYMTAB &&
		      pd_elf_image_find(symbols, ".gnu_debugdata");
	r.names = calloc(1, sizeof(*r.names));
	if (!r.names)
		return -ENOMEM;
	rc = read_symbols(&r);
	if (r.nr)
		qsort(r.symbols, r.nr, sizeof(*r.symbols), compare_symbols);
	for (size_t i = 0; i < nr && !rc; i++)
		list->named_nr += want_at(&r, hits[i]);
	if (!rc)
		rc = add_names(&r, list);
	/* The reader names the slots of files that have symbols. */
	if (!rc && (r.nr || r.is_packed))
		rc = add_slots(&r, hits, nr, list);
	free(r.symbols);
	free(r.names);
	return rc;
}
