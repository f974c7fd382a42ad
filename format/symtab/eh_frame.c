#include "format/symtab/eh_frame.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>

enum {
	SCAN_LEN_MAX = 4 << 20, /* .eh_frame without a table */
	READ_LEN = 512,		/* most entries are shorter */
};

/* .eh_frame_hdr: version, three encodings, address of .eh_frame, number of
 * entries; then for each function its start and its FDE. */
enum {
	HDR_LEN = 12,
	HDR_ENTRY_LEN = 8,
	BLOCK_NR = PD_EH_FRAME_BLOCK_LEN / HDR_ENTRY_LEN,
};

/* Read len bytes of .eh_frame at off, READ_LEN at most.  Entries that are asked
 * for one after the other lie near each other, as a rule: then more is read at
 * once. */
static bool read_near(struct pd_eh_frame *t, uint64_t off, uint8_t *room,
		      size_t len)
{
	const struct pd_cfi_section *s = &t->section;
	uint64_t left = s->len - (off - s->off), at = off - t->near_off;
	bool is_near = at < sizeof(t->near);
	size_t more = left < sizeof(t->near) ? (size_t)left : sizeof(t->near);

	if (at > t->near_len || len > t->near_len - at) {
		t->near_off = off;
		t->near_len = 0;
		if (!is_near || t->elf->from.bytes ||
		    pd_elf_image_bytes(t->elf, off, t->near, more))
			return !pd_elf_image_bytes(t->elf, off, room, len);
		t->near_len = more;
		at = 0;
	}
	memcpy(room, t->near + at, len);
	return true;
}

/* Read the entry at off into room; false if there is none. */
static bool read_entry(struct pd_eh_frame *t, uint64_t off, uint8_t *room,
		       struct pd_cfi_entry *ret)
{
	const struct pd_cfi_section *s = &t->section;
	uint64_t left;
	size_t len;

	if (off < s->off || off - s->off >= s->len)
		return false;
	left = s->len - (off - s->off);
	len = left < READ_LEN ? (size_t)left : READ_LEN;
	if (!read_near(t, off, room, len) ||
	    !pd_cfi_entry_read(s, off, room, len, ret))
		return false;
	return ret->len <= len ||
	       !pd_elf_image_bytes(t->elf, off + len, room + len,
				   ret->len - len);
}

/* Have the entry idx of .eh_frame_hdr in the block. */
static bool read_block(struct pd_eh_frame *t, size_t idx)
{
	size_t first = idx - idx % BLOCK_NR, nr = t->nr - first;

	if (idx / BLOCK_NR == t->block_idx)
		return true;
	t->block_idx = SIZE_MAX;
	if (pd_elf_image_bytes(
		    t->elf,
		    t->hdr_off + HDR_LEN + (uint64_t)first * HDR_ENTRY_LEN,
		    t->block, (nr < BLOCK_NR ? nr : BLOCK_NR) * HDR_ENTRY_LEN))
		return false;
	t->block_idx = idx / BLOCK_NR;
	return true;
}

/* Return the entry idx of .eh_frame_hdr where it lies in memory, or in the
 * block; NULL if the file is shorter than its table. */
static const uint8_t *hdr_entry(struct pd_eh_frame *t, size_t idx)
{
	if (t->elf->from.bytes)
		return pd_elf_image_span(t->elf,
					 t->hdr_off + HDR_LEN +
						 (uint64_t)idx * HDR_ENTRY_LEN,
					 HDR_ENTRY_LEN);
	return read_block(t, idx) ? t->block + idx % BLOCK_NR * HDR_ENTRY_LEN
				  : NULL;
}

/* Return false if the file is shorter than its table. */
static bool function_at(struct pd_eh_frame *t, size_t idx,
			struct pd_eh_function *ret)
{
	const uint8_t *entry;
	uint32_t words[2];
	uint64_t addr;

	if (t->functions) {
		*ret = t->functions[idx];
		return true;
	}
	entry = hdr_entry(t, idx);
	if (!entry)
		return false;
	memcpy(words, entry, sizeof(words));
	for (size_t i = 0; i < 2 && t->elf->swap; i++)
		words[i] = __builtin_bswap32(words[i]);
	ret->start = t->hdr_addr + (uint64_t)(int64_t)(int32_t)words[0];
	addr = t->hdr_addr + (uint64_t)(int64_t)(int32_t)words[1];
	if (!t->elf->is_64) {
		ret->start &= UINT32_MAX;
		addr &= UINT32_MAX;
	}
	ret->fde_off = addr - t->section.addr + t->section.off;
	return true;
}

