#include "record/host/host_facts.h"

#include "record/base/cpu_list.h"
#include "record/base/read_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* Return the list, grown by doubling if it is full, with room for one more
 * item; NULL if there is no memory (the old list stays valid). */
static void *list_grow(void *items, size_t nr, size_t item_len)
{
	/* The list is full if nr is 0 or a power of two. */
	if (nr & (nr - 1))
		return items;
	return reallocarray(items, nr ? 2 * nr : 1, item_len);
}

/* Strings that are freed together. */

enum { BLOCK_LEN = 8 * 1024 };

struct rec_text_block {
	struct rec_text_block *next;
	size_t len;
	size_t cap;
	char text[];
};

static void text_pool_release(struct rec_text_pool *pool)
{
	while (pool->blocks) {
		struct rec_text_block *block = pool->blocks;

		pool->blocks = block->next;
		free(block);
	}
}

static struct rec_text_block *room_for(struct rec_text_pool *pool, size_t len)
{
	struct rec_text_block *block = pool->blocks;
	const size_t cap = len > BLOCK_LEN ? len : BLOCK_LEN;

	if (block && block->cap - block->len >= len)
		return block;
	block = malloc(sizeof(*block) + cap);
	if (!block)
		return NULL;
	block->next = pool->blocks;
	block->len = 0;
	block->cap = cap;
	pool->blocks = block;
	return block;
}

/* Return a copy of text that lives as long as the pool; its ptr is NULL if
 * there is no memory. */
static struct pd_str text_pool_add(struct rec_text_pool *pool, const char *text)
{
	struct pd_str ret = { .len = strlen(text) };
	struct rec_text_block *block = room_for(pool, ret.len);

	if (!block)
		return (struct pd_str){ NULL, 0 };
	memcpy(block->text + block->len, text, ret.len);
	ret.ptr = block->text + block->len;
	block->len += ret.len;
	return ret;
}

/* The keys that name the CPU, by architecture; the first one found is used. */
static const char *const desc_keys[] = {
	"model name", /* x86, arm, riscv */
	"Processor",  /* older arm64 */
	"cpu model",  /* mips */
	"cpu",	      /* powerpc, sparc */
	"vendor_id",  /* s390 */
};

/* Copy text with each run of blanks replaced by one. */
static void copy_squeezed(char *ret, size_t ret_cap, struct rec_text_scan text)
{
	size_t len = 0;

	while (text.at < text.end && len + 1 < ret_cap) {
		const bool is_blank = *text.at == ' ' || *text.at == '\t';

		ret[len++] = is_blank ? ' ' : *text.at++;
		if (is_blank)
			rec_text_scan_blanks(&text);
	}
	ret[len] = '\0';
}

/* Find the value of a line such as "model name\t: AMD EPYC". */
static bool value_of(struct rec_text_scan text, const char *key,
		     struct rec_text_scan *ret)
{
	struct rec_text_scan line;

	while (rec_text_scan_line(&text, &line))
		if (rec_text_scan_text(&line, key) &&
		    rec_text_scan_blanks(&line) &&
		    rec_text_scan_char(&line, ':') &&
		    rec_text_scan_blanks(&line)) {
			*ret = line;
			return true;
		}
	return false;
}

static void read_desc(struct rec_host_facts *facts,
		      const struct rec_sysroots *roots, struct pd_buf *text)
{
	char path[512];
	struct rec_text_scan value;

	snprintf(path, sizeof(path), "%s/cpuinfo", roots->proc);
	if (rec_read_file(AT_FDCWD, path, 64 << 20, text) != 0)
		return;
	for (size_t i = 0; i < sizeof(desc_keys) / sizeof(desc_keys[0]); i++)
		if (value_of(rec_text_scan_buf(text), desc_keys[i], &value)) {
			copy_squeezed(facts->cpu_desc, sizeof(facts->cpu_desc),
				      value);
			return;
		}
}

#if defined(__x86_64__) || defined(__i386__)
/* Read leaf 0 (Intel SDM "CPUID", AMD64 APM vol. 3 appendix E).  Return false
 * if there is none. */
