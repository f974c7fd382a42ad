#include "format/symtab/build_id_note.h"

#include <elf.h>
#include <stdlib.h>

enum {
	NOTES_LEN_MAX = 64 * 1024, /* build-ids come first */
	SECTIONS_MAX = 64,	   /* of notes that are looked at */
};

static size_t round_up(size_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

uint8_t pd_note_build_id(const void *notes, size_t len, bool swap, size_t align,
			 uint8_t ret[PD_NOTE_BUILD_ID_LEN])
{
	struct pd_cursor c;

	pd_cursor_init(&c, notes, len, 0, "ELF note");
	c.swap = swap;
	while (pd_cursor_left(&c) >= sizeof(Elf64_Nhdr)) {
		const uint32_t name_len = pd_cursor_u32(&c);
		const uint32_t desc_len = pd_cursor_u32(&c);
		const uint32_t type = pd_cursor_u32(&c);
		const struct pd_str name = pd_cursor_field(&c, name_len);
		const uint8_t *desc;

		pd_cursor_skip(&c, round_up(name_len, align) - name_len);
		desc = pd_cursor_bytes(&c, desc_len);
		if (!desc)
			return 0;
		if (type == NT_GNU_BUILD_ID && pd_str_eq(name, "GNU") &&
		    desc_len) {
			uint8_t id_len = desc_len < PD_NOTE_BUILD_ID_LEN
						 ? (uint8_t)desc_len
						 : PD_NOTE_BUILD_ID_LEN;

			memcpy(ret, desc, id_len);
			return id_len;
		}
		pd_cursor_skip(&c, round_up(desc_len, align) - desc_len);
	}
	return 0;
}

static uint8_t find_in(const struct pd_elf_image *elf,
		       const struct pd_elf_notes *notes,
		       uint8_t ret[PD_NOTE_BUILD_ID_LEN])
{
	size_t len =
		notes->len < NOTES_LEN_MAX ? (size_t)notes->len : NOTES_LEN_MAX;
	uint8_t *buf = malloc(len + 1);
	uint8_t id_len = 0;

	if (buf && !pd_elf_image_bytes(elf, notes->off, buf, len))
		id_len = pd_note_build_id(buf, len, elf->swap,
					  notes->align == 8 ? 8 : 4, ret);
	free(buf);
	return id_len;
}

uint8_t pd_elf_build_id(const struct pd_elf_image *elf,
			uint8_t ret[PD_NOTE_BUILD_ID_LEN])
{
	unsigned left = SECTIONS_MAX;
	uint8_t len = 0;

	for (uint32_t i = 0; i < elf->notes_nr && !len; i++)
		len = find_in(elf, &elf->notes[i], ret);
	for (uint32_t i = 1; i < elf->section_nr && !len && left; i++) {
		const struct pd_elf_section *s = &elf->sections[i];
		const struct pd_elf_notes notes = { s->off, s->len, s->align };

		if (s->type != SHT_NOTE)
			continue;
		len = find_in(elf, &notes, ret);
		left--;
	}
	return len;
}
