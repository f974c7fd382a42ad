/* protobuf.h: writes messages of Protocol Buffers, as their "Encoding" guide
 * (protobuf.dev) has it.
 *
 * A message inside another is written to a buffer of its own first, since its
 * length stands in front of it.
 */
#ifndef RPT_PROTOBUF_H
#define RPT_PROTOBUF_H

#include "format/base/buf.h"

/* Put a field of a number; nothing if v is 0, the default. */
void rpt_protobuf_number(struct pd_buf *b, uint32_t field, uint64_t v);
/* Put a field of a number in a oneof, where 0 is a value like any other. */
void rpt_protobuf_choice(struct pd_buf *b, uint32_t field, uint64_t v);
/* Put a field of type fixed64; nothing if v is 0. */
void rpt_protobuf_fixed64(struct pd_buf *b, uint32_t field, uint64_t v);
/* Put what stands in front of a field of len bytes. */
void rpt_protobuf_head(struct pd_buf *b, uint32_t field, uint64_t len);
/* Put a field of bytes: a string, a message, or packed numbers. */
void rpt_protobuf_bytes(struct pd_buf *b, uint32_t field, const void *p,
			size_t len);
/* Put message as a field of b, and empty it. */
void rpt_protobuf_message(struct pd_buf *b, uint32_t field,
			  struct pd_buf *message);

#endif
