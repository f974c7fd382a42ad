#include "report/header/header_rows.h"

#include "format/support/safe_text.h"

#include <inttypes.h>

static void put_line(FILE *out, struct pd_str s)
{
	sup_put_safe(out, s);
	fputc('\n', out);
}

/* Put s into a column of width bytes; width < 0: left-aligned. */
static void put_column(FILE *out, struct pd_str s, int width)
{
	int pad = (width < 0 ? -width : width) - (int)s.len;

	if (width > 0 && pad > 0)
		fprintf(out, "%*s", pad, "");
	sup_put_safe(out, s);
	if (width < 0 && pad > 0)
		fprintf(out, "%*s", pad, "");
}

static void print_list(FILE *out, const char *label,
		       const struct pd_str_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		fprintf(out, "# sibling %s : ", label);
		put_line(out, list->items[i]);
	}
}

static void print_places(FILE *out, const struct pd_cpu_topology *t)
{
	for (size_t i = 0; i < t->place_nr; i++) {
		const struct pd_cpu_place *p = &t->places[i];

		fprintf(out, "# CPU %zu: Core ID %" PRId32, i,
			(int32_t)p->core_id);
		if (t->has_dies)
			fprintf(out, ", Die ID %" PRId32, (int32_t)p->die_id);
		fprintf(out, ", Socket ID %" PRId32 "\n",
			(int32_t)p->socket_id);
	}
	if (!t->place_nr)
		fputs("# Core ID and Socket ID information is not available\n",
		      out);
}

void rpt_header_cpu_topology(struct rpt_header_ctx *ctx)
{
	struct pd_nrcpus cpus = { 0 };
	struct pd_cpu_topology t;
	struct pd_cursor c;

	if (pd_reader_feature(ctx->reader, PD_FEATURE_NRCPUS, &c))
		pd_feature_nrcpus_read(&c, &cpus);
	if (pd_feature_cpu_topology_read(&ctx->payload, cpus.available, &t))
		return;
	print_list(ctx->out, "sockets", &t.core_siblings);
	print_list(ctx->out, "dies   ", &t.die_siblings);
	print_list(ctx->out, "threads", &t.thread_siblings);
	print_places(ctx->out, &t);
	pd_cpu_topology_release(&t);
}

void rpt_header_numa_topology(struct rpt_header_ctx *ctx)
{
	struct pd_numa_topology t;

	if (pd_feature_numa_topology_read(&ctx->payload, &t))
		return;
	for (size_t i = 0; i < t.nr; i++) {
		const struct pd_numa_node *n = &t.nodes[i];

		fprintf(ctx->out,
			"# node%" PRIu32 " meminfo  : total = %" PRIu64
			" kB, free = %" PRIu64 " kB\n",
			n->node, n->mem_total_kib, n->mem_free_kib);
		fprintf(ctx->out, "# node%" PRIu32 " cpu list : ", n->node);
		/* perf prints this for memory without CPUs (HBM, CXL) */
		put_line(ctx->out,
			 n->cpus.len ? n->cpus : (struct pd_str){ "-1", 2 });
	}
	pd_numa_topology_release(&t);
}

void rpt_header_pmu_mappings(struct rpt_header_ctx *ctx)
{
	struct pd_pmu_mappings m;

	if (pd_feature_pmu_mappings_read(&ctx->payload, &m))
		return;
	fputs(m.nr ? "# pmu mappings: " : "# pmu mappings: not available",
	      ctx->out);
	for (size_t i = 0; i < m.nr; i++) {
		fputs(i ? ", " : "", ctx->out);
		sup_put_safe(ctx->out, m.items[i].name);
		fprintf(ctx->out, " = %" PRIu32, m.items[i].type);
	}
	fputc('\n', ctx->out);
	pd_pmu_mappings_release(&m);
}

