#include "report/header/header_text.h"

#include "format/support/attr_text.h"
#include "format/support/safe_text.h"
#include "report/header/header_rows.h"
#include "report/events/event_name.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static void print_string(struct rpt_header_ctx *ctx)
{
	struct pd_str s;

	if (pd_feature_string_read(&ctx->payload, &s))
		return;
	fprintf(ctx->out, "# %s : ", ctx->label);
	sup_put_safe(ctx->out, s);
	fputc('\n', ctx->out);
}

/* Print a feature without a payload. */
static void print_flag(struct rpt_header_ctx *ctx)
{
	fprintf(ctx->out, "# contains %s\n", ctx->label);
}

static void print_nrcpus(struct rpt_header_ctx *ctx)
{
	struct pd_nrcpus n;

	if (pd_feature_nrcpus_read(&ctx->payload, &n))
		return;
	fprintf(ctx->out, "# nrcpus online : %" PRIu32 "\n", n.online);
	fprintf(ctx->out, "# nrcpus avail : %" PRIu32 "\n", n.available);
}

static void print_total_mem(struct rpt_header_ctx *ctx)
{
	uint64_t kib;

	if (!pd_feature_u64_read(&ctx->payload, &kib))
		fprintf(ctx->out, "# total memory : %" PRIu64 " kB\n", kib);
}

/* Print single quotes as \', so that the line can be pasted. */
static void put_argument(FILE *out, struct pd_str s)
{
	const char *quote;

	while ((quote = memchr(s.ptr, '\'', s.len))) {
		size_t len = (size_t)(quote - s.ptr);

		sup_put_safe(out, (struct pd_str){ s.ptr, len });
		fputs("\\'", out);
		s = (struct pd_str){ quote + 1, s.len - len - 1 };
	}
	sup_put_safe(out, s);
	fputc(' ', out);
}

static void print_cmdline(struct rpt_header_ctx *ctx)
{
	struct pd_str_list argv;

	if (pd_feature_cmdline_read(&ctx->payload, &argv))
		return;
	fputs("# cmdline : ", ctx->out);
	for (size_t i = 0; i < argv.nr; i++)
		put_argument(ctx->out, argv.items[i]);
	fputc('\n', ctx->out);
	pd_str_list_release(&argv);
}

static void print_event(const struct rpt_header_ctx *ctx,
			const struct pd_event_desc *d,
			const struct sup_attr_style *style)
{
	FILE *out = ctx->out;

	fputs("# event : name = ", out);
	sup_put_safe(out, d->name);
	fputs(", ", out);
	for (size_t i = 0; i < d->ids.nr; i++)
		fprintf(out, "%s %" PRIu64, i ? "," : ", id = {",
			pd_u64s_at(&d->ids, i));
	if (d->ids.nr)
		fputs(" }", out);
	sup_attr_print(out, &d->attr, d->name, style);
	fputc('\n', out);
}

static void print_event_desc(struct rpt_header_ctx *ctx)
{
	struct pd_event_descs descs;
	struct sup_attr_style style;

	if (pd_feature_event_desc_read(&ctx->payload, &descs)) {
		fputs("# event desc: not available or unable to read\n",
		      ctx->out);
		return;
	}
	sup_attr_style_init(&style, ctx->reader, ", ", " = ");
	for (size_t i = 0; i < descs.nr; i++)
		print_event(ctx, &descs.items[i], &style);
	sup_attr_style_release(&style);
	pd_event_descs_release(&descs);
}

static void print_one_group(struct rpt_header_ctx *ctx,
			    const struct pd_group_desc *g)
{
	const struct pd_event_set *set = pd_reader_events(ctx->reader);
	size_t end = (size_t)g->leader_idx + g->member_nr;
	char buf[RPT_EVENT_NAME_LEN];

	fputs("# group: ", ctx->out);
	if (!pd_str_eq(g->name, "{anon_group}"))
		sup_put_safe(ctx->out, g->name);
	for (size_t i = g->leader_idx; i < end; i++) {
		fputc(i == g->leader_idx ? '{' : ',', ctx->out);
		sup_put_safe_text(ctx->out,
				  rpt_event_name(&set->events[i], buf));
	}
	fputs("}\n", ctx->out);
}

static void print_group_desc(struct rpt_header_ctx *ctx)
{
	size_t event_nr = pd_reader_events(ctx->reader)->nr, end = 0;
	struct pd_group_descs groups;

	if (pd_feature_group_desc_read(&ctx->payload, &groups))
		return;
	for (size_t i = 0; i < groups.nr; i++)
		if (pd_group_desc_follows(&groups.items[i], event_nr, &end))
			print_one_group(ctx, &groups.items[i]);
	pd_group_descs_release(&groups);
}

/* Print microseconds, rounded down as in perf. */
static void put_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64, ns / 1000000000,
		ns % 1000000000 / 1000);
}

