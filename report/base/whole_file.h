/* whole_file.h: a small text file, or one of /proc, read at once.
 *
 * What the machine cannot do (no descriptor is left, the disk does not answer)
 * is noted (shortage.h): most callers go on without the file.
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
 * name out of a recording can be that of a fifo or a device: those are not
 * opened, which alone can do something.
 *
 * Symbolic links below /proc/PID/root lead where they lead for that process;
 * -ENOSYS: the kernel is older than 5.6, which cannot tell.  Files there that
 * say they are empty, as those of /proc do, count as none. */
int rpt_whole_file_open(const char *path);

/* The same, to look at alone (O_PATH): what kind of file it is. */
int rpt_whole_file_find(const char *path);

#endif