void rpt_header_cache(struct rpt_header_ctx *ctx)
{
	struct pd_caches caches;

	if (pd_feature_cache_read(&ctx->payload, &caches))
		return;
	fputs("# CPU cache info:\n", ctx->out);
	for (size_t i = 0; i < caches.nr; i++) {
		const struct pd_cache *c = &caches.items[i];

		fprintf(ctx->out, "#  L%" PRIu32 " ", c->level);
		put_column(ctx->out, c->type, -15);
		fputc(' ', ctx->out);
		put_column(ctx->out, c->size_text, 8);
		fputs(" [", ctx->out);
		sup_put_safe(ctx->out, c->cpus);
		fputs("]\n", ctx->out);
	}
	pd_caches_release(&caches);
}

/* Print bytes in perf's unit: the last one that leaves more than 1. */
static void put_memory(FILE *out, uint64_t bytes)
{
	const char *unit = "BKMG";

	for (; bytes / 1024 > 1 && unit[1]; unit++)
		bytes /= 1024;
	fprintf(out, "%" PRIu64 "%c", bytes, *unit);
}

static bool block_at(const struct pd_mem_node *n, uint64_t bit)
{
	return pd_u64s_at(&n->block_set, (size_t)(bit / 64)) >> (bit % 64) & 1;
}

/* Print "0-23,32-199", if out is not NULL, and return how many blocks it is. */
static uint64_t put_blocks(FILE *out, const struct pd_mem_node *n)
{
	uint64_t end = UINT64_C(64) * n->block_set.nr, count = 0;
	const char *between = "";

	if (end > n->bit_nr)
		end = n->bit_nr;
	for (uint64_t bit = 0; bit < end; bit++) {
		uint64_t first = bit;

		if (!block_at(n, bit))
			continue;
		while (bit + 1 < end && block_at(n, bit + 1))
			bit++;
		count += bit - first + 1;
		if (!out)
			continue;
		fprintf(out, "%s%" PRIu64, between, first);
		if (bit > first)
			fprintf(out, "-%" PRIu64, bit);
		between = ",";
	}
	return count;
}

void rpt_header_mem_topology(struct rpt_header_ctx *ctx)
{
	struct pd_mem_topology t;

	if (pd_feature_mem_topology_read(&ctx->payload, &t))
		return;
	fprintf(ctx->out,
		"# memory nodes (nr %zu, block size 0x%" PRIx64 "):\n", t.nr,
		t.block_len);
	for (size_t i = 0; i < t.nr; i++) {
		fprintf(ctx->out, "#  %3" PRIu64 " [", t.nodes[i].node);
		put_memory(ctx->out,
			   put_blocks(NULL, &t.nodes[i]) * t.block_len);
		fputs("]: ", ctx->out);
		put_blocks(ctx->out, &t.nodes[i]);
		fputc('\n', ctx->out);
	}
	pd_mem_topology_release(&t);
}

static void print_caps(FILE *out, struct pd_str pmu,
		       const struct pd_pmu_caps *caps)
{
	fputs("# ", out);
	sup_put_safe(out, pmu);
	fputs(" pmu capabilities: ", out);
	if (!caps->nr)
		fputs("not available", out);
	for (size_t i = 0; i < caps->nr; i++) {
		fputs(i ? ", " : "", out);
		sup_put_safe(out, caps->items[i].name);
		fputc('=', out);
		sup_put_safe(out, caps->items[i].value);
	}
	fputc('\n', out);
}

void rpt_header_cpu_pmu_caps(struct rpt_header_ctx *ctx)
{
	struct pd_pmu_caps caps;

	if (pd_feature_cpu_pmu_caps_read(&ctx->payload, &caps))
		return;
	print_caps(ctx->out, (struct pd_str){ "cpu", 3 }, &caps);
	pd_pmu_caps_release(&caps);
}

static bool has_pmu(const struct pd_reader *reader, const char *name)
{
	struct pd_pmu_mappings m;
	struct pd_cursor c;
	bool found = false;

	if (!pd_reader_feature(reader, PD_FEATURE_PMU_MAPPINGS, &c) ||
	    pd_feature_pmu_mappings_read(&c, &m))
		return false;
	for (size_t i = 0; i < m.nr && !found; i++)
		found = pd_str_eq(m.items[i].name, name);
	pd_pmu_mappings_release(&m);
	return found;
}

