/* host_kernel.h: the kernel of this machine. */
#ifndef RPT_HOST_KERNEL_H
#define RPT_HOST_KERNEL_H

#include "format/reader.h"
#include "report/symbols/symbols.h"

/* The length and bytes of its build-id by the notes in /sys; 0: there are
 * none. */
uint8_t rpt_running_build_id(uint8_t ret[RPT_BUILD_ID_MAX]);

/* Recorded by a kernel of this version, if not by this one. */
bool rpt_is_running_release(const struct pd_reader *reader);

#endif
