/* temp_file.h: nameless files, for what is too long for memory. */
#ifndef RPT_TEMP_FILE_H
#define RPT_TEMP_FILE_H

#include <stddef.h>

/* The descriptor of an empty file in TMPDIR, else in /tmp, that is gone when it
 * is closed; -1 and errno. */
int rpt_temp_file_open(void);

/* All of it, at the descriptor's position.  0, or what writing failed with. */
int rpt_temp_file_write(int fd, const void *data, size_t len);

#endif
