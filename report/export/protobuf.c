#include "report/export/protobuf.h"

#include <endian.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_LEN = 2, WIRE_BITS = 3 };

void rpt_protobuf_choice(struct pd_buf *b, uint32_t field, uint64_t v)
{
	pd_buf_varint(b, (uint64_t)field << WIRE_BITS | WIRE_VARINT);
	pd_buf_varint(b, v);
}

void rpt_protobuf_number(struct pd_buf *b, uint32_t field, uint64_t v)
{
	if (v)
		rpt_protobuf_choice(b, field, v);
}

void rpt_protobuf_fixed64(struct pd_buf *b, uint32_t field, uint64_t v)
{
	if (!v)
		return;
	pd_buf_varint(b, (uint64_t)field << WIRE_BITS | WIRE_FIXED64);
	pd_buf_u64(b, htole64(v));
}

void rpt_protobuf_head(struct pd_buf *b, uint32_t field, uint64_t len)
{
	pd_buf_varint(b, (uint64_t)field << WIRE_BITS | WIRE_LEN);
	pd_buf_varint(b, len);
}

void rpt_protobuf_bytes(struct pd_buf *b, uint32_t field, const void *p,
			size_t len)
{
	rpt_protobuf_head(b, field, len);
	pd_buf_bytes(b, p, len);
}

void rpt_protobuf_message(struct pd_buf *b, uint32_t field,
			  struct pd_buf *message)
{
	if (pd_buf_status(message))
		b->status = pd_buf_status(message);
	rpt_protobuf_bytes(b, field, message->data, message->len);
	pd_buf_reset(message);
}