static void print_sample_time(struct rpt_header_ctx *ctx)
{
	struct pd_sample_time t;

	if (pd_feature_sample_time_read(&ctx->payload, &t))
		return;
	fputs("# time of first sample : ", ctx->out);
	put_seconds(ctx->out, t.first_ns);
	fputs("\n# time of last sample : ", ctx->out);
	put_seconds(ctx->out, t.last_ns);
	fprintf(ctx->out, "\n# sample duration : %10.3f ms\n",
		(double)(t.last_ns - t.first_ns) / 1e6);
}

static const char *clock_name(uint32_t clockid)
{
	/* clocks for events */
	static const char *const names[] = {
		[0] = "realtime", [1] = "monotonic", [4] = "monotonic_raw",
		[7] = "boottime", [11] = "tai",
	};

	if (clockid >= sizeof(names) / sizeof(names[0]) || !names[clockid])
		return "(not found)";
	return names[clockid];
}

/* perf multiplies instead of dividing: print the same figure. */
static void print_clockid(struct rpt_header_ctx *ctx)
{
	uint64_t resolution_ns;

	if (!pd_feature_u64_read(&ctx->payload, &resolution_ns))
		fprintf(ctx->out, "# clockid frequency: %" PRIu64 " MHz\n",
			resolution_ns * 1000);
}

static void print_clock_data(struct rpt_header_ctx *ctx)
{
	struct pd_clock_data d;
	char date[40] = "";
	struct tm tm;
	time_t t;

	if (pd_feature_clock_data_read(&ctx->payload, &d))
		return;
	t = (time_t)(d.wall_clock_ns / 1000000000);
	if (localtime_r(&t, &tm))
		strftime(date, sizeof(date), "%F %T", &tm);
	fprintf(ctx->out, "# clockid: %s (%" PRIu32 ")\n",
		clock_name(d.clockid), d.clockid);
	fprintf(ctx->out, "# reference time: %s.%06" PRIu64 " = ", date,
		d.wall_clock_ns % 1000000000 / 1000);
	put_seconds(ctx->out, d.wall_clock_ns);
	fprintf(ctx->out, " (TOD) = %" PRIu64 ".%09" PRIu64 " (%s)\n",
		d.clockid_ns / 1000000000, d.clockid_ns % 1000000000,
		clock_name(d.clockid));
}

static void print_dir_format(struct rpt_header_ctx *ctx)
{
	uint64_t version;

	if (!pd_feature_u64_read(&ctx->payload, &version))
		fprintf(ctx->out, "# directory data version : %" PRIu64 "\n",
			version);
}

static void print_compressed(struct rpt_header_ctx *ctx)
{
	struct pd_compression z;

	if (pd_feature_compressed_read(&ctx->payload, &z))
		return;
	fprintf(ctx->out,
		"# compressed : %s, level = %" PRIu32 ", ratio = %" PRIu32 "\n",
		z.type == 1 ? "Zstd" : "Unknown", z.level, z.ratio);
}

static void print_e_machine(struct rpt_header_ctx *ctx)
{
	uint32_t machine = pd_cursor_u32(&ctx->payload);
	uint32_t flags = pd_cursor_u32(&ctx->payload);

	if (!pd_cursor_status(&ctx->payload))
		fprintf(ctx->out,
			"# e_machine : %" PRIu32 "\n#   e_flags : %" PRIu32
			"\n",
			machine, flags);
}

static void print_cln_size(struct rpt_header_ctx *ctx)
{
	uint32_t len = pd_cursor_u32(&ctx->payload);

	if (!pd_cursor_status(&ctx->payload))
		fprintf(ctx->out, "# cacheline size: %" PRIu32 "\n", len);
}

struct row {
	void (*print)(struct rpt_header_ctx *ctx);
	const char *label;
	bool is_long; /* shown with -I only */
};

