/* running_kernel.h: the build-id of the kernel of this machine. */
#ifndef RPT_RUNNING_KERNEL_H
#define RPT_RUNNING_KERNEL_H

#include "report/symbols.h"

/* Its length and bytes by the notes in /sys; 0: there are none. */
uint8_t rpt_running_build_id(uint8_t ret[RPT_BUILD_ID_MAX]);

#endif
