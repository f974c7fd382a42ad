/* reg_name.h: names the registers of a sample.
 *
 * The order is that of each architecture's perf_regs.h (Linux v6.19
 * arch/.../include/uapi/asm/perf_regs.h), the spelling is perf's.
 */
#ifndef RPT_REG_NAME_H
#define RPT_REG_NAME_H

#include <stddef.h>

struct rpt_reg_names;

/* Return the names of a machine's registers, NULL if they are not known.
 * machine is what the recording calls it: "x86_64", "armv7l", "ppc64le". */
const struct rpt_reg_names *rpt_reg_names_of(const char *machine, size_t len);

/* Return the name of the register of a bit (0..63) of the mask; "unknown" if it
 * has none, or if names is NULL. */
const char *rpt_reg_name(const struct rpt_reg_names *names, unsigned bit);

#endif
