/* event_terms.h: the terms between slashes that every event takes.
 *
 *	cpu-clock/period=1000,call-graph=dwarf,stack-size=4096,name=x/u
 *
 * Source: perf-record(1), "-e", and perf-list(1), "PARAMETERIZED EVENTS".
 */
#ifndef REC_EVENT_TERMS_H
#define REC_EVENT_TERMS_H

#include "record/event/event_spec.h"

/* One "key" or "key=value"; points into the text, without the quotes. */
struct rec_term {
	const char *key;
	size_t key_len;
	const char *val; /* NULL: there is only a key */
	size_t val_len;
};

/* Take the next term off *text.  Return 1 with *ret set, 0 at the end, -EINVAL.
 */
int rec_term_next(const char **text, size_t *len, struct rec_term *ret,
		  struct pd_err *err);

bool rec_term_is(const struct rec_term *term, const char *key);

/* Apply one of the general terms.  Return 1 if done, 0 if it is none of them,
 * or a negative errno for a wrong value. */
int rec_term_apply(struct rec_event *event, const struct rec_term *term,
		   struct pd_err *err);

/* Parse the value as a number, 1 if there is only a key.  Return -EINVAL or
 * -ERANGE on failure. */
int rec_term_u64(const struct rec_term *term, uint64_t *ret,
		 struct pd_err *err);

/* Return name idx of the general terms; NULL if idx is past the last. */
const char *rec_term_name_at(size_t idx);

/* Parse text[0..len-1], decimal, 0x or octal.  Return 0, -EINVAL or -ERANGE. */
int rec_number_parse(const char *text, size_t len, uint64_t *ret);

/* Parse "r1a8": the config of a raw event.  Return false if text is none. */
bool rec_raw_parse(const char *text, size_t len, uint64_t *ret);

#endif
