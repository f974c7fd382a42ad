#include "record/stat/stat_sheet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool rec_stat_is_clock(const struct rec_event *event)
{
	const struct perf_event_attr *attr = &event->attr.sys;

	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
		attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

const char *rec_stat_unit(const struct rec_event *event)
{
	if (rec_stat_is_clock(event))
		return "msec";
	return event->unit ? event->unit : "";
}

double rec_stat_scale(const struct rec_event *event)
{
	return rec_stat_is_clock(event) ? 1e-6 : event->scale;
}

int rec_stat_sheet_init(struct rec_stat_sheet *ret,
			const struct rec_stat_sheet_conf *conf)
{
	const struct rec_event_list *events = conf->events;
	size_t cell_nr = events->nr * conf->groups->nr;

	memset(ret, 0, sizeof(*ret));
	ret->conf = *conf;
	ret->cells = calloc(cell_nr + 1, sizeof(*ret->cells));
	ret->values = calloc(cell_nr * conf->run_cap + 1, sizeof(double));
	ret->wall_ns = calloc(conf->run_cap + 1, sizeof(double));
	ret->clocks = calloc(events->nr + 1, sizeof(*ret->clocks));
	if (!ret->cells || !ret->values || !ret->wall_ns || !ret->clocks) {
		rec_stat_sheet_release(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < cell_nr; i++)
		ret->cells[i].values = ret->values + i * conf->run_cap;
	for (size_t i = 0; i < events->nr; i++)
		if (rec_stat_is_clock(&events->events[i]))
			ret->clocks[ret->clock_nr++] = i;
	return 0;
}

void rec_stat_sheet_release(struct rec_stat_sheet *sheet)
{
	free(sheet->cells);
	free(sheet->values);
	free(sheet->wall_ns);
	free(sheet->clocks);
	memset(sheet, 0, sizeof(*sheet));
}

static struct rec_stat_cell *cell_at(const struct rec_stat_sheet *sheet,
				     size_t event, size_t group)
{
	return &sheet->cells[event * sheet->conf.groups->nr + group];
}

const struct rec_stat_cell *
rec_stat_sheet_cell(const struct rec_stat_sheet *sheet, size_t event,
		    size_t group)
{
	return cell_at(sheet, event, group);
}

void rec_stat_sheet_clear(struct rec_stat_sheet *sheet)
{
	size_t nr = sheet->conf.events->nr * sheet->conf.groups->nr;

	for (size_t i = 0; i < nr; i++)
		sheet->cells[i] = (struct rec_stat_cell){
			.values = sheet->cells[i].values
		};
	sheet->run_nr = 0;
	sheet->has_usage = false;
}

/* Add what one counter counted to its cell; the value of a run begins with the
 * first counter that ran in it. */
static void add_count(struct rec_stat_cell *cell, const struct rec_count *count,
		      bool no_scale, bool *has_value)
{
	cell->enabled_ns += (double)count->enabled_ns;
	cell->running_ns += (double)count->running_ns;
	if (!count->running_ns)
		return;
	if (!*has_value)
		cell->values[cell->value_nr++] = 0;
	*has_value = true;
	cell->values[cell->value_nr - 1] +=
		no_scale ? (double)count->value : rec_count_scaled(count);
}

static void add_event(struct rec_stat_sheet *sheet, size_t event,
		      const struct rec_counts *counts, bool *has_value)
{
	const struct rec_stat_groups *groups = sheet->conf.groups;

	for (size_t i = 0; i < groups->nr; i++) {
		has_value[i] = false;
		cell_at(sheet, event, i)->counter_nr = 0;
	}
	for (size_t place = 0; place < counts->place_nr; place++) {
		for (size_t t = 0; t < counts->thread_nr; t++) {
			const struct rec_count *count =
				rec_counts_at(counts, event, place, t);
			size_t group = rec_stat_group_of(groups, place, t);
			struct rec_stat_cell *cell =
				cell_at(sheet, event, group);

			if (!count->is_open)
				continue;
			cell->counter_nr++;
			add_count(cell, count, sheet->conf.no_scale,
				  &has_value[group]);
		}
	}
}

void rec_stat_sheet_add(struct rec_stat_sheet *sheet,
			const struct rec_counts *counts, double wall_ns)
{
	bool *has_value =
		calloc(sheet->conf.groups->nr + 1, sizeof(*has_value));

	if (!has_value || sheet->run_nr == sheet->conf.run_cap) {
		free(has_value);
		return;
	}
	sheet->wall_ns[sheet->run_nr++] = wall_ns;
	for (size_t i = 0; i < sheet->conf.events->nr; i++)
		add_event(sheet, i, counts, has_value);
	free(has_value);
}

static bool is_refused(const struct rec_stat_sheet *sheet, size_t event)
{
	return sheet->conf.refused && sheet->conf.refused[event].code;
}

/* As perf does, threads of a whole machine that counted nothing, CPUs that the
 * event's PMU does not count on, and other CPUs than the first of what stat
 * measures itself have no row. */
static bool is_shown(const struct rec_stat_sheet *sheet, size_t event,
		     const struct rec_stat_cell *cell)
{
	const struct rec_event *e = &sheet->conf.events->events[event];

	if (sheet->conf.groups->skips_idle)
		return cell->value_nr && cell->values[0] > 0;
	if (cell->counter_nr || is_refused(sheet, event))
		return true;
	return !e->cpus &&
	       !(e->tool && sheet->conf.groups->mode == REC_STAT_CPU);
}

static int compare_rows(const void *a, const void *b)
{
	const struct rec_stat_row *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

struct rec_stat_row *rec_stat_sheet_rows(const struct rec_stat_sheet *sheet,
					 size_t *ret_nr)
{
	const struct rec_stat_groups *groups = sheet->conf.groups;
	size_t event_nr = sheet->conf.events->nr, nr = 0;
	bool by_event =
		groups->mode == REC_STAT_CPU || groups->mode == REC_STAT_THREAD;
	struct rec_stat_row *rows =
		calloc(event_nr * groups->nr + 1, sizeof(*rows));

	*ret_nr = 0;
	if (!rows || !event_nr || !groups->nr)
		return rows;
	for (size_t i = 0; i < event_nr * groups->nr; i++) {
		size_t event = by_event ? i / groups->nr : i % event_nr;
		size_t group = by_event ? i % groups->nr : i / event_nr;
		const struct rec_stat_cell *cell = cell_at(sheet, event, group);
		size_t first = nr;

		if (is_shown(sheet, event, cell))
			rows[nr++] = (struct rec_stat_row){
				event, group,
				cell->value_nr ? cell->values[0] : 0
			};
		if (groups->mode != REC_STAT_THREAD || group + 1 < groups->nr)
			continue;
		while (first && rows[first - 1].event == event)
			first--;
		qsort(rows + first, nr - first, sizeof(*rows), compare_rows);
	}
	*ret_nr = nr;
	return rows;
}

void rec_stat_sheet_value(const struct rec_stat_sheet *sheet,
			  const struct rec_stat_row *row,
			  struct rec_stat_value *ret)
{
	const struct rec_stat_cell *cell =
		cell_at(sheet, row->event, row->group);
	double scale = rec_stat_scale(&sheet->conf.events->events[row->event]);
	double runs = sheet->run_nr ? (double)sheet->run_nr : 1;

	*ret = (struct rec_stat_value){
		.state = is_refused(sheet, row->event) ? REC_STAT_NOT_SUPPORTED
			 : cell->value_nr	       ? REC_STAT_COUNTED
						       : REC_STAT_NOT_COUNTED,
		.enabled_ns = cell->enabled_ns / runs,
		.running_ns = cell->running_ns / runs,
		.running_pct = 100,
		.rate.unit = "",
		.counter_nr = cell->counter_nr,
	};
	if (cell->enabled_ns > 0)
		ret->running_pct = 100 * cell->running_ns / cell->enabled_ns;
	if (ret->state != REC_STAT_COUNTED)
		return;
	rec_series_of(&ret->series, cell->values, cell->value_nr);
	rec_stat_rate_of(sheet, row, ret->series.mean, &ret->rate);
	ret->series.mean *= scale;
	ret->series.error *= fabs(scale);
	ret->series.low *= scale;
	ret->series.high *= scale;
}
