/* attr.h: perf_event_attr, in every size that it has had.
 *
 * The decoded form has this machine's byte order, and the bit field as one
 * number (PD_ATTR_* of layout.h).  Fields that an attr of the file is too short
 * for are 0.
 *
 * Source: Linux v6.19 include/uapi/linux/perf_event.h, struct
 * perf_event_attr; FORMAT.md "Attributes".
 */
#ifndef PD_ATTR_H
#define PD_ATTR_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/file/layout.h"

struct pd_attr {
	uint32_t type;
	uint32_t attr_len; /* "size": bytes in the file, at least 64 */
	uint64_t config;
	uint64_t sample_period; /* or the frequency in Hz, with PD_ATTR_FREQ */
	uint64_t sample_type;	/* PD_SAMPLE_* */
	uint64_t read_format;	/* PD_READ_* */
	uint64_t flags;		/* PD_ATTR_* */
	uint32_t wakeup;	/* events, or bytes with PD_ATTR_WATERMARK */
	uint32_t bp_type;
	uint64_t config1; /* or bp_addr, kprobe_func, uprobe_path */
	uint64_t config2; /* or bp_len, kprobe_addr, probe_offset */
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint32_t aux_sample_size;
	uint32_t aux_action;
	uint64_t sig_data;
	uint64_t config3;
	uint64_t config4;
};

/* Return whether the periods of samples are ns of CPU time: cpu-clock and
 * task-clock (PERF_COUNT_SW_CPU_CLOCK, _TASK_CLOCK). */
static inline bool pd_attr_is_clock(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_SOFTWARE && attr->config <= 1;
}

/* Read one attr and move over all its attr_len bytes; those that are not known
 * are skipped.  Return -EBADMSG if it has fewer than 64 bytes. */
int pd_attr_read(struct pd_cursor *c, struct pd_attr *ret);

/* Write attr_len bytes, at least 64; those that are not known are 0. */
void pd_attr_write(struct pd_buf *b, const struct pd_attr *attr);

#endif
