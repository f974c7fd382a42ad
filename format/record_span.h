/* record_span.h: records with one and the same header that lie one right behind
 * the other, taken at once: samples mostly.
 *
 *	while ((rc = pd_records_next_span(&it, &span, &err)) > 0)
 *		while (pd_record_span_next(&span, &rec))
 *			...
 *
 * The records are those of pd_records_next(), in its order.
 */
#ifndef PD_RECORD_SPAN_H
#define PD_RECORD_SPAN_H

#include "format/reader.h"

/* Plain ones end after about so many bytes: who looks at them finds them in the
 * cache. */
#define PD_RECORD_SPAN_LEN ((uint64_t)64 << 10)

struct pd_record_span {
	struct pd_record next;
	size_t nr; /* that there are, next among them */
};

/* As pd_records_next(), whose data are good as long as these. */
int pd_records_next_span(struct pd_records *it, struct pd_record_span *ret,
			 struct pd_err *err);

/* Passes over nr of them. */
static inline void pd_record_span_pass(struct pd_record_span *span, size_t nr)
{
	struct pd_record *next = &span->next;

	next->data += nr * next->len;
	span->nr -= nr;
	if (next->plain_off != PD_RECORD_NOT_COMPRESSED) {
		next->plain_off += nr * next->len;
		next->seq += nr;
		return;
	}
	next->file_off += nr * next->len;
	next->seq = pd_record_seq(next->file_off, 0);
}

/* False: that was the last one. */
static inline bool pd_record_span_next(struct pd_record_span *span,
				       struct pd_record *ret)
{
	if (!span->nr)
		return false;
	*ret = span->next;
	pd_record_span_pass(span, 1);
	return true;
}

#endif
