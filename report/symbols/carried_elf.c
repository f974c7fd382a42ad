#include "report/symbols/carried_elf.h"

#include "format/base/search.h"
#include "format/carried/carried_cfi.h"
#include "format/symtab/eh_frame.h"
#include "report/base/memory.h"
#include "report/symbols/dso.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct rpt_carried_elf {
	struct rpt_elf *elf;
	struct pd_carried_piece *pieces; /* owned; by off */
	uint8_t *text;			 /* owned: their data lie in it */
	uint32_t piece_nr;
	uint32_t piece_cap;
};

/* Sections of the image. */
enum { SECTION_NONE, SECTION_HDR, SECTION_FRAMES, SECTION_NAMES, SECTION_NR };

static const char section_names[] = "\0.eh_frame_hdr\0.eh_frame\0.shstrtab";
enum { NAME_HDR = 1, NAME_FRAMES = 15, NAME_NAMES = 25 };

/* The places of things in the image. */
struct plan {
	const struct pd_carried_file *file;
	const struct pd_carried_cfi *frames;
	size_t phdrs;
	size_t hdr;
	size_t hdr_len;
	size_t sections;
	size_t names;
	size_t eh_frame;
	size_t len;
};

/* Writes numbers of the file's class and byte order. */
struct image {
	uint8_t *at;
	bool is_64;
	bool is_big_endian;
};

static void put(struct image *im, uint64_t v, size_t len)
{
	for (size_t i = 0; i < len; i++)
		im->at[i] = (uint8_t)(v >> 8 * (im->is_big_endian ? len - 1 - i
								  : i));
	im->at += len;
}

static void put_word(struct image *im, uint64_t v)
{
	put(im, v, im->is_64 ? 8 : 4);
}

