#include "format/symtab/go_table_impl.h"

#include <elf.h>
#include <stdlib.h>

#include "format/base/search.h"

enum {
	MODULES_MAX = 8,
	FUNCTIONS_IDX = 13, /* of the word: address of the list of functions */
	MODULE_WORD_NR = 64,
	MODULE_LOOK_LEN = 4096, /* as much as a look at a word costs */
};

int pd_go_look_at(struct pd_go_table *t, uint64_t off, uint8_t *ret, size_t len)
{
	t->looked_len += len;
	return pd_elf_image_allows(t->elf, t->looked_len)
		       ? pd_elf_image_bytes(t->elf, off, ret, len)
		       : -EFBIG;
}

/* Relocations. */

bool pd_go_relocated(const struct pd_go_table *t, uint64_t addr, uint64_t *ret)
{
	size_t at;

	PD_FIND_FIRST(at, t->word_nr, t->words[at].addr >= addr);
	if (at == t->word_nr || t->words[at].addr != addr)
		return false;
	*ret = t->words[at].value;
	return true;
}

/* A search among relocations: those of addresses from start up to end, or with
 * a value. */
struct word_search {
	uint64_t start;
	uint64_t end;
	uint64_t value;		  /* 0: any */
	struct pd_go_word *words; /* owned */
	size_t nr;
	size_t cap;
};

static int take_word(struct word_search *s, uint64_t addr, uint64_t value)
{
	struct pd_go_word *words = s->words;

	if (addr < s->start || addr >= s->end ||
	    (s->value && value != s->value))
		return 0;
	if (s->nr == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		words = reallocarray(words, s->cap, sizeof(*words));
		if (!words)
			return -ENOMEM;
		s->words = words;
	}
	words[s->nr++] = (struct pd_go_word){ addr, value };
	return 0;
}

/* Look at the relocations of one section that add nothing but where the file
 * lies. */
static int search_section(struct pd_go_table *t, const struct pd_elf_section *s,
			  uint8_t *buf, struct word_search *search)
{
	const struct pd_elf_image *elf = t->elf;
	size_t len = elf->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	size_t in_block = PD_GO_READ_LEN / len;
	uint64_t nr = s->len / len;
	int rc = 0;

	for (uint64_t idx = 0; idx < nr && !rc; idx += in_block) {
		size_t block_nr =
			nr - idx < in_block ? (size_t)(nr - idx) : in_block;
		struct pd_cursor c;

		rc = pd_go_look_at(t, s->off + idx * len, buf, block_nr * len);
		pd_cursor_init(&c, buf, block_nr * len, 0, "relocations");
		c.swap = elf->swap;
		for (; block_nr && !rc; block_nr--) {
			uint64_t addr = pd_elf_word(elf, &c);
			uint64_t info = pd_elf_word(elf, &c);
			uint64_t value = pd_elf_word(elf, &c);

			if (!(elf->is_64 ? ELF64_R_SYM(info)
					 : ELF32_R_SYM(info)))
				rc = take_word(search, addr, value);
		}
	}
	return rc;
}

static int search_words(struct pd_go_table *t, struct word_search *search)
{
	const struct pd_elf_image *elf = t->elf;
	uint8_t *buf = malloc(PD_GO_READ_LEN);
	int rc = buf ? 0 : -ENOMEM;

	for (uint32_t i = 1; i < elf->section_nr && !rc; i++) {
		const struct pd_elf_section *s = &elf->sections[i];

		if (s->type == SHT_RELA && s->flags & SHF_ALLOC)
			rc = search_section(t, s, buf, search);
	}
	free(buf);
	return rc;
}

static int compare_words(const void *a, const void *b)
{
	const struct pd_go_word *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

int pd_go_take_words(struct pd_go_table *t, uint64_t addr, uint64_t len)
{
	struct word_search search = { .start = addr, .end = addr + len };
	int rc = search_words(t, &search);

	free(t->words);
	t->words = search.words;
	t->word_nr = search.nr;
	if (search.nr)
		qsort(search.words, search.nr, sizeof(*search.words),
		      compare_words);
	return rc;
}

/* The runtime's own account of what it has. */

bool pd_go_module_word(const struct pd_go_table *t, uint64_t module,
		       unsigned idx, uint64_t *ret)
{
	uint64_t addr = module + idx * (uint64_t)t->at.word_len, off;
	uint8_t raw[sizeof(uint64_t)];

	if (pd_go_relocated(t, addr, ret))
		return true;
	if (!pd_elf_addr_to_off(t->elf, addr, &off) ||
	    pd_elf_image_bytes(t->elf, off, raw, t->at.word_len))
		return false;
	*ret = pd_go_number(t, raw, t->at.word_len);
	return true;
}

static bool is_module(const struct pd_go_table *t, uint64_t module)
{
	uint64_t table, functions;

	return pd_go_module_word(t, module, 0, &table) && table == t->addr &&
	       pd_go_module_word(t, module, FUNCTIONS_IDX, &functions) &&
	       functions == t->addr + t->at.functions;
}

/* Look for it among data that the program writes, by the table's address. */
static int search_module(struct pd_go_table *t, const struct pd_elf_section *s,
			 uint64_t *ret)
{
	const size_t word_len = t->at.word_len;
	uint8_t *buf = malloc(PD_GO_READ_LEN);
	int rc = buf ? 0 : -ENOMEM;

	for (uint64_t off = 0; off < s->len && !rc && !*ret;
	     off += PD_GO_READ_LEN) {
		size_t len = s->len - off < PD_GO_READ_LEN
				     ? (size_t)(s->len - off)
				     : PD_GO_READ_LEN;

		rc = pd_go_look_at(t, s->off + off, buf, len);
		for (size_t at = 0; at + word_len <= len && !rc && !*ret;
		     at += word_len) {
			if (pd_go_number(t, buf + at, word_len) != t->addr)
				continue;
			t->looked_len += MODULE_LOOK_LEN;
			if (is_module(t, s->addr + off + at))
				*ret = s->addr + off + at;
		}
	}
	free(buf);
	return rc;
}

/* The same by the relocations that set the table's address. */
static int search_relocated(struct pd_go_table *t, uint64_t *ret)
{
	struct word_search search = { .end = UINT64_MAX, .value = t->addr };
	int rc = search_words(t, &search);

	for (size_t i = 0; i < search.nr && i < MODULES_MAX && !rc && !*ret;
	     i++) {
		uint64_t module = search.words[i].addr;

		rc = pd_go_take_words(t, module,
				      MODULE_WORD_NR * sizeof(uint64_t));
		if (!rc && is_module(t, module))
			*ret = module;
	}
	free(search.words);
	return rc;
}

int pd_go_find_module(struct pd_go_table *t, uint64_t *ret)
{
	const struct pd_elf_image *elf = t->elf;
	int rc = 0;

	*ret = 0;
	for (uint32_t i = 1; i < elf->section_nr && !rc && !*ret; i++) {
		const struct pd_elf_section *s = &elf->sections[i];

		if (s->type == SHT_PROGBITS && s->flags & SHF_ALLOC &&
		    s->flags & SHF_WRITE)
			rc = search_module(t, s, ret);
	}
	return rc || *ret ? rc : search_relocated(t, ret);
}