static bool read_vendor(char ret[13])
{
	unsigned a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return false;
	memcpy(ret, &b, 4);
	memcpy(ret + 4, &d, 4);
	memcpy(ret + 8, &c, 4);
	ret[12] = '\0';
	return true;
}

bool rec_host_cpu_is_amd(void)
{
	char vendor[13];

	return read_vendor(vendor) && !strcmp(vendor, "AuthenticAMD");
}

/* Read leaf 1 (same sources). */
static void read_cpuid(struct rec_host_facts *facts,
		       const struct rec_sysroots *roots)
{
	unsigned a, b, c, d;
	unsigned family;
	unsigned model;
	char vendor[13];

	(void)roots;
	if (!read_vendor(vendor) || !__get_cpuid(1, &a, &b, &c, &d))
		return;
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	if (family >= 6)
		model += (a >> 16 & 0xf) << 4;
	snprintf(facts->cpuid, sizeof(facts->cpuid), "%s,%u,%u,%u", vendor,
		 family, model, a & 0xf);
}
#else
bool rec_host_cpu_is_amd(void)
{
	return false;
}

/* Read arm64's MIDR with variant and revision, as perf since 6.6 does; other
 * architectures have no such file. */
static void read_cpuid(struct rec_host_facts *facts,
		       const struct rec_sysroots *roots)
{
	rec_read_line(roots->sys,
		      "devices/system/cpu/cpu0/regs/identification/midr_el1",
		      facts->cpuid, sizeof(facts->cpuid));
}
#endif

static void read_counts(struct rec_host_facts *facts,
			const struct rec_sysroots *roots)
{
	struct rec_cpu_list present = { NULL, 0 }, online = { NULL, 0 };

	if (!rec_cpu_list_read(roots->sys, "devices/system/cpu/present",
			       &present, NULL) &&
	    !rec_cpu_list_read(roots->sys, "devices/system/cpu/online", &online,
			       NULL)) {
		facts->nrcpus.available =
			(uint32_t)present.cpus[present.nr - 1] + 1;
		facts->nrcpus.online = (uint32_t)online.nr;
	}
	rec_cpu_list_release(&present);
	rec_cpu_list_release(&online);
}

static void read_total_mem(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots,
			   struct pd_buf *text)
{
	char path[512];
	struct rec_text_scan value;

	snprintf(path, sizeof(path), "%s/meminfo", roots->proc);
	if (rec_read_file(AT_FDCWD, path, 1 << 20, text) == 0 &&
	    value_of(rec_text_scan_buf(text), "MemTotal", &value))
		rec_text_scan_dec(&value, &facts->total_mem_kib);
}

static int add_pmu(struct rec_host_facts *facts, const char *dir,
		   const char *name)
{
	struct pd_pmu_mappings *pmus = &facts->pmus;
	char file[300];
	uint64_t type;
	void *items;

	snprintf(file, sizeof(file), "%s/type", name);
	if (rec_read_u64(dir, file, &type) != 0 || type > UINT32_MAX)
		return 0;
	items = list_grow(pmus->items, pmus->nr, sizeof(*pmus->items));
	if (!items)
		return -ENOMEM;
	pmus->items = items;
	pmus->items[pmus->nr++] = (struct pd_pmu_mapping){
		.type = (uint32_t)type,
		.name = text_pool_add(&facts->pool, name),
	};
	return pmus->items[pmus->nr - 1].name.ptr ? 0 : -ENOMEM;
}

static int add_cap(struct rec_host_facts *facts, struct pd_pmu_caps *caps,
		   const char *dir, const char *name)
{
	char value[256];
	void *items;

	if (rec_read_line(dir, name, value, sizeof(value)) != 0)
		return 0;
	items = list_grow(caps->items, caps->nr, sizeof(*caps->items));
	if (!items)
		return -ENOMEM;
	caps->items = items;
	caps->items[caps->nr] = (struct pd_pmu_cap){
		.name = text_pool_add(&facts->pool, name),
		.value = text_pool_add(&facts->pool, value),
	};
	return caps->items[caps->nr].name.ptr &&
			       caps->items[caps->nr++].value.ptr
		       ? 0
		       : -ENOMEM;
}

/* Read what a PMU can do, slots=0x8 say; perf has those of "cpu" in another
 * feature (CPU_PMU_CAPS). */
