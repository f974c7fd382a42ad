#include "format/symtab/elf_symtab.h"

#include <elf.h>
#include <stdlib.h>

enum {
	BLOCK_LEN = 64 * 1024,
	TEXT_LEN = 1024, /* nearly all names are shorter */
	TEXT_LEN_STEP = 8,
	/* A table of strings is read as a whole once it was for as long as
	 * that takes: a read of TEXT_LEN takes as long as eight times that. */
	WHOLE_LEN_MAX = 2 << 20,
	READ_LEN_MAX = 256 << 20, /* of strings, which may lie anywhere */
	SYMBOL_LEN_MAX = sizeof(Elf64_Sym),
};

/* Return whether the file has the last byte of the table.  Of one that reaches
 * beyond its end nothing is read, as in memory. */
static bool is_in_file(const struct pd_elf_image *elf,
		       const struct pd_elf_section *section)
{
	uint64_t last = section->off + section->len - 1;
	uint8_t byte;

	return !section->len || (last >= section->off &&
				 !pd_elf_image_bytes(elf, last, &byte, 1));
}

void pd_elf_strings_init(struct pd_elf_strings *ret,
			 const struct pd_elf_image *elf,
			 const struct pd_elf_section *section)
{
	*ret = (struct pd_elf_strings){ .elf = elf, .section = section };
	if (!elf->from.bytes && !is_in_file(elf, section))
		ret->read_len = READ_LEN_MAX;
	ret->bytes = (const char *)pd_elf_image_span(elf, section->off,
						     section->len);
	if (!ret->bytes)
		return;
	ret->len = section->len;
	while (ret->len && ret->bytes[ret->len - 1])
		ret->len--;
}

void pd_elf_strings_release(struct pd_elf_strings *s)
{
	free(s->block);
	*s = (struct pd_elf_strings){ .block = NULL };
}

/* Return the text at bytes[0..len), which must end there. */
static struct pd_str text_of(const char *bytes, size_t len)
{
	const char *end = memchr(bytes, 0, len);

	if (!end)
		return (struct pd_str){ "", 0 };
	return (struct pd_str){ bytes, (size_t)(end - bytes) };
}

/* Read the block of len bytes at off, or all of the table. */
static void read_block(struct pd_elf_strings *s, uint64_t off, uint64_t len)
{
	uint64_t whole_len = s->section->len;
	bool is_whole = whole_len <= WHOLE_LEN_MAX &&
			s->read_len >= whole_len / TEXT_LEN_STEP;
	char *block;

	s->block_off = is_whole ? 0 : off;
	if (is_whole || whole_len - off < len)
		len = whole_len - s->block_off;
	s->block_len = (size_t)len;
	s->read_len += len;
	block = realloc(s->block, len > BLOCK_LEN ? (size_t)len : BLOCK_LEN);
	if (block)
		s->block = block;
	if (!block || s->read_len > READ_LEN_MAX ||
	    pd_elf_image_bytes(s->elf, s->section->off + s->block_off, block,
			       s->block_len))
		s->block_len = 0;
}

/* Return the bytes of the block from off on, BLOCK_LEN at most; 0: there are
 * none. */
static size_t in_block(const struct pd_elf_strings *s, uint64_t off)
{
	uint64_t at = off - s->block_off;

	if (off < s->block_off || at >= s->block_len)
		return 0;
	return s->block_len - at < BLOCK_LEN ? (size_t)(s->block_len - at)
					     : BLOCK_LEN;
}

/* Return whether the block has the text at off, or as much as is wanted. */
static bool has_text(const struct pd_elf_strings *s, uint64_t off)
{
	size_t len = in_block(s, off);

	return len && (len == BLOCK_LEN || off + len == s->section->len ||
		       memchr(s->block + (off - s->block_off), 0, len));
}

struct pd_str pd_elf_strings_at(struct pd_elf_strings *s, uint64_t off)
{
	uint64_t left = off < s->section->len ? s->section->len - off : 0;
	struct pd_str text;
	size_t len;

