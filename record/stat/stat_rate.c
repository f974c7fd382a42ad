/* stat_rate.c: the column behind a count. */
#include "record/stat/stat_sheet.h"

#include <stdlib.h>
#include <string.h>

static bool is_same_cgroup(const struct rec_event *a, const struct rec_event *b)
{
	if (!a->cgroup || !b->cgroup)
		return a->cgroup == b->cgroup;
	return !strcmp(a->cgroup, b->cgroup);
}

static double mean_of(const struct rec_stat_cell *cell)
{
	struct rec_series series;

	rec_series_of(&series, cell->values, cell->value_nr);
	return series.mean;
}

/* Return the CPU time of the group, the mean of its clocks; 0: none counted. */
static double clock_ns(const struct rec_stat_sheet *sheet, size_t event,
		       size_t group)
{
	const struct rec_event *events = sheet->conf.events->events;
	double sum = 0;
	size_t nr = 0;

	for (size_t i = 0; i < sheet->clock_nr; i++) {
		size_t clock = sheet->clocks[i];
		const struct rec_stat_cell *cell =
			rec_stat_sheet_cell(sheet, clock, group);

		if (!cell->value_nr ||
		    !is_same_cgroup(&events[event], &events[clock]))
			continue;
		sum += mean_of(cell);
		nr++;
	}
	return nr ? sum / (double)nr : 0;
}

/* Fill counts with those of the group that metrics are computed of: of the same
 * control group as that event. */
static void fill_counts(const struct rec_stat_sheet *sheet, size_t event,
			size_t group, struct rec_metric_count *counts)
{
	const struct rec_event_list *list = sheet->conf.events;

	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_stat_cell *cell =
			rec_stat_sheet_cell(sheet, i, group);

		counts[i] = (struct rec_metric_count){
			.name = list->events[i].name,
			.group = list->events[i].leader_idx,
		};
		if (!cell->value_nr ||
		    !is_same_cgroup(&list->events[event], &list->events[i]))
			continue;
		counts[i].value = mean_of(cell) * list->events[i].scale;
		counts[i].enabled_ns = (uint64_t)cell->enabled_ns;
		counts[i].running_ns = (uint64_t)cell->running_ns;
	}
}

/* like: the event that it stands beside; SIZE_MAX: any. */
static enum rec_metric_state compute(const struct rec_stat_sheet *sheet,
				     const struct rec_metric *metric,
				     size_t like, size_t group, double *ret)
{
	size_t nr = sheet->conf.events->nr;
	struct rec_metric_count *counts = calloc(nr + 1, sizeof(*counts));
	enum rec_metric_state state;

	if (!counts || !nr) {
		free(counts);
		return REC_METRIC_NOT_COUNTED;
	}
	fill_counts(sheet, like == SIZE_MAX ? 0 : like, group, counts);
	state = rec_metric_value(metric, counts, nr,
				 like == SIZE_MAX ? NULL : &counts[like], ret);
	free(counts);
	return state;
}

void rec_stat_metric_of(const struct rec_stat_sheet *sheet,
			const struct rec_metric *metric, size_t group,
			struct rec_stat_rate *ret)
{
	enum rec_metric_state state;

	*ret = (struct rec_stat_rate){
		.unit = metric->name,
		.is_metric = true,
		.is_short = true,
		.is_percent = !strcmp(metric->unit, "%"),
	};
	state = compute(sheet, metric, SIZE_MAX, group, &ret->value);
	if (state != REC_METRIC_OK)
		ret->refused = rec_metric_state_text(state);
}

/* True for "instructions" and "instructions:u" if beside is the first. */
static bool stands_beside(const char *name, const char *beside)
{
	size_t len = beside ? strlen(beside) : 0;

	return len && !strncmp(name, beside, len) &&
	       (!name[len] || name[len] == ':');
}

const struct rec_metric *
rec_stat_metric_beside(const struct rec_stat_sheet *sheet,
		       const struct rec_event *event)
{
	uint32_t type = event->attr.sys.type;
	const struct rec_metric *metric = NULL;

	if (!sheet->conf.host || type == PERF_TYPE_SOFTWARE ||
	    type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT)
		return NULL;
	while ((metric = rec_metric_next(sheet->conf.host, metric)))
		if (stands_beside(event->name, metric->beside))
			return metric;
	return NULL;
}

/* Compute the metric on the event's line.  Return false if there is none, or if
 * what it needs was not counted. */
static bool find_metric(const struct rec_stat_sheet *sheet,
			const struct rec_stat_row *row,
			struct rec_stat_rate *ret)
{
	const struct rec_event_list *list = sheet->conf.events;
	const struct rec_metric *metric =
		rec_stat_metric_beside(sheet, &list->events[row->event]);
	enum rec_metric_state state;

	if (!metric)
		return false;
	state = compute(sheet, metric, row->event, row->group, &ret->value);
	if (state == REC_METRIC_NOT_TOGETHER)
		ret->refused = rec_metric_state_text(state);
	if (state != REC_METRIC_OK)
		return state == REC_METRIC_NOT_TOGETHER;
	ret->unit = metric->label;
	ret->is_metric = true;
	ret->is_percent = !strcmp(metric->unit, "%");
	ret->is_short = true;
	return true;
}

bool rec_stat_is_cycles(const struct rec_event *event)
{
	return event->attr.sys.type == PERF_TYPE_HARDWARE &&
	       (uint32_t)event->attr.sys.config == PERF_COUNT_HW_CPU_CYCLES;
}

static void set_share_of_cpus(const struct rec_stat_sheet *sheet, double mean,
			      struct rec_stat_rate *ret)
{
	struct rec_series wall;

	rec_series_of(&wall, sheet->wall_ns, sheet->run_nr);
	if (wall.mean <= 0)
		return;
	ret->value = mean / wall.mean;
	ret->unit = "CPUs utilized";
}

void rec_stat_rate_of(const struct rec_stat_sheet *sheet,
		      const struct rec_stat_row *row, double mean,
		      struct rec_stat_rate *ret)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec",
					     "G/sec" };
	const struct rec_event *event = &sheet->conf.events->events[row->event];
	double base;
	size_t i = 0;

	*ret = (struct rec_stat_rate){ .unit = "" };
	if (rec_stat_is_clock(event)) {
		set_share_of_cpus(sheet, mean, ret);
		return;
	}
	if (find_metric(sheet, row, ret))
		return;
	base = clock_ns(sheet, row->event, row->group);
	if (base <= 0)
		return;
	if (rec_stat_is_cycles(event)) {
		ret->value = mean / base;
		ret->unit = "GHz";
		ret->is_metric = true;
		return;
	}
	ret->value = mean / base * 1e9;
	while (ret->value > 1000 && i + 1 < sizeof(units) / sizeof(units[0])) {
		ret->value /= 1000;
		i++;
	}
	ret->unit = units[i];
}
