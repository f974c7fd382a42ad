#include "format/file/feature_host.h"

#include "format/base/fields.h"
#include "format/base/limits.h"

#include <stdlib.h>

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
