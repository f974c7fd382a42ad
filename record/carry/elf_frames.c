#include "record/carry/elf_frames.h"

#include "format/symtab/aarch64_code.h"
#include "record/base/runtime.h"
#include "record/carry/frame_cut.h"
#include "record/carry/frame_table.h"
#include "record/names/hit_set.h"

#include <elf.h>
#include <stdlib.h>

enum {
	TEXT_CAP_MIN = 512,
	CODE_LEN = PD_AARCH64_CODE_LEN, /* x86_64 takes as many bytes */
	ENTRIES_A_LOOK = 256,
};

struct frame_reader {
	struct rec_frame_table *table; /* owned */
	const struct rec_frame_limits *limits;
	struct rec_frame_list *list;
	const uint64_t *hits;
	size_t nr;
};

static int add_piece(struct frame_reader *r, enum pd_carried_piece_kind kind,
		     uint64_t off, uint64_t start, const uint8_t *data,
		     uint32_t len)
{
	struct rec_frame_list *list = r->list;

	if (len < PD_CARRIED_PIECE_LEN_MIN)
		return 0;
	if (len + sizeof(*list->pieces) > *r->limits->budget)
		return -EFBIG;
	if (list->frames.piece_nr == list->cap) {
		uint32_t cap = list->cap ? 2 * list->cap : 64;
		struct pd_carried_piece *more =
			reallocarray(list->pieces, cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		list->pieces = more;
		list->cap = cap;
	}
	if (len > list->text_cap - list->text_len) {
		size_t cap = 2 * list->text_cap + len + TEXT_CAP_MIN;
		uint8_t *more = realloc(list->text, cap);

		if (!more)
			return -ENOMEM;
		list->text = more;
		list->text_cap = cap;
	}
	memcpy(list->text + list->text_len, data, len);
	list->text_len += len;
	list->pieces[list->frames.piece_nr++] = (struct pd_carried_piece){
		.off = off,
		.start = start,
		.len = len,
		.kind = (uint8_t)kind,
	};
	*r->limits->budget -= len + sizeof(*list->pieces);
	return 0;
}

/* Return the last address below end that was hit or is behind a hit; addr is
 * one of them, off in the file. */
static uint64_t last_hit(const struct frame_reader *r, uint64_t off,
			 uint64_t addr, uint64_t end)
{
	size_t nr = rec_hits_below(r->hits, r->nr, off + (end - addr));
	uint64_t last = nr ? r->hits[nr - 1] + 1 : 0;

	if (last <= off)
		return addr;
	last = addr + (last - off);
	return last < end ? last : end - 1;
}

/* Set where the function ends that covers addr, off in the file, or 0.  An
 * entry that is damaged costs itself alone. */
static int take_fde(struct frame_reader *r, const struct rec_frame_function *f,
		    uint64_t off, uint64_t addr, uint64_t *ret_end)
{
	const struct pd_frame_section *s = &r->table->eh_frame;
	struct rec_frame_cut cut = { .first = addr };
	struct pd_frame_entry fde;
	struct rec_frame_cie cie;
	uint64_t start = f->start;
	int rc = 0;

	*ret_end = 0;
	if (!rec_frame_table_fde(r->table, f->fde_off, &fde) ||
	    !rec_frame_table_cie(r->table, fde.cie_off, &cie))
		return 0;
	if (cie.is_new)
		rc = add_piece(r, PD_CARRIED_CIE, fde.cie_off, 0,
			       cie.entry.data, cie.entry.len);
	cut.encoding = cie.encoding;
	cut.code_align = cie.code_align;
	if (!pd_frame_range(s, &fde, cie.encoding, &cut.start, &cut.len)) {
		*ret_end = addr + 1;
	} else if (addr - cut.start < cut.len) {
		*ret_end = cut.start + cut.len;
		cut.last = last_hit(r, off, addr, *ret_end);
		if (rec_frame_cut(s, &fde, r->table->fde_room, &cut))
			start = cut.start;
	}
	if (!rc && *ret_end)
		rc = add_piece(r, PD_CARRIED_FRAME, fde.off, start, fde.data,
			       fde.len);
	return rc;
}

/* "jmp *slot(%rip); push $n; jmp" */
static bool is_x86_64_slot(const uint8_t *code)
{
	for (size_t i = 0; i < 2; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25 &&
		    code[i + 6] == 0x68 && code[i + 11] == 0xe9)
			return true;
	return false;
}

/* Take the code at off if an unwinder looks at it: without information at a PLT
 * slot; with information, on aarch64, in front of where a function links its
 * frame record. */
static int take_code(struct frame_reader *r, uint64_t off, bool is_covered)
{
	const struct pd_elf_image *elf = r->table->elf;
	bool is_aarch64 = elf->machine == EM_AARCH64;
	uint8_t code[CODE_LEN];

	if ((is_aarch64 ? off % 4 : is_covered || elf->machine != EM_X86_64) ||
	    pd_elf_image_bytes(elf, off, code, sizeof(code)))
		return 0;
	if (is_aarch64 ? !pd_aarch64_is_carried(code, is_covered)
		       : !is_x86_64_slot(code))
		return 0;
	return add_piece(r, PD_CARRIED_CODE, off, 0, code, sizeof(code));
}

static int take_hits(struct frame_reader *r)
{
	uint64_t end = 0, last = 0;
	int rc = 0;

	for (size_t i = 0; i < 2 * r->nr && !rc; i++) {
		uint64_t off = r->hits[i / 2] + i % 2, addr;
		struct rec_frame_function f = { 0 };
		bool is_found;

		if (!pd_elf_off_to_addr(r->table->elf, off, &addr))
			continue;
		is_found = rec_frame_table_find(r->table, addr, &f);
		if (!is_found || f.fde_off != last || addr >= end) {
			end = 0;
			last = f.fde_off;
			if (is_found)
				rc = take_fde(r, &f, off, addr, &end);
		}
		if (!rc && i % 2 == 0)
			rc = take_code(r, off, end != 0);
		if (!rc && i % ENTRIES_A_LOOK == 0 &&
		    rec_now_ns() >= r->limits->until_ns)
			rc = -ETIME;
	}
	return rc;
}

static int compare_pieces(const void *a, const void *b)
{
	const struct pd_carried_piece *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* Sort pieces and leave out those that overlap one before: a piece that was
 * taken twice, and code of neighbours. */
static void settle(struct rec_frame_list *list)
{
	uint32_t nr = 0;
	uint64_t end = 0;
	const uint8_t *at = list->text;

	for (uint32_t i = 0; i < list->frames.piece_nr; i++) {
		list->pieces[i].data = at;
		at += list->pieces[i].len;
	}
	if (list->frames.piece_nr)
		qsort(list->pieces, list->frames.piece_nr,
		      sizeof(*list->pieces), compare_pieces);
	for (uint32_t i = 0; i < list->frames.piece_nr; i++) {
		struct pd_carried_piece p = list->pieces[i];

		if (p.off < end && p.kind == PD_CARRIED_CODE &&
		    p.off + p.len >= end + PD_CARRIED_PIECE_LEN_MIN) {
			p.data += end - p.off;
			p.len -= (uint32_t)(end - p.off);
			p.off = end;
		}
		if (p.off < end)
			continue;
		end = p.off + p.len;
		list->pieces[nr++] = p;
	}
	list->frames.piece_nr = nr;
	list->frames.pieces = list->pieces;
}

int rec_elf_frames(const struct pd_elf_image *elf, const uint64_t *hits,
		   size_t nr, const struct rec_frame_limits *limits,
		   struct rec_frame_list *ret)
{
	struct frame_reader r = {
		.limits = limits,
		.list = ret,
		.hits = hits,
		.nr = nr,
	};
	int rc = rec_frame_table_open(elf, true, &r.table);

	*ret = (struct rec_frame_list){ .pieces = NULL };
	if (!r.table)
		return rc;
	ret->is_there = true;
	ret->frames = (struct pd_carried_frames){
		.off = r.table->eh_frame.off,
		.addr = r.table->eh_frame.addr,
		.len = r.table->eh_frame.len,
	};
	rc = take_hits(&r);
	settle(ret);
	rec_frame_table_close(r.table);
	return rc;
}

void rec_frame_list_release(struct rec_frame_list *list)
{
	free(list->pieces);
	free(list->text);
	*list = (struct rec_frame_list){ .pieces = NULL };
}
