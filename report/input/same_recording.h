/* same_recording.h: whether two paths name one recording. */
#ifndef RPT_SAME_RECORDING_H
#define RPT_SAME_RECORDING_H

#include <stdbool.h>

/* Return true if a and b are the same file, by whatever name or link, or have
 * the same bytes; of directories, their files "data".  False if one of them
 * cannot be read, or is no regular file. */
bool rpt_is_same_recording(const char *a, const char *b);

#endif
