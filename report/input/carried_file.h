/* carried_file.h: what a file carries (format/carried/carried.h) for the
 * recording that another file is: the reader's option --carried.
 */
#ifndef RPT_CARRIED_FILE_H
#define RPT_CARRIED_FILE_H

#include "format/reader/reader.h"

/* Read what the file path carries: of perfpair-record --carry-file, or any
 * recording; *ret_is_own: it is of this recording, not of another one.  Return
 * 0; -ENOENT if it carries nothing, or why it cannot be read;
 * err names the option and path. */
int rpt_carried_file_read(const char *path, const struct pd_reader *recording,
			  struct pd_carried *ret, bool *ret_is_own,
			  struct pd_err *err);

#endif
