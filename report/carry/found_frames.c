#include "report/carry/found_frames.h"

#include "format/base/limits.h"
#include "format/symtab/aarch64_code.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/elf/function_bounds.h"
#include "report/symbols/dso.h"

#include <stdlib.h>

/* A piece takes so many bytes of the section's text besides its data; the text
 * stays well below what readers take. */
enum { PIECE_HEAD_LEN_MAX = 32 };
#define TEXT_LEN_MAX (PD_LIMIT_CARRIED_LEN / 2)

/* The pieces of one file. */
struct rpt_found_frame_list {
	struct pd_carried_frames frames;
	struct pd_carried_piece *pieces; /* owned */
	uint32_t nr;
	uint32_t cap;
};

/* Where a file's pieces are found. */
struct search {
	struct rpt_found_frame_list *list;
	struct rpt_elf *elf;
	const uint8_t *image;
	size_t image_len;
};

static void add_piece(const struct search *s, enum pd_carried_piece_kind kind,
		      uint64_t off, const uint8_t *data, uint32_t len,
		      uint64_t start)
{
	struct rpt_found_frame_list *list = s->list;

	list->pieces = rpt_grow(list->pieces, &list->cap, list->nr,
				sizeof(*list->pieces));
	list->pieces[list->nr++] = (struct pd_carried_piece){
		.off = off,
		.start = start,
		.data = data,
		.len = len,
		.kind = (uint8_t)kind,
	};
}

/* Take what rpt_unwind_leaf_caller() may look at. */
static void take_hit(const struct search *s, uint64_t off)
{
	struct rpt_function_frame frame;
	bool is_covered;
	uint64_t addr;

	if (!rpt_elf_off_to_addr(s->elf, off, &addr))
		return;
	is_covered = rpt_function_frame(s->elf, addr, &frame);
	if (is_covered) {
		add_piece(s, PD_CARRIED_CIE, frame.cie.off, frame.cie.data,
			  frame.cie.len, 0);
		add_piece(s, PD_CARRIED_FRAME, frame.fde.off, frame.fde.data,
			  frame.fde.len, frame.start);
	}
	if (off % 4 == 0 && s->image_len >= PD_AARCH64_CODE_LEN &&
	    off <= s->image_len - PD_AARCH64_CODE_LEN &&
	    pd_aarch64_is_carried(s->image + off, is_covered))
		add_piece(s, PD_CARRIED_CODE, off, s->image + off,
			  PD_AARCH64_CODE_LEN, 0);
}

static int compare_pieces(const void *a, const void *b)
{
	const struct pd_carried_piece *x = a, *y = b;

	return rpt_compare_u64(x->off, y->off);
}

/* Sort, without repetitions; code that overlaps is cut. */
static void settle(struct rpt_found_frame_list *list)
{
	uint32_t nr = 0;
	uint64_t end = 0;

	if (list->nr)
		qsort(list->pieces, list->nr, sizeof(*list->pieces),
		      compare_pieces);
	for (uint32_t i = 0; i < list->nr; i++) {
		struct pd_carried_piece p = list->pieces[i];
		uint64_t over = p.off < end ? end - p.off : 0;

		if (p.len < over + PD_CARRIED_PIECE_LEN_MIN ||
		    (over && p.kind != PD_CARRIED_CODE))
			continue;
		p.off += over;
		p.data += over;
		p.len -= (uint32_t)over;
		end = p.off + p.len;
		list->pieces[nr++] = p;
	}
	list->nr = nr;
}

static void find_in(struct rpt_found_frame_list *list,
		    const struct rpt_hit_file *hit)
{
	struct rpt_elf *elf = rpt_dso_loaded(hit->dso)->files.runtime;
	struct search s = { .list = list, .elf = elf };
	const struct pd_frame_section *section;

	list->nr = list->frames.piece_nr = 0;
	if (!elf || elf->ehdr.e_machine != EM_AARCH64)
		return;
	s.image = (const uint8_t *)elf_rawfile(elf->elf, &s.image_len);
	if (!s.image)
		s.image_len = 0;
	for (uint32_t i = 0; i < hit->hit_nr; i++)
		if (!hit->hits[i].is_code)
			take_hit(&s, hit->hits[i].addr);
	settle(list);
	section = &elf->functions.section;
	list->frames = (struct pd_carried_frames){
		.off = section->off,
		.addr = section->addr,
		.len = section->len,
		.pieces = list->pieces,
		.piece_nr = list->nr,
	};
}

/* Return whether readers take these pieces with those before, whose sums grow
 * then. */
static bool is_taken(const struct pd_carried_frames *frames, uint64_t *span,
		     uint64_t *text_len)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < frames->piece_nr; i++)
		len += PIECE_HEAD_LEN_MAX + frames->pieces[i].len;
	if (!frames->piece_nr || !frames->len ||
	    frames->len > PD_LIMIT_CARRIED_SPAN ||
	    frames->len > PD_LIMIT_CARRIED_SPANS - *span ||
	    frames->addr + frames->len < frames->addr ||
	    len > TEXT_LEN_MAX - *text_len)
		return false;
	*span += frames->len;
	*text_len += len;
	return true;
}

void rpt_found_frames_find(struct rpt_found_frames *found,
			   struct rpt_found_names *names,
			   const struct rpt_hit_files *hits)
{
	uint64_t span = 0, text_len = 0;

	found->nr = names->nr;
	found->lists = rpt_alloc_zeroed(names->nr, sizeof(*found->lists));
	for (uint32_t i = 0; i < hits->nr; i++) {
		uint32_t idx = hits->files[i].carried_idx;
		struct rpt_found_frame_list *list;

		if (idx >= names->nr || names->files[idx].frames ||
		    names->files[idx].kind != PD_CARRIED_ELF)
			continue;
		list = &found->lists[idx];
		find_in(list, &hits->files[i]);
		if (!is_taken(&list->frames, &span, &text_len))
			continue;
		names->files[idx].frames = &list->frames;
		names->is_changed = true;
	}
}

void rpt_found_frames_release(struct rpt_found_frames *found)
{
	for (uint32_t i = 0; i < found->nr; i++)
		free(found->lists[i].pieces);
	free(found->lists);
	*found = (struct rpt_found_frames){ .nr = 0 };
}