/* Return whether the function idx starts at addr or before. */
static bool starts_before(struct pd_eh_frame *t, size_t idx, uint64_t addr)
{
	struct pd_eh_function f;

	return function_at(t, idx, &f) && f.start <= addr;
}

bool pd_eh_frame_find(struct pd_eh_frame *frames, uint64_t addr,
		      struct pd_eh_function *ret)
{
	size_t lo = frames->hint, hi;
	struct pd_eh_function next;

	if (lo && addr >= frames->last.start && addr < frames->last_end) {
		*ret = frames->last;
		return true;
	}
	if (lo && !starts_before(frames, lo - 1, addr))
		lo = 0;
	/* Most addresses lie not far behind the one before. */
	hi = lo;
	for (size_t step = 1;
	     hi < frames->nr && starts_before(frames, hi, addr); step *= 2) {
		lo = hi + 1;
		hi = step < frames->nr - lo ? lo + step : frames->nr;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (starts_before(frames, mid, addr))
			lo = mid + 1;
		else
			hi = mid;
	}
	frames->hint = lo;
	if (!lo || !function_at(frames, lo - 1, ret))
		return false;
	frames->last = next = *ret;
	frames->last_end = lo < frames->nr && function_at(frames, lo, &next)
				   ? next.start
				   : next.start + 1;
	return true;
}

/* Return false if the file has no table of the usual form. */
static bool read_table(struct pd_eh_frame *t)
{
	const struct pd_elf_section *s =
		pd_elf_image_find(t->elf, ".eh_frame_hdr");
	static const uint8_t usual[] = { 0x0b, 0x03, 0x3b };
	uint8_t hdr[HDR_LEN];
	struct pd_cursor c;

	if (!s || s->type == SHT_NOBITS || s->len < HDR_LEN ||
	    s->off + s->len < s->off ||
	    pd_elf_image_bytes(t->elf, s->off, hdr, HDR_LEN))
		return false;
	pd_cursor_init(&c, hdr, HDR_LEN, s->off, ".eh_frame_hdr");
	c.swap = t->elf->swap;
	pd_cursor_skip(&c, HDR_LEN - sizeof(uint32_t));
	t->nr = pd_cursor_u32(&c);
	t->hdr_off = s->off;
	t->hdr_addr = s->addr;
	if (hdr[0] == 1 && (hdr[1] & 0x0f) == usual[0] && hdr[2] == usual[1] &&
	    hdr[3] == usual[2] && t->nr &&
	    t->nr <= (s->len - HDR_LEN) / HDR_ENTRY_LEN &&
	    hdr_entry(t, t->nr - 1))
		return true;
	t->nr = 0;
	return false;
}

