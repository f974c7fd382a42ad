/* unpack.h: what gzip, xz or zstd packed, in one stream or several, in memory,
 * up to a limit: kernel modules and .gnu_debugdata. */
#ifndef RPT_UNPACK_H
#define RPT_UNPACK_H

#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By its first bytes. */
bool rpt_is_packed(const uint8_t *data, size_t len);

/* All of it to *ret, which the caller frees.  -EFBIG: it would become more than
 * limits.h allows (PD_LIMIT_UNPACK_*), -EBADMSG: it is damaged or of none of
 * the three kinds, -ENODATA: it ends too early. */
int rpt_unpack(const uint8_t *data, size_t len, char **ret, size_t *ret_len,
	       struct pd_err *err);

#endif
