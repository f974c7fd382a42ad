#include "report/report/report_impl.h"

#include "report/base/memory.h"
#include "report/callchain/stack_resolver.h"
#include "report/rows/rows.h"
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
		.filter = part->rows_conf.hide.filter,
		.tracepoints = part->rows_conf.tracepoints,
		.trace_fields = part->rows_conf.keys.trace_fields,
	};
}

static uint32_t block_nr(const struct rpt_report *part)
{
	return part->blocks.nr ? part->blocks.nr : 1;
}

static void add_totals(struct rpt_report *report)
{
	struct rpt_event_total *totals =
		rpt_alloc_zeroed(report->whole.events.nr, sizeof(*totals));

	report->whole.totals = totals;
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		const struct rpt_profile *profile =
			&report->whole.parts[p].profile;
		size_t nr = report->whole.events.sets[p]->nr;

		size_t blocks = block_nr(&report->whole.parts[p]);

		for (size_t i = 0; i < nr * blocks; i++) {
			const struct rpt_event_total *total =
				&profile->totals[i];
			uint32_t at =
				report->whole.events.numbers[p][i / blocks];

			totals[at].sample_nr += total->sample_nr;
			totals[at].period += total->period;
			totals[at].second += total->second;
		}
	}
}

void rpt_report_merge(struct rpt_report *report)
{
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		struct rpt_report *part = &report->whole.parts[p];

		set_rows_input(part, p, report->whole.part_nr == 1);
		rpt_merged_events_add(&report->whole.events,
				      pd_reader_events(part->reader));
	}
	add_totals(report);
}

uint64_t rpt_report_block_weight(const struct rpt_report *report,
				 uint32_t event, uint32_t block)
{
	size_t idx = report->whole.events.items[event].idx;
	const struct rpt_event_total *total =
		&report->profile.totals[idx * block_nr(report) + block];

	return report->args->switches.off_cpu ? total->period
					      : total->sample_nr;
}

/* Return the samples of an event that may be shown. */
static struct rpt_event_total total_of(const struct rpt_report *report,
				       uint32_t event)
{
	const struct rpt_profile *profile = &report->profile;
	const struct rpt_stack_choice *shown = &profile->conf.shown;
	const struct rpt_event_total *totals =
		profile->totals + report->whole.events.items[event].idx *
					  (size_t)block_nr(report);
	struct rpt_event_total total = { 0 };

	if (!shown->end_block)
		return report->whole.totals[event];
	for (uint32_t i = shown->first_block; i < shown->end_block; i++) {
		total.sample_nr += totals[i].sample_nr;
		total.period += totals[i].period;
		total.second += totals[i].second;
	}
	return total;
}

/* Warn once that there was no budget for all rows; not if stacks were left out
 * before, which the profile says. */
static void warn_full(struct rpt_report *part)
{
	struct pd_err err = PD_ERR_INIT;

	if (part->whole.is_full_reported || part->profile.is_left_out)
		return;
	part->whole.is_full_reported = true;
	pd_err_set(&err, -EFBIG,
		   "more different addresses than the limit on memory allows "
		   "(--max-ratio); samples of later stacks are in the totals "
		   "alone");
	pd_damage_add(&part->damage, PD_DAMAGE_RECORD, 0, &err);
}

/* The stacks of some of the events. */
struct stack_list {
	uint32_t *stacks; /* numbers in the profile */
	uint32_t *members;
	uint32_t nr;
	uint64_t frame_nr; /* at most, without inlined ones */
};

/* Take a stack whose mode is not shown out of the rows' totals. */
static void leave_out(const struct rpt_profile *profile, uint32_t stack,
		      struct rpt_event_total *total)
{
	total->sample_nr += profile->stacks[stack].nr;
	total->period += profile->stacks[stack].period;
	if (stack < profile->seconds.nr)
		total->second += profile->seconds.items[stack];
}

/* List the stacks of events lead .. lead + member_nr - 1. */
static struct stack_list list_stacks(const struct rpt_report *report,
				     uint32_t idx, const struct rpt_rows *rows,
				     uint32_t lead)
{
	const struct rpt_report *part = &report->whole.parts[idx];
	const struct rpt_profile *profile = &part->profile;
	const uint32_t *numbers = report->whole.events.numbers[idx];
	size_t nr = profile->keys.nr;

	struct stack_list list = {
		.stacks = rpt_alloc_zeroed(nr, sizeof(*list.stacks)),
		.members = rpt_alloc_zeroed(nr, sizeof(*list.members)),
	};

	for (size_t i = 0; i < nr; i++) {
		const struct rpt_stack_key *key =
			rpt_profile_key(profile, part->order[i]);
		uint32_t event = numbers[key->event_idx];

		if (event < lead || event - lead >= rows->member_nr ||
		    !rpt_stack_choice_has_block(&profile->conf.shown,
						key->base->block))
			continue;
		if (!rpt_stack_choice_has_mode(&profile->conf.shown,
					       key->cpumode)) {
			leave_out(profile, part->order[i],
				  &rows->unresolved[event - lead]);
			continue;
		}
		list.stacks[list.nr] = part->order[i];
		list.members[list.nr++] = event - lead;
		list.frame_nr += key->chain_nr + 1;
	}
	return list;
}

