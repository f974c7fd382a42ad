/* event_attr.c: perf_event_attr with room for the fields of newer kernels. */
#include "record/event/event_attr.h"

#include "format/file/layout.h"
#include "format/records/leaf_words.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static_assert(offsetof(union rec_attr, ext.config3) == 128,
	      "config3 follows sig_data");
static_assert(offsetof(struct perf_event_attr, sig_data) == 120,
	      "sig_data is the last field of version 7");
static_assert(offsetof(struct perf_event_attr, bp_type) == 52,
	      "the bit field and the wakeup number stand before bp_type");

enum { FLAGS_OFF = 40, PRECISE_SHIFT = 15 };

void rec_attr_init(union rec_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->sys.size = REC_ATTR_LEN;
}

void rec_attr_set_config3(union rec_attr *attr, uint64_t config3)
{
	attr->ext.config3 = config3;
	attr->sys.size = config3 ? REC_ATTR_LEN_CONFIG3 : REC_ATTR_LEN;
}

void rec_attr_add_leaf(struct perf_event_attr *sys)
{
	sys->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	sys->sample_regs_user = REC_LEAF_REGS;
	sys->sample_stack_user = PD_LEAF_STACK_LEN;
	/* samples are half as long again: do not wake us more often */
	if (sys->watermark)
		sys->wakeup_watermark += sys->wakeup_watermark / 2;
}

/* Return the bit field with its first member in bit 0. */
static uint64_t attr_flags(const union rec_attr *attr)
{
	uint64_t raw, flags = 0;

	memcpy(&raw, &attr->ext.ver7[FLAGS_OFF], sizeof(raw));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	flags = raw;
#else
	for (unsigned i = 0; i < 64; i++)
		flags |= (raw >> i & 1) << (63 - i);
	flags &= ~(UINT64_C(3) << PRECISE_SHIFT);
	flags |= (uint64_t)attr->sys.precise_ip << PRECISE_SHIFT;
#endif
	return flags;
}

void rec_attr_to_pd(const union rec_attr *attr, struct pd_attr *ret)
{
	const struct perf_event_attr *sys = &attr->sys;

	*ret = (struct pd_attr){
		.type = sys->type,
		.attr_len = sys->size,
		.config = sys->config,
		.sample_period = sys->sample_period,
		.sample_type = sys->sample_type,
		.read_format = sys->read_format,
		.flags = attr_flags(attr),
		.wakeup = sys->wakeup_events,
		.bp_type = sys->bp_type,
		.config1 = sys->config1,
		.config2 = sys->config2,
		.branch_sample_type = sys->branch_sample_type,
		.sample_regs_user = sys->sample_regs_user,
		.sample_stack_user = sys->sample_stack_user,
		.clockid = sys->clockid,
		.sample_regs_intr = sys->sample_regs_intr,
		.aux_watermark = sys->aux_watermark,
		.sample_max_stack = sys->sample_max_stack,
		.aux_sample_size = sys->aux_sample_size,
		.sig_data = sys->sig_data,
		.config3 = attr->ext.config3,
	};
}
