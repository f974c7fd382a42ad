#include "record/host/host_parts.h"

#include "record/base/read_file.h"

#include <stdio.h>

enum { INDEX_NR_MAX = 10, TEXT_LEN_MAX = 4096 };

static int read_text(struct rec_host_facts *facts, const char *dir,
		     const char *name, struct pd_str *ret)
{
	char text[TEXT_LEN_MAX];

	if (rec_read_line(dir, name, text, sizeof(text)) != 0)
		return -ENOENT;
	*ret = rec_text_pool_add(&facts->pool, text);
	return ret->ptr ? 0 : -ENOMEM;
}

static uint32_t read_u32(const char *dir, const char *name)
{
	uint64_t v;

	return rec_read_u64(dir, name, &v) == 0 && v <= UINT32_MAX ? (uint32_t)v
								   : 0;
}

static bool str_eq(struct pd_str a, struct pd_str b)
{
	return a.len == b.len && !memcmp(a.ptr, b.ptr, a.len);
}

/* True if the cache was already listed by another CPU that shares it. */
static bool is_known(const struct pd_caches *caches, const struct pd_cache *c)
{
	for (size_t i = 0; i < caches->nr; i++) {
		const struct pd_cache *k = &caches->items[i];

		if (k->level == c->level && str_eq(k->cpus, c->cpus) &&
		    str_eq(k->type, c->type) &&
		    str_eq(k->size_text, c->size_text))
			return true;
	}
	return false;
}

/* Insert after all of its level and of lower ones: by level, then CPU. */
static int insert(struct pd_caches *caches, const struct pd_cache *c)
{
	size_t at = caches->nr;
	void *items = rec_list_grow(caches->items, caches->nr,
				    sizeof(*caches->items));

	if (!items)
		return -ENOMEM;
	caches->items = items;
	while (at > 0 && caches->items[at - 1].level > c->level)
		at--;
	memmove(&caches->items[at + 1], &caches->items[at],
		(caches->nr - at) * sizeof(*caches->items));
	caches->items[at] = *c;
	caches->nr++;
	return 0;
}

/* Read one cache.  Return -ENOENT if there is no such index. */
static int read_index(struct rec_host_facts *facts, const char *dir)
{
	struct pd_cache c = {
		.level = read_u32(dir, "level"),
		.line_len = read_u32(dir, "coherency_line_size"),
		.set_nr = read_u32(dir, "number_of_sets"),
		.way_nr = read_u32(dir, "ways_of_associativity"),
	};
	int rc;

	if (c.level == 0)
		return -ENOENT;
	rc = read_text(facts, dir, "type", &c.type);
	if (!rc)
		rc = read_text(facts, dir, "size", &c.size_text);
	if (!rc)
		rc = read_text(facts, dir, "shared_cpu_list", &c.cpus);
	if (!rc && !is_known(&facts->caches, &c))
		rc = insert(&facts->caches, &c);
	return rc;
}

int rec_host_cache_read(struct rec_host_facts *facts,
			const struct rec_sysroots *roots)
{
	for (uint32_t cpu = 0; cpu < facts->nrcpus.available; cpu++) {
		for (unsigned i = 0; i < INDEX_NR_MAX; i++) {
			char dir[512];
			int rc;

			snprintf(dir, sizeof(dir),
				 "%s/devices/system/cpu/cpu%u/cache/index%u",
				 roots->sys, cpu, i);
			rc = read_index(facts, dir);
			if (rc == -ENOMEM)
				return rc;
			if (rc)
				break;
		}
	}
	return 0;
}
