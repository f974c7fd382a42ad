#include "format/file/feature.h"

#include <stdlib.h>

#include "format/base/fields.h"
#include "format/base/limits.h"

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

#define HOST_LIST(type, fields) \
	PD_LIST(type, fields, PD_LIMIT_HEADER_ITEMS, false)

static const struct pd_field place_fields[] = {
	PD_FIELD(U32, pd_cpu_place, core_id),
	PD_FIELD(U32, pd_cpu_place, socket_id),
};
static const struct pd_list place_list = HOST_LIST(pd_cpu_place, place_fields);

/* Read the dies; files from before Linux 5.2 end in front of them.  Siblings
 * are a list of strings, as the command line is. */
static void read_dies(struct pd_cursor *c, struct pd_cpu_topology *t)
{
	if (!pd_cursor_left(c))
		return;
	t->has_dies = true;
	pd_feature_cmdline_read(c, &t->die_siblings);
	for (size_t i = 0; i < t->place_nr; i++)
		t->places[i].die_id = pd_cursor_u32(c);
}

int pd_feature_cpu_topology_read(struct pd_cursor *c, uint32_t cpu_nr,
				 struct pd_cpu_topology *ret)
{
	*ret = (struct pd_cpu_topology){ .place_nr = 0 };
	pd_feature_cmdline_read(c, &ret->core_siblings);
	pd_feature_cmdline_read(c, &ret->thread_siblings);
	/* The oldest files (of Linux 3) end here. */
	if (pd_cursor_left(c))
		ret->places = pd_list_read_items(c, &place_list, cpu_nr,
						 &ret->place_nr);
	read_dies(c, ret);
	if (pd_cursor_status(c))
		pd_cpu_topology_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_cpu_topology_write(struct pd_buf *b,
				   const struct pd_cpu_topology *t)
{
	pd_feature_cmdline_write(b, &t->core_siblings);
	pd_feature_cmdline_write(b, &t->thread_siblings);
	pd_list_write_items(b, &place_list, t->places, t->place_nr);
	if (!t->has_dies)
		return;
	pd_feature_cmdline_write(b, &t->die_siblings);
	for (size_t i = 0; i < t->place_nr; i++)
		pd_buf_u32(b, t->places[i].die_id);
}

void pd_cpu_topology_release(struct pd_cpu_topology *t)
{
	pd_str_list_release(&t->core_siblings);
	pd_str_list_release(&t->thread_siblings);
	pd_str_list_release(&t->die_siblings);
	free(t->places);
	*t = (struct pd_cpu_topology){ .places = NULL };
}

static const struct pd_field numa_fields[] = {
	PD_FIELD(U32, pd_numa_node, node),
	PD_FIELD(U64, pd_numa_node, mem_total_kib),
	PD_FIELD(U64, pd_numa_node, mem_free_kib),
	PD_FIELD(STRING, pd_numa_node, cpus),
};
static const struct pd_list numa_list = HOST_LIST(pd_numa_node, numa_fields);

int pd_feature_numa_topology_read(struct pd_cursor *c,
				  struct pd_numa_topology *ret)
{
	ret->nodes = pd_list_read(c, &numa_list, &ret->nr);
	return pd_cursor_status(c);
}

void pd_feature_numa_topology_write(struct pd_buf *b,
				    const struct pd_numa_topology *t)
{
	pd_list_write(b, &numa_list, t->nodes, t->nr);
}

void pd_numa_topology_release(struct pd_numa_topology *t)
{
	free(t->nodes);
	*t = (struct pd_numa_topology){ .nodes = NULL };
}

static const struct pd_field pmu_fields[] = {
	PD_FIELD(U32, pd_pmu_mapping, type),
	PD_FIELD(STRING, pd_pmu_mapping, name),
};
static const struct pd_list pmu_list = HOST_LIST(pd_pmu_mapping, pmu_fields);

int pd_feature_pmu_mappings_read(struct pd_cursor *c,
				 struct pd_pmu_mappings *ret)
{
	ret->items = pd_list_read(c, &pmu_list, &ret->nr);
	return pd_cursor_status(c);
}

void pd_feature_pmu_mappings_write(struct pd_buf *b,
				   const struct pd_pmu_mappings *m)
{
	pd_list_write(b, &pmu_list, m->items, m->nr);
}

void pd_pmu_mappings_release(struct pd_pmu_mappings *m)
{
	free(m->items);
	*m = (struct pd_pmu_mappings){ .items = NULL };
}

#define CACHE_VERSION 1u

static const struct pd_field cache_fields[] = {
	PD_FIELD(U32, pd_cache, level),	  PD_FIELD(U32, pd_cache, line_len),
	PD_FIELD(U32, pd_cache, set_nr),  PD_FIELD(U32, pd_cache, way_nr),
	PD_FIELD(STRING, pd_cache, type), PD_FIELD(STRING, pd_cache, size_text),
	PD_FIELD(STRING, pd_cache, cpus),
};
static const struct pd_list cache_list = HOST_LIST(pd_cache, cache_fields);

int pd_feature_cache_read(struct pd_cursor *c, struct pd_caches *ret)
{
	uint32_t version = pd_cursor_u32(c);

	*ret = (struct pd_caches){ .nr = 0 };
	if (!pd_cursor_status(c) && version != CACHE_VERSION)
		return pd_cursor_fail(c, -ENOTSUP, "caches of version %u",
				      version);
	ret->items = pd_list_read(c, &cache_list, &ret->nr);
	return pd_cursor_status(c);
}

void pd_feature_cache_write(struct pd_buf *b, const struct pd_caches *caches)
{
	pd_buf_u32(b, CACHE_VERSION);
	pd_list_write(b, &cache_list, caches->items, caches->nr);
}

void pd_caches_release(struct pd_caches *caches)
{
	free(caches->items);
	*caches = (struct pd_caches){ .items = NULL };
}

#define MEM_TOPOLOGY_VERSION 1u

static uint64_t words_of_bits(uint64_t bit_nr)
{
	return bit_nr / 64 + (bit_nr % 64 != 0);
}

int pd_feature_mem_topology_read(struct pd_cursor *c,
				 struct pd_mem_topology *ret)
{
	uint64_t version = pd_cursor_u64(c);
	uint64_t nr;

