#include "format/carried/cfi_pieces.h"

#include "format/base/search.h"
#include "format/base/limits.h"
#include "format/symtab/asked_code.h"
#include "format/symtab/cfi_cut.h"
#include "format/symtab/eh_frame.h"

#include <stdlib.h>

enum {
	TEXT_CAP_MIN = 512,
	ENTRIES_A_LOOK = 256,
	/* FDEs are read for so many times the bytes that there are, and for so
	 * many of each hit: entries that overlap end it. */
	READ_RATIO = 4,
	READ_A_HIT = 1024,
};

struct finder {
	struct pd_eh_frame *eh_frame; /* owned */
	const struct pd_cfi_limits *limits;
	struct pd_cfi_pieces *list;
	const uint64_t *hits;
	size_t nr;
	uint64_t left;	 /* bytes of FDEs that may still be read */
	uint64_t beyond; /* the last FDE covers nothing from here on */
};

static int add_piece(struct finder *r, enum pd_carried_piece_kind kind,
		     uint64_t off, uint64_t start, const uint8_t *data,
		     uint32_t len)
{
	struct pd_cfi_pieces *list = r->list;

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

/* Return how many of the ascending hits[0..nr) are below off. */
static size_t hits_below(const uint64_t *hits, size_t nr, uint64_t off)
{
	size_t at;

	PD_FIND_FIRST(at, nr, hits[at] >= off);
	return at;
}

/* Return the last address below end that was hit or is behind a hit; addr is
 * one of them, off in the file. */
static uint64_t last_hit(const struct finder *r, uint64_t off, uint64_t addr,
			 uint64_t end)
{
	size_t nr = hits_below(r->hits, r->nr, off + (end - addr));
	uint64_t last = nr ? r->hits[nr - 1] + 1 : 0;

	if (last <= off)
		return addr;
	last = addr + (last - off);
	return last < end ? last : end - 1;
}

/* Set where the function ends that covers addr, off in the file, or 0.  An
 * entry that is damaged costs itself alone. */
static int take_fde(struct finder *r, const struct pd_eh_function *f,
		    uint64_t off, uint64_t addr, uint64_t *ret_end)
{
	const struct pd_cfi_section *s = &r->eh_frame->section;
	struct pd_cfi_cut cut = { .first = addr };
	struct pd_cfi_entry fde;
	struct pd_eh_cie cie;
	uint64_t start = f->start;
	int rc = 0;

	*ret_end = 0;
	r->beyond = UINT64_MAX;
	if (!pd_eh_frame_fde(r->eh_frame, f->fde_off, &fde))
		return 0;
	if (fde.len > r->left)
		return -EFBIG;
	r->left -= fde.len;
	if (!pd_eh_frame_cie(r->eh_frame, fde.cie_off, &cie))
		return 0;
	if (cie.is_new)
		rc = add_piece(r, PD_CARRIED_CIE, fde.cie_off, 0,
			       cie.entry.data, cie.entry.len);
	cut.encoding = cie.encoding;
	cut.code_align = cie.code_align;
	if (!pd_cfi_range(s, &fde, cie.encoding, &cut.start, &cut.len)) {
		*ret_end = addr + 1;
	} else {
		r->beyond = cut.start + cut.len;
		if (addr - cut.start < cut.len) {
			*ret_end = r->beyond;
			cut.last = last_hit(r, off, addr, *ret_end);
			if (pd_cfi_cut(s, &fde, r->eh_frame->fde_room, &cut))
				start = cut.start;
		}
	}
	if (!rc && *ret_end)
		rc = add_piece(r, PD_CARRIED_FRAME, fde.off, start, fde.data,
			       fde.len);
	return rc;
}

static int take_code(struct finder *r, uint64_t off, bool is_covered)
{
	uint8_t code[PD_ASKED_CODE_LEN];

	if (!pd_asked_code(r->eh_frame->elf, off, is_covered, code))
		return 0;
	return add_piece(r, PD_CARRIED_CODE, off, 0, code, sizeof(code));
}

static int take_hits(struct finder *r)
{
	uint64_t end = 0, last = 0;
	int rc = 0;

	for (size_t i = 0; i < 2 * r->nr && !rc; i++) {
		uint64_t off = r->hits[i / 2] + i % 2, addr;
		struct pd_eh_function f = { 0 };
		bool is_found;

		if (!pd_elf_off_to_addr(r->eh_frame->elf, off, &addr))
			continue;
		is_found = pd_eh_frame_find(r->eh_frame, addr, &f);
		if (!is_found || f.fde_off != last || addr >= end) {
			bool is_behind = f.fde_off == last && addr >= r->beyond;

			end = 0;
			last = f.fde_off;
			if (is_found && !is_behind)
				rc = take_fde(r, &f, off, addr, &end);
		}
		if (!rc && i % 2 == 0)
			rc = take_code(r, off, end != 0);
		if (!rc && i % ENTRIES_A_LOOK == 0 && r->limits->is_over &&
		    r->limits->is_over(r->limits->ctx))
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
static void settle(struct pd_cfi_pieces *list)
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

int pd_cfi_pieces_find(const struct pd_elf_image *elf, const uint64_t *hits,
		       size_t nr, const struct pd_cfi_limits *limits,
		       struct pd_cfi_pieces *ret)
{
	struct finder f = {
		.limits = limits,
		.list = ret,
		.hits = hits,
		.nr = nr,
		.beyond = UINT64_MAX,
	};
	const struct pd_cfi_section *s;
	int rc = pd_eh_frame_open(elf, true, &f.eh_frame);

	*ret = (struct pd_cfi_pieces){ .pieces = NULL };
	if (!f.eh_frame)
		return rc;
	s = &f.eh_frame->section;
	if (s->len <= PD_LIMIT_CARRIED_SPAN) {
		ret->is_there = true;
		ret->frames = (struct pd_carried_cfi){
			.off = s->off,
			.addr = s->addr,
			.len = s->len,
		};
		f.left = READ_RATIO * s->len + (uint64_t)READ_A_HIT * nr;
		rc = take_hits(&f);
		settle(ret);
	}
	pd_eh_frame_close(f.eh_frame);
	return rc;
}

void pd_cfi_pieces_release(struct pd_cfi_pieces *pieces)
{
	free(pieces->pieces);
	free(pieces->text);
	*pieces = (struct pd_cfi_pieces){ .pieces = NULL };
}
