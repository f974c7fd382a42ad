/* Features: those with names are written again, those of the machine stay, and
 * what is not in the table is left out. */
#include "report/scrub/scrub_impl.h"

#include "format/file/feature.h"
#include "format/records/build_id.h"

#include <stdlib.h>

static struct pd_cursor cursor_of(const struct pd_buf *payload)
{
	struct pd_cursor c;

	pd_cursor_init(&c, payload->data, payload->len, 0, "feature");
	c.swap = payload->swap;
	return c;
}

/* Put what was written to b in the place of the payload. */
static bool replace(struct pd_buf *payload, struct pd_buf *b)
{
	bool is_whole = !pd_buf_status(b);

	pd_buf_reset(payload);
	if (is_whole)
		pd_buf_bytes(payload, b->data, b->len);
	pd_buf_release(b);
	return is_whole;
}

static bool keep(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	(void)scrub;
	(void)payload;
	return true;
}

/* The bytes behind the end of a string are not written again. */
static bool keep_string(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	struct pd_buf b = { .swap = payload->swap };
	struct pd_cursor c = cursor_of(payload);
	struct pd_str text;

	(void)scrub;
	if (pd_feature_string_read(&c, &text))
		return false;
	pd_buf_string(&b, text);
	return replace(payload, &b);
}

/* perf takes a file of the other byte order without it for one of a 32-bit
 * machine: FORMAT.md "File header". */
static bool host(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	struct pd_buf b = { .swap = payload->swap };

	rpt_scrub_count(scrub, RPT_SCRUB_HOSTNAME, true);
	pd_buf_string(&b, (struct pd_str){ "(none)", 6 });
	return replace(payload, &b);
}

static bool command_line(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	(void)payload;
	rpt_scrub_count(scrub, RPT_SCRUB_CMDLINE, true);
	return false;
}

static bool programs(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	(void)payload;
	rpt_scrub_count(scrub, RPT_SCRUB_PROGRAMS, true);
	return false;
}

/* Repair made new formats, which have names only. */
static bool formats(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	(void)payload;
	rpt_scrub_count(scrub, RPT_SCRUB_FORMATS, true);
	return true;
}

static bool is_kernel_entry(const struct pd_build_id_entry *entry)
{
	uint32_t mode = entry->misc & PD_MISC_CPUMODE_MASK;

	return mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
}

static bool build_ids(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	struct pd_buf b = { .swap = payload->swap };
	struct pd_cursor c = cursor_of(payload);
	struct pd_build_id_entry entry;
	struct pd_build_ids it;

	pd_build_ids_init(&it, &c);
	while (pd_build_ids_next(&it, &entry, NULL) > 0) {
		pd_buf_reset(&scrub->text);
		rpt_scrub_path(scrub, entry.id.filename,
			       is_kernel_entry(&entry), &scrub->text);
		entry.id.filename =
			(struct pd_str){ (const char *)scrub->text.data,
					 scrub->text.len };
		pd_build_id_write(&b, &entry);
	}
	return replace(payload, &b);
}

static bool groups(struct rpt_scrub *scrub, struct pd_buf *payload)
{
	struct pd_buf b = { .swap = payload->swap }, names = PD_BUF_INIT;
	struct pd_cursor c = cursor_of(payload);
	struct pd_group_descs all;
	size_t *ends;

	if (pd_feature_group_desc_read(&c, &all))
		return false;
	ends = calloc(all.nr + 1, sizeof(*ends));
	for (size_t i = 0; ends && i < all.nr; i++) {
		rpt_scrub_group(scrub, all.items[i].name, &names);
		ends[i + 1] = names.len;
	}
	for (size_t i = 0; ends && i < all.nr; i++)
		all.items[i].name = (struct pd_str){
			(const char *)names.data + ends[i],
			ends[i + 1] - ends[i],
		};
	if (ends && !pd_buf_status(&names))
		pd_feature_group_desc_write(&b, &all);
	else
		b.status = -ENOMEM;
	pd_group_descs_release(&all);
	pd_buf_release(&names);
	free(ends);
	return replace(payload, &b);
}

static bool (*const rows[PD_FEATURE_NR])(struct rpt_scrub *scrub,
					 struct pd_buf *payload) = {
	[PD_FEATURE_TRACING_DATA] = formats,
	[PD_FEATURE_BUILD_ID] = build_ids,
	[PD_FEATURE_HOSTNAME] = host,
	[PD_FEATURE_OSRELEASE] = keep_string,
	[PD_FEATURE_VERSION] = keep_string,
	[PD_FEATURE_ARCH] = keep_string,
	[PD_FEATURE_NRCPUS] = keep,
	[PD_FEATURE_CPUDESC] = keep_string,
	[PD_FEATURE_CPUID] = keep_string,
	[PD_FEATURE_TOTAL_MEM] = keep,
	[PD_FEATURE_CMDLINE] = command_line,
	[PD_FEATURE_EVENT_DESC] = keep, /* repair made it of the new events */
	[PD_FEATURE_CPU_TOPOLOGY] = keep,
	[PD_FEATURE_NUMA_TOPOLOGY] = keep,
	[PD_FEATURE_BRANCH_STACK] = keep,
	[PD_FEATURE_PMU_MAPPINGS] = keep,
	[PD_FEATURE_GROUP_DESC] = groups,
	[PD_FEATURE_STAT] = keep,
	[PD_FEATURE_CACHE] = keep,
	[PD_FEATURE_SAMPLE_TIME] = keep,
	[PD_FEATURE_MEM_TOPOLOGY] = keep,
	[PD_FEATURE_CLOCKID] = keep,
	[PD_FEATURE_BPF_PROG_INFO] = programs,
	[PD_FEATURE_BPF_BTF] = programs,
	[PD_FEATURE_CPU_PMU_CAPS] = keep,
	[PD_FEATURE_CLOCK_DATA] = keep,
	[PD_FEATURE_HYBRID_TOPOLOGY] = keep,
	[PD_FEATURE_PMU_CAPS] = keep,
	[PD_FEATURE_CPU_DOMAIN_INFO] = keep,
	[PD_FEATURE_E_MACHINE] = keep,
	[PD_FEATURE_CLN_SIZE] = keep,
};

bool rpt_scrub_feature(void *ctx, unsigned bit, struct pd_buf *payload)
{
	struct rpt_scrub *scrub = ctx;

	scrub->is_counted = true;
	if (bit < PD_FEATURE_NR && rows[bit])
		return rows[bit](scrub, payload);
	rpt_scrub_count(scrub, RPT_SCRUB_FEATURES, true);
	return false;
}
