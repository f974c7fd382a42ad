#include "record/carry/frame_table.h"

#include "format/base/limits.h"

#include <elf.h>
#include <stdlib.h>

enum {
	TABLE_LEN_MAX = 8 << 20, /* a million functions */
	SCAN_LEN_MAX = 4 << 20,	 /* .eh_frame without a table */
	READ_LEN = 512,		 /* most entries are shorter */
};

/* .eh_frame_hdr: version, three encodings, address of .eh_frame, number of
 * entries; then for each function its start and its FDE. */
enum { HDR_LEN = 12, HDR_ENTRY_LEN = 8 };

/* Read the entry at off into room; false if there is none. */
static bool read_entry(const struct rec_frame_table *t, uint64_t off,
		       uint8_t *room, struct pd_frame_entry *ret)
{
	const struct pd_frame_section *s = &t->eh_frame;
	uint64_t left;
	size_t len;

	if (off < s->off || off - s->off >= s->len)
		return false;
	left = s->len - (off - s->off);
	len = left < READ_LEN ? (size_t)left : READ_LEN;
	if (pd_elf_image_bytes(t->elf, off, room, len) ||
	    !pd_frame_entry_read(s, off, room, len, ret))
		return false;
	return ret->len <= len ||
	       !pd_elf_image_bytes(t->elf, off + len, room + len,
				    ret->len - len);
}

static struct rec_frame_function function_at(const struct rec_frame_table *t,
					     size_t idx)
{
	struct rec_frame_function f = { .start = t->hdr_addr };
	struct pd_cursor c;
	uint64_t addr;

	if (!t->hdr)
		return t->functions[idx];
	pd_cursor_init(&c, t->hdr + HDR_LEN + idx * HDR_ENTRY_LEN,
		       HDR_ENTRY_LEN, 0, "table of FDEs");
	c.swap = t->elf->swap;
	f.start += (uint64_t)(int64_t)(int32_t)pd_cursor_u32(&c);
	addr = t->hdr_addr + (uint64_t)(int64_t)(int32_t)pd_cursor_u32(&c);
	if (!t->elf->is_64) {
		f.start &= UINT32_MAX;
		addr &= UINT32_MAX;
	}
	f.fde_off = addr - t->eh_frame.addr + t->eh_frame.off;
	return f;
}

bool rec_frame_table_find(const struct rec_frame_table *table, uint64_t addr,
			  struct rec_frame_function *ret)
{
	size_t lo = 0, hi = table->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (function_at(table, mid).start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo)
		*ret = function_at(table, lo - 1);
	return lo != 0;
}

/* Return false if the file has no table of the usual form, or too long a one.
 */
static bool read_table(struct rec_frame_table *t)
{
	const struct pd_elf_section *s =
		pd_elf_image_find(t->elf, ".eh_frame_hdr");
	static const uint8_t usual[] = { 0x0b, 0x03, 0x3b };
	struct pd_cursor c;

	if (!s || s->type == SHT_NOBITS || s->len < HDR_LEN ||
	    s->len > TABLE_LEN_MAX)
		return false;
	t->hdr = malloc((size_t)s->len);
	t->hdr_addr = s->addr;
	if (t->hdr &&
	    !pd_elf_image_bytes(t->elf, s->off, t->hdr, (size_t)s->len)) {
		pd_cursor_init(&c, t->hdr, HDR_LEN, s->off, ".eh_frame_hdr");
		c.swap = t->elf->swap;
		pd_cursor_skip(&c, HDR_LEN - sizeof(uint32_t));
		t->nr = pd_cursor_u32(&c);
		if (t->hdr[0] == 1 && (t->hdr[1] & 0x0f) == usual[0] &&
		    t->hdr[2] == usual[1] && t->hdr[3] == usual[2] && t->nr &&
		    t->nr <= (s->len - HDR_LEN) / HDR_ENTRY_LEN)
			return true;
	}
	free(t->hdr);
	t->hdr = NULL;
	t->nr = 0;
	return false;
}

