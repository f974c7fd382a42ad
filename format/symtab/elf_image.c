#include "format/symtab/elf_image.h"

#include "format/base/limits.h"

#include <elf.h>
#include <stdlib.h>

enum {
	PHDR_NR_MAX = 4096,
	NAMES_LEN_MAX = 1 << 20, /* or as long as the file */
	UNENDED_LEN_MAX = 64 << 10,
	SECTION_NAME_LEN = 256, /* of which more is not looked at */
};

/* The places of the tables, as the header has them. */
struct tables {
	uint64_t phdrs_off;
	uint64_t shdrs_off;
	uint16_t phdr_len;
	uint16_t phdr_nr;
	uint16_t shdr_len;
	uint32_t shdr_nr;
	uint32_t names_idx;
};

int pd_elf_image_bytes(const struct pd_elf_image *elf, uint64_t off, void *ret,
		       size_t len)
{
	const uint8_t *bytes;

	if (!elf->from.bytes)
		return elf->from.read(elf->from.ctx, off, ret, len);
	bytes = pd_elf_image_span(elf, off, len);
	if (!bytes)
		return -EBADMSG;
	memcpy(ret, bytes, len);
	return 0;
}

const uint8_t *pd_elf_image_span(const struct pd_elf_image *elf, uint64_t off,
				 uint64_t len)
{
	const struct pd_read_at *from = &elf->from;

	return from->bytes && off <= from->len && len <= from->len - off
		       ? from->bytes + off
		       : NULL;
}

bool pd_elf_image_allows(const struct pd_elf_image *elf, uint64_t len)
{
	return len <= PD_LIMIT_ELF_LEN ||
	       (len - PD_LIMIT_ELF_LEN) / PD_LIMIT_ELF_RATIO <
		       elf->from.there_len;
}

uint64_t pd_elf_word(const struct pd_elf_image *elf, struct pd_cursor *c)
{
	return elf->is_64 ? pd_cursor_u64(c) : pd_cursor_u32(c);
}

static int read_header(struct pd_elf_image *elf, struct tables *ret)
{
	uint8_t raw[sizeof(Elf64_Ehdr)] = { 0 };
	struct pd_cursor c;
	int rc = pd_elf_image_bytes(elf, 0, raw, sizeof(Elf32_Ehdr));

	if (rc)
		return rc;
	if (memcmp(raw, ELFMAG, SELFMAG) != 0)
		return -EBADMSG;
	elf->is_64 = raw[EI_CLASS] == ELFCLASS64;
	elf->is_big_endian = raw[EI_DATA] == ELFDATA2MSB;
	elf->swap =
		elf->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (elf->is_64)
		rc = pd_elf_image_bytes(elf, 0, raw, sizeof(raw));
	pd_cursor_init(&c, raw, sizeof(raw), 0, "ELF header");
	c.swap = elf->swap;
	pd_cursor_skip(&c, EI_NIDENT);
	elf->type = pd_cursor_u16(&c);
	elf->machine = pd_cursor_u16(&c);
	pd_cursor_u32(&c);    /* version */
	pd_elf_word(elf, &c); /* entry */
	ret->phdrs_off = pd_elf_word(elf, &c);
	ret->shdrs_off = pd_elf_word(elf, &c);
	pd_cursor_skip(&c, 4 + 2); /* flags, this header's length */
	ret->phdr_len = pd_cursor_u16(&c);
	ret->phdr_nr = pd_cursor_u16(&c);
	ret->shdr_len = pd_cursor_u16(&c);
	ret->shdr_nr = pd_cursor_u16(&c);
	ret->names_idx = pd_cursor_u16(&c);
	return rc;
}

/* Fields stand in another order in the two classes. */
static void read_segment(struct pd_elf_image *elf, struct pd_cursor *c)
{
	uint32_t type = pd_cursor_u32(c);
	struct pd_elf_segment seg;
	uint64_t memory_len, align;

	if (elf->is_64)
		pd_cursor_u32(c); /* flags */
	seg.off = pd_elf_word(elf, c);
	seg.addr = pd_elf_word(elf, c);
	pd_elf_word(elf, c); /* physical address */
	seg.len = pd_elf_word(elf, c);
	memory_len = pd_elf_word(elf, c);
	if (!elf->is_64)
		pd_cursor_u32(c); /* flags */
	align = pd_elf_word(elf, c);
	if (type == PT_LOAD && elf->segment_nr < PD_ELF_SEGMENTS_MAX) {
		elf->memory_lens[elf->segment_nr] = memory_len;
		elf->segments[elf->segment_nr++] = seg;
	}
	if (type == PT_NOTE && elf->notes_nr < PD_ELF_NOTES_MAX)
		elf->notes[elf->notes_nr++] =
			(struct pd_elf_notes){ seg.off, seg.len, align };
}

