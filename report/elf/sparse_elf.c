#include "report/elf/sparse_elf.h"

#include "report/base/memory.h"
#include "report/elf/sparse_cfi.h"
#include "report/elf/sparse_code.h"

#include "format/support/whole_io.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_NOTE "perfpair"

/* The head has no more: 64 program headers of 56 bytes, and two notes. */
enum { ALIGN = 16, PAGE_LEN = 4096, HEAD_LEN_MAX = 4096 };

/* Programs map the file as a whole: this is more than any has. */
#define FILE_LEN_MAX (UINT64_C(16) << 30)

/* More sections than this need another form of file (gABI, SHN_XINDEX). */
enum { RUNS_MAX = 0x8000, OTHER_SECTIONS = 8 };

/* The names of sections, and where they stand in .shstrtab. */
static const char section_names[] = "\0.text\0.note.gnu.build-id\0"
				    ".note.perfpair\0.symtab\0.strtab\0"
				    ".shstrtab\0.eh_frame_hdr\0.eh_frame";
enum {
	NAME_TEXT = 1,
	NAME_BUILD_ID = 7,
	NAME_OWN = 26,
	NAME_SYMTAB = 41,
	NAME_STRTAB = 49,
	NAME_SHSTRTAB = 57,
	NAME_HDR = 67,
	NAME_EH_FRAME = 81,
};

struct section {
	uint32_t name;
	uint32_t type;
	uint64_t flags;
	uint64_t addr;
	uint64_t off;
	uint64_t len;
	uint32_t link;
	uint32_t info;
	uint64_t entry_len;
};

struct maker {
	const struct pd_carried_file *file;
	struct pd_buf head;
	struct pd_buf tail;    /* stands at tail_off in the file */
	struct pd_buf strings; /* .strtab */
	uint64_t tail_off;
	/* of each segment's .text; 0: it has no names */
	uint16_t texts[PD_ELF_SEGMENTS_MAX];
	struct rpt_sparse_code code; /* what is written of it */
	uint16_t code_section;	     /* of its first run */
	struct section *sections;    /* owned */
	uint16_t section_nr;
	struct rpt_sparse_cfi frames;
	uint32_t name_nr;
	uint32_t local_nr;
};

bool rpt_sparse_elf_takes(struct pd_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return false;
	return text.len > 0;
}

static void put_word(const struct maker *m, struct pd_buf *b, uint64_t v)
{
	if (m->file->is_64)
		pd_buf_u64(b, v);
	else
		pd_buf_u32(b, (uint32_t)v);
}

/* Return the section of the run of code that off lies in, or 0. */
static uint16_t code_section_of(const struct maker *m, uint64_t off)
{
	int64_t idx = rpt_sparse_code_find(&m->code, off);

	return idx < 0 ? 0 : (uint16_t)(m->code_section + idx);
}

/* Return the segment of a name that is written, or -1. */
static int place_of(const struct maker *m, const struct pd_carried_name *name)
{
	bool is_slot = name->source == PD_CARRIED_PLT && !name->text.len;

	if (name->source == PD_CARRIED_FDE ||
	    (!is_slot && !rpt_sparse_elf_takes(name->text)))
		return -1;
	return rpt_sparse_segment_of(m->file, name->start);
}

static struct section *add_section(struct maker *m, uint32_t name,
				   uint32_t type)
{
	struct section *s = &m->sections[m->section_nr++];

	*s = (struct section){ .name = name, .type = type };
	return s;
}

static uint64_t addr_of(const struct pd_elf_segment *seg, uint64_t off)
{
	return seg->addr + (off - seg->off);
}

/* Give a section to each run of code. */
static void lay_out_code(struct maker *m)
{
	m->code_section = m->section_nr;
	for (uint32_t i = 0; i < m->code.nr; i++) {
		const struct pd_carried_run *run = &m->code.runs[i];
		int idx = rpt_sparse_segment_of(m->file, run->off);
		struct section *s = add_section(m, NAME_TEXT, SHT_PROGBITS);

		s->flags = SHF_ALLOC | SHF_EXECINSTR;
		s->addr = addr_of(&m->file->segments[idx], run->off);
		s->off = run->off;
		s->len = run->len;
	}
}

/* Give a section to each segment in which names lie, and find where the file's
 * own content ends. */
