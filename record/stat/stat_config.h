/* stat_config.h: how a file says what counts are added up to.
 *
 * Source: STAT_CONFIG of files that perf 6.1 wrote with each option.
 */
#ifndef REC_STAT_CONFIG_H
#define REC_STAT_CONFIG_H

#include "record/stat/stat_groups.h"

uint64_t rec_stat_mode_to_file(enum rec_stat_mode mode);
/* Return false if no mode has that number. */
bool rec_stat_mode_of_file(uint64_t number, enum rec_stat_mode *ret);

#endif
