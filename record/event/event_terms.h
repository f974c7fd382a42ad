/* event_terms.h: the terms between slashes that every event takes.
 *
 *	cpu-clock/period=1000,call-graph=dwarf,stack-size=4096,name=x/u
 *
 * Source: perf-record(1), "-e", and perf-list(1), "PARAMETERIZED EVENTS".
 */
#ifndef REC_EVENT_TERMS_H
#define REC_EVENT_TERMS_H

#include "record/event/event_spec.h"

/* One "key" or "key=value"; points into the text, quotes taken off. */
struct rec_term {
	const char *key;
	size_t key_len;
	const char *val; /* NULL: the key stood alone */
	size_t val_len;
};

/* Take the next term off *text.  1: *ret is set; 0: the end; -EINVAL. */
int rec_term_next(const char **text, size_t *len, struct rec_term *ret,
		  struct pd_err *err);

bool rec_term_is(const struct rec_term *term, const char *key);

/* Apply one of the general terms.  1: done; 0: none of those; negative:
 * wrong value. */
int rec_term_apply(struct rec_event *event, const struct rec_term *term,
		   struct pd_err *err);

/* The value as a number, 1 where the key stands alone. -EINVAL, -ERANGE. */
int rec_term_u64(const struct rec_term *term, uint64_t *ret,
		 struct pd_err *err);

/* Name idx of the general terms; NULL behind the last. */
const char *rec_term_name_at(size_t idx);

/* text[0..len-1], decimal, 0x or octal, nothing else. -EINVAL, -ERANGE. */
int rec_number_parse(const char *text, size_t len, uint64_t *ret);

/* "r1a8": the config of a raw event.  False if text is none. */
bool rec_raw_parse(const char *text, size_t len, uint64_t *ret);

#endif