static size_t header_len(const struct pd_carried_file *f)
{
	return f->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static size_t phdr_len(const struct pd_carried_file *f)
{
	return f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

static size_t shdr_len(const struct pd_carried_file *f)
{
	return f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

static void put_header(struct image *im, const struct plan *plan)
{
	const struct pd_carried_file *f = plan->file;

	memcpy(im->at, ELFMAG, SELFMAG);
	im->at[EI_CLASS] = f->is_64 ? ELFCLASS64 : ELFCLASS32;
	im->at[EI_DATA] = f->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	im->at[EI_VERSION] = EV_CURRENT;
	im->at += EI_NIDENT;
	put(im, f->type, 2);
	put(im, f->machine, 2);
	put(im, EV_CURRENT, 4);
	put_word(im, 0); /* entry */
	put_word(im, plan->phdrs);
	put_word(im, plan->sections);
	put(im, 0, 4); /* flags */
	put(im, header_len(f), 2);
	put(im, phdr_len(f), 2);
	put(im, f->segment_nr, 2);
	put(im, shdr_len(f), 2);
	put(im, SECTION_NR, 2);
	put(im, SECTION_NAMES, 2);
}

/* Offsets are those in the original file. */
static void put_segment(struct image *im, const struct pd_elf_segment *s)
{
	put(im, PT_LOAD, 4);
	if (im->is_64)
		put(im, PF_R | PF_X, 4);
	put_word(im, s->off);
	put_word(im, s->addr);
	put_word(im, s->addr);
	put_word(im, s->len);
	put_word(im, s->len);
	if (!im->is_64)
		put(im, PF_R | PF_X, 4);
	put_word(im, 1); /* alignment */
}

struct section {
	uint32_t name;
	uint32_t type;
	uint64_t addr;
	uint64_t off;
	uint64_t len;
};

static void put_section(struct image *im, const struct section *s)
{
	put(im, s->name, 4);
	put(im, s->type, 4);
	put_word(im, s->addr ? SHF_ALLOC : 0);
	put_word(im, s->addr);
	put_word(im, s->off);
	put_word(im, s->len);
	put(im, 0, 4); /* link, info */
	put(im, 0, 4);
	put_word(im, 1); /* alignment */
	put_word(im, 0); /* length of an entry */
}

static void put_sections(struct image *im, const struct plan *plan)
{
	const struct section sections[SECTION_NR] = {
		[SECTION_HDR] = { NAME_HDR, SHT_PROGBITS, 0, plan->hdr,
				  plan->hdr_len },
		[SECTION_FRAMES] = { NAME_FRAMES, SHT_PROGBITS,
				     plan->frames->addr, plan->eh_frame,
				     plan->frames->len },
		[SECTION_NAMES] = { NAME_NAMES, SHT_STRTAB, 0, plan->names,
				    sizeof(section_names) },
	};

	for (size_t i = 0; i < SECTION_NR; i++)
		put_section(im, &sections[i]);
}

static int compare_starts(const void *a, const void *b)
{
	const struct pd_carried_piece *x = *(void *const *)a,
				      *y = *(void *const *)b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Addresses are written as such, in 64 bits. */
static void put_table(struct image *im, const struct plan *plan,
		      const struct pd_carried_piece *pieces)
{
	uint32_t nr = 0, piece_nr = plan->frames->piece_nr;
	const struct pd_carried_piece **functions =
		rpt_alloc_zeroed(piece_nr + (size_t)1, sizeof(*functions));

	for (uint32_t i = 0; i < piece_nr; i++)
		if (pieces[i].kind == PD_CARRIED_FRAME)
			functions[nr++] = &pieces[i];
	qsort(functions, nr, sizeof(*functions), compare_starts);
	put(im, 1, 1); /* version */
	put(im, DW_EH_PE_udata8, 1);
	put(im, DW_EH_PE_udata4, 1);
	put(im, DW_EH_PE_udata8, 1);
	put(im, plan->frames->addr, 8);
	put(im, nr, 4);
	for (uint32_t i = 0; i < nr; i++) {
		put(im, functions[i]->start, 8);
		put(im,
		    functions[i]->off - plan->frames->off + plan->frames->addr,
		    8);
	}
	free(functions);
}

static void make_plan(struct plan *p)
{
	p->phdrs = header_len(p->file);
	p->sections = p->phdrs + p->file->segment_nr * phdr_len(p->file);
	p->names = p->sections + SECTION_NR * shdr_len(p->file);
	p->hdr = p->names + sizeof(section_names);
	p->hdr_len = 16 + (size_t)16 * p->frames->piece_nr;
	p->eh_frame = p->hdr + p->hdr_len;
	p->len = p->eh_frame + (size_t)p->frames->len;
}

/* Memory between pieces is never touched. */
static char *make_image(const struct plan *plan,
			const struct pd_carried_piece *pieces)
{
	char *bytes = calloc(1, plan->len);
	struct image im = {
		.at = (uint8_t *)bytes,
		.is_64 = plan->file->is_64,
		.is_big_endian = plan->file->is_big_endian,
	};

	if (!bytes)
		return NULL;
	put_header(&im, plan);
	for (uint32_t i = 0; i < plan->file->segment_nr; i++)
		put_segment(&im, &plan->file->segments[i]);
	put_sections(&im, plan);
	memcpy(im.at, section_names, sizeof(section_names));
	im.at += sizeof(section_names);
	put_table(&im, plan, pieces);
	for (uint32_t i = 0; i < plan->frames->piece_nr; i++)
		if (pieces[i].kind != PD_CARRIED_CODE)
			memcpy(bytes + plan->eh_frame +
				       (pieces[i].off - plan->frames->off),
			       pieces[i].data, pieces[i].len);
	return bytes;
}

static void open_image(struct rpt_carried_elf *carried, struct plan *plan)
{
	struct pd_err err = PD_ERR_INIT;
	char *image;

	make_plan(plan);
	image = make_image(plan, carried->pieces);
	if (image)
		carried->elf = rpt_elf_open_memory(image, plan->len, &err);
}

struct rpt_carried_elf *rpt_carried_elf_open(struct rpt_dso *dso)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);
	const struct pd_carried *all = dso->names.carried.from;
	struct plan plan = { .file = f };
	struct rpt_carried_elf *carried;

	if (f)
		plan.frames =
			pd_carried_cfi_of(all, (uint32_t)(f - all->files));
	if (!plan.frames)
		return NULL;
	carried = rpt_alloc_zeroed(1, sizeof(*carried));
	carried->piece_nr = plan.frames->piece_nr;
	carried->pieces = rpt_alloc_zeroed(carried->piece_nr + (size_t)1,
					   sizeof(*carried->pieces));
	carried->text = rpt_alloc((size_t)plan.frames->text_len + 1);
	if (!pd_carried_pieces(all, plan.frames, carried->pieces, carried->text,
			       NULL))
		open_image(carried, &plan);
	if (carried->elf)
		return carried;
	rpt_carried_elf_close(carried);
	return NULL;
}

/* Note an entry of .eh_frame that reaches from off on.  Return its length; 0:
 * there is none. */
static uint32_t add_piece(struct rpt_carried_elf *carried,
			  const struct pd_carried_cfi *frames,
			  struct pd_str text, uint64_t off)
{
	const struct pd_cfi_section s = { .addr = frames->addr,
					  .len = frames->len,
					  .is_64 = true };
	const uint8_t *data = (const uint8_t *)text.ptr;
	struct pd_cfi_entry entry, cie;
	struct pd_carried_piece piece = { .off = off, .data = data + off };
	uint64_t len;

	if (!pd_cfi_entry_read(&s, off, data + off, text.len - off, &entry) ||
	    entry.len < PD_CARRIED_PIECE_LEN_MIN)
		return 0;
	piece.len = entry.len;
	if (!entry.is_cie) {
		piece.kind = PD_CARRIED_FRAME;
		if (entry.cie_off >= off ||
		    !pd_cfi_entry_read(&s, entry.cie_off, data + entry.cie_off,
				       text.len - entry.cie_off, &cie) ||
		    !pd_cfi_range(&s, &entry, pd_cfi_encoding(&s, &cie),
				  &piece.start, &len))
			return 0;
	}
	carried->pieces = rpt_grow(carried->pieces, &carried->piece_cap,
				   carried->piece_nr, sizeof(piece));
	carried->pieces[carried->piece_nr++] = piece;
	return entry.len;
}

/* Entries tell where a function is by the distance from them.  How far they lie
 * behind it in memory, or would, differs among compilers; but the first one is
 * of its start. */
static void move_to_code(struct rpt_carried_elf *carried,
			 struct pd_carried_cfi *frames, uint64_t start)
{
	const struct pd_carried_piece *first = carried->pieces;
	uint64_t distance;

	while (first->kind != PD_CARRIED_FRAME)
		first++;
	distance = start - first->start;
	frames->addr += distance;
	for (uint32_t i = 0; i < carried->piece_nr; i++)
		carried->pieces[i].start += distance;
}

/* Python 3.13 tells 0. */
static uint16_t machine_of(const struct rpt_dso *dso)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };

	if (dso->files.jitted->machine)
		return dso->files.jitted->machine;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (rpt_runs_on_origin(dso->owner, machines[i]))
			return machines[i];
	return EM_NONE;
}