static int compare_functions(const void *a, const void *b)
{
	const struct pd_eh_function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Note the function of one entry.  Return false if memory is short. */
static bool note_function(struct pd_eh_frame *t, const uint8_t *text,
			  const struct pd_cfi_entry *fde, size_t *cap)
{
	const struct pd_cfi_section *s = &t->section;
	struct pd_eh_function f = { .fde_off = fde->off };
	struct pd_cfi_entry cie;
	uint64_t len, at = fde->cie_off - s->off;

	if (fde->cie_off < s->off || at >= s->len ||
	    !pd_cfi_entry_read(s, fde->cie_off, text + at, s->len - at, &cie) ||
	    !cie.is_cie ||
	    !pd_cfi_range(s, fde, pd_cfi_encoding(s, &cie), &f.start, &len))
		return true;
	if (t->nr == *cap) {
		size_t more = *cap ? 2 * *cap : 256;
		struct pd_eh_function *grown =
			reallocarray(t->functions, more, sizeof(*grown));

		if (!grown)
			return false;
		t->functions = grown;
		*cap = more;
	}
	t->functions[t->nr++] = f;
	return true;
}

/* Make a table by reading all of .eh_frame. */
static int scan(struct pd_eh_frame *t)
{
	const struct pd_cfi_section *s = &t->section;
	uint8_t *text;
	size_t cap = 0;
	int rc;

	if (s->len > SCAN_LEN_MAX)
		return -EFBIG;
	text = malloc((size_t)s->len + 1);
	rc = text ? pd_elf_image_bytes(t->elf, s->off, text, (size_t)s->len)
		  : -ENOMEM;
	for (uint64_t at = 0; at < s->len && !rc;) {
		struct pd_cfi_entry e;

		/* an end mark may stand between those of two object files */
		if (!pd_cfi_entry_read(s, s->off + at, text + at, s->len - at,
				       &e))
			break;
		if (!e.is_cie && e.len > sizeof(uint32_t) &&
		    !note_function(t, text, &e, &cap))
			rc = -ENOMEM;
		at += e.len;
	}
	free(text);
	if (!rc && t->nr)
		qsort(t->functions, t->nr, sizeof(*t->functions),
		      compare_functions);
	return rc;
}

int pd_eh_frame_open(const struct pd_elf_image *elf, bool is_scanned,
		     struct pd_eh_frame **ret)
{
	const struct pd_elf_section *s = pd_elf_image_find(elf, ".eh_frame");
	struct pd_eh_frame *frames;
	int rc = 0;

	*ret = NULL;
	if (!s || s->type == SHT_NOBITS || !s->len ||
	    s->flags & SHF_COMPRESSED || s->off + s->len < s->off ||
	    s->addr + s->len < s->addr)
		return 0;
	frames = malloc(sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	memset(frames, 0, offsetof(struct pd_eh_frame, block));
	frames->elf = elf;
	frames->block_idx = SIZE_MAX;
	memset(frames->cies, 0xff, sizeof(frames->cies)); /* none is there */
	frames->section = (struct pd_cfi_section){
		.off = s->off,
		.addr = s->addr,
		.len = s->len,
		.is_64 = elf->is_64,
		.swap = elf->swap,
	};
	if (!read_table(frames)) {
		if (is_scanned)
			rc = scan(frames);
		if (rc || !is_scanned) {
			pd_eh_frame_close(frames);
			return rc;
		}
	}
	*ret = frames;
	return 0;
}

void pd_eh_frame_close(struct pd_eh_frame *frames)
{
	if (!frames)
		return;
	free(frames->functions);
	free(frames);
}

bool pd_eh_frame_fde(struct pd_eh_frame *frames, uint64_t off,
		     struct pd_cfi_entry *ret)
{
	return read_entry(frames, off, frames->fde_room, ret) && !ret->is_cie &&
	       ret->len != sizeof(uint32_t);
}

bool pd_eh_frame_cie(struct pd_eh_frame *frames, uint64_t off,
		     struct pd_eh_cie *ret)
{
	size_t slot = off / 4 % PD_EH_FRAME_CIES_RECENT;
	const struct pd_cfi_section *s = &frames->section;
	struct pd_cfi_entry cie;

	if (off < s->off || off - s->off >= s->len)
		return false;
	if (frames->cies[slot] == off) {
		*ret = frames->recent[slot];
		return true;
	}
	if (!read_entry(frames, off, frames->cie_room, &cie) || !cie.is_cie)
		return false;
	ret->encoding = pd_cfi_encoding(s, &cie);
	ret->code_align = pd_cfi_code_align(s, &cie);
	ret->is_new = false;
	ret->entry = cie;
	frames->cies[slot] = off;
	frames->recent[slot] = *ret;
	ret->is_new = true;
	return true;
}

bool pd_eh_frame_bounds(struct pd_eh_frame *frames, uint64_t off,
			uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t addr, start, len, back;
	struct pd_eh_function f;
	struct pd_cfi_entry fde;
	struct pd_eh_cie cie;

	if (!frames || !pd_elf_off_to_addr(frames->elf, off, &addr) ||
	    !pd_eh_frame_find(frames, addr, &f) ||
	    !pd_eh_frame_fde(frames, f.fde_off, &fde) ||
	    !pd_eh_frame_cie(frames, fde.cie_off, &cie) ||
	    !pd_cfi_range(&frames->section, &fde, cie.encoding, &start, &len) ||
	    addr - start >= len || addr - start > off)
		return false;
	start = off - (addr - start);
	/* it may start in another segment */
	if (start + len < start ||
	    !pd_elf_off_to_addr(frames->elf, start, &back) ||
	    back != addr - (off - start))
		return false;
	*ret_start = start;
	*ret_end = start + len;
	return true;
}
