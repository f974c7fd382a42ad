/* whole_file.h: reads a small text file, or one of /proc, as a whole.
 *
 * If the machine fails (no descriptor is left, the disk cannot be read), that
 * is noted by shortage.h, since most callers go on without the file.
 */
#ifndef RPT_WHOLE_FILE_H
#define RPT_WHOLE_FILE_H

#include "format/base/err.h"
#include "format/support/read_for.h"

#include <stddef.h>
#include <stdint.h>

/* Return the file's bytes with a NUL behind them, which the caller frees; or
 * NULL with an error in err (not NULL): -EFBIG if it has more than max_len. */
char *rpt_whole_file(const char *path, size_t max_len, size_t *ret_len,
		     struct pd_err *err);
/* The same with the rights of whoever chose the name (read_for.h). */
char *rpt_whole_file_for(const struct sup_name *name, size_t max_len,
			 size_t *ret_len, struct pd_err *err);

/* Open the file for reading.  Return a descriptor or a negative errno: -EINVAL
 * if it is no regular file.  A name out of a recording can be that of a fifo or
 * a device; these are not opened, since opening alone can have an effect.
 *
 * Symbolic links below /proc/PID/root lead where they lead for that process;
 * -ENOSYS if the kernel is older than 5.6 and cannot do that. */
int rpt_whole_file_open(const char *path);
/* The same with the rights of whoever chose the name.  What he may not read is
 * noted, for rpt_whole_file_refused(). */
int rpt_whole_file_open_for(const struct sup_name *name);

/* Return what was noted, in one line that the caller frees; NULL: nothing. */
char *rpt_whole_file_refused(void);

/* Find a file of any kind.  Return a descriptor that can only be examined
 * (O_PATH), or a negative errno. */
int rpt_whole_file_find(const char *path);

/* Return the length of the "/proc/12/root" that path lies below, 0 if it lies
 * elsewhere: a sup_name's root_len. */
size_t rpt_process_root_len(const char *path);

/* Read the text of /proc/PID/status, which the caller frees, and whose the
 * process is (its effective user).  Return NULL if it does not run. */
char *rpt_process_status(uint32_t pid, uid_t *ret_user);

/* Read len bytes at off.  Return 0, -EBADMSG if there are fewer, or another
 * negative errno. */
int rpt_read_at(int fd, uint64_t off, void *ret, size_t len);

#endif
