#include "record/carry/elf_frames.h"

#include "format/limits.h"
#include "record/base/runtime.h"
#include "record/carry/frame_entry.h"

#include <elf.h>
#include <stdlib.h>

enum {
	TABLE_LEN_MAX = 8 << 20, /* a million functions */
	SCAN_LEN_MAX = 4 << 20,	 /* .eh_frame without a table */
	READ_LEN = 512,		 /* most entries are shorter */
	RECENT_CIES = 256,
	PLT_LEN = 24, /* of code around a hit that an unwinder compares */
	ENTRIES_A_LOOK = 256,
};

/* .eh_frame_hdr: version, three encodings, address of .eh_frame, number of
 * entries; then for each function its start and its FDE. */
enum { HDR_LEN = 12, HDR_ENTRY_LEN = 8 };

struct function {
	uint64_t start;
	uint64_t fde_off; /* in the file */
};

struct frame_reader {
	const struct rec_elf_image *elf;
	const struct rec_elf_section *eh_frame;
	const struct rec_frame_limits *limits;
	struct rec_frame_list *list;
	/* One of these is not NULL; both owned. */
	uint8_t *table;		    /* of .eh_frame_hdr */
	struct function *functions; /* by start */
	uint64_t table_addr;
	size_t nr;			   /* of either */
	uint64_t recent_cies[RECENT_CIES]; /* offsets that are in the list */
	int encodings[RECENT_CIES];
	uint8_t fde_room[REC_FRAME_ENTRY_LEN_MAX];
	uint8_t cie_room[REC_FRAME_ENTRY_LEN_MAX];
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
		size_t cap = 2 * list->text_cap + len + READ_LEN;
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

/* Read the entry at off into room; false if there is none. */
static bool read_entry(const struct frame_reader *r, uint64_t off,
		       uint8_t *room, struct rec_frame_entry *ret)
{
	const struct rec_elf_section *s = r->eh_frame;
	uint64_t left;
	size_t len;

	if (off < s->off || off - s->off >= s->len)
		return false;
	left = s->len - (off - s->off);
	len = left < READ_LEN ? (size_t)left : READ_LEN;
	if (rec_elf_image_bytes(r->elf, off, room, len) ||
	    !rec_frame_entry_read(r->elf, s, off, room, len, ret))
		return false;
	return ret->len <= len ||
	       !rec_elf_image_bytes(r->elf, off + len, room + len,
				    ret->len - len);
}

/* Read the CIE at off, add it if it is new, and set how its FDEs write
 * addresses. */
static int take_cie(struct frame_reader *r, uint64_t off, int *ret_encoding)
{
	size_t slot = off / 4 % RECENT_CIES;
	struct rec_frame_entry cie;

	*ret_encoding = r->encodings[slot];
	if (r->recent_cies[slot] == off)
		return 0;
	if (!read_entry(r, off, r->cie_room, &cie) || !cie.is_cie)
		return -EBADMSG;
	*ret_encoding = rec_frame_encoding(r->elf, &cie);
	r->recent_cies[slot] = off;
	r->encodings[slot] = *ret_encoding;
	return add_piece(r, PD_CARRIED_CIE, off, 0, cie.data, cie.len);
}

/* Set where the function ends that covers addr, or 0.  An entry that is damaged
 * costs itself alone. */
static int take_fde(struct frame_reader *r, const struct function *f,
		    uint64_t addr, uint64_t *ret_end)
{
	struct rec_frame_entry fde;
	uint64_t start, len;
	int encoding, rc;

	*ret_end = 0;
	if (!read_entry(r, f->fde_off, r->fde_room, &fde) || fde.is_cie ||
	    fde.len == sizeof(uint32_t))
		return 0;
	rc = take_cie(r, fde.cie_off, &encoding);
	if (rc)
		return rc == -EBADMSG ? 0 : rc;
	if (!rec_frame_range(r->elf, r->eh_frame, &fde, encoding, &start, &len))
		*ret_end = addr + 1;
	else if (addr - start < len)
		*ret_end = start + len;
	return *ret_end ? add_piece(r, PD_CARRIED_FRAME, fde.off, f->start,
				    fde.data, fde.len)
			: 0;
}

static struct function function_at(const struct frame_reader *r, size_t idx)
{
	struct function f = { .start = r->table_addr };
	struct pd_cursor c;
	uint64_t addr;

