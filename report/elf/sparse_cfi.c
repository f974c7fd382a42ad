#include "report/elf/sparse_cfi.h"

#include "report/base/memory.h"

#include <stdlib.h>

enum { SPAN_MAX = 64 << 20 }; /* of .eh_frame, of which most is a hole */
enum { HDR_LEN = 12, HDR_ENTRY_LEN = 8, LENGTH_LEN = 4, CIE_LEN_MIN = 16 };

struct maker {
	const struct pd_carried_cfi *frames;
	const struct pd_carried_piece **pieces; /* owned: CIEs and FDEs */
	uint32_t nr;
	const struct pd_carried_piece **functions; /* owned: FDEs by start */
	uint32_t function_nr;
	struct rpt_sparse_cfi *out;
};

static int compare_starts(const void *a, const void *b)
{
	const struct pd_carried_piece *x = *(void *const *)a,
				      *y = *(void *const *)b;

	return (x->start > y->start) - (x->start < y->start);
}

static void choose(struct maker *m)
{
	const struct pd_carried_cfi *f = m->frames;

	m->pieces =
		rpt_alloc_zeroed(f->piece_nr + (size_t)1, sizeof(*m->pieces));
	m->functions = rpt_alloc_zeroed(f->piece_nr + (size_t)1,
					sizeof(*m->functions));
	for (uint32_t i = 0; i < f->piece_nr; i++) {
		if (f->pieces[i].kind != PD_CARRIED_CODE)
			m->pieces[m->nr++] = &f->pieces[i];
		if (f->pieces[i].kind == PD_CARRIED_FRAME)
			m->functions[m->function_nr++] = &f->pieces[i];
	}
	qsort(m->functions, m->function_nr, sizeof(*m->functions),
	      compare_starts);
}

/* A CIE of that length that says nothing. */
static void put_filler(struct pd_buf *b, size_t len)
{
	size_t start = b->len;

	pd_buf_u32(b, (uint32_t)(len - LENGTH_LEN));
	pd_buf_u32(b, 0); /* it is a CIE */
	pd_buf_u8(b, 1);  /* version */
	pd_buf_u8(b, 0);  /* no augmentation */
	pd_buf_u8(b, 1);  /* alignment of code and of data */
	pd_buf_u8(b, 0x7c);
	pd_buf_u8(b, 0); /* column of the return address */
	pd_buf_zero(b, len - (b->len - start));
}

/* Put the piece, and what fills the file up to the next one. */
static void put_piece(struct pd_buf *b, const struct pd_carried_piece *p,
		      uint64_t next)
{
	size_t gap = (size_t)(next - p->off - p->len), own = p->len;

	if (gap < CIE_LEN_MIN)
		own += gap; /* idle instructions */
	pd_buf_u32(b, (uint32_t)(own - LENGTH_LEN));
	pd_buf_bytes(b, p->data + LENGTH_LEN, p->len - LENGTH_LEN);
	pd_buf_zero(b, own - p->len);
	if (gap >= CIE_LEN_MIN)
		put_filler(b, gap);
}

static void put_table(struct maker *m)
{
	static const uint8_t version_and_forms[] = { 1, 0x1b, 0x03, 0x3b };
	struct rpt_sparse_cfi *out = m->out;
	struct pd_buf *b = &out->hdr;

	pd_buf_bytes(b, version_and_forms, sizeof(version_and_forms));
	pd_buf_u32(b, (uint32_t)(out->addr - out->hdr_addr - LENGTH_LEN));
	pd_buf_u32(b, m->function_nr);
	for (uint32_t i = 0; i < m->function_nr; i++) {
		const struct pd_carried_piece *p = m->functions[i];

		pd_buf_u32(b, (uint32_t)(p->start - out->hdr_addr));
		pd_buf_u32(b, (uint32_t)(p->off - out->off + out->addr -
					 out->hdr_addr));
	}
}

/* Return whether all of it lies in one segment. */
static bool is_in_segment(const struct pd_carried_file *file, uint64_t start,
			  uint64_t end)
{
	for (uint32_t i = 0; i < file->segment_nr; i++) {
		const struct pd_elf_segment *s = &file->segments[i];

		if (start >= s->off && end > start && end - s->off <= s->len)
			return true;
	}
	return false;
}

static bool is_near(const struct maker *m)
{
	for (uint32_t i = 0; i < m->function_nr; i++) {
		uint64_t distance = m->functions[i]->start - m->out->hdr_addr;

		if (distance + INT32_MAX + UINT64_C(1) > UINT32_MAX)
			return false;
	}
	return true;
}

static bool lay_out(struct maker *m, const struct pd_carried_file *file,
		    uint64_t min_off)
{
	const struct pd_carried_piece *last = m->pieces[m->nr - 1];
	struct rpt_sparse_cfi *out = m->out;
	uint64_t room = HDR_LEN + (uint64_t)HDR_ENTRY_LEN * m->function_nr;

	out->off = m->pieces[0]->off;
	out->addr = out->off - m->frames->off + m->frames->addr;
	if (out->off < room || last->off - out->off > SPAN_MAX)
		return false;
	out->hdr_off = (out->off - room) & ~(uint64_t)3;
	out->hdr_addr = out->addr - (out->off - out->hdr_off);
	return out->hdr_off >= min_off && is_near(m) &&
	       is_in_segment(file, out->hdr_off, last->off + last->len);
}

bool rpt_sparse_cfi_make(const struct pd_carried_file *file, uint64_t min_off,
			 struct rpt_sparse_cfi *ret)
{
	const bool swap =
		file->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	struct maker m = { .frames = file->frames, .out = ret };
	bool is_made = false;

	*ret = (struct rpt_sparse_cfi){ .hdr.swap = swap,
					.eh_frame.swap = swap };
	if (!file->frames)
		return false;
	choose(&m);
	if (m.function_nr && lay_out(&m, file, min_off)) {
		for (uint32_t i = 0; i < m.nr; i++)
			put_piece(&ret->eh_frame, m.pieces[i],
				  i + 1 < m.nr ? m.pieces[i + 1]->off
					       : m.pieces[i]->off +
							 m.pieces[i]->len);
		put_table(&m);
		is_made = !pd_buf_status(&ret->eh_frame) &&
			  !pd_buf_status(&ret->hdr);
	}
	free(m.pieces);
	free(m.functions);
	if (!is_made)
		rpt_sparse_cfi_release(ret);
	return is_made;
}

void rpt_sparse_cfi_release(struct rpt_sparse_cfi *frames)
{
	pd_buf_release(&frames->hdr);
	pd_buf_release(&frames->eh_frame);
}