	if (!left)
		return (struct pd_str){ "", 0 };
	if (s->elf->from.bytes) {
		text.ptr = pd_elf_strings_ptr(s, off);
		text.len = strnlen(text.ptr, BLOCK_LEN);
		return text;
	}
	for (len = TEXT_LEN; len <= BLOCK_LEN && !has_text(s, off);
	     len *= TEXT_LEN_STEP)
		read_block(s, off, len);
	len = in_block(s, off);
	if (!len)
		return (struct pd_str){ "", 0 };
	text = text_of(s->block + (off - s->block_off), len);
	if (!text.len && left > len && s->block[off - s->block_off])
		text = (struct pd_str){ s->block + (off - s->block_off), len };
	return text;
}

bool pd_elf_has_symtab(const struct pd_elf_image *elf)
{
	const struct pd_elf_section *s = pd_elf_image_find(elf, ".symtab");

	return s && s->type == SHT_SYMTAB;
}

static size_t entry_len_of(const struct pd_elf_image *elf)
{
	return elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

int pd_elf_symtab_open(struct pd_elf_symtab *ret,
		       const struct pd_elf_image *elf,
		       const struct pd_elf_image *mapped,
		       enum pd_elf_space space)
{
	const struct pd_elf_section *s = pd_elf_image_find(
		elf, pd_elf_has_symtab(elf) ? ".symtab" : ".dynsym");

	*ret = (struct pd_elf_symtab){ .elf = elf,
				       .mapped = mapped,
				       .space = space };
	if (!s || s->link >= elf->section_nr ||
	    (s->type != SHT_SYMTAB && s->type != SHT_DYNSYM))
		return 0;
	if ((s->flags | elf->sections[s->link].flags) & SHF_COMPRESSED ||
	    s->entry_len != entry_len_of(elf))
		return -EBADMSG;
	if (!pd_elf_image_allows(elf, s->len) ||
	    s->len / s->entry_len > UINT32_MAX)
		return -EFBIG;
	if (elf->from.bytes && !pd_elf_image_span(elf, s->off, s->len))
		return -EBADMSG;
	ret->table = s;
	ret->strings = &elf->sections[s->link];
	ret->nr = (uint32_t)(s->len / s->entry_len);
	return 0;
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
	struct raw_symbol s = { .name = 0 };

	if (elf->is_64 && !c->swap) {
		const uint8_t *bytes = pd_cursor_bytes(c, sizeof(Elf64_Sym));
		Elf64_Sym sym = { .st_name = 0 };

		if (bytes)
			memcpy(&sym, bytes, sizeof(sym));
		return (struct raw_symbol){ sym.st_value, sym.st_size,
					    sym.st_name,  sym.st_shndx,
					    sym.st_info,  sym.st_other };
	}
	s.name = pd_cursor_u32(c);
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

static bool is_label(const struct pd_elf_image *elf,
		     const struct raw_symbol *raw)
{
	unsigned visibility = ELF64_ST_VISIBILITY(raw->other);

	return visibility != STV_HIDDEN && visibility != STV_INTERNAL &&
	       raw->section < elf->section_nr &&
	       elf->sections[raw->section].has_labels;
}

static bool counts(const struct pd_elf_image *elf, const struct raw_symbol *raw)
{
	if (!raw->name || raw->section == SHN_UNDEF || raw->section == SHN_ABS)
		return false;
	switch (ELF64_ST_TYPE(raw->info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
		return true;
	case STT_NOTYPE:
		return is_label(elf, raw);
	default:
		return false;
	}
}

/* For labels like _etext, which is one past the last byte of a segment. */
static bool translate_by_section(const struct pd_elf_image *mapped,
				 const struct raw_symbol *raw, uint64_t addr,
				 uint64_t *ret)
{
	const struct pd_elf_section *s;

	if (raw->section >= mapped->section_nr)
		return false;
	s = &mapped->sections[raw->section];
	*ret = addr - s->addr + s->off;
	return true;
}

/* Return false if the symbol is in no mapped part of the file. */
static bool translate(const struct pd_elf_symtab *t,
		      const struct raw_symbol *raw, uint64_t *ret)
{
	uint64_t addr = raw->value;

	/* The lowest bit marks Thumb code, the address is even. */
	if (t->elf->machine == EM_ARM && ELF64_ST_TYPE(raw->info) == STT_FUNC)
		addr &= ~UINT64_C(1);
	*ret = addr;
	switch (t->space) {
	case PD_ELF_SPACE_ADDR:
		return true;
	case PD_ELF_SPACE_MODULE:
		return raw->section < t->elf->section_nr &&
		       !strcmp(t->elf->sections[raw->section].name, ".text");
	case PD_ELF_SPACE_FILE:
	default:
		return pd_elf_addr_to_off(t->mapped, addr, ret) ||
		       translate_by_section(t->mapped, raw, addr, ret);
	}
}

static bool take_symbol(const struct pd_elf_symtab *t, struct pd_cursor *c,
			uint32_t idx, struct pd_elf_symbol *ret)
{
	struct raw_symbol raw = read_symbol(t->elf, c);

	*ret = (struct pd_elf_symbol){
		.len = raw.len,
		.idx = idx,
		.name = raw.name,
		.info = raw.info,
	};
	return counts(t->elf, &raw) && translate(t, &raw, &ret->start) &&
	       ret->start + ret->len >= ret->start;
}

/* Return the entries from idx on, from the file or read to buf, or NULL. */
static const uint8_t *entries(const struct pd_elf_symtab *t, uint32_t idx,
			      size_t nr, uint8_t *buf, int *ret_rc)
{
	uint64_t off = t->table->off + idx * t->table->entry_len;
	size_t len = nr * (size_t)t->table->entry_len;

	*ret_rc = 0;
	if (t->elf->from.bytes)
		return pd_elf_image_span(t->elf, off, len);
	*ret_rc = pd_elf_image_bytes(t->elf, off, buf, len);
	return *ret_rc ? NULL : buf;
}

static void open_cursor(const struct pd_elf_symtab *t, const uint8_t *bytes,
			size_t nr, struct pd_cursor *ret)
{
	pd_cursor_init(ret, bytes, nr * (size_t)t->table->entry_len, 0,
		       "symbol table");
	ret->swap = t->elf->swap;
}

bool pd_elf_symtab_at(const struct pd_elf_symtab *symtab, uint32_t idx,
		      struct pd_elf_symbol *ret)
{
	uint8_t raw[SYMBOL_LEN_MAX];
	const uint8_t *bytes;
	struct pd_cursor c;
	int rc;

	if (!idx || idx >= symtab->nr)
		return false;
	bytes = entries(symtab, idx, 1, raw, &rc);
	if (!bytes)
		return false;
	open_cursor(symtab, bytes, 1, &c);
	return take_symbol(symtab, &c, idx, ret);
}

int pd_elf_symtab_each(const struct pd_elf_symtab *symtab,
		       int (*take)(void *ctx, const struct pd_elf_symbol *sym),
		       void *ctx)
{
	const uint32_t in_block = BLOCK_LEN / SYMBOL_LEN_MAX;
	uint8_t *buf = NULL;
	int rc = 0;

	if (symtab->nr && !symtab->elf->from.bytes) {
		buf = malloc(BLOCK_LEN);
		rc = buf ? 0 : -ENOMEM;
	}
	for (uint32_t idx = 1; idx < symtab->nr && !rc;) {
		uint32_t nr = symtab->nr - idx;
		const uint8_t *bytes;
		struct pd_elf_symbol sym;
		struct pd_cursor c;

		if (nr > in_block)
			nr = in_block;
		bytes = entries(symtab, idx, nr, buf, &rc);
		if (!bytes)
			break;
		open_cursor(symtab, bytes, nr, &c);
		for (uint32_t end = idx + nr; idx < end && !rc; idx++)
			if (take_symbol(symtab, &c, idx, &sym))
				rc = take(ctx, &sym);
	}
	free(buf);
	return rc;
}

bool pd_elf_symtab_doubts(const struct pd_elf_symtab *symtab,
			  const struct pd_elf_symbol *sym)
{
	uint16_t machine = symtab->elf->machine;

	return ELF64_ST_TYPE(sym->info) == STT_NOTYPE &&
	       (machine == EM_ARM || machine == EM_AARCH64);
}

bool pd_elf_symtab_takes(const struct pd_elf_symtab *symtab,
			 const struct pd_elf_symbol *sym, const char *name)
{
	bool is_mark = name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
		       (!name[2] || name[2] == '.') &&
		       pd_elf_symtab_doubts(symtab, sym);

	return *name && !is_mark;
}
