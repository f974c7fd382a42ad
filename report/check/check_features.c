/* Checks the feature sections: each can be decoded, and agrees with the others
 * and with the events. */
#include "report/check/check_impl.h"

#include "format/file/feature.h"
#include "format/file/tracepoint_formats.h"
#include "format/records/build_id.h"

#include <inttypes.h>

enum { INDEX_ENTRY_LEN = 16, PAGE_LEN = 4096, ZSTD_LEVEL_MAX = 22 };

/* Read a payload and report what is wrong with it, unless the cursor's status
 * says so. */
typedef void check_feature(struct rpt_check *check, struct pd_cursor *c);

static void odd(struct rpt_check *check, const struct pd_cursor *c,
		const char *text)
{
	rpt_find(check->findings, RPT_FINDING_FEATURE_ODD, c->file_off,
		 "%s: %s", c->what, text);
}

static void wrong(struct rpt_check *check, const struct pd_cursor *c,
		  const char *text)
{
	rpt_find(check->findings, RPT_FINDING_FEATURE, c->file_off, "%s: %s",
		 c->what, text);
}

static void check_string(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_str s;

	if (!pd_feature_string_read(c, &s) && !c->pos)
		wrong(check, c, "no string");
}

/* Do not decode the payload. */
static void check_opaque(struct rpt_check *check, struct pd_cursor *c)
{
	(void)check;
	pd_cursor_skip(c, pd_cursor_left(c));
}

static void check_tracing_data(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_trace_formats it;
	struct pd_trace_format format;
	struct pd_trace_head head;
	struct pd_trace_tail tail;

	(void)check;
	pd_trace_head_read(c, &head);
	pd_trace_formats_init(&it, c);
	while (pd_trace_formats_next(&it, &format) > 0)
		;
	pd_trace_tail_read(c, &head, &tail);
}

static void check_build_ids(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_build_id_entry entry;
	struct pd_build_ids it;
	struct pd_err err = PD_ERR_INIT;
	int rc;

	pd_build_ids_init(&it, c);
	while ((rc = pd_build_ids_next(&it, &entry, &err)) > 0) {
		if (!entry.id.build_id_len ||
		    entry.id.build_id_len > PD_BUILD_ID_LEN_MAX)
			rpt_find(check->findings, RPT_FINDING_FEATURE,
				 c->file_off + c->pos,
				 "BUILD_ID: a build-id of %u bytes",
				 entry.id.build_id_len);
		c->pos = it.c.pos;
	}
	if (rc < 0)
		rpt_find_err(check->findings, RPT_FINDING_FEATURE, NULL, &err);
	pd_cursor_skip(c, pd_cursor_left(c));
}

static void check_nrcpus(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_nrcpus n;

	if (pd_feature_nrcpus_read(c, &n))
		return;
	check->cpu_nr = n.available > n.online ? n.available : n.online;
	if (n.online > n.available)
		odd(check, c, "more CPUs online than available");
}

/* hiperf writes one string where perf writes a list. */
static bool is_one_string(struct pd_cursor c)
{
	struct pd_str s;

	c.err = NULL;
	return !pd_feature_string_read(&c, &s) && !pd_cursor_left(&c);
}

static void check_cmdline(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_str_list argv;

	if (is_one_string(*c)) {
		odd(check, c, "a string, not a list of them");
		check_opaque(check, c);
	} else if (!pd_feature_cmdline_read(c, &argv)) {
		pd_str_list_release(&argv);
	}
}

/* Check that the description has a name, and the ids of one event. */
static void compare_desc(struct rpt_check *check, const struct pd_cursor *c,
			 const struct pd_event_desc *desc)
{
	const struct pd_event *owner = NULL;

	if (!desc->name.len)
		odd(check, c, "an event without a name");
	for (size_t i = 0; i < desc->ids.nr; i++) {
		const struct pd_event *e = pd_event_set_by_id(
			check->events, pd_u64s_at(&desc->ids, i));

		if (!e || (owner && e != owner)) {
			odd(check, c, "other ids than the events have");
			return;
		}
		owner = e;
	}
}

static void check_event_desc(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_event_descs descs;

	if (pd_feature_event_desc_read(c, &descs))
		return;
	if (descs.nr != check->events->nr)
		odd(check, c, "another number of events than there are");
	for (size_t i = 0; i < descs.nr; i++)
		compare_desc(check, c, &descs.items[i]);
	pd_event_descs_release(&descs);
}