static int add_caps(struct rec_host_facts *facts, const char *devices,
		    const char *pmu)
{
	struct pd_pmu_caps_list *list = &facts->pmu_caps;
	struct pd_pmu_caps caps = { .items = NULL };
	const struct dirent *d;
	char path[800];
	void *items;
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/%s/caps", devices, pmu);
	dir = strcmp(pmu, "cpu") != 0 ? opendir(path) : NULL;
	while (dir && !rc && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			rc = add_cap(facts, &caps, path, d->d_name);
	if (dir)
		closedir(dir);
	if (!caps.nr) {
		free(caps.items);
		return rc;
	}
	items = list_grow(list->items, list->nr, sizeof(*list->items));
	caps.pmu_name = text_pool_add(&facts->pool, pmu);
	if (items)
		list->items = items;
	if (!items || !caps.pmu_name.ptr) {
		pd_pmu_caps_release(&caps);
		return -ENOMEM;
	}
	list->items[list->nr++] = caps;
	return rc;
}

/* Read the PMUs in the directory's order, as perf does. */
static int read_pmus(struct rec_host_facts *facts,
		     const struct rec_sysroots *roots)
{
	char path[512];
	const struct dirent *d;
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "%s/bus/event_source/devices", roots->sys);
	dir = opendir(path);
	while (dir && !rc && (d = readdir(dir)))
		if (d->d_name[0] != '.') {
			rc = add_pmu(facts, path, d->d_name);
			if (!rc)
				rc = add_caps(facts, path, d->d_name);
		}
	if (dir)
		closedir(dir);
	return rc;
}

static int host_cpu_read(struct rec_host_facts *facts,
			 const struct rec_sysroots *roots)
{
	struct pd_buf text = PD_BUF_INIT;

	read_desc(facts, roots, &text);
	read_cpuid(facts, roots);
	read_counts(facts, roots);
	read_total_mem(facts, roots, &text);
	pd_buf_release(&text);
	return read_pmus(facts, roots);
}

enum { BLOCK_NR_MAX = 1 << 24 };

/* Find the value of a line such as "Node 0 MemTotal: 4155604 kB". */
static bool meminfo_value(struct rec_text_scan text, const char *key,
			  uint64_t *ret)
{
	struct rec_text_scan line;
	struct rec_text_scan word;

	while (rec_text_scan_line(&text, &line)) {
		rec_text_scan_word(&line, &word); /* Node */
		rec_text_scan_word(&line, &word);
		rec_text_scan_blanks(&line);
		if (rec_text_scan_text(&line, key) &&
		    rec_text_scan_blanks(&line))
			return rec_text_scan_dec(&line, ret);
	}
	return false;
}

static bool read_meminfo(const char *dir, struct pd_numa_node *node)
{
	char path[600];
	struct pd_buf text = PD_BUF_INIT;
	bool ok;

	snprintf(path, sizeof(path), "%s/meminfo", dir);
	ok = rec_read_file(AT_FDCWD, path, 1 << 20, &text) == 0 &&
	     meminfo_value(rec_text_scan_buf(&text),
			   "MemTotal:", &node->mem_total_kib) &&
	     meminfo_value(rec_text_scan_buf(&text),
			   "MemFree:", &node->mem_free_kib);
	pd_buf_release(&text);
	return ok;
}

static void node_dir(const char *sysfs, uint32_t idx, char ret[512])
{
	snprintf(ret, 512, "%s/devices/system/node/node%u", sysfs, idx);
}

static int add_numa_node(struct rec_host_facts *facts, const char *dir,
			 uint32_t idx)
{
	struct pd_numa_topology *numa = &facts->numa;
	struct pd_numa_node node = { .node = idx };
	char cpus[4096];
	void *nodes;

	if (!read_meminfo(dir, &node) ||
	    rec_read_line(dir, "cpulist", cpus, sizeof(cpus)) != 0)
		return 0;
	node.cpus = text_pool_add(&facts->pool, cpus);
	nodes = list_grow(numa->nodes, numa->nr, sizeof(*numa->nodes));
	if (!nodes || !node.cpus.ptr)
		return -ENOMEM;
	numa->nodes = nodes;
	numa->nodes[numa->nr++] = node;
	return 0;
}

