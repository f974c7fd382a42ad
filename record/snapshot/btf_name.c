#include "record/snapshot/btf_name.h"

enum { BTF_MAGIC = 0xeb9f, KIND_NR = 20 };

/* The length of a type behind its first 12 bytes, which all types have: so many
 * bytes, and so many more per member (vlen). */
static const struct {
	uint8_t fixed_len;
	uint8_t member_len;
} kinds[KIND_NR] = {
	[1] = { 4, 0 },	  /* INT */
	[2] = { 0, 0 },	  /* PTR */
	[3] = { 12, 0 },  /* ARRAY */
	[4] = { 0, 12 },  /* STRUCT */
	[5] = { 0, 12 },  /* UNION */
	[6] = { 0, 8 },	  /* ENUM */
	[13] = { 0, 8 },  /* FUNC_PROTO */
	[14] = { 4, 0 },  /* VAR */
	[15] = { 0, 12 }, /* DATASEC */
	[17] = { 4, 0 },  /* DECL_TAG */
	[19] = { 0, 12 }, /* ENUM64 */
};

/* Move over one type; return the offset of its name. */
static uint32_t next_type(struct pd_cursor *c)
{
	const uint32_t name_off = pd_cursor_u32(c);
	const uint32_t info = pd_cursor_u32(c);
	const uint32_t kind = info >> 24 & 0x1f;
	const uint32_t vlen = info & 0xffff;

	pd_cursor_skip(c, 4); /* size or type */
	if (kind == 0 || kind >= KIND_NR) {
		pd_cursor_fail(c, -ENOTSUP, "BTF kind %u", kind);
		return 0;
	}
	pd_cursor_skip(c, kinds[kind].fixed_len +
				  (size_t)vlen * kinds[kind].member_len);
	return pd_cursor_status(c) ? 0 : name_off;
}

struct pd_str rec_btf_name(const void *btf, size_t len, uint32_t type_id)
{
	struct pd_cursor header;
	struct pd_cursor c;
	uint32_t lens[5]; /* header, offset and length of types, of strings */
	uint32_t name_off = 0;

	pd_cursor_init(&header, btf, len, 0, "BTF");
	if (pd_cursor_u16(&header) != BTF_MAGIC)
		return (struct pd_str){ "", 0 };
	pd_cursor_skip(&header, 2); /* version, flags */
	for (unsigned i = 0; i < 5; i++)
		lens[i] = pd_cursor_u32(&header);
	pd_cursor_init(&c, btf, len, 0, "BTF type");
	pd_cursor_skip(&c, (size_t)lens[0] + lens[1]);
	for (uint32_t id = 1; id <= type_id && !pd_cursor_status(&c); id++)
		name_off = next_type(&c);
	if (pd_cursor_status(&c) || pd_cursor_status(&header) || type_id == 0 ||
	    name_off >= lens[4])
		return (struct pd_str){ "", 0 };
	pd_cursor_init(&c, btf, len, 0, "BTF string");
	pd_cursor_skip(&c, (size_t)lens[0] + lens[3] + name_off);
	return pd_cursor_cstr(&c);
}
