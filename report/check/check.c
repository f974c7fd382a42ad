#include "report/check/check.h"

#include "report/check/check_impl.h"

#include <inttypes.h>
#include <stdlib.h>

static const enum rpt_finding_kind kind_of_damage[] = {
	[PD_DAMAGE_UNFINISHED] = RPT_FINDING_UNFINISHED,
	[PD_DAMAGE_CUT] = RPT_FINDING_CUT,
	[PD_DAMAGE_FEATURE] = RPT_FINDING_FEATURE,
	[PD_DAMAGE_TRAILER] = RPT_FINDING_TRAILER,
	[PD_DAMAGE_SUM] = RPT_FINDING_CHECKSUM,
	[PD_DAMAGE_ATTRS] = RPT_FINDING_ATTR,
	[PD_DAMAGE_IDS] = RPT_FINDING_SECTION,
	[PD_DAMAGE_DESC] = RPT_FINDING_FEATURE,
	[PD_DAMAGE_HEAD] = RPT_FINDING_BODY,
	[PD_DAMAGE_RECORD] = RPT_FINDING_RECORD,
	[PD_DAMAGE_ZSTD] = RPT_FINDING_ZSTD,
	[PD_DAMAGE_PLAIN] = RPT_FINDING_PLAIN,
};

static void report_damage(void *ctx, enum pd_damage_kind kind, uint64_t len,
			  const struct pd_err *err)
{
	struct rpt_check *check = ctx;
	uint64_t off = err->has_off ? err->off : RPT_NO_OFF;

	/* rpt_check_record() and rpt_check_features() decode these again and
	 * report them then */
	if (kind == PD_DAMAGE_HEAD || kind == PD_DAMAGE_DESC)
		return;
	if (kind == PD_DAMAGE_ZSTD)
		check->zstd_off = off;
	check->totals->skipped_len += len;
	if (len)
		rpt_find(check->findings, kind_of_damage[kind], off,
			 "%s; %" PRIu64 " byte%s passed over",
			 err->code ? err->text : "damaged", len,
			 len == 1 ? "" : "s");
	else
		rpt_find_err(check->findings, kind_of_damage[kind], NULL, err);
}

/* Check how much plain text a COMPRESSED record has: perf needs some, and no
 * more than it has room for. */
static void check_plain_len(void *ctx, uint64_t off, uint64_t plain_len)
{
	struct rpt_check *check = ctx;

	if (check->zstd_off == off)
		return;
	if (!check->mmap_len && !check->is_unsaid) {
		check->is_unsaid = true;
		rpt_find(check->findings, RPT_FINDING_FEATURE_ODD, off,
			 "COMPRESSED is not there, or says nothing: perf does "
			 "not read this record");
	}
	if (!plain_len)
		rpt_find(check->findings, RPT_FINDING_COMPRESSED, off,
			 "a COMPRESSED record of no plain text, where perf "
			 "does not read on");
	else if (check->mmap_len && plain_len > check->mmap_len)
		rpt_find(check->findings, RPT_FINDING_COMPRESSED, off,
			 "a COMPRESSED record of %" PRIu64
			 " plain bytes, of which perf reads %" PRIu32,
			 plain_len, check->mmap_len);
}

static void report_uncovered(struct rpt_check *check)
{
	const struct pd_sample_time *times = &check->uncovered;
	uint64_t ns = 0;

	if (!check->uncovered_nr)
		return;
	if (times->first_ns < times->last_ns)
		ns = times->last_ns - times->first_ns;
	rpt_find(check->findings, RPT_FINDING_UNCOVERED, check->end_off,
		 "%" PRIu64 " records of %" PRIu64 ".%06" PRIu64
		 " s lie behind what the header says there is; perf does not "
		 "read them",
		 check->uncovered_nr, ns / 1000000000, ns % 1000000000 / 1000);
}

static void check_parts(struct rpt_check *check, const struct pd_watch *watch)
{
	const struct pd_file_header *h = pd_reader_header(check->reader);

	check->end_off = h->is_pipe ? UINT64_MAX : h->data.off + h->data.len;
	rpt_check_layout(check);
	rpt_check_events(check);
	rpt_check_features(check);
	rpt_check_walk(check, watch);
	report_uncovered(check);
	rpt_check_sample_time(check);
}

int rpt_check(const struct rpt_file_source *source, uint64_t max_ratio,
	      struct rpt_findings *findings, struct rpt_check_totals *ret)
{
	struct rpt_check check = {
		.base = source->base,
		.len = source->len,
		.findings = findings,
		.totals = ret,
		.uncovered = { UINT64_MAX, 0 },
		.zstd_off = RPT_NO_OFF,
	};
	const struct pd_watch watch = { report_damage, &check,
					check_plain_len };
	struct pd_err err = PD_ERR_INIT;
	struct pd_reader *reader = NULL;
	int rc;

	*ret = (struct rpt_check_totals){ .times = { UINT64_MAX, 0 } };
	rc = rpt_file_source_reader(source, &watch, &reader, &err);
	if (rc) {
		rpt_find_err(findings, RPT_FINDING_UNREADABLE, NULL, &err);
		return rc;
	}
	pd_reader_set_ratio(reader, max_ratio);
	check.reader = reader;
	check.events = pd_reader_events(reader);
	rpt_stat_table_init(&check.counts, check.events,
			    RPT_STAT_LINES_LEAST + pd_reader_len(reader));
	check_parts(&check, &watch);
	rpt_rounds_release(&check.rounds);
	rpt_stat_table_release(&check.counts);
	pd_reader_close(reader);
	return 0;
}

void rpt_check_release(struct rpt_check_totals *totals)
{
	free(totals->payloads);
	*totals = (struct rpt_check_totals){ .payloads = NULL };
}
