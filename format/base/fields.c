#include "format/base/fields.h"

#include <stdlib.h>

static void *member(void *item, size_t off)
{
	return (uint8_t *)item + off;
}

static const void *const_member(const void *item, size_t off)
{
	return (const uint8_t *)item + off;
}

/* Read the count in front of a list.  Return 0 and fail if the record cannot
 * hold so many items. */
static uint64_t read_count(struct pd_cursor *c, size_t item_len)
{
	uint64_t nr = pd_cursor_u64(c);

	if (nr <= pd_cursor_left(c) / item_len)
		return nr;
	pd_cursor_short(c);
	return 0;
}

static void read_list(struct pd_cursor *c, const struct pd_field *f, void *ret)
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
			pd_cursor_bytes(c, nr * item_len);
}

static void read_field(struct pd_cursor *c, const struct pd_field *f, void *ret)
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
	case PD_FIELD_STRING:
		*(struct pd_str *)to = pd_cursor_string(c);
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

static void write_items(struct pd_buf *b, const struct pd_field *f,
			const void *from)
{
	uint64_t nr = *(const uint64_t *)const_member(from, f->nr_off);
	const uint8_t *const *items = const_member(from, f->off);

	pd_buf_u64(b, nr);
	pd_buf_bytes(b, *items, (size_t)nr * f->len);
}

static void write_field(struct pd_buf *b, const struct pd_field *f,
			const void *item)
{
	const void *from = const_member(item, f->off);

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
	case PD_FIELD_STRING:
		pd_buf_string(b, *(const struct pd_str *)from);
		return;
	case PD_FIELD_LIST:
		pd_buf_u64(b, ((const struct pd_u64s *)from)->nr / f->len);
		pd_buf_u64s(b, from);
		return;
	case PD_FIELD_WORDS:
		pd_buf_u64s(b, from);
		return;
	case PD_FIELD_ITEMS:
		write_items(b, f, item);
		return;
	}
}

void pd_fields_read(struct pd_cursor *c, const struct pd_field *fields,
		    size_t nr, void *ret)
{
	for (size_t i = 0; i < nr; i++)
		read_field(c, &fields[i], ret);
}

void pd_fields_write(struct pd_buf *b, const struct pd_field *fields, size_t nr,
		     const void *from)
{
	for (size_t i = 0; i < nr; i++)
		write_field(b, &fields[i], from);
}

size_t pd_field_least_len(const struct pd_field *field)
{
	switch (field->kind) {
	case PD_FIELD_U8:
		return 1;
	case PD_FIELD_U16:
		return 2;
	case PD_FIELD_U32:
	case PD_FIELD_STRING: /* its length */
		return 4;
	case PD_FIELD_U64:
	case PD_FIELD_LIST: /* their count */
	case PD_FIELD_ITEMS:
		return 8;
	default:
		return field->len;
	}
}

void *pd_list_alloc(struct pd_cursor *c, uint64_t nr, uint64_t limit,
		    size_t item_len, size_t least_len)
{
	void *items;

	if (pd_cursor_status(c) || !nr)
		return NULL;
	if (nr > limit) {
		pd_cursor_fail(c, -EFBIG, "%s: a list of %llu items", c->what,
			       (unsigned long long)nr);
		return NULL;
	}
	if (nr > pd_cursor_left(c) / (least_len ? least_len : 1)) {
		pd_cursor_short(c);
		return NULL;
	}
	items = calloc((size_t)nr, item_len);
	if (!items)
		pd_cursor_fail(c, -ENOMEM, "out of memory");
	return items;
}

void *pd_list_read_items(struct pd_cursor *c, const struct pd_list *list,
			 uint64_t nr, size_t *ret_nr)
{
	size_t least_len = 0;
	uint8_t *items;

	for (size_t i = 0; i < list->field_nr; i++)
		least_len += pd_field_least_len(&list->fields[i]);
	items = pd_list_alloc(c, nr, list->limit, list->item_len, least_len);
	*ret_nr = items ? (size_t)nr : 0;
	for (size_t i = 0; i < *ret_nr; i++)
		pd_fields_read(c, list->fields, list->field_nr,
			       items + i * list->item_len);
	if (!pd_cursor_status(c))
		return items;
	free(items);
	*ret_nr = 0;
	return NULL;
}

void pd_list_write_items(struct pd_buf *b, const struct pd_list *list,
			 const void *items, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		pd_fields_write(b, list->fields, list->field_nr,
				(const uint8_t *)items + i * list->item_len);
}

void *pd_list_read(struct pd_cursor *c, const struct pd_list *list,
		   size_t *ret_nr)
{
	uint64_t nr = list->has_u64_count ? pd_cursor_u64(c) : pd_cursor_u32(c);

	return pd_list_read_items(c, list, nr, ret_nr);
}

void pd_list_write(struct pd_buf *b, const struct pd_list *list,
		   const void *items, size_t nr)
{
	if (list->has_u64_count)
		pd_buf_u64(b, nr);
	else
		pd_buf_u32(b, (uint32_t)nr);
	pd_list_write_items(b, list, items, nr);
}
