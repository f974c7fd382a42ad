/* vex_length.h: how long a vector instruction of x86 is that capstone 4 does
 * not know (most of AVX-512BW), so that what follows it is not read as
 * something else.
 */
#ifndef RPT_VEX_LENGTH_H
#define RPT_VEX_LENGTH_H

#include <stdint.h>

/* Return the length in bytes of the instruction of 64-bit mode at bytes, of
 * which there are len; 0 if it has no VEX or EVEX prefix, or does not end
 * there.  Source: Intel SDM volume 2, 2.3 "VEX" and 2.7 "EVEX". */
uint8_t rpt_vex_length(const uint8_t *bytes, uint64_t len);

#endif
