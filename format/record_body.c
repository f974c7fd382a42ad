#include "format/record_body.h"

#include "format/record_layout.h"

#define THREAD_COMM_LEN	 16u
#define THREAD_ENTRY_LEN (8u + THREAD_COMM_LEN)

static const struct pd_body_row *row_of(uint32_t type)
{
	return type < PD_RECORD_USER_START ? pd_body_kernel_row(type)
					   : pd_body_user_row(type);
}

static void *member(struct pd_body *body, size_t off)
{
	return (uint8_t *)body + off;
}

static const void *const_member(const struct pd_body *body, size_t off)
{
	return (const uint8_t *)body + off;
}

/* The count in front of a list; 0 and a failure where the items cannot all be
 * in the record. */
static uint64_t read_count(struct pd_cursor *c, size_t item_len)
{
	uint64_t nr = pd_cursor_u64(c);

	if (nr <= pd_cursor_left(c) / item_len)
		return nr;
	pd_cursor_short(c);
	return 0;
}

static void read_list(struct pd_cursor *c, const struct pd_field *f,
		      struct pd_body *ret)
{
	bool is_words = f->kind == PD_FIELD_LIST;
	size_t item_len = is_words ? f->len * sizeof(uint64_t) : f->len;
	uint64_t nr = read_count(c, item_len);

	if (f->nr_off)
		*(uint64_t *)member(ret, f->nr_off) = nr;
	if (is_words)
		*(struct pd_u64s *)member(ret, f->off) =
			pd_cursor_u64s(c, nr * f->len);
	else
		*(const uint8_t **)member(ret, f->off) =
			pd_cursor_bytes(c, (size_t)nr * item_len);
}

static void read_field(struct pd_cursor *c, const struct pd_field *f,
		       struct pd_body *ret)
{
	void *to = member(ret, f->off);
	const uint8_t *bytes;

	switch (f->kind) {
	case PD_FIELD_U8:
		*(uint8_t *)to = pd_cursor_u8(c);
		return;
	case PD_FIELD_U16:
		*(uint16_t *)to = pd_cursor_u16(c);
		return;
	case PD_FIELD_U32:
		*(uint32_t *)to = pd_cursor_u32(c);
		return;
	case PD_FIELD_U64:
		*(uint64_t *)to = pd_cursor_u64(c);
		return;
	case PD_FIELD_PAD:
		pd_cursor_skip(c, f->len);
		return;
	case PD_FIELD_BYTES:
		bytes = pd_cursor_bytes(c, f->len);
		if (bytes)
			memcpy(to, bytes, f->len);
		return;
	case PD_FIELD_TEXT:
		*(struct pd_str *)to = pd_cursor_cstr(c);
		return;
	case PD_FIELD_CHARS:
		*(struct pd_str *)to = pd_cursor_field(c, f->len);
		return;
	case PD_FIELD_WORDS:
		*(struct pd_u64s *)to =
			pd_cursor_u64s(c, pd_cursor_left(c) / sizeof(uint64_t));
		return;
	case PD_FIELD_LIST:
	case PD_FIELD_ITEMS:
		read_list(c, f, ret);
		return;
	}
}

static void write_chars(struct pd_buf *b, struct pd_str s, size_t len)
{
	size_t n = s.len < len ? s.len : len;

	pd_buf_bytes(b, s.ptr, n);
	pd_buf_zero(b, len - n);
}

static void write_words(struct pd_buf *b, const struct pd_u64s *a)
{
	for (size_t i = 0; i < a->nr; i++)
		pd_buf_u64(b, pd_u64s_at(a, i));
}

static void write_list(struct pd_buf *b, const struct pd_u64s *a, size_t len)
{
	pd_buf_u64(b, a->nr / len);
	write_words(b, a);
}

static void write_items(struct pd_buf *b, const struct pd_field *f,
			const struct pd_body *body)
{
	uint64_t nr = *(const uint64_t *)const_member(body, f->nr_off);
	const uint8_t *const *items = const_member(body, f->off);

	pd_buf_u64(b, nr);
	pd_buf_bytes(b, *items, (size_t)nr * f->len);
}

