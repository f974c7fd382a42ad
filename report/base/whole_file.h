/* whole_file.h: reads a small text file, or one of /proc, as a whole.
 *
 * If the machine fails (no descriptor is left, the disk cannot be read), that
 * is noted by shortage.h, since most callers go on without the file.
 */
#ifndef RPT_WHOLE_FILE_H
#define RPT_WHOLE_FILE_H

#include "format/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Return the file's bytes with a NUL behind them, which the caller frees; or
 * NULL with an error in err (not NULL): -EFBIG if it has more than max_len. */
char *rpt_whole_file(const char *path, size_t max_len, size_t *ret_len,
		     struct pd_err *err);

/* Open the file for reading.  Return a descriptor or a negative errno: -EINVAL
 * if it is no regular file.  A name out of a recording can be that of a fifo or
 * a device; these are not opened, since opening alone can have an effect.
 *
 * Symbolic links below /proc/PID/root lead where they lead for that process;
 * -ENOSYS if the kernel is older than 5.6 and cannot do that.  A file there of
 * length 0, as those of /proc are, is no regular file. */
int rpt_whole_file_open(const char *path);

/* The same for any kind of file, with a descriptor that can only be examined
 * (O_PATH). */
int rpt_whole_file_find(const char *path);

/* Read len bytes at off.  Return 0, -EBADMSG if there are fewer, or another
 * negative errno. */
int rpt_read_at(int fd, uint64_t off, void *ret, size_t len);

#endif