	*ret = (struct pd_mem_topology){ .nr = 0 };
	if (!pd_cursor_status(c) && version != MEM_TOPOLOGY_VERSION)
		return pd_cursor_fail(c, -ENOTSUP,
				      "memory topology of version %llu",
				      (unsigned long long)version);
	ret->block_len = pd_cursor_u64(c);
	nr = pd_cursor_u64(c);
	ret->nodes = pd_list_alloc(c, nr, PD_LIMIT_HEADER_ITEMS,
				   sizeof(*ret->nodes), 24);
	ret->nr = ret->nodes ? (size_t)nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		struct pd_mem_node *node = &ret->nodes[i];

		node->node = pd_cursor_u64(c);
		pd_cursor_skip(c, 8); /* the number of bits, again */
		node->bit_nr = pd_cursor_u64(c);
		node->block_set =
			pd_cursor_u64s(c, words_of_bits(node->bit_nr));
	}
	if (pd_cursor_status(c))
		pd_mem_topology_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_mem_topology_write(struct pd_buf *b,
				   const struct pd_mem_topology *t)
{
	pd_buf_u64(b, MEM_TOPOLOGY_VERSION);
	pd_buf_u64(b, t->block_len);
	pd_buf_u64(b, t->nr);
	for (size_t i = 0; i < t->nr; i++) {
		const struct pd_mem_node *node = &t->nodes[i];

		pd_buf_u64(b, node->node);
		pd_buf_u64(b, node->bit_nr);
		pd_buf_u64(b, node->bit_nr);
		for (size_t j = 0; j < words_of_bits(node->bit_nr); j++)
			pd_buf_u64(b, node->blocks[j]);
	}
}

void pd_mem_topology_release(struct pd_mem_topology *t)
{
	free(t->nodes);
	*t = (struct pd_mem_topology){ .nodes = NULL };
}

static const struct pd_field cap_fields[] = {
	PD_FIELD(STRING, pd_pmu_cap, name),
	PD_FIELD(STRING, pd_pmu_cap, value),
};
static const struct pd_list cap_list = HOST_LIST(pd_pmu_cap, cap_fields);

int pd_feature_cpu_pmu_caps_read(struct pd_cursor *c, struct pd_pmu_caps *ret)
{
	ret->pmu_name = (struct pd_str){ "", 0 };
	ret->items = pd_list_read(c, &cap_list, &ret->nr);
	return pd_cursor_status(c);
}

void pd_pmu_caps_release(struct pd_pmu_caps *caps)
{
	free(caps->items);
	*caps = (struct pd_pmu_caps){ .items = NULL };
}

int pd_feature_pmu_caps_read(struct pd_cursor *c, struct pd_pmu_caps_list *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->items = pd_list_alloc(c, nr, PD_LIMIT_HEADER_ITEMS,
				   sizeof(*ret->items), 4 + 4);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		pd_feature_cpu_pmu_caps_read(c, &ret->items[i]);
		ret->items[i].pmu_name = pd_cursor_string(c);
	}
	if (pd_cursor_status(c))
		pd_pmu_caps_list_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_pmu_caps_write(struct pd_buf *b,
			       const struct pd_pmu_caps_list *list)
{
	pd_buf_u32(b, (uint32_t)list->nr);
	for (size_t i = 0; i < list->nr; i++) {
		const struct pd_pmu_caps *caps = &list->items[i];

		pd_list_write(b, &cap_list, caps->items, caps->nr);
		pd_buf_string(b, caps->pmu_name);
	}
}

void pd_pmu_caps_list_release(struct pd_pmu_caps_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		pd_pmu_caps_release(&list->items[i]);
	free(list->items);
	*list = (struct pd_pmu_caps_list){ .items = NULL };
}

static const struct pd_field hybrid_fields[] = {
	PD_FIELD(STRING, pd_hybrid_pmu, pmu_name),
	PD_FIELD(STRING, pd_hybrid_pmu, cpus),
};
static const struct pd_list hybrid_list =
	HOST_LIST(pd_hybrid_pmu, hybrid_fields);

int pd_feature_hybrid_topology_read(struct pd_cursor *c,
				    struct pd_hybrid_topology *ret)
{
	ret->items = pd_list_read(c, &hybrid_list, &ret->nr);
	return pd_cursor_status(c);
}

void pd_hybrid_topology_release(struct pd_hybrid_topology *t)
{
	free(t->items);
	*t = (struct pd_hybrid_topology){ .items = NULL };
}
