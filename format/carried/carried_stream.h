/* carried_stream.h: to which recording carried names belong that stand in a
 * file of their own.  FORMAT.md "Carried names of a pipe".
 */
#ifndef PD_CARRIED_STREAM_H
#define PD_CARRIED_STREAM_H

#include "format/carried/carried.h"

/* Bytes at the start of a recording by which it is known, at most. */
enum { PD_CARRIED_STREAM_LEN_MAX = 1 << 16 };

/* Append the section for the recording that begins with head[0..len), which
 * will stand at off in the file from b's start on, and list it, too.  Errors
 * latch in b. */
void pd_carried_stream_write(struct pd_buf *b, uint64_t off,
			     const uint8_t *head, size_t len,
			     struct pd_carried_sections *sections);

/* How the recording begins. */
struct pd_carried_stream {
	uint64_t len; /* 0: it is not known */
	uint64_t hash;
};

/* Read the section of the file base[0..len) with this trailer; *ret is all zero
 * if there is none.  Return 0, or -EBADMSG if it is damaged. */
int pd_carried_stream_read(const uint8_t *base, uint64_t len,
			   const struct pd_trailer *trailer,
			   struct pd_carried_stream *ret, struct pd_err *err);

/* Return true if the recording[0..len) begins so. */
bool pd_carried_stream_is_of(const struct pd_carried_stream *stream,
			     const uint8_t *recording, uint64_t len);

#endif
