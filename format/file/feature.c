#include "format/file/feature.h"

#include "format/base/fields.h"
#include "format/base/limits.h"

#include <stdlib.h>

static const char *const names[PD_FEATURE_NR] = {
	[PD_FEATURE_TRACING_DATA] = "TRACING_DATA",
	[PD_FEATURE_BUILD_ID] = "BUILD_ID",
	[PD_FEATURE_HOSTNAME] = "HOSTNAME",
	[PD_FEATURE_OSRELEASE] = "OSRELEASE",
	[PD_FEATURE_VERSION] = "VERSION",
	[PD_FEATURE_ARCH] = "ARCH",
	[PD_FEATURE_NRCPUS] = "NRCPUS",
	[PD_FEATURE_CPUDESC] = "CPUDESC",
	[PD_FEATURE_CPUID] = "CPUID",
	[PD_FEATURE_TOTAL_MEM] = "TOTAL_MEM",
	[PD_FEATURE_CMDLINE] = "CMDLINE",
	[PD_FEATURE_EVENT_DESC] = "EVENT_DESC",
	[PD_FEATURE_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[PD_FEATURE_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[PD_FEATURE_BRANCH_STACK] = "BRANCH_STACK",
	[PD_FEATURE_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[PD_FEATURE_GROUP_DESC] = "GROUP_DESC",
	[PD_FEATURE_AUXTRACE] = "AUXTRACE",
	[PD_FEATURE_STAT] = "STAT",
	[PD_FEATURE_CACHE] = "CACHE",
	[PD_FEATURE_SAMPLE_TIME] = "SAMPLE_TIME",
	[PD_FEATURE_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[PD_FEATURE_CLOCKID] = "CLOCKID",
	[PD_FEATURE_DIR_FORMAT] = "DIR_FORMAT",
	[PD_FEATURE_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[PD_FEATURE_BPF_BTF] = "BPF_BTF",
	[PD_FEATURE_COMPRESSED] = "COMPRESSED",
	[PD_FEATURE_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[PD_FEATURE_CLOCK_DATA] = "CLOCK_DATA",
	[PD_FEATURE_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[PD_FEATURE_PMU_CAPS] = "PMU_CAPS",
	[PD_FEATURE_CPU_DOMAIN_INFO] = "CPU_DOMAIN_INFO",
	[PD_FEATURE_E_MACHINE] = "E_MACHINE",
	[PD_FEATURE_CLN_SIZE] = "CLN_SIZE",
};

const char *pd_feature_name(unsigned bit)
{
	return bit < PD_FEATURE_NR ? names[bit] : NULL;
}

int pd_feature_string_read(struct pd_cursor *c, struct pd_str *ret)
{
	*ret = pd_cursor_string(c);
	return pd_cursor_status(c);
}

void pd_str_list_release(struct pd_str_list *list)
{
	free(list->items);
	*list = (struct pd_str_list){ .items = NULL };
}

static const struct pd_field nrcpus_fields[] = {
	PD_FIELD(U32, pd_nrcpus, available),
	PD_FIELD(U32, pd_nrcpus, online),
};

int pd_feature_nrcpus_read(struct pd_cursor *c, struct pd_nrcpus *ret)
{
	pd_fields_read(c, nrcpus_fields, 2, ret);
	return pd_cursor_status(c);
}

void pd_feature_nrcpus_write(struct pd_buf *b, const struct pd_nrcpus *n)
{
	pd_fields_write(b, nrcpus_fields, 2, n);
}

int pd_feature_u64_read(struct pd_cursor *c, uint64_t *ret)
{
	*ret = pd_cursor_u64(c);
	return pd_cursor_status(c);
}

static const struct pd_field string_field = { .kind = PD_FIELD_STRING };
static const struct pd_list string_list = {
	&string_field, 1, sizeof(struct pd_str), PD_LIMIT_HEADER_ITEMS, false,
};

int pd_feature_cmdline_read(struct pd_cursor *c, struct pd_str_list *ret)
{
	ret->items = pd_list_read(c, &string_list, &ret->nr);
	return pd_cursor_status(c);
}

void pd_feature_cmdline_write(struct pd_buf *b, const struct pd_str_list *argv)
{
	pd_list_write(b, &string_list, argv->items, argv->nr);
}

/* Read an event whose attr takes entry_len bytes, whatever its own size says:
 * so perf writes them. */
static void read_event_desc(struct pd_cursor *c, uint32_t entry_len,
			    struct pd_event_desc *ret)
{
	struct pd_cursor attr = *c;
	uint32_t id_nr;

	pd_attr_read(&attr, &ret->attr);
	if (pd_cursor_status(&attr) || entry_len < PD_ATTR_LEN_VER0)
		pd_cursor_fail(c, -EBADMSG, "%s: no attr", c->what);
	pd_cursor_skip(c, entry_len);
	id_nr = pd_cursor_u32(c);
	ret->name = pd_cursor_string(c);
	ret->ids = pd_cursor_u64s(c, id_nr);
}

int pd_feature_event_desc_read(struct pd_cursor *c, struct pd_event_descs *ret)
{
	uint32_t nr = pd_cursor_u32(c);
	uint32_t entry_len = pd_cursor_u32(c);

	if (!pd_cursor_status(c) && nr > PD_LIMIT_EVENTS)
		pd_cursor_fail(c, -EFBIG, "%s: a list of %u events", c->what,
			       nr);
	ret->items = pd_list_alloc(c, nr, PD_LIMIT_EVENTS, sizeof(*ret->items),
				   PD_ATTR_LEN_VER0);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++)
		read_event_desc(c, entry_len, &ret->items[i]);
	if (pd_cursor_status(c))
		pd_event_descs_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_event_desc_write(struct pd_buf *b,
				 const struct pd_event_descs *descs)
{
	pd_buf_u32(b, (uint32_t)descs->nr);
	pd_buf_u32(b, descs->nr ? descs->items[0].attr.attr_len
				: PD_ATTR_LEN_VER0);
	for (size_t i = 0; i < descs->nr; i++) {
		const struct pd_event_desc *d = &descs->items[i];

		pd_attr_write(b, &d->attr);
		pd_buf_u32(b, (uint32_t)d->ids.nr);
		pd_buf_string(b, d->name);
		pd_buf_u64s(b, &d->ids);
	}
}

void pd_event_descs_release(struct pd_event_descs *descs)
{
	free(descs->items);
	*descs = (struct pd_event_descs){ .items = NULL };
}

static const struct pd_field group_fields[] = {
	PD_FIELD(STRING, pd_group_desc, name),
	PD_FIELD(U32, pd_group_desc, leader_idx),
	PD_FIELD(U32, pd_group_desc, member_nr),
};
static const struct pd_list group_list =
	PD_LIST(pd_group_desc, group_fields, PD_LIMIT_HEADER_ITEMS, false);

int pd_feature_group_desc_read(struct pd_cursor *c, struct pd_group_descs *ret)
{
	ret->items = pd_list_read(c, &group_list, &ret->nr);
	return pd_cursor_status(c);
}

void pd_feature_group_desc_write(struct pd_buf *b,
				 const struct pd_group_descs *g)
{
	pd_list_write(b, &group_list, g->items, g->nr);
}

void pd_group_descs_release(struct pd_group_descs *g)
{
	free(g->items);
	*g = (struct pd_group_descs){ .items = NULL };
}

bool pd_group_desc_follows(const struct pd_group_desc *g, size_t event_nr,
			   size_t *end)
{
	if (g->leader_idx < *end || g->leader_idx >= event_nr ||
	    g->member_nr > event_nr - g->leader_idx)
		return false;
	*end = (size_t)g->leader_idx + g->member_nr;
	return true;
}

static const struct pd_field sample_time_fields[] = {
	PD_FIELD(U64, pd_sample_time, first_ns),
	PD_FIELD(U64, pd_sample_time, last_ns),
};

int pd_feature_sample_time_read(struct pd_cursor *c, struct pd_sample_time *ret)
{
	pd_fields_read(c, sample_time_fields, 2, ret);
	return pd_cursor_status(c);
}

void pd_feature_sample_time_write(struct pd_buf *b,
				  const struct pd_sample_time *t)
{
	pd_fields_write(b, sample_time_fields, 2, t);
}

#define CLOCK_DATA_VERSION 1u

static const struct pd_field clock_data_fields[] = {
	PD_FIELD(U32, pd_clock_data, clockid),
	PD_FIELD(U64, pd_clock_data, wall_clock_ns),
	PD_FIELD(U64, pd_clock_data, clockid_ns),
};

int pd_feature_clock_data_read(struct pd_cursor *c, struct pd_clock_data *ret)
{
	uint32_t version = pd_cursor_u32(c);

	if (!pd_cursor_status(c) && version != CLOCK_DATA_VERSION)
		return pd_cursor_fail(c, -ENOTSUP, "clock data of version %u",
				      version);
	pd_fields_read(c, clock_data_fields, 3, ret);
	return pd_cursor_status(c);
}

void pd_feature_clock_data_write(struct pd_buf *b,
				 const struct pd_clock_data *d)
{
	pd_buf_u32(b, CLOCK_DATA_VERSION);
	pd_fields_write(b, clock_data_fields, 3, d);
}

static const struct pd_field compressed_fields[] = {
	PD_FIELD(U32, pd_compression, version),
	PD_FIELD(U32, pd_compression, type),
	PD_FIELD(U32, pd_compression, level),
	PD_FIELD(U32, pd_compression, ratio),
	PD_FIELD(U32, pd_compression, mmap_len),
};

int pd_feature_compressed_read(struct pd_cursor *c, struct pd_compression *ret)
{
	pd_fields_read(c, compressed_fields, 5, ret);
	return pd_cursor_status(c);
}

void pd_feature_compressed_write(struct pd_buf *b,
				 const struct pd_compression *z)
{
	pd_fields_write(b, compressed_fields, 5, z);
}