static void write_field(struct pd_buf *b, const struct pd_field *f,
			const struct pd_body *body)
{
	const void *from = const_member(body, f->off);

	switch (f->kind) {
	case PD_FIELD_U8:
		pd_buf_u8(b, *(const uint8_t *)from);
		return;
	case PD_FIELD_U16:
		pd_buf_u16(b, *(const uint16_t *)from);
		return;
	case PD_FIELD_U32:
		pd_buf_u32(b, *(const uint32_t *)from);
		return;
	case PD_FIELD_U64:
		pd_buf_u64(b, *(const uint64_t *)from);
		return;
	case PD_FIELD_PAD:
		pd_buf_zero(b, f->len);
		return;
	case PD_FIELD_BYTES:
		pd_buf_bytes(b, from, f->len);
		return;
	case PD_FIELD_TEXT:
		pd_buf_cstr_pad(b, *(const struct pd_str *)from, 8);
		return;
	case PD_FIELD_CHARS:
		write_chars(b, *(const struct pd_str *)from, f->len);
		return;
	case PD_FIELD_WORDS:
		write_words(b, from);
		return;
	case PD_FIELD_LIST:
		write_list(b, from, f->len);
		return;
	case PD_FIELD_ITEMS:
		write_items(b, f, body);
		return;
	}
}

int pd_body_read(const struct pd_record *rec, size_t id_len,
		 struct pd_body *ret, struct pd_err *err)
{
	const struct pd_body_row *row = row_of(rec->type);
	struct pd_cursor c;

	if (!row)
		return pd_err_at(err, -ENOTSUP, rec->file_off,
				 "record of type %u is not known", rec->type);
	memset(ret, 0, sizeof(*ret));
	ret->type = rec->type;
	c = pd_record_body(rec, row->what, err);
	if (id_len > c.len)
		return pd_cursor_short(&c);
	c.len -= id_len;
	for (size_t i = 0; i < row->field_nr; i++)
		read_field(&c, &row->fields[i], ret);
	if (row->read_rest)
		row->read_rest(&c, rec->misc, ret);
	ret->fields_len = PD_RECORD_HEADER_LEN + c.pos;
	return pd_cursor_status(&c);
}

void pd_body_write_fields(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_body_row *row = row_of(body->type);

	if (!row) {
		if (!b->status)
			b->status = -ENOTSUP;
		return;
	}
	for (size_t i = 0; i < row->field_nr; i++)
		write_field(b, &row->fields[i], body);
	if (row->write_rest)
		row->write_rest(b, body);
}

uint16_t pd_body_misc(const struct pd_body *body)
{
	if (body->type == PD_RECORD_MMAP2 && body->u.mmap.build_id_len)
		return PD_MISC_MMAP_BUILD_ID;
	if (body->type == PD_RECORD_HEADER_BUILD_ID)
		return PD_MISC_BUILD_ID_SIZE;
	return 0;
}

void pd_body_write(struct pd_buf *b, uint16_t misc, const struct pd_body *body)
{
	const struct pd_body_row *row = row_of(body->type);
	size_t start;

	/* The bit is the body's to set: an inode is no build-id. */
	if (body->type == PD_RECORD_MMAP2)
		misc &= (uint16_t)~PD_MISC_MMAP_BUILD_ID;
	start = pd_record_begin(b, body->type, misc | pd_body_misc(body));
	pd_body_write_fields(b, body);
	if (row && row->is_unpadded)
		pd_record_end_unpadded(b, start);
	else
		pd_record_end(b, start);
}

struct pd_thread_map_entry pd_thread_map_at(const struct pd_thread_map *map,
					    size_t idx, bool swap)
{
	struct pd_cursor c;
	struct pd_thread_map_entry entry;

	pd_cursor_init(&c, map->entries + idx * THREAD_ENTRY_LEN,
		       THREAD_ENTRY_LEN, 0, "thread map entry");
	c.swap = swap;
	entry.tid = pd_cursor_u64(&c);
	entry.comm = pd_cursor_field(&c, THREAD_COMM_LEN);
	return entry;
}

uint64_t pd_cpu_map_at(const struct pd_cpu_map *map, size_t idx)
{
	size_t word_len = map->mask_word_len ? map->mask_word_len : 2u;
	struct pd_cursor c;

	pd_cursor_init(&c, map->words + idx * word_len, word_len, 0, "cpu map");
	c.swap = map->swap;
	if (word_len == 2)
		return pd_cursor_u16(&c);
	return word_len == 4 ? pd_cursor_u32(&c) : pd_cursor_u64(&c);
}