static bool is_cpu_imprecise(const struct pd_reader *reader)
{
	struct pd_pmu_caps caps;
	struct pd_cursor c;
	bool found = false;

	if (!pd_reader_feature(reader, PD_FEATURE_CPU_PMU_CAPS, &c) ||
	    pd_feature_cpu_pmu_caps_read(&c, &caps))
		return false;
	for (size_t i = 0; i < caps.nr && !found; i++)
		found = pd_str_eq(caps.items[i].name, "max_precise") &&
			pd_str_eq(caps.items[i].value, "0");
	pd_pmu_caps_release(&caps);
	return found;
}

/* perf 6.12 and later print this after the other capabilities. */
static void print_amd_advice(const struct rpt_header_ctx *ctx)
{
	if (ctx->perf >= PD_PERF_6_12 && has_pmu(ctx->reader, "ibs_op") &&
	    is_cpu_imprecise(ctx->reader))
		fputs("# AMD systems uses ibs_op// PMU for some precise "
		      "events, e.g.: cycles:p, see the 'perf list' man page "
		      "for further details.\n",
		      ctx->out);
}

void rpt_header_pmu_caps(struct rpt_header_ctx *ctx)
{
	struct pd_pmu_caps_list list;

	if (pd_feature_pmu_caps_read(&ctx->payload, &list))
		return;
	for (size_t i = 0; i < list.nr; i++)
		print_caps(ctx->out, list.items[i].pmu_name, &list.items[i]);
	pd_pmu_caps_list_release(&list);
	print_amd_advice(ctx);
}

void rpt_header_hybrid_topology(struct rpt_header_ctx *ctx)
{
	struct pd_hybrid_topology t;

	if (pd_feature_hybrid_topology_read(&ctx->payload, &t))
		return;
	fputs("# hybrid cpu system:\n", ctx->out);
	for (size_t i = 0; i < t.nr; i++) {
		fputs("# ", ctx->out);
		sup_put_safe(ctx->out, t.items[i].pmu_name);
		fputs(" cpu list : ", ctx->out);
		put_line(ctx->out, t.items[i].cpus);
	}
	pd_hybrid_topology_release(&t);
}

static void print_domain(struct rpt_header_ctx *ctx, bool is_named)
{
	struct pd_cursor *c = &ctx->payload;
	uint32_t domain = pd_cursor_u32(c);
	struct pd_str name = { "", 0 }, mask, list;

	if (is_named)
		name = pd_cursor_string(c);
	mask = pd_cursor_string(c);
	list = pd_cursor_string(c);
	if (pd_cursor_status(c))
		return;
	fprintf(ctx->out, "# Domain\t\t: %" PRIu32 "\n", domain);
	if (is_named) {
		fputs("# Domain name      : ", ctx->out);
		put_line(ctx->out, name);
	}
	fputs("# Domain cpu map   : ", ctx->out);
	put_line(ctx->out, mask);
	fputs("# Domain cpu list  : ", ctx->out);
	put_line(ctx->out, list);
}

void rpt_header_cpu_domains(struct rpt_header_ctx *ctx)
{
	enum { NAMES_SINCE = 17 };
	struct pd_cursor *c = &ctx->payload;
	uint32_t version = pd_cursor_u32(c);
	uint32_t domain_nr = pd_cursor_u32(c);

	if (pd_cursor_status(c))
		return;
	fprintf(ctx->out,
		"# schedstat version\t: %" PRIu32
		"\n# Maximum sched domains\t: %" PRIu32 "\n",
		version, domain_nr);
	while (pd_cursor_left(c)) {
		uint32_t cpu = pd_cursor_u32(c), nr = pd_cursor_u32(c);

		if (pd_cursor_status(c))
			return;
		fprintf(ctx->out,
			"# cpu\t\t: %" PRIu32 "\n# nr_domains\t: %" PRIu32 "\n",
			cpu, nr);
		for (; nr && !pd_cursor_status(c); nr--)
			print_domain(ctx, version >= NAMES_SINCE);
	}
}
