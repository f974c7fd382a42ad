#include "record/base/elf_note.h"

#include "format/base/cursor.h"

#include <elf.h>
#include <unistd.h>

enum {
	EHDR_LEN_MAX = sizeof(Elf64_Ehdr),
	PHDR_NR_MAX = 256,
	NOTES_LEN = 4096, /* build-ids come first; more is core-file notes */
};

static bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static size_t round_up(size_t n, size_t align)
{
	return (n + align - 1) / align * align;
}

bool rec_note_build_id(const void *notes, size_t len, bool swap, size_t align,
		       struct rec_build_id *ret)
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
			return false;
		if (type == NT_GNU_BUILD_ID && pd_str_eq(name, "GNU") &&
		    desc_len > 0 && desc_len <= PD_BUILD_ID_LEN_MAX) {
			ret->len = (uint8_t)desc_len;
			memcpy(ret->bytes, desc, desc_len);
			return true;
		}
		pd_cursor_skip(&c, round_up(desc_len, align) - desc_len);
	}
	return false;
}

struct elf_file {
	int fd;
	bool is_64;
	bool swap;
	uint64_t phdrs_off;
	uint16_t phdr_len;
	uint16_t phdr_nr;
};

struct note_segment {
	uint64_t file_off;
	uint64_t file_len;
	uint64_t align;
};

static bool read_exactly(int fd, void *p, size_t len, uint64_t off)
{
	return off <= INT64_MAX &&
	       pread(fd, p, len, (off_t)off) == (ssize_t)len;
}

/* Read an address or offset: a word of the file's class. */
static uint64_t cursor_word(struct pd_cursor *c, bool is_64)
{
	return is_64 ? pd_cursor_u64(c) : pd_cursor_u32(c);
}

static bool read_ehdr(int fd, struct elf_file *ret)
{
	uint8_t raw[EHDR_LEN_MAX] = { 0 };
	struct pd_cursor c;

	if (!read_exactly(fd, raw, sizeof(Elf32_Ehdr), 0) ||
	    memcmp(raw, ELFMAG, SELFMAG) != 0)
		return false;
	ret->fd = fd;
	ret->is_64 = raw[EI_CLASS] == ELFCLASS64;
	ret->swap = (raw[EI_DATA] == ELFDATA2MSB) != host_is_big_endian();
	if (ret->is_64 && !read_exactly(fd, raw, sizeof(Elf64_Ehdr), 0))
		return false;
	pd_cursor_init(&c, raw, sizeof(raw), 0, "ELF header");
	c.swap = ret->swap;
	pd_cursor_skip(&c, EI_NIDENT + 2 + 2 + 4); /* type machine version */
	cursor_word(&c, ret->is_64);		   /* entry */
	ret->phdrs_off = cursor_word(&c, ret->is_64);
	cursor_word(&c, ret->is_64); /* section headers */
	pd_cursor_skip(&c, 4 + 2);   /* flags, our own length */
	ret->phdr_len = pd_cursor_u16(&c);
	ret->phdr_nr = pd_cursor_u16(&c);
	return ret->phdr_len ==
		       (ret->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) &&
	       ret->phdr_nr <= PHDR_NR_MAX;
}

/* Read a program header; its fields are in another order in the two classes. */
static bool read_note_phdr(const struct elf_file *elf, unsigned idx,
			   struct note_segment *ret)
{
	uint8_t raw[sizeof(Elf64_Phdr)];
	struct pd_cursor c;

	if (!read_exactly(elf->fd, raw, elf->phdr_len,
			  elf->phdrs_off + (uint64_t)idx * elf->phdr_len))
		return false;
	pd_cursor_init(&c, raw, elf->phdr_len, 0, "ELF program header");
	c.swap = elf->swap;
	if (pd_cursor_u32(&c) != PT_NOTE)
		return false;
	if (elf->is_64)
		pd_cursor_skip(&c, 4); /* flags */
	ret->file_off = cursor_word(&c, elf->is_64);
	cursor_word(&c, elf->is_64); /* virtual, physical address */
	cursor_word(&c, elf->is_64);
	ret->file_len = cursor_word(&c, elf->is_64);
	cursor_word(&c, elf->is_64); /* length in memory */
	if (!elf->is_64)
		pd_cursor_skip(&c, 4); /* flags */
	ret->align = cursor_word(&c, elf->is_64);
	return pd_cursor_status(&c) == 0;
}

static bool segment_build_id(const struct elf_file *elf,
			     const struct note_segment *seg,
			     struct rec_build_id *ret)
{
	uint8_t notes[NOTES_LEN];
	size_t len = sizeof(notes);

	if (seg->file_len < len)
		len = (size_t)seg->file_len;
	return read_exactly(elf->fd, notes, len, seg->file_off) &&
	       rec_note_build_id(notes, len, elf->swap, seg->align == 8 ? 8 : 4,
				 ret);
}

bool rec_elf_build_id(int fd, struct rec_build_id *ret)
{
	struct elf_file elf;
	struct note_segment seg;

	if (!read_ehdr(fd, &elf))
		return false;
	for (unsigned i = 0; i < elf.phdr_nr; i++)
		if (read_note_phdr(&elf, i, &seg) &&
		    segment_build_id(&elf, &seg, ret))
			return true;
	return false;
}
