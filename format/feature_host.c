#include "format/feature_host.h"

#include <stdlib.h>

#define STRING_LEAST 4u /* a string of no bytes: its length alone */

static void read_list(struct pd_cursor *c, struct pd_str_list *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->items = pd_list_alloc(c, nr, sizeof(*ret->items), STRING_LEAST);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++)
		ret->items[i] = pd_cursor_string(c);
}

static void write_list(struct pd_buf *b, const struct pd_str_list *list)
{
	pd_buf_u32(b, (uint32_t)list->nr);
	for (size_t i = 0; i < list->nr; i++)
		pd_feature_string_write(b, list->items[i]);
}

/* Files of before Linux 5.2 end before the dies. */
static void read_dies(struct pd_cursor *c, struct pd_cpu_topology *t)
{
	if (!pd_cursor_left(c))
		return;
	t->has_dies = true;
	read_list(c, &t->die_siblings);
	for (size_t i = 0; i < t->place_nr; i++)
		t->places[i].die_id = pd_cursor_u32(c);
}

int pd_feature_cpu_topology_read(struct pd_cursor *c, uint32_t cpu_nr,
				 struct pd_cpu_topology *ret)
{
	*ret = (struct pd_cpu_topology){ .place_nr = 0 };
	read_list(c, &ret->core_siblings);
	read_list(c, &ret->thread_siblings);
	/* The oldest files (Linux 3) have no places. */
	if (pd_cursor_left(c)) {
		ret->places = pd_list_alloc(c, cpu_nr, sizeof(*ret->places), 8);
		ret->place_nr = ret->places ? cpu_nr : 0;
	}
	for (size_t i = 0; i < ret->place_nr; i++) {
		ret->places[i].core_id = pd_cursor_u32(c);
		ret->places[i].socket_id = pd_cursor_u32(c);
	}
	read_dies(c, ret);
	if (pd_cursor_status(c))
		pd_cpu_topology_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_cpu_topology_write(struct pd_buf *b,
				   const struct pd_cpu_topology *t)
{
	write_list(b, &t->core_siblings);
	write_list(b, &t->thread_siblings);
	for (size_t i = 0; i < t->place_nr; i++) {
		pd_buf_u32(b, t->places[i].core_id);
		pd_buf_u32(b, t->places[i].socket_id);
	}
	if (!t->has_dies)
		return;
	write_list(b, &t->die_siblings);
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

int pd_feature_numa_topology_read(struct pd_cursor *c,
				  struct pd_numa_topology *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->nodes =
		pd_list_alloc(c, nr, sizeof(*ret->nodes), 20 + STRING_LEAST);
	ret->nr = ret->nodes ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		ret->nodes[i].node = pd_cursor_u32(c);
		ret->nodes[i].mem_total_kib = pd_cursor_u64(c);
		ret->nodes[i].mem_free_kib = pd_cursor_u64(c);
		ret->nodes[i].cpus = pd_cursor_string(c);
	}
	if (pd_cursor_status(c))
		pd_numa_topology_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_numa_topology_write(struct pd_buf *b,
				    const struct pd_numa_topology *t)
{
	pd_buf_u32(b, (uint32_t)t->nr);
	for (size_t i = 0; i < t->nr; i++) {
		pd_buf_u32(b, t->nodes[i].node);
		pd_buf_u64(b, t->nodes[i].mem_total_kib);
		pd_buf_u64(b, t->nodes[i].mem_free_kib);
		pd_feature_string_write(b, t->nodes[i].cpus);
	}
}

void pd_numa_topology_release(struct pd_numa_topology *t)
{
	free(t->nodes);
	*t = (struct pd_numa_topology){ .nodes = NULL };
}

int pd_feature_pmu_mappings_read(struct pd_cursor *c,
				 struct pd_pmu_mappings *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->items =
		pd_list_alloc(c, nr, sizeof(*ret->items), 4 + STRING_LEAST);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		ret->items[i].type = pd_cursor_u32(c);
		ret->items[i].name = pd_cursor_string(c);
	}
	if (pd_cursor_status(c))
		pd_pmu_mappings_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_pmu_mappings_write(struct pd_buf *b,
				   const struct pd_pmu_mappings *m)
{
	pd_buf_u32(b, (uint32_t)m->nr);
	for (size_t i = 0; i < m->nr; i++) {
		pd_buf_u32(b, m->items[i].type);
		pd_feature_string_write(b, m->items[i].name);
	}
}

void pd_pmu_mappings_release(struct pd_pmu_mappings *m)
{
	free(m->items);
	*m = (struct pd_pmu_mappings){ .items = NULL };
}

#define CACHE_VERSION 1u

int pd_feature_cache_read(struct pd_cursor *c, struct pd_caches *ret)
{
	uint32_t version = pd_cursor_u32(c);
	uint32_t nr = pd_cursor_u32(c);

	*ret = (struct pd_caches){ .nr = 0 };
	if (!pd_cursor_status(c) && version != CACHE_VERSION)
		return pd_cursor_fail(c, -ENOTSUP, "caches of version %u",
				      version);
	ret->items = pd_list_alloc(c, nr, sizeof(*ret->items),
				   16 + 3 * STRING_LEAST);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		struct pd_cache *cache = &ret->items[i];

		cache->level = pd_cursor_u32(c);
		cache->line_len = pd_cursor_u32(c);
		cache->set_nr = pd_cursor_u32(c);
		cache->way_nr = pd_cursor_u32(c);
		cache->type = pd_cursor_string(c);
		cache->size_text = pd_cursor_string(c);
		cache->cpus = pd_cursor_string(c);
	}
	if (pd_cursor_status(c))
		pd_caches_release(ret);
	return pd_cursor_status(c);
}

void pd_feature_cache_write(struct pd_buf *b, const struct pd_caches *caches)
{
	pd_buf_u32(b, CACHE_VERSION);
	pd_buf_u32(b, (uint32_t)caches->nr);
	for (size_t i = 0; i < caches->nr; i++) {
		const struct pd_cache *cache = &caches->items[i];

		pd_buf_u32(b, cache->level);
		pd_buf_u32(b, cache->line_len);
		pd_buf_u32(b, cache->set_nr);
		pd_buf_u32(b, cache->way_nr);
		pd_feature_string_write(b, cache->type);
		pd_feature_string_write(b, cache->size_text);
		pd_feature_string_write(b, cache->cpus);
	}
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
	ret->nodes = pd_list_alloc(c, nr, sizeof(*ret->nodes), 24);
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

static void read_caps(struct pd_cursor *c, struct pd_pmu_caps *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->names.items = pd_list_alloc(c, nr, sizeof(*ret->names.items),
					 2 * STRING_LEAST);
	ret->values.items = pd_list_alloc(c, nr, sizeof(*ret->values.items),
					  2 * STRING_LEAST);
	if (pd_cursor_status(c))
		return;
	ret->names.nr = ret->values.nr = nr;
	for (size_t i = 0; i < nr; i++) {
		ret->names.items[i] = pd_cursor_string(c);
		ret->values.items[i] = pd_cursor_string(c);
	}
}

int pd_feature_cpu_pmu_caps_read(struct pd_cursor *c, struct pd_pmu_caps *ret)
{
	*ret = (struct pd_pmu_caps){ .pmu_name = { .ptr = "" } };
	read_caps(c, ret);
	if (pd_cursor_status(c))
		pd_pmu_caps_release(ret);
	return pd_cursor_status(c);
}

void pd_pmu_caps_release(struct pd_pmu_caps *caps)
{
	pd_str_list_release(&caps->names);
	pd_str_list_release(&caps->values);
}

int pd_feature_pmu_caps_read(struct pd_cursor *c, struct pd_pmu_caps_list *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->items =
		pd_list_alloc(c, nr, sizeof(*ret->items), 4 + STRING_LEAST);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		read_caps(c, &ret->items[i]);
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

int pd_feature_hybrid_topology_read(struct pd_cursor *c,
				    struct pd_hybrid_topology *ret)
{
	uint32_t nr = pd_cursor_u32(c);

	ret->items =
		pd_list_alloc(c, nr, sizeof(*ret->items), 2 * STRING_LEAST);
	ret->nr = ret->items ? nr : 0;
	for (size_t i = 0; i < ret->nr; i++) {
		ret->items[i].pmu_name = pd_cursor_string(c);
		ret->items[i].cpus = pd_cursor_string(c);
	}
	if (pd_cursor_status(c))
		pd_hybrid_topology_release(ret);
	return pd_cursor_status(c);
}

void pd_hybrid_topology_release(struct pd_hybrid_topology *t)
{
	free(t->items);
	*t = (struct pd_hybrid_topology){ .items = NULL };
}