static int read_segments(struct pd_elf_image *elf, const struct tables *t)
{
	size_t len = (size_t)t->phdr_nr * t->phdr_len;
	struct pd_cursor c;
	uint8_t *raw;
	int rc;

	if (t->phdr_nr > PHDR_NR_MAX)
		return -EFBIG;
	if (t->phdr_nr && t->phdr_len != (elf->is_64 ? sizeof(Elf64_Phdr)
						     : sizeof(Elf32_Phdr)))
		return -EBADMSG;
	raw = malloc(len + 1);
	rc = raw ? pd_elf_image_bytes(elf, t->phdrs_off, raw, len) : -ENOMEM;
	pd_cursor_init(&c, raw, len, t->phdrs_off, "ELF program headers");
	c.swap = elf->swap;
	for (uint16_t i = 0; i < t->phdr_nr && !rc; i++)
		read_segment(elf, &c);
	free(raw);
	return rc;
}

static void read_section(const struct pd_elf_image *elf, struct pd_cursor *c,
			 uint32_t *ret_name, struct pd_elf_section *ret)
{
	*ret_name = pd_cursor_u32(c);
	ret->type = pd_cursor_u32(c);
	ret->flags = pd_elf_word(elf, c);
	ret->addr = pd_elf_word(elf, c);
	ret->off = pd_elf_word(elf, c);
	ret->len = pd_elf_word(elf, c);
	ret->link = pd_cursor_u32(c);
	pd_cursor_u32(c); /* info */
	ret->align = pd_elf_word(elf, c);
	ret->entry_len = pd_elf_word(elf, c);
}

/* The names of sections, ended by a NUL of ours.  libelf looks for the last NUL
 * from the end on, at the name of each section: one has to be there. */
static int read_names(struct pd_elf_image *elf, uint32_t idx, uint64_t *ret_len)
{
	const struct pd_elf_section *s;
	int rc;

	if (idx >= elf->section_nr)
		return -EBADMSG;
	s = &elf->sections[idx];
	if (s->flags & SHF_COMPRESSED)
		return -EBADMSG;
	if (s->len > PD_LIMIT_ELF_NAMES_LEN ||
	    (s->len > NAMES_LEN_MAX && s->len > elf->from.there_len))
		return -EFBIG;
	elf->names = calloc(1, (size_t)s->len + 1);
	if (!elf->names)
		return -ENOMEM;
	*ret_len = s->len;
	rc = pd_elf_image_bytes(elf, s->off, elf->names, (size_t)s->len);
	if (!rc && s->len > UNENDED_LEN_MAX && elf->names[s->len - 1])
		rc = -EFBIG;
	elf->names[s->len] = '\0';
	return rc;
}

static bool has_labels(const char *name)
{
	size_t len = strnlen(name, SECTION_NAME_LEN);

	return memmem(name, len, "text", 4) || memmem(name, len, "data", 4);
}

/* Read what does not fit the header and so stands in the first section. */
static int read_long_numbers(const struct pd_elf_image *elf, size_t entry_len,
			     struct tables *t)
{
	uint8_t raw[sizeof(Elf64_Shdr)];
	struct pd_elf_section first;
	struct pd_cursor c;
	uint32_t name;
	int rc = pd_elf_image_bytes(elf, t->shdrs_off, raw, entry_len);

	if (rc)
		return rc;
	pd_cursor_init(&c, raw, entry_len, t->shdrs_off, "ELF section");
	c.swap = elf->swap;
	read_section(elf, &c, &name, &first);
	if (t->names_idx == SHN_XINDEX)
		t->names_idx = first.link;
	if (t->shdr_nr)
		return 0;
	t->shdr_nr = (uint32_t)first.len;
	return t->shdr_nr == first.len ? 0 : -EFBIG;
}

