#include "format/feature.h"

#include "format/limits.h"

#include <stdlib.h>

#define STRING_LEAST 4u /* a string of no bytes: its length alone */

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

void *pd_list_alloc(struct pd_cursor *c, uint64_t nr, size_t item_len,
		    size_t least_len)
{
	void *items;

	if (pd_cursor_status(c) || !nr)
		return NULL;
	if (nr > PD_LIMIT_HEADER_ITEMS) {
		pd_cursor_fail(c, -EFBIG, "%s: a list of %llu items", c->what,
			       (unsigned long long)nr);
		return NULL;
	}
	if (nr > pd_cursor_left(c) / least_len) {
		pd_cursor_short(c);
		return NULL;
	}
	items = calloc((size_t)nr, item_len);
	if (!items)
		pd_cursor_fail(c, -ENOMEM, "out of memory");
	return items;
}

int pd_feature_string_read(struct pd_cursor *c, struct pd_str *ret)
{
	*ret = pd_cursor_string(c);
	return pd_cursor_status(c);
}

void pd_feature_string_write(struct pd_buf *b, struct pd_str s)
{
	size_t at = b->len;

	pd_buf_u32(b, 0);
	pd_buf_cstr_pad(b, s, 64);
	pd_buf_patch_u32(b, at, (uint32_t)(b->len - at - 4));
}

void pd_str_list_release(struct pd_str_list *list)
{
	free(list->items);
	*list = (struct pd_str_list){ .items = NULL };
}

int pd_feature_nrcpus_read(struct pd_cursor *c, struct pd_nrcpus *ret)
{
	ret->available = pd_cursor_u32(c);
	ret->online = pd_cursor_u32(c);
	return pd_cursor_status(c);
}

void pd_feature_nrcpus_write(struct pd_buf *b, const struct pd_nrcpus *n)
{
	pd_buf_u32(b, n->available);
	pd_buf_u32(b, n->online);
}

int pd_feature_u64_read(struct pd_cursor *c, uint64_t *ret)
{
	*ret = pd_cursor_u64(c);
	return pd_cursor_status(c);
}

void pd_feature_u64_write(struct pd_buf *b, uint64_t v)
{
	pd_buf_u64(b, v);
}

int pd_feature_cmdline_read(struct pd_cursor *c, struct pd_str_list *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->items = pd_list_alloc(c, nr, sizeof(*ret->items), STRING_LEAST);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++)
		ret->items[i] = pd_cursor_string(c);
	if (pd_cursor_status(c))
		pd_str_list_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_cmdline_write(struct pd_buf *b, const struct pd_str_list *argv)
{
	pd_buf_u32(b, (uint32_t)argv->nr);
	for (size_t i = 0; i < argv->nr; i++)
		pd_feature_string_write(b, argv->items[i]);
}

/* Each attr takes entry_len bytes, whatever its own size says, as perf's writer
 * lays them. */
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
	ret->items =
		pd_list_alloc(c, nr, sizeof(*ret->items), PD_ATTR_LEN_VER0);
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
		pd_feature_string_write(b, d->name);
		for (size_t j = 0; j < d->ids.nr; j++)
			pd_buf_u64(b, pd_u64s_at(&d->ids, j));
	}
}

void pd_event_descs_release(struct pd_event_descs *descs)
{
	free(descs->items);
	*descs = (struct pd_event_descs){ .items = NULL };
}

int pd_feature_group_desc_read(struct pd_cursor *c, struct pd_group_descs *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->items =
		pd_list_alloc(c, nr, sizeof(*ret->items), STRING_LEAST + 8);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		ret->items[i].name = pd_cursor_string(c);
		ret->items[i].leader_idx = pd_cursor_u32(c);
		ret->items[i].member_nr = pd_cursor_u32(c);
	}
	if (pd_cursor_status(c))
		pd_group_descs_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_group_desc_write(struct pd_buf *b,
				 const struct pd_group_descs *g)
{
	pd_buf_u32(b, (uint32_t)g->nr);
	for (size_t i = 0; i < g->nr; i++) {
		pd_feature_string_write(b, g->items[i].name);
		pd_buf_u32(b, g->items[i].leader_idx);
		pd_buf_u32(b, g->items[i].member_nr);
	}
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

int pd_feature_sample_time_read(struct pd_cursor *c, struct pd_sample_time *ret)
{
	ret->first_ns = pd_cursor_u64(c);
	ret->last_ns = pd_cursor_u64(c);
	return pd_cursor_status(c);
}

void pd_feature_sample_time_write(struct pd_buf *b,
				  const struct pd_sample_time *t)
{
	pd_buf_u64(b, t->first_ns);
	pd_buf_u64(b, t->last_ns);
}

#define CLOCK_DATA_VERSION 1u

int pd_feature_clock_data_read(struct pd_cursor *c, struct pd_clock_data *ret)
{
	uint32_t version = pd_cursor_u32(c);

	if (!pd_cursor_status(c) && version != CLOCK_DATA_VERSION)
		return pd_cursor_fail(c, -ENOTSUP, "clock data of version %u",
				      version);
	ret->clockid = pd_cursor_u32(c);
	ret->wall_clock_ns = pd_cursor_u64(c);
	ret->clockid_ns = pd_cursor_u64(c);
	return pd_cursor_status(c);
}

void pd_feature_clock_data_write(struct pd_buf *b,
				 const struct pd_clock_data *d)
{
	pd_buf_u32(b, CLOCK_DATA_VERSION);
	pd_buf_u32(b, d->clockid);
	pd_buf_u64(b, d->wall_clock_ns);
	pd_buf_u64(b, d->clockid_ns);
}

int pd_feature_compressed_read(struct pd_cursor *c, struct pd_compression *ret)
{
	ret->version = pd_cursor_u32(c);
	ret->type = pd_cursor_u32(c);
	ret->level = pd_cursor_u32(c);
	ret->ratio = pd_cursor_u32(c);
	ret->mmap_len = pd_cursor_u32(c);
	return pd_cursor_status(c);
}

void pd_feature_compressed_write(struct pd_buf *b,
				 const struct pd_compression *z)
{
	pd_buf_u32(b, z->version);
	pd_buf_u32(b, z->type);
	pd_buf_u32(b, z->level);
	pd_buf_u32(b, z->ratio);
	pd_buf_u32(b, z->mmap_len);
}
