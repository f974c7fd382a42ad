/* event_names.c: tables of event names. */
#include "record/event/event_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_NR(a) (sizeof(a) / sizeof((a)[0]))

struct plain_name {
	const char *name;
	uint32_t type;
	uint64_t config;
};

#define HW(name, id)                                         \
	{                                                    \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id \
	}
#define SW(name, id)                                         \
	{                                                    \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id \
	}

/* The first name of a number is the one that perf prints. */
static const struct plain_name plain_names[] = {
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("cache-references", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("bus-cycles", BUS_CYCLES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("ref-cycles", REF_CPU_CYCLES),
	SW("cpu-clock", CPU_CLOCK),
	SW("task-clock", TASK_CLOCK),
	SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("alignment-faults", ALIGNMENT_FAULTS),
	SW("emulation-faults", EMULATION_FAULTS),
	SW("dummy", DUMMY),
	SW("bpf-output", BPF_OUTPUT),
	SW("cgroup-switches", CGROUP_SWITCHES),
};

static const char *const tool_names[REC_TOOL_NR] = {
	[REC_TOOL_NONE] = "",
	[REC_TOOL_DURATION] = "duration_time",
	[REC_TOOL_USER] = "user_time",
	[REC_TOOL_SYSTEM] = "system_time",
};

const char *rec_tool_name(enum rec_tool tool)
{
	return tool_names[tool];
}

enum rec_tool rec_tool_find(const char *name, size_t len)
{
	for (int tool = REC_TOOL_NONE + 1; tool < REC_TOOL_NR; tool++)
		if (strlen(tool_names[tool]) == len &&
		    !memcmp(tool_names[tool], name, len))
			return (enum rec_tool)tool;
	return REC_TOOL_NONE;
}

/* One spelling of a part of a cache event's name. */
struct cache_part {
	const char *name;
	unsigned id;
};

enum { OP_READ = 1, OP_WRITE = 2, OP_PREFETCH = 4 };

/* A name that begins with another one is listed before it. */
static const struct cache_part caches[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I },
	{ "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },
	{ "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },
	{ "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },
	{ "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },
	{ "node", PERF_COUNT_HW_CACHE_NODE },
};

static const struct cache_part cache_ops[] = {
	{ "loads", PERF_COUNT_HW_CACHE_OP_READ },
	{ "load", PERF_COUNT_HW_CACHE_OP_READ },
	{ "read", PERF_COUNT_HW_CACHE_OP_READ },
	{ "stores", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "store", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "write", PERF_COUNT_HW_CACHE_OP_WRITE },
	{ "prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-read", PERF_COUNT_HW_CACHE_OP_PREFETCH },
	{ "speculative-load", PERF_COUNT_HW_CACHE_OP_PREFETCH },
};

static const struct cache_part cache_results[] = {
	{ "refs", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "Reference", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "ops", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "access", PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "misses", PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "miss", PERF_COUNT_HW_CACHE_RESULT_MISS },
};

/* The operations that each cache has; others are no event. */
static const unsigned char cache_op_mask[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = OP_READ | OP_WRITE | OP_PREFETCH,
	[PERF_COUNT_HW_CACHE_L1I] = OP_READ | OP_PREFETCH,
	[PERF_COUNT_HW_CACHE_LL] = OP_READ | OP_WRITE | OP_PREFETCH,
	[PERF_COUNT_HW_CACHE_DTLB] = OP_READ | OP_WRITE | OP_PREFETCH,
	[PERF_COUNT_HW_CACHE_ITLB] = OP_READ,
	[PERF_COUNT_HW_CACHE_BPU] = OP_READ,
	[PERF_COUNT_HW_CACHE_NODE] = OP_READ | OP_WRITE | OP_PREFETCH,
};

static bool plain_find(const char *name, size_t len, uint32_t *ret_type,
		       uint64_t *ret_config)
{
	for (size_t i = 0; i < ARRAY_NR(plain_names); i++) {
		const struct plain_name *p = &plain_names[i];

		if (strlen(p->name) != len || memcmp(p->name, name, len) != 0)
			continue;
		*ret_type = p->type;
		*ret_config = p->config;
		return true;
	}
	return false;
}

/* Return the part that text begins with, up to its end or a skipped '-'. */
static const struct cache_part *part_take(const struct cache_part *parts,
					  size_t nr, const char **text,
					  size_t *len)
{
	for (size_t i = 0; i < nr; i++) {
		size_t part_len = strlen(parts[i].name);

		if (*len < part_len ||
		    memcmp(*text, parts[i].name, part_len) != 0)
			continue;
		if (*len > part_len && (*text)[part_len] != '-')
			continue;
		if (*len > part_len)
			part_len++;
		*text += part_len;
		*len -= part_len;
		return &parts[i];
	}
	return NULL;
}

/* Parse CACHE[-OP][-RESULT], the last two in either order. */
static bool cache_find(const char *name, size_t len, uint64_t *ret_config)
{
	unsigned op = PERF_COUNT_HW_CACHE_OP_READ;
	unsigned result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	const struct cache_part *cache, *part;

	if (len > 0 && name[len - 1] == '-')
		return false;
	cache = part_take(caches, ARRAY_NR(caches), &name, &len);
	if (!cache)
		return false;
	for (int nr = 0; nr < 2 && len > 0; nr++) {
		part = part_take(cache_ops, ARRAY_NR(cache_ops), &name, &len);
		if (part) {
			op = part->id;
			continue;
		}
		part = part_take(cache_results, ARRAY_NR(cache_results), &name,
				 &len);
		if (!part)
			return false;
		result = part->id;
	}
	if (len > 0 || !(cache_op_mask[cache->id] & (1u << op)))
		return false;
	*ret_config = cache->id | op << 8 | result << 16;
	return true;
}

bool rec_event_name_find(const char *name, size_t len, uint32_t *ret_type,
			 uint64_t *ret_config)
{
	if (plain_find(name, len, ret_type, ret_config))
		return true;
	if (!cache_find(name, len, ret_config))
		return false;
	*ret_type = PERF_TYPE_HW_CACHE;
	return true;
}

const char *rec_event_name_of(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < ARRAY_NR(plain_names); i++) {
		const struct plain_name *p = &plain_names[i];

		if (p->type == type && p->config == config)
			return p->name;
	}
	return NULL;
}

/* The first spelling of each cache. */
static const char *const cache_listed[] = { "L1-dcache", "L1-icache", "LLC",
					    "dTLB",	 "iTLB",      "branch",
					    "node" };
static const char *const op_listed[] = { "loads",      "load-misses",
					 "stores",     "store-misses",
					 "prefetches", "prefetch-misses" };

bool rec_event_name_at(size_t idx, char *buf, size_t buf_len)
{
	size_t cache_idx;

	if (idx < ARRAY_NR(plain_names)) {
		snprintf(buf, buf_len, "%s", plain_names[idx].name);
		return true;
	}
	idx -= ARRAY_NR(plain_names);
	cache_idx = idx / ARRAY_NR(op_listed);
	if (cache_idx >= ARRAY_NR(cache_listed))
		return false;
	snprintf(buf, buf_len, "%s-%s", cache_listed[cache_idx],
		 op_listed[idx % ARRAY_NR(op_listed)]);
	return true;
}