static int read_sections(struct pd_elf_image *elf, struct tables *t)
{
	size_t entry_len = elf->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	size_t len;
	uint32_t *names;
	struct pd_cursor c;
	uint64_t names_len = 0;
	uint8_t *raw;
	int rc;

	if (t->shdrs_off && t->shdr_len == entry_len &&
	    (!t->shdr_nr || t->names_idx == SHN_XINDEX)) {
		rc = read_long_numbers(elf, entry_len, t);
		if (rc)
			return rc;
	}
	if (!t->shdr_nr)
		return 0;
	if (t->shdr_len != entry_len)
		return -EBADMSG;
	if (t->shdr_nr > PD_LIMIT_ELF_SECTIONS_ALL ||
	    (t->shdr_nr > PD_LIMIT_ELF_SECTIONS &&
	     t->shdr_nr - PD_LIMIT_ELF_SECTIONS >
		     elf->from.there_len / entry_len))
		return -EFBIG;
	len = entry_len * t->shdr_nr;
	raw = malloc(len);
	names = calloc(t->shdr_nr, sizeof(*names));
	elf->sections = calloc(t->shdr_nr, sizeof(*elf->sections));
	rc = raw && names && elf->sections
		     ? pd_elf_image_bytes(elf, t->shdrs_off, raw, len)
		     : -ENOMEM;
	if (!rc) {
		elf->section_nr = t->shdr_nr;
		pd_cursor_init(&c, raw, len, t->shdrs_off, "ELF sections");
		c.swap = elf->swap;
		for (uint32_t i = 0; i < elf->section_nr; i++)
			read_section(elf, &c, &names[i], &elf->sections[i]);
		rc = read_names(elf, t->names_idx, &names_len);
	}
	for (uint32_t i = 0; i < elf->section_nr && !rc; i++) {
		struct pd_elf_section *s = &elf->sections[i];

		s->name = elf->names +
			  (names[i] < names_len ? names[i] : names_len);
		s->has_labels = has_labels(s->name);
	}
	free(raw);
	free(names);
	return rc;
}

static int read_start(struct pd_read_at from, struct tables *tables,
		      struct pd_elf_image *ret)
{
	int rc;

	*ret = (struct pd_elf_image){ .from = from };
	rc = read_header(ret, tables);
	return rc ? rc : read_segments(ret, tables);
}

int pd_elf_image_read_segments(struct pd_read_at from, struct pd_elf_image *ret)
{
	struct tables tables = { 0 };

	return read_start(from, &tables, ret);
}

int pd_elf_image_read(struct pd_read_at from, struct pd_elf_image *ret)
{
	struct tables tables = { 0 };
	int rc = read_start(from, &tables, ret);

	if (!rc)
		rc = read_sections(ret, &tables);
	if (rc)
		pd_elf_image_release(ret);
	return rc;
}

void pd_elf_image_release(struct pd_elf_image *elf)
{
	free(elf->sections);
	free(elf->names);
	elf->sections = NULL;
	elf->names = NULL;
	elf->section_nr = 0;
}

const struct pd_elf_section *pd_elf_image_find(const struct pd_elf_image *elf,
					       const char *name)
{
	for (uint32_t i = 1; i < elf->section_nr; i++)
		if (!strcmp(elf->sections[i].name, name))
			return &elf->sections[i];
	return NULL;
}

bool pd_elf_addr_to_off(const struct pd_elf_image *elf, uint64_t addr,
			uint64_t *ret)
{
	for (uint32_t i = 0; i < elf->segment_nr; i++) {
		const struct pd_elf_segment *s = &elf->segments[i];

		if (addr >= s->addr && addr - s->addr < elf->memory_lens[i]) {
			*ret = addr - s->addr + s->off;
			return true;
		}
	}
	return false;
}

bool pd_elf_off_to_addr(const struct pd_elf_image *elf, uint64_t off,
			uint64_t *ret)
{
	for (uint32_t i = 0; i < elf->segment_nr; i++) {
		const struct pd_elf_segment *s = &elf->segments[i];

		if (off >= s->off && off - s->off < s->len) {
			*ret = off - s->off + s->addr;
			return true;
		}
	}
	return false;
}
