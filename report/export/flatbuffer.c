#include "report/export/flatbuffer.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* Put zeros until more_len bytes end at a multiple of align. */
static void pad(struct pd_buf *b, size_t align, size_t more_len)
{
	pd_buf_zero(b, (align - (b->len + more_len) % align) % align);
}

static void put_u16(struct pd_buf *b, uint64_t v)
{
	pd_buf_u16(b, htole16((uint16_t)v));
}

static void put_u32(struct pd_buf *b, uint64_t v)
{
	pd_buf_u32(b, htole32((uint32_t)v));
}

/* Put the fields behind the first four bytes of a table. */
static void put_fields(struct pd_buf *b, const struct rpt_flat_field *fields,
		       uint32_t nr, size_t *places)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t v = htole64(fields[i].value);

		if (fields[i].len)
			pad(b, fields[i].len, 0);
		if (places)
			places[i] = b->len;
		pd_buf_bytes(b, &v, fields[i].len);
	}
}

size_t rpt_flat_table(struct pd_buf *b, const struct rpt_flat_field *fields,
		      uint32_t nr, size_t *places)
{
	uint16_t offs[RPT_FLAT_FIELDS_MAX];
	uint16_t len = 4, head_len = (uint16_t)(4 + 2 * nr);
	size_t table;

	assert(nr <= RPT_FLAT_FIELDS_MAX);
	for (uint32_t i = 0; i < nr; i++) {
		uint16_t field_len = fields[i].len;

		if (field_len)
			len = (uint16_t)((len + field_len - 1) / field_len *
					 field_len);
		offs[i] = field_len ? len : 0;
		len = (uint16_t)(len + field_len);
	}
	/* what tells where the fields are stands in front of the table, which
	 * begins at a multiple of 8, as its widest field may ask for */
	pad(b, 8, head_len);
	put_u16(b, head_len);
	put_u16(b, len);
	for (uint32_t i = 0; i < nr; i++)
		put_u16(b, offs[i]);
	table = b->len;
	put_u32(b, head_len);
	put_fields(b, fields, nr, places);
	return table;
}

size_t rpt_flat_string(struct pd_buf *b, const char *text)
{
	size_t len = strlen(text), at;

	pad(b, 4, 0);
	at = b->len;
	put_u32(b, len);
	pd_buf_bytes(b, text, len + 1);
	return at;
}

size_t rpt_flat_references(struct pd_buf *b, uint32_t nr)
{
	size_t at;

	pad(b, 4, 0);
	at = b->len;
	put_u32(b, nr);
	pd_buf_zero(b, (size_t)nr * 4);
	return at;
}

size_t rpt_flat_pairs(struct pd_buf *b, const uint64_t (*pairs)[2], uint32_t nr)
{
	size_t at;

	pad(b, 8, 4);
	at = b->len;
	put_u32(b, nr);
	for (uint32_t i = 0; i < nr; i++) {
		pd_buf_u64(b, htole64(pairs[i][0]));
		pd_buf_u64(b, htole64(pairs[i][1]));
	}
	return at;
}

void rpt_flat_refer(struct pd_buf *b, size_t place, size_t target)
{
	uint32_t v = htole32((uint32_t)(target - place));

	if (!pd_buf_status(b))
		memcpy(b->data + place, &v, sizeof(v));
}

void rpt_flat_align(struct pd_buf *b)
{
	pad(b, 8, 0);
}