static int lay_out(struct maker *m, struct pd_err *err)
{
	const struct pd_carried_file *f = m->file;
	uint64_t end = 0;

	add_section(m, 0, SHT_NULL);
	for (uint32_t i = 0; i < f->name_nr; i++) {
		int idx = place_of(m, &f->names[i]);

		if (idx >= 0)
			m->texts[idx] = 1;
	}
	for (uint32_t i = 0; i < f->segment_nr; i++) {
		const struct pd_elf_segment *seg = &f->segments[i];
		struct section *s;

		if (seg->off > FILE_LEN_MAX || seg->len > FILE_LEN_MAX)
			return pd_err_set(err, -EFBIG, "it is too long");
		if (end < seg->off + seg->len)
			end = seg->off + seg->len;
		if (!m->texts[i])
			continue;
		m->texts[i] = m->section_nr;
		s = add_section(m, NAME_TEXT, SHT_NOBITS);
		s->flags = SHF_ALLOC | SHF_EXECINSTR;
		s->addr = seg->addr;
		s->off = seg->off;
		s->len = seg->len;
	}
	lay_out_code(m);
	m->tail_off = end;
	return 0;
}

static bool is_local(const struct pd_carried_name *name)
{
	return name->source == PD_CARRIED_SYMTAB &&
	       ELF64_ST_BIND(name->info) == STB_LOCAL;
}

static void put_symbol(struct maker *m, const struct pd_carried_name *name,
		       int idx)
{
	const struct pd_elf_segment *seg = &m->file->segments[idx];
	bool is_plt = name->source == PD_CARRIED_PLT;
	uint8_t info =
		is_plt ? ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) : name->info;
	uint64_t addr = addr_of(seg, name->start);
	uint16_t section = code_section_of(m, name->start);

	pd_buf_u32(&m->tail, (uint32_t)m->strings.len);
	if (!m->file->is_64) {
		pd_buf_u32(&m->tail, (uint32_t)addr);
		pd_buf_u32(&m->tail, (uint32_t)name->len);
	}
	pd_buf_u8(&m->tail, info);
	pd_buf_u8(&m->tail, STV_DEFAULT);
	pd_buf_u16(&m->tail, section ? section : m->texts[idx]);
	if (m->file->is_64) {
		pd_buf_u64(&m->tail, addr);
		pd_buf_u64(&m->tail, name->len);
	}
	pd_buf_bytes(&m->strings, name->text.ptr, name->text.len);
	if (is_plt)
		pd_buf_bytes(&m->strings, "@plt", 4);
	pd_buf_u8(&m->strings, 0);
	m->name_nr++;
}

/* Local symbols come first (gABI, "Symbol Table"). */
static void put_symbols(struct maker *m, bool are_local)
{
	const struct pd_carried_file *f = m->file;

	for (uint32_t i = 0; i < f->name_nr; i++) {
		const struct pd_carried_name *name = &f->names[i];
		int idx = place_of(m, name);

		if (idx >= 0 && is_local(name) == are_local)
			put_symbol(m, name, idx);
	}
}

/* Start a section of what is appended to the tail. */
static struct section *begin_tail(struct maker *m, uint32_t name, uint32_t type)
{
	struct section *s;

	pd_buf_zero(&m->tail, -m->tail.len % ALIGN);
	s = add_section(m, name, type);
	s->off = m->tail_off + m->tail.len;
	return s;
}

static void end_tail(struct maker *m, struct section *s)
{
	s->len = m->tail_off + m->tail.len - s->off;
}

static void put_tail(struct maker *m)
{
	size_t entry_len =
		m->file->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct section *s = begin_tail(m, NAME_SYMTAB, SHT_SYMTAB);

	s->entry_len = entry_len;
	s->link = m->section_nr; /* .strtab is the next */
	pd_buf_zero(&m->tail, entry_len);
	pd_buf_u8(&m->strings, 0);
	put_symbols(m, true);
	s->info = m->name_nr + 1;
	put_symbols(m, false);
	end_tail(m, s);
	s = begin_tail(m, NAME_STRTAB, SHT_STRTAB);
	pd_buf_bytes(&m->tail, m->strings.data, m->strings.len);
	end_tail(m, s);
	s = begin_tail(m, NAME_SHSTRTAB, SHT_STRTAB);
	pd_buf_bytes(&m->tail, section_names, sizeof(section_names));
	end_tail(m, s);
	pd_buf_zero(&m->tail, -m->tail.len % ALIGN);
}

