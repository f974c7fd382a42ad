/* zstd_block.h: one piece of plain text as one zstd frame: the sections of
 * names that a recording carries (carried.h).
 */
#ifndef PD_ZSTD_BLOCK_H
#define PD_ZSTD_BLOCK_H

#include "format/base/buf.h"

/* Append plain[0..len) to b as one zstd frame with a content checksum.  Errors
 * latch in b: -ENOMEM, or -EIO if zstd fails. */
void pd_zstd_block_write(struct pd_buf *b, int level, const void *plain,
			 size_t len);

/* Decompress data[0..len), which must be frames of plain_len bytes in all, into
 * ret[0..plain_len).  Return 0, -EBADMSG, or -ENOMEM. */
int pd_zstd_block_read(const uint8_t *data, size_t len, uint8_t *ret,
		       size_t plain_len);

#endif