	if (!r->table)
		return r->functions[idx];
	pd_cursor_init(&c, r->table + HDR_LEN + idx * HDR_ENTRY_LEN,
		       HDR_ENTRY_LEN, 0, "table of FDEs");
	c.swap = r->elf->swap;
	f.start += (uint64_t)(int64_t)(int32_t)pd_cursor_u32(&c);
	addr = r->table_addr + (uint64_t)(int64_t)(int32_t)pd_cursor_u32(&c);
	if (!r->elf->is_64) {
		f.start &= UINT32_MAX;
		addr &= UINT32_MAX;
	}
	f.fde_off = addr - r->eh_frame->addr + r->eh_frame->off;
	return f;
}

/* Return how many functions start at or before addr. */
static size_t functions_to(const struct frame_reader *r, uint64_t addr)
{
	size_t lo = 0, hi = r->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (function_at(r, mid).start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Return false if the file has no table of the usual form, or too long a one.
 */
static bool read_table(struct frame_reader *r)
{
	const struct rec_elf_section *s =
		rec_elf_image_find(r->elf, ".eh_frame_hdr");
	static const uint8_t usual[] = { 0x0b, 0x03, 0x3b };
	struct pd_cursor c;

	if (!s || s->type == SHT_NOBITS || s->len < HDR_LEN ||
	    s->len > TABLE_LEN_MAX)
		return false;
	r->table = malloc((size_t)s->len);
	r->table_addr = s->addr;
	if (r->table &&
	    !rec_elf_image_bytes(r->elf, s->off, r->table, (size_t)s->len)) {
		pd_cursor_init(&c, r->table, HDR_LEN, s->off, ".eh_frame_hdr");
		c.swap = r->elf->swap;
		pd_cursor_skip(&c, HDR_LEN - sizeof(uint32_t));
		r->nr = pd_cursor_u32(&c);
		if (r->table[0] == 1 && (r->table[1] & 0x0f) == usual[0] &&
		    r->table[2] == usual[1] && r->table[3] == usual[2] &&
		    r->nr && r->nr <= (s->len - HDR_LEN) / HDR_ENTRY_LEN)
			return true;
	}
	free(r->table);
	r->table = NULL;
	r->nr = 0;
	return false;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Note the function of one entry.  Return false if memory is short. */
static bool note_function(struct frame_reader *r, const uint8_t *text,
			  const struct rec_frame_entry *fde, size_t *cap)
{
	const struct rec_elf_section *s = r->eh_frame;
	struct function f = { .fde_off = fde->off };
	struct rec_frame_entry cie;
	uint64_t len, at = fde->cie_off - s->off;

	if (fde->cie_off < s->off || at >= s->len ||
	    !rec_frame_entry_read(r->elf, s, fde->cie_off, text + at,
				  (size_t)(s->len - at), &cie) ||
	    !cie.is_cie ||
	    !rec_frame_range(r->elf, s, fde, rec_frame_encoding(r->elf, &cie),
			     &f.start, &len))
		return true;
	if (r->nr == *cap) {
		size_t more = *cap ? 2 * *cap : 256;
		struct function *grown =
			reallocarray(r->functions, more, sizeof(*grown));

		if (!grown)
			return false;
		r->functions = grown;
		*cap = more;
	}
	r->functions[r->nr++] = f;
	return true;
}

/* Make a table by reading all of .eh_frame. */
static int scan(struct frame_reader *r)
{
	const struct rec_elf_section *s = r->eh_frame;
	uint8_t *text;
	size_t cap = 0;
	int rc;

	if (s->len > SCAN_LEN_MAX)
		return -EFBIG;
	text = malloc((size_t)s->len + 1);
	rc = text ? rec_elf_image_bytes(r->elf, s->off, text, (size_t)s->len)
		  : -ENOMEM;
	for (uint64_t at = 0; at < s->len && !rc;) {
		struct rec_frame_entry e;

		/* an end mark may stand between those of two object files */
		if (!rec_frame_entry_read(r->elf, s, s->off + at, text + at,
					  (size_t)(s->len - at), &e))
			break;
		if (!e.is_cie && e.len > sizeof(uint32_t) &&
		    !note_function(r, text, &e, &cap))
			rc = -ENOMEM;
		at += e.len;
	}
	free(text);
	if (!rc && r->nr)
		qsort(r->functions, r->nr, sizeof(*r->functions),
		      compare_functions);
	return rc;
}

/* x86-64 code without information is taken for a PLT slot if it looks like one:
 * "jmp *slot(%rip); push $n; jmp". */
static int take_code(struct frame_reader *r, uint64_t off)
{
	uint8_t code[PLT_LEN];

	if (r->elf->machine != EM_X86_64 ||
	    rec_elf_image_bytes(r->elf, off, code, sizeof(code)))
		return 0;
	for (size_t i = 0; i < 2; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25 &&
		    code[i + 6] == 0x68 && code[i + 11] == 0xe9)
			return add_piece(r, PD_CARRIED_CODE, off, 0, code,
					 sizeof(code));
	return 0;
}

static int take_hits(struct frame_reader *r, const uint64_t *hits, size_t nr)
{
	size_t last = SIZE_MAX;
	uint64_t end = 0;
	int rc = 0;

	for (size_t i = 0; i < 2 * nr && !rc; i++) {
		uint64_t off = hits[i / 2] + i % 2, addr;
		struct function f;
		size_t to;

		if (!rec_elf_off_to_addr(r->elf, off, &addr))
			continue;
		to = functions_to(r, addr);
		if (to == last && addr < end)
			continue;
		end = 0;
		if (to) {
			f = function_at(r, to - 1);
			rc = take_fde(r, &f, addr, &end);
		}
		last = to;
		if (!rc && !end && i % 2 == 0)
			rc = take_code(r, off);
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

int rec_elf_frames(const struct rec_elf_image *elf, const uint64_t *hits,
		   size_t nr, const struct rec_frame_limits *limits,
		   struct rec_frame_list *ret)
{
	const struct rec_elf_section *s = rec_elf_image_find(elf, ".eh_frame");
	struct frame_reader *r;
	int rc = 0;

	*ret = (struct rec_frame_list){ .pieces = NULL };
	if (!s || s->type == SHT_NOBITS || !s->len ||
	    s->flags & SHF_COMPRESSED || s->len > PD_LIMIT_CARRIED_SPAN ||
	    s->off + s->len < s->off || s->addr + s->len < s->addr)
		return 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->elf = elf;
	r->eh_frame = s;
	r->limits = limits;
	r->list = ret;
	ret->is_there = true;
	ret->frames = (struct pd_carried_frames){ .off = s->off,
						  .addr = s->addr,
						  .len = s->len };
	if (!read_table(r))
		rc = scan(r);
	if (!rc)
		rc = take_hits(r, hits, nr);
	settle(ret);
	free(r->table);
	free(r->functions);
	free(r);
	return rc;
}

void rec_frame_list_release(struct rec_frame_list *list)
{
	free(list->pieces);
	free(list->text);
	*list = (struct rec_frame_list){ .pieces = NULL };
}
