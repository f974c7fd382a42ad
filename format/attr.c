#include "format/attr.h"

#include "format/layout.h"

/* The compiler of a big-endian producer lays bit fields from the top, so that
 * there each byte holds its bits reversed: FORMAT.md "Attributes". */
static uint64_t reverse_bits_of_bytes(uint64_t v)
{
	v = (v >> 1 & UINT64_C(0x5555555555555555)) |
	    (v & UINT64_C(0x5555555555555555)) << 1;
	v = (v >> 2 & UINT64_C(0x3333333333333333)) |
	    (v & UINT64_C(0x3333333333333333)) << 2;
	return (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) |
	       (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
}

/* precise_ip is a number of two bits, which the reversal has turned round. */
static uint64_t turn_precise_ip(uint64_t flags)
{
	uint64_t low = flags >> PD_ATTR_PRECISE_IP_SHIFT & 1;
	uint64_t high = flags >> (PD_ATTR_PRECISE_IP_SHIFT + 1) & 1;

	return (flags & ~PD_ATTR_PRECISE_IP_MASK) |
	       high << PD_ATTR_PRECISE_IP_SHIFT |
	       low << (PD_ATTR_PRECISE_IP_SHIFT + 1);
}

/* The bit field is bytes, not a number: its first byte holds flags 0..7 in
 * either byte order.  bytes is the field as it stands in the file. */
static uint64_t flags_of_bytes(const uint8_t *bytes, bool big_endian)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)bytes[i] << (8 * i);
	return big_endian ? turn_precise_ip(reverse_bits_of_bytes(v)) : v;
}

static bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static void read_flags(struct pd_cursor *c, struct pd_attr *ret)
{
	const uint8_t *bytes = pd_cursor_bytes(c, 8);

	if (bytes)
		ret->flags =
			flags_of_bytes(bytes, c->swap != host_is_big_endian());
}

static void write_flags(struct pd_buf *b, uint64_t flags)
{
	uint64_t v = b->swap != host_is_big_endian()
			     ? reverse_bits_of_bytes(turn_precise_ip(flags))
			     : flags;

	for (unsigned i = 0; i < 8; i++)
		pd_buf_u8(b, (uint8_t)(v >> (8 * i)));
}

/* The fields of VER0, which every attr has, behind type and size. */
static void read_first_version(struct pd_cursor *c, struct pd_attr *a)
{
	a->config = pd_cursor_u64(c);
	a->sample_period = pd_cursor_u64(c);
	a->sample_type = pd_cursor_u64(c);
	a->read_format = pd_cursor_u64(c);
	read_flags(c, a);
	a->wakeup = pd_cursor_u32(c);
	a->bp_type = pd_cursor_u32(c);
	a->config1 = pd_cursor_u64(c);
}

static void read_later_versions(struct pd_cursor *c, struct pd_attr *a)
{
	if (a->attr_len >= PD_ATTR_LEN_VER1)
		a->config2 = pd_cursor_u64(c);
	if (a->attr_len >= PD_ATTR_LEN_VER2)
		a->branch_sample_type = pd_cursor_u64(c);
	if (a->attr_len >= PD_ATTR_LEN_VER3) {
		a->sample_regs_user = pd_cursor_u64(c);
		a->sample_stack_user = pd_cursor_u32(c);
		a->clockid = (int32_t)pd_cursor_u32(c);
	}
	if (a->attr_len >= PD_ATTR_LEN_VER4)
		a->sample_regs_intr = pd_cursor_u64(c);
	if (a->attr_len >= PD_ATTR_LEN_VER5) {
		a->aux_watermark = pd_cursor_u32(c);
		a->sample_max_stack = pd_cursor_u16(c);
		pd_cursor_skip(c, 2);
	}
	if (a->attr_len >= PD_ATTR_LEN_VER6) {
		a->aux_sample_size = pd_cursor_u32(c);
		a->aux_action = pd_cursor_u32(c);
	}
	if (a->attr_len >= PD_ATTR_LEN_VER7)
		a->sig_data = pd_cursor_u64(c);
	if (a->attr_len >= PD_ATTR_LEN_VER8)
		a->config3 = pd_cursor_u64(c);
	if (a->attr_len >= PD_ATTR_LEN_VER9)
		a->config4 = pd_cursor_u64(c);
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
	read_first_version(c, &a);
	read_later_versions(c, &a);
	if (!pd_cursor_status(c))
		pd_cursor_skip(c, a.attr_len - (c->pos - start));
	if (pd_cursor_status(c))
		return pd_cursor_status(c);
	*ret = a;
	return 0;
}

static void write_later_versions(struct pd_buf *b, const struct pd_attr *a)
{
	if (a->attr_len >= PD_ATTR_LEN_VER1)
		pd_buf_u64(b, a->config2);
	if (a->attr_len >= PD_ATTR_LEN_VER2)
		pd_buf_u64(b, a->branch_sample_type);
	if (a->attr_len >= PD_ATTR_LEN_VER3) {
		pd_buf_u64(b, a->sample_regs_user);
		pd_buf_u32(b, a->sample_stack_user);
		pd_buf_u32(b, (uint32_t)a->clockid);
	}
	if (a->attr_len >= PD_ATTR_LEN_VER4)
		pd_buf_u64(b, a->sample_regs_intr);
	if (a->attr_len >= PD_ATTR_LEN_VER5) {
		pd_buf_u32(b, a->aux_watermark);
		pd_buf_u16(b, a->sample_max_stack);
		pd_buf_u16(b, 0);
	}
	if (a->attr_len >= PD_ATTR_LEN_VER6) {
		pd_buf_u32(b, a->aux_sample_size);
		pd_buf_u32(b, a->aux_action);
	}
	if (a->attr_len >= PD_ATTR_LEN_VER7)
		pd_buf_u64(b, a->sig_data);
	if (a->attr_len >= PD_ATTR_LEN_VER8)
		pd_buf_u64(b, a->config3);
	if (a->attr_len >= PD_ATTR_LEN_VER9)
		pd_buf_u64(b, a->config4);
}

void pd_attr_write(struct pd_buf *b, const struct pd_attr *attr)
{
	size_t start = b->len;

	pd_buf_u32(b, attr->type);
	pd_buf_u32(b, attr->attr_len);
	pd_buf_u64(b, attr->config);
	pd_buf_u64(b, attr->sample_period);
	pd_buf_u64(b, attr->sample_type);
	pd_buf_u64(b, attr->read_format);
	write_flags(b, attr->flags);
	pd_buf_u32(b, attr->wakeup);
	pd_buf_u32(b, attr->bp_type);
	pd_buf_u64(b, attr->config1);
	write_later_versions(b, attr);
	if (!pd_buf_status(b) && attr->attr_len > b->len - start)
		pd_buf_zero(b, attr->attr_len - (b->len - start));
}