struct rpt_carried_elf *rpt_carried_elf_of_jit(struct rpt_dso *dso)
{
	const struct rpt_jitted *jitted = dso->files.jitted;
	struct pd_elf_segment segment = { jitted->off, jitted->off,
					  jitted->len };
	const struct pd_carried_file file = {
		.is_64 = jitted->machine != EM_386,
		.machine = machine_of(dso),
		.type = ET_DYN,
		.segments = &segment,
		.segment_nr = 1,
	};
	struct pd_carried_cfi frames = {
		.addr = jitted->off + jitted->len,
		.len = jitted->eh_frame.len,
	};
	struct plan plan = { .file = &file, .frames = &frames };
	struct rpt_carried_elf *carried = rpt_alloc_zeroed(1, sizeof(*carried));
	bool has_function = false;
	uint64_t off = 0;
	uint32_t len;

	while (off < frames.len &&
	       (len = add_piece(carried, &frames, jitted->eh_frame, off))) {
		has_function |= carried->pieces[carried->piece_nr - 1].kind ==
				PD_CARRIED_FRAME;
		off += len;
	}
	frames.piece_nr = carried->piece_nr;
	if (has_function) {
		move_to_code(carried, &frames, jitted->off);
		open_image(carried, &plan);
	}
	if (carried->elf)
		return carried;
	rpt_carried_elf_close(carried);
	return NULL;
}

void rpt_carried_elf_close(struct rpt_carried_elf *carried)
{
	if (!carried)
		return;
	rpt_elf_close(carried->elf);
	free(carried->pieces);
	free(carried->text);
	free(carried);
}

struct rpt_elf *rpt_carried_elf_file(const struct rpt_carried_elf *carried)
{
	return carried->elf;
}

const uint8_t *rpt_carried_elf_bytes(const struct rpt_carried_elf *carried,
				     uint64_t off, size_t len)
{
	const struct pd_carried_piece *p;
	uint32_t at;

	PD_FIND_FIRST(at, carried->piece_nr, carried->pieces[at].off > off);
	if (!at)
		return NULL;
	p = &carried->pieces[at - 1];
	if (off - p->off > p->len || len > p->len - (off - p->off))
		return NULL;
	return p->data + (off - p->off);
}
