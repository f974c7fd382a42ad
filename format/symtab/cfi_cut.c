#include "format/symtab/cfi_cut.h"

#include "format/base/buf.h"

/* DW_CFA_*; of the first three the lower six bits are an operand. */
enum {
	ADVANCE = 0x40,
	OFFSET = 0x80,
	RESTORE = 0xc0,
	ADVANCE_1 = 0x02,
	ADVANCE_2 = 0x03,
	ADVANCE_4 = 0x04,
	REMEMBER = 0x0a,
	RESTORE_STATE = 0x0b,
	CFA_OFFSET = 0x0e,
	HIGH_BITS = 0xc0,
	OP_NR = 0x30,
};

enum { STATES_MAX = 16, ROOM_MAX = 4096 };

/* Operands of the others: n, numbers of any length; b, a block behind its
 * length.  NULL: unknown, or an address. */
static const char *const operands[OP_NR] = {
	[0x00] = "",   [0x05] = "nn", [0x06] = "n",  [0x07] = "n",
	[0x08] = "n",  [0x09] = "nn", [0x0a] = "",   [0x0b] = "",
	[0x0c] = "nn", [0x0d] = "n",  [0x0e] = "n",  [0x0f] = "b",
	[0x10] = "nb", [0x11] = "nn", [0x12] = "nn", [0x13] = "n",
	[0x14] = "nn", [0x15] = "nn", [0x16] = "nb", [0x2d] = "",
	[0x2e] = "n",  [0x2f] = "nn",
};

struct cutter {
	const struct pd_cfi_cut *cut;
	struct pd_cursor in;
	uint8_t out[ROOM_MAX];
	size_t len;
	uint64_t addr;	/* that the program is at */
	uint64_t start; /* of what is left */
	bool is_inside; /* first is behind */
	bool is_done;	/* last is */
	/* An op that sets the offset of the CFA, and that the next such one
	 * makes idle; len 0: none. */
	size_t idle_at;
	size_t idle_len;
	size_t states[STATES_MAX]; /* where out remembers a state */
	size_t state_nr;
};

/* Return false if the op is unknown. */
static bool skip_operands(struct pd_cursor *c, uint8_t op)
{
	const char *forms = op < OP_NR ? operands[op] : NULL;

	if ((op & HIGH_BITS) == OFFSET)
		forms = "n";
	else if ((op & HIGH_BITS) == RESTORE)
		forms = "";
	for (; forms && *forms; forms++) {
		uint64_t len = pd_cursor_varint(c);

		if (*forms == 'b')
			pd_cursor_skip(c, len);
	}
	return forms && !pd_cursor_status(c);
}

/* Return whether op goes on to a later address, which is set. */
static bool read_advance(struct cutter *k, uint8_t op, uint64_t *ret)
{
	uint64_t more;

	if ((op & HIGH_BITS) == ADVANCE)
		more = op & 0x3f;
	else if (op == ADVANCE_1)
		more = pd_cursor_u8(&k->in);
	else if (op == ADVANCE_2)
		more = pd_cursor_u16(&k->in);
	else if (op == ADVANCE_4)
		more = pd_cursor_u32(&k->in);
	else
		return false;
	*ret = k->addr + more * k->cut->code_align;
	return true;
}

/* Copy the op that stands at from; false if there is no room. */
static bool copy(struct cutter *k, size_t from)
{
	size_t len = k->in.pos - from;

	if (len > ROOM_MAX - k->len)
		return false;
	memcpy(k->out + k->len, k->in.data + from, len);
	k->len += len;
	return true;
}

/* The op before the first hit takes effect at once. */
static bool copy_early(struct cutter *k, size_t from, uint8_t op)
{
	if (op == RESTORE_STATE) { /* nothing in between was hit */
		if (!k->state_nr)
			return false;
		k->len = k->states[--k->state_nr];
		k->idle_len = 0;
		return true;
	}
	if (op == REMEMBER) {
		if (k->state_nr == STATES_MAX)
			return false;
		k->states[k->state_nr++] = k->len;
	}
	if (op == CFA_OFFSET && k->idle_len) {
		memmove(k->out + k->idle_at, k->out + k->idle_at + k->idle_len,
			k->len - k->idle_at - k->idle_len);
		k->len -= k->idle_len;
	}
	if (op == CFA_OFFSET || (op & HIGH_BITS) != OFFSET)
		k->idle_len = 0;
	if (op == CFA_OFFSET) {
		k->idle_at = k->len;
		k->idle_len = k->in.pos - from;
	}
	return !op || copy(k, from);
}

/* Return false if the program is unusual. */
static bool take_op(struct cutter *k)
{
	size_t from = k->in.pos;
	uint8_t op = pd_cursor_u8(&k->in);
	uint64_t next;

	if (read_advance(k, op, &next)) {
		if (pd_cursor_status(&k->in) || next < k->addr ||
		    next - k->cut->start > k->cut->len)
			return false;
		k->is_done = next > k->cut->last;
		k->is_inside = k->is_inside || next > k->cut->first;
		if (!k->is_inside)
			k->start = next;
		k->addr = next;
		return !k->is_inside || k->is_done || copy(k, from);
	}
	if (!skip_operands(&k->in, op))
		return false;
	return k->is_inside ? !op || copy(k, from) : copy_early(k, from, op);
}

static void put(const struct pd_cfi_section *s, uint8_t *at, uint64_t v,
		size_t len)
{
	struct pd_buf b = { .swap = s->swap };

	if (len == 4)
		pd_buf_u32(&b, (uint32_t)v);
	else
		pd_buf_u64(&b, v);
	if (!pd_buf_status(&b))
		memcpy(at, b.data, len);
	pd_buf_release(&b);
}

bool pd_cfi_cut(const struct pd_cfi_section *eh_frame, struct pd_cfi_entry *fde,
		uint8_t *room, struct pd_cfi_cut *cut)
{
	size_t word_len = pd_cfi_address_len(eh_frame, cut->encoding), body;
	struct cutter k = { .cut = cut,
			    .addr = cut->start,
			    .start = cut->start };
	uint64_t end = cut->start + cut->len;

	if (!cut->code_align || (word_len != 4 && word_len != 8) ||
	    cut->first < cut->start || cut->first > cut->last ||
	    cut->last - cut->start >= cut->len)
		return false;
	pd_cursor_init(&k.in, fde->data, fde->len, fde->off, "FDE");
	k.in.swap = eh_frame->swap;
	pd_cursor_skip(&k.in, fde->body + 2 * word_len);
	pd_cursor_skip(&k.in, pd_cursor_varint(&k.in));
	body = k.in.pos;
	while (!k.is_done && !pd_cursor_status(&k.in) && pd_cursor_left(&k.in))
		if (!take_op(&k))
			return false;
	if (pd_cursor_status(&k.in) || body + k.len > fde->len)
		return false;
	if (k.is_done)
		end = k.addr;
	memcpy(room + body, k.out, k.len);
	fde->len = (uint32_t)(body + k.len);
	put(eh_frame, room, fde->len - 4, 4);
	if (cut->encoding & 0x70) /* a distance */
		put(eh_frame, room + fde->body,
		    k.start - (eh_frame->addr + fde->off - eh_frame->off +
			       fde->body),
		    word_len);
	else
		put(eh_frame, room + fde->body, k.start, word_len);
	put(eh_frame, room + fde->body + word_len, end - k.start, word_len);
	cut->start = k.start;
	return true;
}