static int compare_functions(const void *a, const void *b)
{
	const struct rec_frame_function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Note the function of one entry.  Return false if memory is short. */
static bool note_function(struct rec_frame_table *t, const uint8_t *text,
			  const struct pd_frame_entry *fde, size_t *cap)
{
	const struct pd_frame_section *s = &t->eh_frame;
	struct rec_frame_function f = { .fde_off = fde->off };
	struct pd_frame_entry cie;
	uint64_t len, at = fde->cie_off - s->off;

	if (fde->cie_off < s->off || at >= s->len ||
	    !pd_frame_entry_read(s, fde->cie_off, text + at, s->len - at,
				 &cie) ||
	    !cie.is_cie ||
	    !pd_frame_range(s, fde, pd_frame_encoding(&t->eh_frame, &cie),
			    &f.start, &len))
		return true;
	if (t->nr == *cap) {
		size_t more = *cap ? 2 * *cap : 256;
		struct rec_frame_function *grown =
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
static int scan(struct rec_frame_table *t)
{
	const struct pd_frame_section *s = &t->eh_frame;
	uint8_t *text;
	size_t cap = 0;
	int rc;

	if (s->len > SCAN_LEN_MAX)
		return -EFBIG;
	text = malloc((size_t)s->len + 1);
	rc = text ? pd_elf_image_bytes(t->elf, s->off, text, (size_t)s->len)
		  : -ENOMEM;
	for (uint64_t at = 0; at < s->len && !rc;) {
		struct pd_frame_entry e;

		/* an end mark may stand between those of two object files */
		if (!pd_frame_entry_read(s, s->off + at, text + at, s->len - at,
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

int rec_frame_table_open(const struct pd_elf_image *elf, bool is_scanned,
			 struct rec_frame_table **ret)
{
	const struct pd_elf_section *s = pd_elf_image_find(elf, ".eh_frame");
	struct rec_frame_table *table;
	int rc = 0;

	*ret = NULL;
	if (!s || s->type == SHT_NOBITS || !s->len ||
	    s->flags & SHF_COMPRESSED || s->len > PD_LIMIT_CARRIED_SPAN ||
	    s->off + s->len < s->off || s->addr + s->len < s->addr)
		return 0;
	table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	table->elf = elf;
	table->eh_frame = (struct pd_frame_section){
		.off = s->off,
		.addr = s->addr,
		.len = s->len,
		.is_64 = elf->is_64,
		.swap = elf->swap,
	};
	if (!read_table(table) && is_scanned)
		rc = scan(table);
	if (rc || (!is_scanned && !table->hdr)) {
		rec_frame_table_close(table);
		return rc;
	}
	*ret = table;
	return 0;
}

void rec_frame_table_close(struct rec_frame_table *table)
{
	if (!table)
		return;
	free(table->hdr);
	free(table->functions);
	free(table);
}

bool rec_frame_table_fde(struct rec_frame_table *table, uint64_t off,
			 struct pd_frame_entry *ret)
{
	return read_entry(table, off, table->fde_room, ret) && !ret->is_cie &&
	       ret->len != sizeof(uint32_t);
}

bool rec_frame_table_cie(struct rec_frame_table *table, uint64_t off,
			 struct rec_frame_cie *ret)
{
	size_t slot = off / 4 % REC_FRAME_CIES_RECENT;
	const struct pd_frame_section *s = &table->eh_frame;
	struct pd_frame_entry cie;

	if (table->cies[slot] == off) {
		*ret = table->recent[slot];
		return true;
	}
	if (!read_entry(table, off, table->cie_room, &cie) || !cie.is_cie)
		return false;
	ret->encoding = pd_frame_encoding(s, &cie);
	ret->code_align = pd_frame_code_align(s, &cie);
	ret->is_new = false;
	ret->entry = cie;
	table->cies[slot] = off;
	table->recent[slot] = *ret;
	ret->is_new = true;
	return true;
}