static const struct row rows[PD_FEATURE_NR] = {
	[PD_FEATURE_HOSTNAME] = { .print = print_string, .label = "hostname" },
	[PD_FEATURE_OSRELEASE] = { .print = print_string,
				   .label = "os release" },
	[PD_FEATURE_VERSION] = { .print = print_string,
				 .label = "perf version" },
	[PD_FEATURE_ARCH] = { .print = print_string, .label = "arch" },
	[PD_FEATURE_NRCPUS] = { .print = print_nrcpus },
	[PD_FEATURE_CPUDESC] = { .print = print_string, .label = "cpudesc" },
	[PD_FEATURE_CPUID] = { .print = print_string, .label = "cpuid" },
	[PD_FEATURE_TOTAL_MEM] = { .print = print_total_mem },
	[PD_FEATURE_CMDLINE] = { .print = print_cmdline },
	[PD_FEATURE_EVENT_DESC] = { .print = print_event_desc },
	[PD_FEATURE_CPU_TOPOLOGY] = { .print = rpt_header_cpu_topology,
				      .is_long = true },
	[PD_FEATURE_NUMA_TOPOLOGY] = { .print = rpt_header_numa_topology,
				       .is_long = true },
	[PD_FEATURE_BRANCH_STACK] = { .print = print_flag,
				      .label = "samples with branch stack" },
	[PD_FEATURE_PMU_MAPPINGS] = { .print = rpt_header_pmu_mappings },
	[PD_FEATURE_GROUP_DESC] = { .print = print_group_desc },
	[PD_FEATURE_AUXTRACE] = { .print = print_flag,
				  .label =
					  "AUX area data (e.g. instruction trace)" },
	[PD_FEATURE_STAT] = { .print = print_flag, .label = "stat data" },
	[PD_FEATURE_CACHE] = { .print = rpt_header_cache, .is_long = true },
	[PD_FEATURE_SAMPLE_TIME] = { .print = print_sample_time },
	[PD_FEATURE_MEM_TOPOLOGY] = { .print = rpt_header_mem_topology,
				      .is_long = true },
	[PD_FEATURE_CLOCKID] = { .print = print_clockid },
	[PD_FEATURE_DIR_FORMAT] = { .print = print_dir_format },
	[PD_FEATURE_BPF_PROG_INFO] = { .print = rpt_header_bpf_prog_info },
	[PD_FEATURE_BPF_BTF] = { .print = rpt_header_bpf_btf },
	[PD_FEATURE_COMPRESSED] = { .print = print_compressed },
	[PD_FEATURE_CPU_PMU_CAPS] = { .print = rpt_header_cpu_pmu_caps },
	[PD_FEATURE_CLOCK_DATA] = { .print = print_clock_data },
	[PD_FEATURE_HYBRID_TOPOLOGY] = { .print = rpt_header_hybrid_topology,
					 .is_long = true },
	[PD_FEATURE_PMU_CAPS] = { .print = rpt_header_pmu_caps },
	[PD_FEATURE_CPU_DOMAIN_INFO] = { .print = rpt_header_cpu_domains,
					 .is_long = true },
	[PD_FEATURE_E_MACHINE] = { .print = print_e_machine },
	[PD_FEATURE_CLN_SIZE] = { .print = print_cln_size },
};

/* Return whether it ends the list: in pipes perf appends an empty feature with
 * the first number that it does not know, 32 until 6.19. */
static bool is_end_mark(unsigned bit, const struct pd_cursor *payload)
{
	return bit == PD_FEATURE_CPU_DOMAIN_INFO && !pd_cursor_left(payload);
}

static void print_feature(const struct rpt_header_ctx *ctx, unsigned bit)
{
	const struct row *row = &rows[bit];
	struct rpt_header_ctx with = *ctx;

	if (!row->print ||
	    !pd_reader_feature(ctx->reader, bit, &with.payload) ||
	    is_end_mark(bit, &with.payload))
		return;
	with.label = row->label;
	if (row->is_long && !ctx->is_full)
		fprintf(ctx->out, "# %s info available, use -I to display\n",
			pd_feature_name(bit));
	else
		row->print(&with);
}

static void print_features(const struct rpt_header_ctx *ctx)
{
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++)
		print_feature(ctx, bit);
}

/* Before 7.2, perf knows no bits beyond PMU_CAPS, and does not miss them. */
static void print_missing(const struct rpt_header_ctx *ctx)
{
	unsigned last = ctx->perf < PD_PERF_7_2 ? PD_FEATURE_PMU_CAPS
						: PD_FEATURE_CLN_SIZE;
	struct pd_cursor c;

	fputs("# missing features: ", ctx->out);
	for (unsigned bit = 1; bit <= last; bit++)
		if (!pd_reader_feature(ctx->reader, bit, &c))
			fprintf(ctx->out, "%s ", pd_feature_name(bit));
	fputc('\n', ctx->out);
}

static void print_captured_on(FILE *out, int64_t time_s)
{
	time_t t = (time_t)time_s;
	struct tm tm;
	char text[64];

	if (localtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		fprintf(out, "# captured on    : %s\n", text);
}

void rpt_header_print(FILE *out, struct pd_reader *reader, int64_t captured_on,
		      bool is_full)
{
	const struct pd_file_header *h = pd_reader_header(reader);
	struct rpt_header_ctx ctx = {
		.out = out,
		.reader = reader,
		.perf = pd_event_set_needed_perf(pd_reader_events(reader)),
		.is_full = is_full,
	};

	fputs("# ========\n", out);
	print_captured_on(out, captured_on);
	/* perf counts the revisions of the format from 0 */
	fprintf(out, "# header version : %u\n", h->version - 1);
	fprintf(out, "# data offset    : %" PRIu64 "\n", h->data.off);
	fprintf(out, "# data size      : %" PRIu64 "\n", h->data.len);
	fprintf(out, "# feat offset    : %" PRIu64 "\n",
		h->data.off + h->data.len);
	if (!h->is_pipe) {
		print_features(&ctx);
		print_missing(&ctx);
		rpt_header_steps(&ctx);
		rpt_header_recorder(&ctx);
	}
	fputs("# ========\n#\n", out);
	if (h->is_pipe)
		print_features(&ctx);
}
