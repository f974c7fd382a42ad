/* reg_name.h: what the registers of a sample are called, by machine.
 *
 * The order is that of each architecture's perf_regs.h (Linux v6.19
 * arch/.../include/uapi/asm/perf_regs.h), the spelling perf's.
 */
#ifndef RPT_REG_NAME_H
#define RPT_REG_NAME_H

#include <stddef.h>

struct rpt_reg_names;

/* By what the recording calls its machine ("x86_64", "armv7l", "ppc64le");
 * NULL: no such names are known. */
const struct rpt_reg_names *rpt_reg_names_of(const char *machine, size_t len);

/* The register of a bit (0..63) of the mask; "unknown" where there is none. */
const char *rpt_reg_name(const struct rpt_reg_names *names, unsigned bit);

#endif
