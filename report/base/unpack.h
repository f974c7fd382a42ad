/* unpack.h: unpacks gzip, xz and zstd in memory, one stream or several, up to a
 * limit: kernel modules, .gnu_debugdata and recordings. */
#ifndef RPT_UNPACK_H
#define RPT_UNPACK_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return whether data begins as one of the three kinds does. */
bool rpt_is_packed(const uint8_t *data, size_t len);

/* Unpack all of data to *ret, which the caller frees.  Return 0; -EFBIG if it
 * becomes longer than limits.h allows (PD_LIMIT_UNPACK_*); -EBADMSG if it is
 * damaged or of none of the three kinds; -ENODATA if it ends too early. */
int rpt_unpack(const uint8_t *data, size_t len, char **ret, size_t *ret_len,
	       struct pd_err *err);

#endif