/* Parse the number of "memory12". */
static bool block_of_entry(const char *name, uint64_t *ret)
{
	struct rec_text_scan s = { name, name + strlen(name) };

	return rec_text_scan_text(&s, "memory") && rec_text_scan_dec(&s, ret) &&
	       s.at == s.end && *ret < BLOCK_NR_MAX;
}

/* Without bits yet, only count how many are needed; otherwise set them. */
static void each_block(DIR *dir, struct pd_mem_node *node)
{
	const struct dirent *d;
	uint64_t block;

	rewinddir(dir);
	while ((d = readdir(dir))) {
		if (!block_of_entry(d->d_name, &block))
			continue;
		if (!node->blocks && block >= node->bit_nr)
			node->bit_nr = block + 1;
		else if (node->blocks && block < node->bit_nr)
			node->blocks[block / 64] |= PD_BIT(block % 64);
	}
}

static int add_mem_node(struct rec_host_facts *facts, const char *path,
			uint32_t idx)
{
	struct pd_mem_topology *memory = &facts->memory;
	struct pd_mem_node node = { .node = idx };
	DIR *dir = opendir(path);
	void *nodes;

	if (!dir)
		return 0;
	each_block(dir, &node);
	if (node.bit_nr) {
		node.blocks = calloc((size_t)(node.bit_nr + 63) / 64,
				     sizeof(*node.blocks));
		if (node.blocks)
			each_block(dir, &node);
	}
	closedir(dir);
	if (node.bit_nr == 0)
		return 0;
	nodes = list_grow(memory->nodes, memory->nr, sizeof(*memory->nodes));
	if (nodes)
		memory->nodes = nodes;
	if (!nodes || !node.blocks) {
		free(node.blocks);
		return -ENOMEM;
	}
	memory->nodes[memory->nr++] = node;
	return 0;
}

static int read_node(struct rec_host_facts *facts, const char *sysfs,
		     uint32_t idx)
{
	char dir[512];
	int rc;

	node_dir(sysfs, idx, dir);
	rc = add_numa_node(facts, dir, idx);
	if (!rc && facts->memory.block_len)
		rc = add_mem_node(facts, dir, idx);
	return rc;
}

/* Read the block length, hex without 0x. */
static void read_block_len(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots)
{
	char text[64];
	struct rec_text_scan s;

	if (rec_read_line(roots->sys, "devices/system/memory/block_size_bytes",
			  text, sizeof(text)) != 0)
		return;
	s.at = text;
	s.end = text + strlen(text);
	if (!rec_text_scan_hex(&s, &facts->memory.block_len) || s.at != s.end)
		facts->memory.block_len = 0;
}

static int host_memory_read(struct rec_host_facts *facts,
			    const struct rec_sysroots *roots)
{
	struct rec_cpu_list nodes;
	int rc = 0;

	if (rec_cpu_list_read(roots->sys, "devices/system/node/online", &nodes,
			      NULL))
		return 0;
	read_block_len(facts, roots);
	for (size_t i = 0; i < nodes.nr && !rc; i++)
		rc = read_node(facts, roots->sys, (uint32_t)nodes.cpus[i]);
	rec_cpu_list_release(&nodes);
	return rc;
}

enum { INDEX_NR_MAX = 10, TEXT_LEN_MAX = 4096 };

