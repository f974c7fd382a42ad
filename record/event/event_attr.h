/* event_attr.h: the perf_event_attr that is passed to the kernel.
 *
 * attr.size stays at 128 (PERF_ATTR_SIZE_VER7) unless config3 is used, which
 * needs 136: older perfs reject a file with a longer attr.  Debian 12's header
 * ends at 128, so config3 is accessed by its offset.
 *
 * Source: Linux v6.12 include/uapi/linux/perf_event.h, struct
 * perf_event_attr.
 */
#ifndef REC_EVENT_ATTR_H
#define REC_EVENT_ATTR_H

#include "format/file/attr.h"

#include <linux/perf_event.h>
#include <stdint.h>

enum {
	REC_ATTR_LEN = 128,
	REC_ATTR_LEN_CONFIG3 = 136,
};

union rec_attr {
	struct perf_event_attr sys;
	struct {
		unsigned char ver7[REC_ATTR_LEN];
		uint64_t config3; /* set by rec_attr_set_config3() */
	} ext;
};

/* BP and SP of x86_64 (Linux v6.12 arch/x86/include/uapi/asm/perf_regs.h); a
 * sample has them in this order. */
#define REC_LEAF_REGS (UINT64_C(1) << 6 | UINT64_C(1) << 7)

/* Set all to zero, and the size to 128. */
void rec_attr_init(union rec_attr *attr);

/* Set config3 and the size that it needs. */
void rec_attr_set_config3(union rec_attr *attr, uint64_t config3);

/* Have samples with what callers of leaves are found by on x86_64: the user's
 * frame and stack pointer, and the top of the stack (leaf_words.h). */
void rec_attr_add_leaf(struct perf_event_attr *sys);

/* Convert the attr to the format library's struct, for the file. */
void rec_attr_to_pd(const union rec_attr *attr, struct pd_attr *ret);

#endif
