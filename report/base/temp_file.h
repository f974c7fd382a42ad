/* temp_file.h: makes nameless files for what is too long for memory. */
#ifndef RPT_TEMP_FILE_H
#define RPT_TEMP_FILE_H

#include <stddef.h>

/* Open an empty file in $TMPDIR or /tmp that vanishes when it is closed. Return
 * its descriptor, or -1 with errno. */
int rpt_temp_file_open(void);

#endif
