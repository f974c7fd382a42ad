/* read_at.h: where bytes of an object file come from: a file, a mapping, a
 * carried section, a test's array.  The room does no I/O of its own.
 */
#ifndef PD_READ_AT_H
#define PD_READ_AT_H

#include <stddef.h>
#include <stdint.h>

struct pd_read_at {
	/* Read len bytes at off.  Return 0, -EBADMSG if there are fewer, or
	 * another negative errno. */
	int (*read)(void *ctx, uint64_t off, void *ret, size_t len);
	void *ctx; /* borrowed */
	/* Bytes that it takes on its disk or in memory, holes not counted: what
	 * is read of it is limited by them.  0 if nobody knows. */
	uint64_t there_len;
	/* All of its bytes, if they lie in memory: read may be NULL then. */
	const uint8_t *bytes;
	uint64_t len;
};

#endif