/* Return 0, or -EFBIG if the budget is spent. */
static int add_one_by_one(struct rpt_rows *rows, const struct stack_list *list)
{
	int rc = 0;

	for (uint32_t i = 0; i < list->nr && !rc; i++)
		rc = rpt_rows_add(rows, list->stacks[i], list->members[i]);
	return rc;
}

/* Fewer are not worth a thread. */
#define STACKS_NR_MIN 2000u

/* Return whether one thread can find frames while another makes rows of them:
 * rows must ask nothing else of frames, and the budget must not run out at a
 * stack that depends on which thread is faster. */
static bool may_be_ahead(const struct rpt_report *report,
			 const struct rpt_rows *rows,
			 const struct stack_list *list)
{
	const struct rpt_rows_conf *conf = &rows->conf;
	uint64_t left =
		rpt_budget_left(rpt_timeline_budget(rows->frames->timeline));
	/* Locations are shared by the addresses of a function: with one for
	 * each address a short compressed file would never have the budget. */
	uint64_t cost_len =
		rpt_frames_cost_len(rows->frames) + rpt_rows_cost_len(rows);

	return report->args->jobs != 1 && report->whole.part_nr == 1 &&
	       list->nr >= STACKS_NR_MIN && list->frame_nr < left / cost_len &&
	       !conf->is_branch && !conf->hide.symbol_part && !conf->ignored &&
	       !(conf->hide.filter && conf->hide.filter->asked) &&
	       !(conf->keys.by & ~(unsigned)RPT_BY_STACK_AND_LOCATION) &&
	       rows->frames->key == RPT_FRAME_FUNCTION &&
	       !rows->frames->conf.inlines;
}

/* Return whether nearly all stacks have an address of their own: they have no
 * chains, and only names of tasks make two stacks of one address. */
static bool is_asked_once(const struct rpt_rows *rows,
			  const struct stack_list *list)
{
	unsigned by = RPT_BY_COMM | RPT_BY_DSO | RPT_BY_SYMBOL | RPT_BY_HOST;

	return list->frame_nr == list->nr && !rows->conf.is_branch &&
	       !(rows->conf.keys.by & ~by) && !rows->frames->conf.inlines;
}

/* How many stacks ahead what leads to their rows, and the rows, are fetched. */
#define AHEAD_FRAMES 12u
#define AHEAD_ROWS   5u

static void prefetch(struct rpt_rows *rows, const struct stack_list *list,
		     uint32_t at, const struct rpt_stack_resolver *ahead)
{
	const uint32_t *frames;
	uint32_t nr = rpt_stack_resolver_peek(ahead, AHEAD_FRAMES, &frames);

	rpt_profile_prefetch(rows->profile, list->stacks + at, list->nr - at);
	if (nr)
		rpt_rows_prefetch_frames(rows, frames, nr);
	nr = rpt_stack_resolver_peek(ahead, AHEAD_ROWS, &frames);
	if (nr)
		rpt_rows_prefetch_rows(rows, frames, nr);
}

static int add_from_ahead(struct rpt_rows *rows, const struct stack_list *list,
			  struct rpt_stack_resolver *ahead)
{
	const struct rpt_stack_frames *at;
	int rc = 0;

	for (uint32_t i = 0; i < list->nr && !rc; i++) {
		prefetch(rows, list, i, ahead);
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
		/* besides those of addresses, rpt_frames_unmapped() */
		rpt_frames_reserve(rows->frames, (uint32_t)list->frame_nr + 1);
		ahead = rpt_stack_resolver_new(&conf);
	}
	rc = ahead ? add_from_ahead(rows, list, ahead)
		   : add_one_by_one(rows, list);
	rpt_stack_resolver_free(ahead);
	return rc;
}

/* Add the stacks of events lead .. lead + member_nr - 1 of one part. */
static void add_part(struct rpt_report *report, uint32_t idx,
		     struct rpt_rows *rows, uint32_t lead)
{
	const struct rpt_report *part = &report->whole.parts[idx];
	struct stack_list list;

	rpt_rows_use(rows, &part->rows_input);
	if (report->whole.part_nr > 1)
		rpt_frames_use(&report->frames, idx, part->timeline);
	rpt_rows_find_lines(rows, part->order, report->args->jobs);
	list = list_stacks(report, idx, rows, lead);
	if (add_list(report, rows, &list))
		warn_full(&report->whole.parts[idx]);
	free(list.stacks);
	free(list.members);
}

/* Warn of the inputs that have no budget for the rows of a hierarchy. */
static void warn_spent(struct rpt_report *report)
{
	for (uint32_t p = 0; p < report->whole.part_nr; p++) {
		struct rpt_report *part = &report->whole.parts[p];

		if (rpt_timeline_budget(part->timeline)->is_spent)
			warn_full(part);
	}
}

void rpt_report_fill_rows(struct rpt_report *report, struct rpt_rows *rows,
			  uint32_t lead)
{
	for (uint32_t p = 0; p < report->whole.part_nr; p++)
		add_part(report, p, rows, lead);
	for (uint32_t m = 0; m < rows->member_nr; m++) {
		const struct rpt_event_total total = total_of(report, lead + m);

		rows->totals[m] = total.period - rows->unresolved[m].period;
		rows->second_totals[m] =
			total.second - rows->unresolved[m].second;
	}
	if (rpt_rows_end(rows))
		warn_spent(report);
}
