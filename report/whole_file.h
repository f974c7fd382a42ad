/* whole_file.h: a small text file, or one of /proc, read at once.
 */
#ifndef RPT_WHOLE_FILE_H
#define RPT_WHOLE_FILE_H

#include "format/err.h"

#include <stddef.h>

/* The file's bytes with a NUL behind them, to be freed by the caller; NULL with
 * err filled (err must be given), -EFBIG where it has more than max_len. */
char *rpt_whole_file(const char *path, size_t max_len, size_t *ret_len,
		     struct pd_err *err);

/* Opened for reading, or a negative errno: -EINVAL of what is no file, since a
 * name out of a recording can be that of a fifo or a device. */
int rpt_whole_file_open(const char *path);

#endif
