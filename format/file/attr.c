#include "format/file/attr.h"

#include "format/base/fields.h"
#include "format/file/layout.h"

#define FIELD(kind, member) PD_FIELD(kind, pd_attr, member)

/* The fields behind type and attr_len, before and behind the flags. */
static const struct pd_field first_fields[] = {
	FIELD(U64, config),
	FIELD(U64, sample_period),
	FIELD(U64, sample_type),
	FIELD(U64, read_format),
};
static const struct pd_field later_fields[] = {
	FIELD(U32, wakeup),
	FIELD(U32, bp_type),
	FIELD(U64, config1),
	FIELD(U64, config2),
	FIELD(U64, branch_sample_type),
	FIELD(U64, sample_regs_user),
	FIELD(U32, sample_stack_user),
	FIELD(U32, clockid),
	FIELD(U64, sample_regs_intr),
	FIELD(U32, aux_watermark),
	FIELD(U16, sample_max_stack),
	PD_FIELD_SKIP(2),
	FIELD(U32, aux_sample_size),
	FIELD(U32, aux_action),
	FIELD(U64, sig_data),
	FIELD(U64, config3),
	FIELD(U64, config4),
};
enum {
	FIRST_NR = sizeof(first_fields) / sizeof(first_fields[0]),
	LATER_NR = sizeof(later_fields) / sizeof(later_fields[0]),
	LATER_OFF = 48, /* of later_fields in an attr */
};

/* Return how many of later_fields an attr of attr_len bytes holds. */
static size_t later_nr(uint32_t attr_len)
{
	size_t nr = 0, end = LATER_OFF;

	for (; nr < LATER_NR; nr++) {
		end += pd_field_least_len(&later_fields[nr]);
		if (end > attr_len)
			break;
	}
	return nr;
}

/* On a big-endian producer each byte of a bit field has its bits reversed:
 * FORMAT.md "Attributes". */
static uint64_t reverse_bits_of_bytes(uint64_t v)
{
	v = (v >> 1 & UINT64_C(0x5555555555555555)) |
	    (v & UINT64_C(0x5555555555555555)) << 1;
	v = (v >> 2 & UINT64_C(0x3333333333333333)) |
	    (v & UINT64_C(0x3333333333333333)) << 2;
	return (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) |
	       (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
}

/* Exchange the two bits of precise_ip, which are a number: the reversal of bits
 * has exchanged them. */
static uint64_t turn_precise_ip(uint64_t flags)
{
	uint64_t low = flags >> PD_ATTR_PRECISE_IP_SHIFT & 1;
	uint64_t high = flags >> (PD_ATTR_PRECISE_IP_SHIFT + 1) & 1;

	return (flags & ~PD_ATTR_PRECISE_IP_MASK) |
	       high << PD_ATTR_PRECISE_IP_SHIFT |
	       low << (PD_ATTR_PRECISE_IP_SHIFT + 1);
}

/* Return the flags of the bit field at bytes in the file.  It is bytes, not a
 * number: the first one holds flags 0..7 in either byte order. */
static uint64_t flags_of_bytes(const uint8_t *bytes, bool big_endian)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)bytes[i] << (8 * i);
	return big_endian ? turn_precise_ip(reverse_bits_of_bytes(v)) : v;
}

static void read_flags(struct pd_cursor *c, struct pd_attr *ret)
{
	const uint8_t *bytes = pd_cursor_bytes(c, 8);

	if (bytes)
		ret->flags =
			flags_of_bytes(bytes, c->swap != PD_HOST_IS_BIG_ENDIAN);
}

static void write_flags(struct pd_buf *b, uint64_t flags)
{
	uint64_t v = b->swap != PD_HOST_IS_BIG_ENDIAN
			     ? reverse_bits_of_bytes(turn_precise_ip(flags))
			     : flags;

	for (unsigned i = 0; i < 8; i++)
		pd_buf_u8(b, (uint8_t)(v >> (8 * i)));
}

int pd_attr_read(struct pd_cursor *c, struct pd_attr *ret)
{
	struct pd_attr a = { 0 };
	size_t start = c->pos;

	a.type = pd_cursor_u32(c);
	a.attr_len = pd_cursor_u32(c);
	if (!a.attr_len)
		a.attr_len = PD_ATTR_LEN_VER0;
	if (a.attr_len < PD_ATTR_LEN_VER0)
		pd_cursor_fail(c, -EBADMSG, "attr of %u bytes; 64 is the least",
			       a.attr_len);
	pd_fields_read(c, first_fields, FIRST_NR, &a);
	read_flags(c, &a);
	pd_fields_read(c, later_fields, later_nr(a.attr_len), &a);
	if (!pd_cursor_status(c))
		pd_cursor_skip(c, a.attr_len - (c->pos - start));
	if (pd_cursor_status(c))
		return pd_cursor_status(c);
	*ret = a;
	return 0;
}

void pd_attr_write(struct pd_buf *b, const struct pd_attr *attr)
{
	size_t start = b->len;

	pd_buf_u32(b, attr->type);
	pd_buf_u32(b, attr->attr_len);
	pd_fields_write(b, first_fields, FIRST_NR, attr);
	write_flags(b, attr->flags);
	pd_fields_write(b, later_fields, later_nr(attr->attr_len), attr);
	if (!pd_buf_status(b) && attr->attr_len > b->len - start)
		pd_buf_zero(b, attr->attr_len - (b->len - start));
}