static int read_text(struct rec_host_facts *facts, const char *dir,
		     const char *name, struct pd_str *ret)
{
	char text[TEXT_LEN_MAX];

	if (rec_read_line(dir, name, text, sizeof(text)) != 0)
		return -ENOENT;
	*ret = text_pool_add(&facts->pool, text);
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
	void *items =
		list_grow(caches->items, caches->nr, sizeof(*caches->items));

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

static int host_cache_read(struct rec_host_facts *facts,
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

enum { ID_UNKNOWN = -1 };

/* Read an id; -1 if the firmware does not provide it. */
static uint32_t read_id(const struct rec_sysroots *roots, uint32_t cpu,
			const char *name)
{
	char path[128];
	uint64_t v;

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/topology/%s",
		 cpu, name);
	if (rec_read_u64(roots->sys, path, &v) != 0 || v > UINT32_MAX)
		return (uint32_t)ID_UNKNOWN;
	return (uint32_t)v;
}

/* Add a set of siblings once; all its CPUs list it. */
static int add_once(struct rec_host_facts *facts, struct pd_str_list *list,
		    const char *text)
{
	struct pd_str copy;
	void *items;

	for (size_t i = 0; i < list->nr; i++)
		if (pd_str_eq(list->items[i], text))
			return 0;
	items = list_grow(list->items, list->nr, sizeof(*list->items));
	if (!items)
		return -ENOMEM;
	list->items = items;
	copy = text_pool_add(&facts->pool, text);
	if (!copy.ptr)
		return -ENOMEM;
	list->items[list->nr++] = copy;
	return 0;
}

static int add_siblings(struct rec_host_facts *facts,
			const struct rec_sysroots *roots, uint32_t cpu)
{
	struct pd_cpu_topology *t = &facts->cpu_topology;
	char list[REC_CPU_LIST_LEN_MAX];
	int rc = 0;

	if (rec_read_siblings(roots->sys, (int)cpu, "package_cpus_list", list))
		rc = add_once(facts, &t->core_siblings, list);
	if (!rc && t->has_dies &&
	    rec_read_siblings(roots->sys, (int)cpu, "die_cpus_list", list))
		rc = add_once(facts, &t->die_siblings, list);
	if (!rc &&
	    rec_read_siblings(roots->sys, (int)cpu, "core_cpus_list", list))
		rc = add_once(facts, &t->thread_siblings, list);
	return rc;
}

static int host_topology_read(struct rec_host_facts *facts,
			      const struct rec_sysroots *roots)
{
	struct pd_cpu_topology *t = &facts->cpu_topology;
	const uint32_t nr = facts->nrcpus.available;
	char list[REC_CPU_LIST_LEN_MAX];
	int rc = 0;

	if (nr == 0 ||
	    !rec_read_siblings(roots->sys, 0, "core_cpus_list", list))
		return 0;
	/* On other architectures the file exists without a meaning. */
	t->has_dies = !strcmp(facts->arch, "x86_64") &&
		      rec_read_siblings(roots->sys, 0, "die_cpus_list", list);
	t->places = calloc(nr, sizeof(*t->places));
	if (!t->places)
		return -ENOMEM;
	t->place_nr = nr;
	for (uint32_t cpu = 0; cpu < nr && !rc; cpu++) {
		t->places[cpu] = (struct pd_cpu_place){
			.core_id = read_id(roots, cpu, "core_id"),
			.socket_id = read_id(roots, cpu, "physical_package_id"),
			.die_id = read_id(roots, cpu, "die_id"),
		};
		rc = add_siblings(facts, roots, cpu);
	}
	return rc;
}

static void read_names(struct rec_host_facts *facts)
{
	struct utsname uts;

	if (uname(&uts) != 0)
		return;
	snprintf(facts->hostname, sizeof(facts->hostname), "%s", uts.nodename);
	snprintf(facts->os_release, sizeof(facts->os_release), "%s",
		 uts.release);
	snprintf(facts->arch, sizeof(facts->arch), "%s", uts.machine);
}

int rec_host_facts_read(struct rec_host_facts *ret,
			const struct rec_sysroots *roots, struct pd_err *err)
{
	static int (*const parts[])(struct rec_host_facts *,
				    const struct rec_sysroots *) = {
		host_cpu_read,
		host_topology_read,
		host_cache_read,
		host_memory_read,
	};

	memset(ret, 0, sizeof(*ret));
	read_names(ret);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i](ret, roots) != 0) {
			rec_host_facts_release(ret);
			return pd_err_set(err, -ENOMEM, "out of memory");
		}
	return 0;
}

void rec_host_facts_release(struct rec_host_facts *facts)
{
	if (!facts)
		return;
	free(facts->cpu_topology.core_siblings.items);
	free(facts->cpu_topology.thread_siblings.items);
	free(facts->cpu_topology.die_siblings.items);
	free(facts->cpu_topology.places);
	free(facts->numa.nodes);
	free(facts->pmus.items);
	pd_pmu_caps_list_release(&facts->pmu_caps);
	free(facts->caches.items);
	for (size_t i = 0; i < facts->memory.nr; i++)
		free(facts->memory.nodes[i].blocks);
	free(facts->memory.nodes);
	text_pool_release(&facts->pool);
	memset(facts, 0, sizeof(*facts));
}