static void check_group_desc(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_group_descs groups;
	size_t end = 0;

	if (pd_feature_group_desc_read(c, &groups))
		return;
	for (size_t i = 0; i < groups.nr; i++)
		if (!pd_group_desc_follows(&groups.items[i], check->events->nr,
					   &end))
			wrong(check, c,
			      "a group of events that are not there, or in the "
			      "group before");
	pd_group_descs_release(&groups);
}

static void check_cpu_topology(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_cpu_topology t;
	struct pd_nrcpus n = { .available = 0 };
	struct pd_cursor nrcpus;

	if (pd_reader_feature(check->reader, PD_FEATURE_NRCPUS, &nrcpus))
		pd_feature_nrcpus_read(&nrcpus, &n);
	if (!n.available) {
		odd(check, c, "comes without NRCPUS");
		check_opaque(check, c);
	} else if (!pd_feature_cpu_topology_read(c, n.available, &t)) {
		pd_cpu_topology_release(&t);
	}
}

/* Decode a list. */
#define CHECK_LIST(name, type, release)                                        \
	static void check_##name(struct rpt_check *check, struct pd_cursor *c) \
	{                                                                      \
		struct type list;                                              \
                                                                               \
		(void)check;                                                   \
		if (!pd_feature_##name##_read(c, &list))                       \
			release(&list);                                        \
	}

CHECK_LIST(numa_topology, pd_numa_topology, pd_numa_topology_release)
CHECK_LIST(pmu_mappings, pd_pmu_mappings, pd_pmu_mappings_release)
CHECK_LIST(cache, pd_caches, pd_caches_release)
CHECK_LIST(mem_topology, pd_mem_topology, pd_mem_topology_release)
CHECK_LIST(cpu_pmu_caps, pd_pmu_caps, pd_pmu_caps_release)
CHECK_LIST(hybrid_topology, pd_hybrid_topology, pd_hybrid_topology_release)
CHECK_LIST(pmu_caps, pd_pmu_caps_list, pd_pmu_caps_list_release)

/* Check that each entry, an offset and a length, points to an AUXTRACE record.
 * simpleperf does not write the number of entries in front. */
static void check_auxtrace(struct rpt_check *check, struct pd_cursor *c)
{
	uint64_t nr = c->len / INDEX_ENTRY_LEN;

	if (c->len % INDEX_ENTRY_LEN)
		nr = pd_cursor_u64(c);
	else
		odd(check, c, "does not begin with its number of entries");
	for (uint64_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		uint64_t entry_off = c->file_off + c->pos;
		uint64_t off = pd_cursor_u64(c);
		struct pd_record rec = { .type = 0 };

		pd_cursor_skip(c, INDEX_ENTRY_LEN - 8);
		if (pd_cursor_status(c))
			return;
		if (off < check->len &&
		    !pd_record_read(check->base + off,
				    (size_t)(check->len - off), off, c->swap,
				    &rec, NULL) &&
		    rec.type == PD_RECORD_AUXTRACE)
			continue;
		rpt_find(check->findings, RPT_FINDING_INDEX, entry_off,
			 "AUXTRACE: there is no such record at 0x%" PRIx64,
			 off);
	}
}

static void check_sample_time(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_sample_time t;

	if (!pd_feature_sample_time_read(c, &t) && t.first_ns > t.last_ns)
		odd(check, c, "the first sample is behind the last");
}

/* The places in struct bpf_prog_info (Linux v5.2 and later) of the number of
 * an array's items, and of the array's offset in the data; bit is the array's
 * in the set of arrays. */
static const struct {
	uint8_t bit;
	uint8_t nr_off;
	uint8_t array_off;
	uint8_t item_len;
} bpf_arrays[] = {
	{ 0, 16, 24, 1 },   { 1, 20, 32, 1 },	{ 2, 52, 56, 4 },
	{ 3, 104, 112, 8 }, { 4, 108, 120, 4 }, { 8, 180, 184, 8 },
};

static bool is_inside(struct pd_cursor info, uint64_t data_len, size_t idx)
{
	struct pd_cursor at = info;
	uint64_t nr, off;

	pd_cursor_skip(&info, bpf_arrays[idx].nr_off);
	pd_cursor_skip(&at, bpf_arrays[idx].array_off);
	nr = pd_cursor_u32(&info);
	off = pd_cursor_u64(&at);
	/* a short info lacks the last arrays */
	return pd_cursor_status(&at) || !nr ||
	       (off <= data_len &&
		nr * bpf_arrays[idx].item_len <= data_len - off);
}

/* Check that arrays are inside their data: else perf ends in a signal. */
static void check_bpf_prog_info(struct rpt_check *check, struct pd_cursor *c)
{
	uint32_t nr = pd_cursor_u32(c);

	for (uint32_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		uint32_t info_len = pd_cursor_u32(c);
		uint32_t data_len = pd_cursor_u32(c);
		uint64_t arrays = pd_cursor_u64(c);
		const uint8_t *bytes = pd_cursor_bytes(c, info_len);
		struct pd_cursor info;

		pd_cursor_skip(c, data_len);
		if (pd_cursor_status(c))
			return;
		pd_cursor_init(&info, bytes, info_len, 0, "BPF program");
		info.swap = c->swap;
		for (size_t k = 0;
		     k < sizeof(bpf_arrays) / sizeof(bpf_arrays[0]); k++)
			if (arrays >> bpf_arrays[k].bit & 1 &&
			    !is_inside(info, data_len, k))
				wrong(check, c,
				      "an array of a program is outside its "
				      "data");
	}
}

static void check_bpf_btf(struct rpt_check *check, struct pd_cursor *c)
{
	uint32_t nr = pd_cursor_u32(c);

	(void)check;
	for (uint32_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		pd_cursor_skip(c, 4);
		pd_cursor_skip(c, pd_cursor_u32(c));
	}
}

static void check_compressed(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_compression z;

	if (pd_feature_compressed_read(c, &z))
		return;
	check->mmap_len = z.mmap_len;
	if (!z.type)
		return; /* perf stat's: not compressed */
	if (z.type != 1)
		wrong(check, c, "an unknown way of compression");
	if (z.version > 1)
		odd(check, c, "an unknown version");
	if (z.level > ZSTD_LEVEL_MAX)
		odd(check, c, "a level that zstd does not have");
	if (z.mmap_len < PAGE_LEN)
		wrong(check, c, "mmap_len is less than a page");
	else if (z.mmap_len % PAGE_LEN)
		wrong(check, c, "mmap_len is no multiple of 4096");
}

static void check_clock_data(struct rpt_check *check, struct pd_cursor *c)
{
	struct pd_clock_data d;

	(void)check;
	pd_feature_clock_data_read(c, &d);
}

/* How a feature is checked: by a function, or by its length alone. */
static const struct {
	check_feature *fn;
	uint8_t len;
	bool is_flag; /* it has no payload */
} checks[PD_FEATURE_NR] = {
	[PD_FEATURE_TRACING_DATA] = { .fn = check_tracing_data },
	[PD_FEATURE_BUILD_ID] = { .fn = check_build_ids },
	[PD_FEATURE_HOSTNAME] = { .fn = check_string },
	[PD_FEATURE_OSRELEASE] = { .fn = check_string },
	[PD_FEATURE_VERSION] = { .fn = check_string },
	[PD_FEATURE_ARCH] = { .fn = check_string },
	[PD_FEATURE_NRCPUS] = { .fn = check_nrcpus },
	[PD_FEATURE_CPUDESC] = { .fn = check_string },
	[PD_FEATURE_CPUID] = { .fn = check_string },
	[PD_FEATURE_TOTAL_MEM] = { .len = 8 },
	[PD_FEATURE_CMDLINE] = { .fn = check_cmdline },
	[PD_FEATURE_EVENT_DESC] = { .fn = check_event_desc },
	[PD_FEATURE_CPU_TOPOLOGY] = { .fn = check_cpu_topology },
	[PD_FEATURE_NUMA_TOPOLOGY] = { .fn = check_numa_topology },
	[PD_FEATURE_BRANCH_STACK] = { .is_flag = true },
	[PD_FEATURE_PMU_MAPPINGS] = { .fn = check_pmu_mappings },
	[PD_FEATURE_GROUP_DESC] = { .fn = check_group_desc },
	[PD_FEATURE_AUXTRACE] = { .fn = check_auxtrace },
	[PD_FEATURE_STAT] = { .is_flag = true },
	[PD_FEATURE_CACHE] = { .fn = check_cache },
	[PD_FEATURE_SAMPLE_TIME] = { .fn = check_sample_time },
	[PD_FEATURE_MEM_TOPOLOGY] = { .fn = check_mem_topology },
	[PD_FEATURE_CLOCKID] = { .len = 8 },
	[PD_FEATURE_DIR_FORMAT] = { .len = 8 },
	[PD_FEATURE_BPF_PROG_INFO] = { .fn = check_bpf_prog_info },
	[PD_FEATURE_BPF_BTF] = { .fn = check_bpf_btf },
	[PD_FEATURE_COMPRESSED] = { .fn = check_compressed },
	[PD_FEATURE_CPU_PMU_CAPS] = { .fn = check_cpu_pmu_caps },
	[PD_FEATURE_CLOCK_DATA] = { .fn = check_clock_data },
	[PD_FEATURE_HYBRID_TOPOLOGY] = { .fn = check_hybrid_topology },
	[PD_FEATURE_PMU_CAPS] = { .fn = check_pmu_caps },
	[PD_FEATURE_CPU_DOMAIN_INFO] = { .fn = check_opaque },
	[PD_FEATURE_E_MACHINE] = { .len = 8 },
	[PD_FEATURE_CLN_SIZE] = { .len = 4 },
};

static bool is_known(unsigned bit)
{
	return bit < PD_FEATURE_NR &&
	       (checks[bit].fn || checks[bit].len || checks[bit].is_flag);
}

static void check_one(struct rpt_check *check, unsigned bit,
		      struct pd_cursor *c)
{
	bool is_pipe = pd_reader_header(check->reader)->is_pipe;
	struct pd_err err = PD_ERR_INIT;
	size_t left;

	if (!c->len && !checks[bit].is_flag) {
		if (is_pipe)
			return; /* perf ends a pipe's features so */
		if (bit == PD_FEATURE_COMPRESSED)
			wrong(check, c, "is empty: perf refuses the file");
		else
			odd(check, c, "is empty");
		return;
	}
	c->err = &err;
	if (checks[bit].fn)
		checks[bit].fn(check, c);
	else
		pd_cursor_skip(c, checks[bit].len);
	c->err = NULL; /* it goes with this function */
	if (pd_cursor_status(c)) {
		rpt_find_err(check->findings, RPT_FINDING_FEATURE, NULL, &err);
		return;
	}
	left = pd_cursor_left(c);
	if (left > (is_pipe ? 7 : 0))
		rpt_find(check->findings, RPT_FINDING_FEATURE_ODD,
			 c->file_off + c->pos, "%s: %zu byte%s behind its end",
			 c->what, left, left == 1 ? "" : "s");
}

void rpt_check_features(struct rpt_check *check)
{
	struct pd_cursor c;

	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++) {
		if (!pd_reader_feature(check->reader, bit, &c))
			continue;
		if (is_known(bit))
			check_one(check, bit, &c);
		else
			rpt_find(check->findings, RPT_FINDING_FEATURE_ODD,
				 c.file_off, "feature %u is not known", bit);
	}
}

bool rpt_check_feature(struct pd_reader *reader, unsigned bit)
{
	struct rpt_findings findings = { .show = NULL };
	struct rpt_check check = {
		.reader = reader,
		.events = pd_reader_events(reader),
		.findings = &findings,
	};
	struct pd_cursor c;

	if (!pd_reader_feature(reader, bit, &c))
		return false;
	if (!is_known(bit))
		return true;
	if (!c.len && !checks[bit].is_flag)
		return false;
	check_one(&check, bit, &c);
	return !rpt_findings_count(&findings, true);
}

void rpt_check_sample_time(struct rpt_check *check)
{
	const struct pd_sample_time *seen = &check->totals->times;
	struct pd_sample_time t;
	struct pd_cursor c;

	if (!pd_reader_feature(check->reader, PD_FEATURE_SAMPLE_TIME, &c) ||
	    pd_feature_sample_time_read(&c, &t) || (!t.first_ns && !t.last_ns))
		return;
	if (seen->first_ns <= seen->last_ns &&
	    (seen->first_ns < t.first_ns || seen->last_ns > t.last_ns))
		rpt_find(check->findings, RPT_FINDING_TIME, c.file_off,
			 "SAMPLE_TIME does not span the samples");
}
