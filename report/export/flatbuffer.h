/* flatbuffer.h: writes FlatBuffers (flatbuffers.dev "Internals"), from the
 * front to the back: a table, then what its fields refer to.
 *
 *	size_t places[2];
 *	size_t table = rpt_flat_table(b, (struct rpt_flat_field[]){
 *			RPT_FLAT_NUMBER(2, 7), RPT_FLAT_REFERENCE }, 2, places);
 *	rpt_flat_refer(b, places[1], rpt_flat_string(b, "text"));
 *
 * A buffer begins with a reference to its root, for which the caller puts four
 * bytes of 0 first.  Numbers are little-endian, and aligned from the start of
 * the buffer.  Functions return the offset of what they put.
 */
#ifndef RPT_FLATBUFFER_H
#define RPT_FLATBUFFER_H

#include "format/base/buf.h"

/* A field of a table. */
struct rpt_flat_field {
	uint8_t len; /* 1, 2, 4 or 8 bytes; 0: it is left out */
	uint64_t value;
};

#define RPT_FLAT_NUMBER(len, value) \
	{                           \
		(len), (value)      \
	}
#define RPT_FLAT_REFERENCE  RPT_FLAT_NUMBER(4, 0) /* set by rpt_flat_refer() */
#define RPT_FLAT_NONE	    RPT_FLAT_NUMBER(0, 0)
#define RPT_FLAT_FIELDS_MAX 8u

/* Put a table of at most RPT_FLAT_FIELDS_MAX fields, and set places, if it is
 * not NULL, to where each field stands. */
size_t rpt_flat_table(struct pd_buf *b, const struct rpt_flat_field *fields,
		      uint32_t nr, size_t *places);
size_t rpt_flat_string(struct pd_buf *b, const char *text);
/* Put a list of nr references; number i stands at rpt_flat_item(). */
size_t rpt_flat_references(struct pd_buf *b, uint32_t nr);
static inline size_t rpt_flat_item(size_t list, uint32_t i)
{
	return list + 4 * ((size_t)i + 1);
}
/* Put a list of nr structures of two numbers of 64 bits. */
size_t rpt_flat_pairs(struct pd_buf *b, const uint64_t (*pairs)[2],
		      uint32_t nr);

/* Make the reference at place refer to target, which stands behind it. */
void rpt_flat_refer(struct pd_buf *b, size_t place, size_t target);

/* Put zeros up to a multiple of 8. */
void rpt_flat_align(struct pd_buf *b);

#endif