int rec_host_facts_refresh(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots, struct pd_err *err)
{
	const struct pd_nrcpus before = facts->nrcpus;
	char dir[512];

	read_counts(facts, roots);
	if (facts->nrcpus.available != before.available ||
	    facts->nrcpus.online != before.online) {
		rec_host_facts_release(facts);
		return rec_host_facts_read(facts, roots, err);
	}
	for (size_t i = 0; i < facts->numa.nr; i++) {
		node_dir(roots->sys, facts->numa.nodes[i].node, dir);
		(void)!read_meminfo(dir, &facts->numa.nodes[i]);
	}
	return 0;
}

static bool write_text(const char *text, struct pd_buf *b)
{
	if (text[0])
		pd_buf_string(b, (struct pd_str){ text, strlen(text) });
	return text[0] != '\0';
}

bool rec_host_feature_write(const struct rec_host_facts *facts,
			    unsigned feature, struct pd_buf *b)
{
	const size_t start = b->len;

	if (feature == PD_FEATURE_HOSTNAME)
		return write_text(facts->hostname, b);
	if (feature == PD_FEATURE_OSRELEASE)
		return write_text(facts->os_release, b);
	if (feature == PD_FEATURE_VERSION)
		return write_text("perfpair " PERFPAIR_VERSION, b);
	if (feature == PD_FEATURE_ARCH)
		return write_text(facts->arch, b);
	if (feature == PD_FEATURE_CPUDESC)
		return write_text(facts->cpu_desc, b);
	if (feature == PD_FEATURE_CPUID)
		return write_text(facts->cpuid, b);
	if (feature == PD_FEATURE_NRCPUS && facts->nrcpus.available)
		pd_feature_nrcpus_write(b, &facts->nrcpus);
	if (feature == PD_FEATURE_TOTAL_MEM && facts->total_mem_kib)
		pd_buf_u64(b, facts->total_mem_kib);
	if (feature == PD_FEATURE_CPU_TOPOLOGY && facts->cpu_topology.place_nr)
		pd_feature_cpu_topology_write(b, &facts->cpu_topology);
	if (feature == PD_FEATURE_NUMA_TOPOLOGY && facts->numa.nr)
		pd_feature_numa_topology_write(b, &facts->numa);
	if (feature == PD_FEATURE_PMU_MAPPINGS && facts->pmus.nr)
		pd_feature_pmu_mappings_write(b, &facts->pmus);
	if (feature == PD_FEATURE_PMU_CAPS && facts->pmu_caps.nr)
		pd_feature_pmu_caps_write(b, &facts->pmu_caps);
	if (feature == PD_FEATURE_CACHE && facts->caches.nr)
		pd_feature_cache_write(b, &facts->caches);
	if (feature == PD_FEATURE_MEM_TOPOLOGY && facts->memory.nr)
		pd_feature_mem_topology_write(b, &facts->memory);
	return b->len > start;
}

static uint64_t to_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * UINT64_C(1000000000) +
	       (uint64_t)t->tv_nsec;
}

int rec_clock_resolution(clockid_t clock, uint64_t *ret_ns)
{
	struct timespec res;

	if (clock_getres(clock, &res) != 0)
		return -errno;
	*ret_ns = to_ns(&res);
	return 0;
}

int rec_clock_data_read(clockid_t clock, struct pd_clock_data *ret)
{
	struct timespec wall;
	struct timespec own;

	if (clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
	    clock_gettime(clock, &own) != 0)
		return -errno;
	*ret = (struct pd_clock_data){
		.clockid = (uint32_t)clock,
		.wall_clock_ns = to_ns(&wall),
		.clockid_ns = to_ns(&own),
	};
	return 0;
}

/* The parts of host_facts.h.  Each function fills its member of facts as far as
 * the machine shows it and returns 0 or -ENOMEM. */
