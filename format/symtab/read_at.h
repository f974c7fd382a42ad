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
};

#endif