static uint64_t align_of(const struct section *s)
{
	switch (s->type) {
	case SHT_NULL:
		return 0;
	case SHT_NOTE:
		return 4;
	case SHT_SYMTAB:
		return 8;
	default:
		return 1;
	}
}

static void put_section_headers(struct maker *m)
{
	for (uint16_t i = 0; i < m->section_nr; i++) {
		const struct section *s = &m->sections[i];

		pd_buf_u32(&m->tail, s->name);
		pd_buf_u32(&m->tail, s->type);
		put_word(m, &m->tail, s->flags);
		put_word(m, &m->tail, s->addr);
		put_word(m, &m->tail, s->off);
		put_word(m, &m->tail, s->len);
		pd_buf_u32(&m->tail, s->link);
		pd_buf_u32(&m->tail, s->info);
		put_word(m, &m->tail, align_of(s));
		put_word(m, &m->tail, s->entry_len);
	}
}

static size_t header_len(const struct maker *m)
{
	return m->file->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static size_t program_header_len(const struct maker *m)
{
	return m->file->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

/* Append a note to the head, which then holds the section. */
static void put_note(struct maker *m, uint32_t section_name, const char *owner,
		     uint32_t type, const void *desc, size_t len)
{
	size_t start =
		header_len(m) + m->file->segment_nr * program_header_len(m);
	struct section *s = add_section(m, section_name, SHT_NOTE);
	struct pd_str name = { owner, strlen(owner) };

	s->off = start + m->head.len;
	pd_buf_u32(&m->head, (uint32_t)name.len + 1);
	pd_buf_u32(&m->head, (uint32_t)len);
	pd_buf_u32(&m->head, type);
	pd_buf_cstr_pad(&m->head, name, 4);
	pd_buf_bytes(&m->head, desc, len);
	pd_buf_zero(&m->head, -len % 4);
	s->len = start + m->head.len - s->off;
}

static void put_notes(struct maker *m)
{
	static const uint8_t version[4] = { 1, 1, 1, 1 };

	if (m->file->build_id_len)
		put_note(m, NAME_BUILD_ID, "GNU", NT_GNU_BUILD_ID,
			 m->file->build_id, m->file->build_id_len);
	put_note(m, NAME_OWN, OWN_NOTE, 1, version, sizeof(version));
}

static void add_frame_section(struct maker *m, uint32_t name, uint64_t off,
			      uint64_t addr, const struct pd_buf *b)
{
	struct section *s = add_section(m, name, SHT_PROGBITS);

	s->flags = SHF_ALLOC;
	s->addr = addr;
	s->off = off;
	s->len = b->len;
}

static void put_frames(struct maker *m)
{
	struct rpt_sparse_cfi *f = &m->frames;
	uint64_t head_end = header_len(m) +
			    m->file->segment_nr * program_header_len(m) +
			    m->head.len;

	if (!rpt_sparse_cfi_make(m->file, head_end, f))
		return;
	add_frame_section(m, NAME_HDR, f->hdr_off, f->hdr_addr, &f->hdr);
	add_frame_section(m, NAME_EH_FRAME, f->off, f->addr, &f->eh_frame);
}

static void put_header(struct maker *m, struct pd_buf *b, uint64_t sections_off)
{
	const struct pd_carried_file *f = m->file;
	const uint8_t ident[EI_NIDENT] = {
		ELFMAG0,
		ELFMAG1,
		ELFMAG2,
		ELFMAG3,
		f->is_64 ? ELFCLASS64 : ELFCLASS32,
		f->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB,
		EV_CURRENT,
		ELFOSABI_GNU, /* for STT_GNU_IFUNC */
	};

	pd_buf_bytes(b, ident, sizeof(ident));
	pd_buf_u16(b, f->type);
	pd_buf_u16(b, f->machine);
	pd_buf_u32(b, EV_CURRENT);
	put_word(m, b, 0);
	put_word(m, b, f->segment_nr ? header_len(m) : 0);
	put_word(m, b, sections_off);
	pd_buf_u32(b, 0);
	pd_buf_u16(b, (uint16_t)header_len(m));
	pd_buf_u16(b, (uint16_t)program_header_len(m));
	pd_buf_u16(b, (uint16_t)f->segment_nr);
	pd_buf_u16(b, f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	pd_buf_u16(b, m->section_nr);
	pd_buf_u16(b, m->section_nr - 1);
}

static void put_program_headers(struct maker *m, struct pd_buf *b)
{
	for (uint32_t i = 0; i < m->file->segment_nr; i++) {
		const struct pd_elf_segment *seg = &m->file->segments[i];
		uint32_t flags = m->texts[i] ? PF_R | PF_X : PF_R;
		bool is_even = (seg->addr - seg->off) % PAGE_LEN == 0;

		pd_buf_u32(b, PT_LOAD);
		if (m->file->is_64)
			pd_buf_u32(b, flags);
		put_word(m, b, seg->off);
		put_word(m, b, seg->addr);
		put_word(m, b, seg->addr);
		put_word(m, b, seg->len);
		put_word(m, b, seg->len);
		if (!m->file->is_64)
			pd_buf_u32(b, flags);
		put_word(m, b, is_even ? PAGE_LEN : 1);
	}
}

static int write_code(const struct maker *m, int fd)
{
	int rc = 0;

	for (uint32_t i = 0; i < m->code.nr && !rc; i++)
		rc = sup_write_at(fd, m->code.runs[i].data,
				  (size_t)m->code.runs[i].len,
				  m->code.runs[i].off);
	return rc;
}

static int make(struct maker *m, int fd, struct pd_buf *front,
		struct pd_err *err)
{
	uint64_t sections_off;
	int rc = lay_out(m, err);

	if (rc)
		return rc;
	put_notes(m);
	put_frames(m);
	if (m->tail_off < PAGE_LEN * 2)
		m->tail_off = PAGE_LEN * 2; /* behind the head in any case */
	m->tail_off = (m->tail_off + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
	put_tail(m);
	sections_off = m->tail_off + m->tail.len;
	put_section_headers(m);
	if (!m->file->is_64 && m->tail_off + m->tail.len > UINT32_MAX)
		return pd_err_set(err, -EFBIG, "it is too long for 32 bits");
	put_header(m, front, sections_off);
	put_program_headers(m, front);
	pd_buf_bytes(front, m->head.data, m->head.len);
	if (pd_buf_status(front) || pd_buf_status(&m->tail) ||
	    pd_buf_status(&m->strings) || pd_buf_status(&m->head))
		return pd_err_set(err, -ENOMEM, "out of memory");
	rc = sup_write_at(fd, m->tail.data, m->tail.len, m->tail_off);
	if (!rc)
		rc = sup_write_at(fd, m->frames.eh_frame.data,
				  m->frames.eh_frame.len, m->frames.off);
	if (!rc)
		rc = sup_write_at(fd, m->frames.hdr.data, m->frames.hdr.len,
				  m->frames.hdr_off);
	if (!rc)
		rc = write_code(m, fd);
	if (!rc)
		rc = sup_write_at(fd, front->data, front->len, 0);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

int rpt_sparse_elf_write(int fd, const struct pd_carried_file *file,
			 const struct rpt_sparse_code *code, uint32_t *ret_nr,
			 struct pd_err *err)
{
	const bool swap =
		file->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct maker m = { .file = file };
	struct pd_buf front = { .swap = swap };
	int rc;

	rpt_sparse_code_take(&m.code, file, code, HEAD_LEN_MAX, RUNS_MAX);
	m.sections = rpt_alloc_zeroed(m.code.nr + PD_ELF_SEGMENTS_MAX +
					      (size_t)OTHER_SECTIONS,
				      sizeof(*m.sections));
	m.head.swap = swap;
	m.tail.swap = swap;
	rc = make(&m, fd, &front, err);
	*ret_nr = m.name_nr;
	rpt_sparse_cfi_release(&m.frames);
	pd_buf_release(&m.head);
	pd_buf_release(&m.tail);
	pd_buf_release(&m.strings);
	pd_buf_release(&front);
	free(m.sections);
	rpt_sparse_code_release(&m.code);
	return rc;
}

bool rpt_elf_is_sparse(const struct rpt_elf *file)
{
	struct rpt_elf_section section;

	return rpt_elf_section(file, ".note." OWN_NOTE, &section) &&
	       section.shdr.sh_type == SHT_NOTE;
}
