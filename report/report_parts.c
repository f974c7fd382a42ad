#include "report/report_parts.h"

#include "report/row_lines.h"
#include "report/timeline_budget.h"

#include <errno.h>
#include <stdlib.h>

static void set_rows_input(struct rpt_report *part, uint32_t idx, bool is_only)
{
	part->rows_input = (struct rpt_rows_input){
		.idx = idx,
		.is_only = is_only,
		.host = part->host,
		.profile = &part->profile,
		.filter = part->rows_conf.filter,
		.tracepoints = part->rows_conf.tracepoints,
		.trace_fields = part->rows_conf.trace_fields,
	};
}

static int add_totals(struct rpt_report *report)
{
	struct rpt_event_total *totals =
		calloc((size_t)report->events.nr + 1, sizeof(*totals));

	if (!totals)
		return -ENOMEM;
	report->totals = totals;
	for (uint32_t p = 0; p < report->part_nr; p++) {
		const struct rpt_profile *profile = &report->parts[p].profile;
		size_t nr = report->events.sets[p]->nr;

		for (size_t e = 0; e < nr; e++) {
			uint32_t at = report->events.numbers[p][e];

			totals[at].sample_nr += profile->totals[e].sample_nr;
			totals[at].period += profile->totals[e].period;
		}
	}
	return 0;
}

int rpt_parts_merge(struct rpt_report *report)
{
	int rc = 0;

	for (uint32_t p = 0; p < report->part_nr && !rc; p++) {
		struct rpt_report *part = &report->parts[p];

		set_rows_input(part, p, report->part_nr == 1);
		rc = rpt_merged_events_add(&report->events,
					   pd_reader_events(part->reader));
	}
	return rc ? rc : add_totals(report);
}

void rpt_parts_samples(const struct rpt_report *report, uint64_t *ret_nr,
		       uint64_t *ret_lost_nr)
{
	*ret_nr = 0;
	*ret_lost_nr = 0;
	for (uint32_t p = 0; p < report->part_nr; p++) {
		*ret_nr += rpt_profile_sample_nr(&report->parts[p].profile);
		*ret_lost_nr += report->parts[p].profile.lost_sample_nr;
	}
}

/* The rows that there are can be shown. */
static int tell_full(struct rpt_report *part)
{
	struct pd_err err = PD_ERR_INIT;

	pd_err_set(&err, -EFBIG,
		   "more different addresses than the limit on memory allows "
		   "(--max-ratio); samples of later stacks are in the totals "
		   "alone");
	pd_damage_add(&part->damage, PD_DAMAGE_RECORD, 0, &err);
	return 0;
}

/* Adds the stacks of events lead .. lead + member_nr - 1 of one part. */
static int add_part(struct rpt_report *report, uint32_t idx,
		    struct rpt_rows *rows, uint32_t lead)
{
	const struct rpt_report *part = &report->parts[idx];
	const struct rpt_profile *profile = &part->profile;
	const uint32_t *numbers = report->events.numbers[idx];
	int rc = 0;

	rpt_rows_use(rows, &part->rows_input);
	if (report->part_nr > 1)
		rpt_frames_use(&report->frames, idx, part->timeline);
	rc = rpt_rows_find_lines(rows, part->order, report->args->jobs);
	for (uint32_t i = 0; i < profile->keys.nr && !rc; i++) {
		uint32_t stack = part->order[i];
		uint32_t event =
			numbers[rpt_profile_key(profile, stack)->event_idx];

		if (event >= lead && event - lead < rows->member_nr)
			rc = rpt_rows_add(rows, stack, event - lead);
	}
	return rc == -EFBIG ? tell_full(&report->parts[idx]) : rc;
}

/* Of the inputs that have no budget for the rows of a hierarchy. */
static int tell_spent(struct rpt_report *report)
{
	int rc = 0;

	for (uint32_t p = 0; p < report->part_nr && !rc; p++) {
		if (rpt_timeline_budget(report->parts[p].timeline)->is_spent)
			rc = tell_full(&report->parts[p]);
	}
	return rc;
}

int rpt_parts_fill(struct rpt_report *report, struct rpt_rows *rows,
		   uint32_t lead)
{
	int rc = 0;

	for (uint32_t p = 0; p < report->part_nr && !rc; p++)
		rc = add_part(report, p, rows, lead);
	for (uint32_t m = 0; m < rows->member_nr; m++)
		rows->totals[m] = report->totals[lead + m].period;
	if (!rc)
		rc = rpt_rows_sort(rows);
	return rc == -EFBIG ? tell_spent(report) : rc;
}
