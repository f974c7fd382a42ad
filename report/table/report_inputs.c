#include "report/table/report_inputs.h"

#include "report/callchain/stack_resolver.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>

static void set_rows_input(struct rpt_report *part, uint32_t idx, bool is_only)
{
	part->rows_input = (struct rpt_rows_input){
		.idx = idx,
		.is_only = is_only,
		.host = part->host,
		.profile = &part->profile,
		.filter = part->rows_conf.hide.places,
		.tracepoints = part->rows_conf.tracepoints,
		.trace_fields = part->rows_conf.keys.trace_fields,
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

/* Once, and not where stacks were left out before: the rows that there are can
 * be shown. */
static int tell_full(struct rpt_report *part)
{
	struct pd_err err = PD_ERR_INIT;

	if (part->is_full_told || part->profile.is_full_told)
		return 0;
	part->is_full_told = true;
	pd_err_set(&err, -EFBIG,
		   "more different addresses than the limit on memory allows "
		   "(--max-ratio); samples of later stacks are in the totals "
		   "alone");
	pd_damage_add(&part->damage, PD_DAMAGE_RECORD, 0, &err);
	return 0;
}

/* The stacks of some of the events. */
struct stack_list {
	uint32_t *stacks; /* numbers in the profile */
	uint32_t *members;
	uint32_t nr;
	uint64_t
		frame_nr; /* that they can have at most, without inlined ones */
};

static void list_release(struct stack_list *list)
{
	free(list->stacks);
	free(list->members);
}

/* Those of events lead .. lead + member_nr - 1. */
static int list_stacks(const struct rpt_report *report, uint32_t idx,
		       const struct rpt_rows *rows, uint32_t lead,
		       struct stack_list *ret)
{
	const struct rpt_report *part = &report->parts[idx];
	const struct rpt_profile *profile = &part->profile;
	const uint32_t *numbers = report->events.numbers[idx];
	size_t nr = profile->keys.nr;

	*ret = (struct stack_list){
		.stacks = calloc(nr + 1, sizeof(*ret->stacks)),
		.members = calloc(nr + 1, sizeof(*ret->members)),
	};
	if (!ret->stacks || !ret->members)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct rpt_stack_key *key =
			rpt_profile_key(profile, part->order[i]);
		uint32_t event = numbers[key->event_idx];

		if (event < lead || event - lead >= rows->member_nr)
			continue;
		ret->stacks[ret->nr] = part->order[i];
		ret->members[ret->nr++] = event - lead;
		ret->frame_nr += key->chain_nr + 1;
	}
	return 0;
}

static int add_one_by_one(struct rpt_rows *rows, const struct stack_list *list)
{
	int rc = 0;

	for (uint32_t i = 0; i < list->nr && !rc; i++) {
		rc = rpt_rows_add(rows, list->stacks[i], list->members[i]);
	}
	return rc;
}

/* Fewer are not worth a thread. */
#define STACKS_NR_MIN 2000u

/* Whether frames can be found by one thread while another makes rows of them:
 * where rows ask no more of frames, and where no budget ends at a place that
 * depends on who is faster. */
static bool may_be_ahead(const struct rpt_report *report,
			 const struct rpt_rows *rows,
			 const struct stack_list *list)
{
	const struct rpt_rows_conf *conf = &rows->conf;
	uint64_t left =
		rpt_budget_left(rpt_timeline_budget(rows->frames->timeline));
	uint64_t cost_len =
		rpt_frames_cost_len(rows->frames) + rpt_rows_cost_len(rows);

	return report->args->jobs != 1 && report->part_nr == 1 &&
	       list->nr >= STACKS_NR_MIN && list->frame_nr < left / cost_len &&
	       !conf->is_branch && !conf->hide.symbol_part && !conf->ignored &&
	       !(conf->hide.places && conf->hide.places->asked) &&
	       !(conf->keys.by & ~(unsigned)RPT_BY_STACK_AND_PLACE) &&
	       rows->frames->key == RPT_FRAME_FUNCTION &&
	       !rows->frames->conf.inlines;
}

/* Whether nearly all stacks have an address of their own: without chains, and
 * where no more than tasks' names makes two stacks of one address. */
static bool is_asked_once(const struct rpt_rows *rows,
			  const struct stack_list *list)
{
	unsigned by = RPT_BY_COMM | RPT_BY_DSO | RPT_BY_SYMBOL | RPT_BY_HOST;

	return list->frame_nr == list->nr && !rows->conf.is_branch &&
	       !(rows->conf.keys.by & ~by) && !rows->frames->conf.inlines;
}

static int add_from_ahead(struct rpt_rows *rows, const struct stack_list *list,
			  struct rpt_stack_resolver *ahead)
{
	const struct rpt_stack_frames *at;
	int rc = 0;

	for (uint32_t i = 0; i < list->nr && !rc; i++) {
		rc = rpt_stack_resolver_next(ahead, &at);
		if (!rc)
			rc = rpt_rows_add_resolved(rows, list->stacks[i],
						   list->members[i], at);
	}
	return rc;
}

static int add_list(const struct rpt_report *report, struct rpt_rows *rows,
		    const struct stack_list *list)
{
	struct rpt_stack_resolver_conf conf = {
		.frames = rows->frames,
		.profile = rows->profile,
		.stacks = list->stacks,
		.nr = list->nr,
		.stack = rpt_rows_frames_conf(rows),
	};
	struct rpt_stack_resolver *ahead = NULL;
	int rc;

	rows->frames->is_asked_once = is_asked_once(rows, list);
	if (may_be_ahead(report, rows, list)) {
		rpt_frames_reserve(rows->frames, (uint32_t)list->frame_nr);
		ahead = rpt_stack_resolver_new(&conf);
	}
	rc = ahead ? add_from_ahead(rows, list, ahead)
		   : add_one_by_one(rows, list);
	rpt_stack_resolver_free(ahead);
	return rc;
}

/* Adds the stacks of events lead .. lead + member_nr - 1 of one part. */
static int add_part(struct rpt_report *report, uint32_t idx,
		    struct rpt_rows *rows, uint32_t lead)
{
	const struct rpt_report *part = &report->parts[idx];
	struct stack_list list;
	int rc;

	rpt_rows_use(rows, &part->rows_input);
	if (report->part_nr > 1)
		rpt_frames_use(&report->frames, idx, part->timeline);
	rc = rpt_rows_find_lines(rows, part->order, report->args->jobs);
	if (rc)
		return rc;
	rc = list_stacks(report, idx, rows, lead, &list);
	if (!rc)
		rc = add_list(report, rows, &list);
	list_release(&list);
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
		rows->totals[m] = report->totals[lead + m].period -
				  rows->unresolved[m].period;
	if (!rc)
		rc = rpt_rows_end(rows);
	return rc == -EFBIG ? tell_spent(report) : rc;
}
