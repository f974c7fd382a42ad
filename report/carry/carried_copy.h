/* carried_copy.h: a copy of a recording that carries other sections.
 *
 * Up to the sections it is the same, byte for byte; behind them stands a new
 * trailer, which is the old one with another list.  FORMAT.md "Carried names".
 *
 *	rpt_carried_copy_find(&copy, base, len, reader, &err)
 *	pd_carried_write(&copy.tail, copy.front_len, ..., &copy.sections)
 *	rpt_carried_copy_keep(&copy)
 *	rpt_carried_copy_write(&copy, path, force, &err)
 *	rpt_carried_copy_release(&copy)
 */
#ifndef RPT_CARRIED_COPY_H
#define RPT_CARRIED_COPY_H

#include "format/carried/carried.h"
#include "format/reader/reader.h"

struct rpt_carried_copy {
	const uint8_t *base; /* of the recording; borrowed */
	const struct pd_reader *reader;
	uint64_t front_len;   /* what is the same */
	uint64_t old_trailer; /* its trailer without sections: offset ... */
	uint64_t old_len;     /* ... and length; 0: there is none */
	bool has_old_sum;     /* which the trailer knows */
	struct pd_buf tail;   /* behind the front: sections, then a trailer */
	struct pd_carried_sections sections;
	uint64_t len; /* of the new file, when it is written */
};

/* Find what stays the same.  Return 0; -EINVAL if sections cannot be added: it
 * is a stream, damaged, or was not closed. */
int rpt_carried_copy_find(struct rpt_carried_copy *ret, const uint8_t *base,
			  uint64_t len, const struct pd_reader *reader,
			  struct pd_err *err);

/* Add the sections of the recording, as they are, of which there are no new
 * ones. */
void rpt_carried_copy_keep(struct rpt_carried_copy *copy);

/* Write the new file.  Return 0, -EEXIST, or what writing says. */
int rpt_carried_copy_write(struct rpt_carried_copy *copy, const char *path,
			   bool force, struct pd_err *err);
void rpt_carried_copy_release(struct rpt_carried_copy *copy);

#endif
