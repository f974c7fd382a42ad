/* fuzz_feature.c: reads the payload of a feature section, writes it and reads
 * it again; both must be the same.  Input: byte 0 chooses the feature, byte 1
 * the byte order; then the payload. */
#include "format/file/feature.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { CPU_NR = 4 };

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Reads a feature and writes it to b. */
typedef int again_fn(struct pd_cursor *c, struct pd_buf *b);

#define AGAIN(name, type, release)                             \
	static int name(struct pd_cursor *c, struct pd_buf *b) \
	{                                                      \
		struct type v;                                 \
		int rc = pd_feature_##name##_read(c, &v);      \
                                                               \
		if (rc)                                        \
			return rc;                             \
		pd_feature_##name##_write(b, &v);              \
		release(&v);                                   \
		return 0;                                      \
	}

static void keep(const void *v)
{
	(void)v;
}

AGAIN(nrcpus, pd_nrcpus, keep)
AGAIN(cmdline, pd_str_list, pd_str_list_release)
AGAIN(group_desc, pd_group_descs, pd_group_descs_release)
AGAIN(sample_time, pd_sample_time, keep)
AGAIN(clock_data, pd_clock_data, keep)
AGAIN(compressed, pd_compression, keep)
AGAIN(numa_topology, pd_numa_topology, pd_numa_topology_release)
AGAIN(pmu_mappings, pd_pmu_mappings, pd_pmu_mappings_release)
AGAIN(cache, pd_caches, pd_caches_release)

static int string(struct pd_cursor *c, struct pd_buf *b)
{
	struct pd_str s;
	int rc = pd_feature_string_read(c, &s);

	if (!rc)
		pd_buf_string(b, s);
	return rc;
}

static int cpu_topology(struct pd_cursor *c, struct pd_buf *b)
{
	struct pd_cpu_topology t;
	int rc = pd_feature_cpu_topology_read(c, CPU_NR, &t);

	if (rc)
		return rc;
	pd_feature_cpu_topology_write(b, &t);
	pd_cpu_topology_release(&t);
	return 0;
}

/* Read only: the attrs of a file need not be of one size, ours are. */
static int event_desc(struct pd_cursor *c, struct pd_buf *b)
{
	struct pd_event_descs d;

	(void)b;
	if (!pd_feature_event_desc_read(c, &d))
		pd_event_descs_release(&d);
	return -ENOTSUP;
}

static int mem_topology(struct pd_cursor *c, struct pd_buf *b)
{
	struct pd_mem_topology t;

	(void)b;
	if (pd_feature_mem_topology_read(c, &t))
		return -EBADMSG;
	for (size_t i = 0; i < t.nr; i++)
		for (size_t k = 0; k < t.nodes[i].block_set.nr; k++)
			(void)pd_u64s_at(&t.nodes[i].block_set, k);
	pd_mem_topology_release(&t);
	return -ENOTSUP;
}

static int caps(struct pd_cursor *c, struct pd_buf *b)
{
	struct pd_pmu_caps_list list;

	(void)b;
	if (!pd_feature_pmu_caps_read(c, &list))
		pd_pmu_caps_list_release(&list);
	return -ENOTSUP;
}

static int hybrid(struct pd_cursor *c, struct pd_buf *b)
{
	struct pd_hybrid_topology t;

	(void)b;
	if (!pd_feature_hybrid_topology_read(c, &t))
		pd_hybrid_topology_release(&t);
	return -ENOTSUP;
}

static again_fn *const features[] = {
	string,	      nrcpus,	  cmdline,	 group_desc,   sample_time,
	clock_data,   compressed, numa_topology, pmu_mappings, cache,
	cpu_topology, event_desc, mem_topology,	 caps,	       hybrid,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_buf once = PD_BUF_INIT, twice = PD_BUF_INIT;
	again_fn *again;
	struct pd_cursor c;

	if (len < 2)
		return 0;
	again = features[data[0] % (sizeof(features) / sizeof(features[0]))];
	pd_cursor_init(&c, data + 2, len - 2, 0, "feature");
	c.swap = data[1] & 1;
	if (!again(&c, &once)) {
		pd_cursor_init(&c, once.data, once.len, 0, "feature");
		must(!again(&c, &twice));
		must(once.len == twice.len);
		must(!memcmp(once.data, twice.data, once.len));
	}
	pd_buf_release(&once);
	pd_buf_release(&twice);
	return 0;
}
