/* delay.h: -D: when events are switched on and off by time.
 *
 *	-D 500			on after 500 ms
 *	-D -1			off until a control command
 *	-D 10-20,30-40		on for these ms; it ends with the last
 *
 * Times count from the start of the recording.
 */
#ifndef REC_DELAY_H
#define REC_DELAY_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_delay {
	uint32_t *at_ms; /* owned, ascending: on, off, on, off, ... */
	size_t nr;
	bool is_given; /* events start disabled */
};

/* Return -EINVAL if it is none of the above, or if ranges overlap. */
int rec_delay_parse(const char *text, struct rec_delay *ret,
		    struct pd_err *err);
void rec_delay_release(struct rec_delay *delay);

#endif
