#include "report/check/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define TEXT_LEN RPT_FINDING_TEXT_LEN

static const struct {
	const char *name;
	bool is_damage;
} kinds[RPT_FINDING_NR] = {
	[RPT_FINDING_UNREADABLE] = { "unreadable", true },
	[RPT_FINDING_UNFINISHED] = { "unfinished", true },
	[RPT_FINDING_KILLED] = { "killed", false },
	[RPT_FINDING_UNCOVERED] = { "uncovered", true },
	[RPT_FINDING_CUT] = { "cut", true },
	[RPT_FINDING_SECTION] = { "section", true },
	[RPT_FINDING_GAP] = { "gap", false },
	[RPT_FINDING_ATTR] = { "attr", true },
	[RPT_FINDING_ATTR_NEWER] = { "attr-newer", false },
	[RPT_FINDING_ID] = { "id", true },
	[RPT_FINDING_FEATURE] = { "feature", true },
	[RPT_FINDING_FEATURE_ODD] = { "feature-odd", false },
	[RPT_FINDING_TRAILER] = { "trailer", true },
	[RPT_FINDING_INDEX] = { "index", true },
	[RPT_FINDING_CHECKSUM] = { "checksum", true },
	[RPT_FINDING_UNCHECKED] = { "unchecked", false },
	[RPT_FINDING_RECORD] = { "record", true },
	[RPT_FINDING_BODY] = { "body", true },
	[RPT_FINDING_BODY_LONG] = { "body-long", false },
	[RPT_FINDING_TEXT] = { "text", true },
	[RPT_FINDING_PADDING] = { "padding", false },
	[RPT_FINDING_BUILD_ID] = { "build-id", false },
	[RPT_FINDING_UNALIGNED] = { "unaligned", false },
	[RPT_FINDING_TYPE] = { "type", false },
	[RPT_FINDING_SAMPLE] = { "sample", true },
	[RPT_FINDING_SAMPLE_LONG] = { "sample-long", false },
	[RPT_FINDING_EVENT] = { "event", true },
	[RPT_FINDING_CPU] = { "cpu", false },
	[RPT_FINDING_ORDER] = { "order", false },
	[RPT_FINDING_TIME] = { "time", false },
	[RPT_FINDING_ZSTD] = { "zstd", true },
	[RPT_FINDING_PLAIN] = { "plain", true },
	[RPT_FINDING_COMPRESSED] = { "compressed", false },
};

const char *rpt_finding_name(enum rpt_finding_kind kind)
{
	return kinds[kind].name;
}

bool rpt_finding_is_damage(enum rpt_finding_kind kind)
{
	return kinds[kind].is_damage;
}

/* Count a finding, and show it if it is one of the first of its kind. */
__attribute__((format(printf, 3, 0))) static void
add(struct rpt_findings *all, struct rpt_finding finding, const char *fmt,
    va_list ap)
{
	bool is_counted =
		finding.kind == RPT_FINDING_PADDING && all->cap != UINT64_MAX;
	char text[TEXT_LEN];

	if (is_counted && !all->nr[finding.kind]) {
		all->first_padding = finding;
		vsnprintf(all->padding_text, sizeof(all->padding_text), fmt,
			  ap);
	}
	if (all->nr[finding.kind]++ >= all->cap || !all->show || is_counted)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	finding.text = text;
	all->show(all->ctx, &finding);
}

void rpt_find(struct rpt_findings *all, enum rpt_finding_kind kind,
	      uint64_t off, const char *fmt, ...)
{
	const struct rpt_finding finding = { kind, off,
					     PD_RECORD_NOT_COMPRESSED, NULL };
	va_list ap;

	va_start(ap, fmt);
	add(all, finding, fmt, ap);
	va_end(ap);
}

void rpt_find_in(struct rpt_findings *all, enum rpt_finding_kind kind,
		 const struct pd_record *rec, uint64_t pos, const char *fmt,
		 ...)
{
	struct rpt_finding finding = { kind, rec->file_off, rec->plain_off,
				       NULL };
	va_list ap;

	if (rec->plain_off == PD_RECORD_NOT_COMPRESSED)
		finding.off += pos;
	else
		finding.plain_off += pos;
	va_start(ap, fmt);
	add(all, finding, fmt, ap);
	va_end(ap);
}

void rpt_find_err(struct rpt_findings *all, enum rpt_finding_kind kind,
		  const struct pd_record *rec, const struct pd_err *err)
{
	if (rec)
		rpt_find_in(all, kind, rec,
			    err->has_off ? err->off - rec->file_off : 0, "%s",
			    err->text);
	else
		rpt_find(all, kind, err->has_off ? err->off : RPT_NO_OFF, "%s",
			 err->text);
}

void rpt_findings_end(struct rpt_findings *all)
{
	struct rpt_finding *first = &all->first_padding;
	uint64_t nr = all->nr[RPT_FINDING_PADDING];
	char text[TEXT_LEN];

	if (!nr || !all->show || all->cap == UINT64_MAX)
		return;
	snprintf(text, sizeof(text),
		 "%s, and %" PRIu64 " more records like it: harmless",
		 all->padding_text, nr - 1);
	first->text = nr > 1 ? text : all->padding_text;
	all->show(all->ctx, first);
}

uint64_t rpt_findings_count(const struct rpt_findings *all, bool is_damage)
{
	uint64_t nr = 0;

	for (unsigned i = 0; i < RPT_FINDING_NR; i++)
		if (kinds[i].is_damage == is_damage)
			nr += all->nr[i];
	return nr;
}
