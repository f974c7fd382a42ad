#include "record/recording/summary.h"

#include <inttypes.h>
#include <string.h>

#include "record/base/runtime.h"
#include "record/event/event_spec.h"
#include "record/event/pmu.h"
#include "record/recording/self_usage.h"
#include "record/targets/event_rate.h"

#define LINE "[ perfpair-record: "

/* TRACEPOINTS_SLOW: closing that many takes a second. */
enum { LOSSES_SHOWN = 8, TRACEPOINTS_SLOW = 25, SHARE_MIN_NS = 500000000 };

/* A shorter recording may end before a clock's first sample. */
enum { SHORT_NS = 100000000 };

/* Return true for a dummy, whose losses are records of maps and tasks. */
static bool is_side_band(const struct rec_recording *rec,
			 const struct pd_trailer_loss *row)
{
	return rec_event_is_dummy(
		&rec->session.args->events.events[row->event_idx]);
}

/* Return losses of maps and tasks, or of samples, on one CPU or on all (-1). */
static uint64_t lost_on(const struct rec_recording *rec,
			const struct rec_loss_table *table, bool side_band,
			int cpu)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < table->nr; i++)
		if (is_side_band(rec, &table->rows[i]) == side_band &&
		    (cpu < 0 || table->rows[i].cpu == (uint32_t)cpu))
			nr += table->rows[i].lost_nr;
	return nr;
}

uint64_t rec_summary_lost(const struct rec_recording *rec, bool side_band)
{
	uint64_t nr = lost_on(rec, &rec->file.losses, side_band, -1);

	return rec->rotation.is_on
		       ? nr + lost_on(rec, &rec->rotation.done.losses,
				      side_band, -1)
		       : nr;
}

static double s_of(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* Return the losses of all files. */
static const struct rec_loss_table *all_losses(const struct rec_recording *rec)
{
	return rec->rotation.is_on ? &rec->rotation.done.losses
				   : &rec->file.losses;
}

/* Print times as perf script does. */
static void print_loss_rows(const struct rec_recording *rec, FILE *out)
{
	const struct rec_loss_table *table = all_losses(rec);

	for (size_t i = 0; i < table->nr && i < LOSSES_SHOWN; i++) {
		const struct pd_trailer_loss *row = &table->rows[i];

		fprintf(out, LINE "%" PRIu64 " of %s", row->lost_nr,
			rec_event_title(&rec->session.args->events
						 .events[row->event_idx]));
		if (row->cpu != PD_TRAILER_ANY_CPU)
			fprintf(out, " on CPU %" PRIu32, row->cpu);
		fprintf(out, " between %.6f and %.6f ]\n",
			s_of(row->time_lo_ns), s_of(row->time_hi_ns));
	}
	if (table->nr > LOSSES_SHOWN)
		fprintf(out, LINE "%zu more ranges of time are in the %s ]\n",
			table->nr - LOSSES_SHOWN,
			rec->rotation.files.nr > 1 ? "files' trailers"
						   : "file's trailer");
}

static bool records_switches(const struct rec_recording *rec)
{
	const struct rec_event_list *events = &rec->session.args->events;

	for (size_t i = 0; i < events->nr; i++)
		if (rec_event_is_dummy(&events->events[i]) &&
		    events->events[i].attr.sys.context_switch)
			return true;
	return false;
}

/* Print lost side band, without which later samples lack names. */
static void print_lost_side_band(const struct rec_recording *rec,
				 const struct rec_loss_table *table, FILE *out)
{
	uint64_t lost_nr = lost_on(rec, table, true, -1);

	if (lost_nr)
		fprintf(out,
			LINE "lost %" PRIu64 " records of %s, so that samples "
			     "may lack names; a larger -m loses fewer ]\n",
			lost_nr,
			records_switches(rec) ? "maps, tasks and switches"
					      : "maps and tasks");
}

static void print_lost_samples(const struct rec_recording *rec,
			       const struct rec_loss_table *table, FILE *out)
{
	uint64_t lost_nr = lost_on(rec, table, false, -1);
	uint64_t all_nr = lost_nr + rec->rotation.done.counts.sample_nr +
			  rec->file.sink.counts.sample_nr;

	if (!lost_nr)
		return;
	fprintf(out, LINE "lost %" PRIu64 " of %" PRIu64 " samples (%.2f%%)",
		lost_nr, all_nr, 100.0 * (double)lost_nr / (double)all_nr);
	for (size_t i = 0; i < rec->session.rings.nr; i++) {
		int cpu = rec->session.rings.maps[i].cpu;
		uint64_t nr = cpu < 0 ? 0 : lost_on(rec, table, false, cpu);

		if (nr)
			fprintf(out, ", CPU %d: %" PRIu64, cpu, nr);
	}
	fprintf(out, "; a larger -m%s loses fewer ]\n",
		rec->session.args->priority ? "" : ", or -r 1,");
}

static void print_losses(const struct rec_recording *rec, FILE *out)
{
	const struct rec_loss_table *table = all_losses(rec);

	print_lost_samples(rec, table, out);
	print_lost_side_band(rec, table, out);
	print_loss_rows(rec, out);
}

/* The fields that all sampling events have in common. */
struct sampling {
	const struct rec_event *first;
	size_t nr;
	uint64_t period;    /* the longest that was asked for (-c) */
	bool are_user_only; /* none counts in the kernel */
	bool are_periodic;  /* clocks, and what occurs while code runs */
};

static struct sampling sampling_of(const struct rec_event_list *events)
{
	struct sampling s = { .are_user_only = true, .are_periodic = true };

	for (size_t i = 0; i < events->nr; i++) {
		const struct rec_event *event = &events->events[i];
		const struct perf_event_attr *sys = &event->attr.sys;

		if (rec_event_is_dummy(event))
			continue;
		if (!s.nr++)
			s.first = event;
		if (!sys->freq && sys->sample_period > s.period)
			s.period = sys->sample_period;
		s.are_user_only &= sys->exclude_kernel;
		s.are_periodic &= sys->type == PERF_TYPE_HARDWARE ||
				  (sys->type == PERF_TYPE_SOFTWARE &&
				   (sys->config == PERF_COUNT_SW_CPU_CLOCK ||
				    sys->config == PERF_COUNT_SW_TASK_CLOCK));
	}
	return s;
}

/* Return what probably kept the events from occurring, or NULL. */
static const char *likely_cause(const struct rec_args *args,
				const struct sampling *s, uint64_t recorded_ns)
{
	const struct perf_event_attr *first =
		s->nr ? &s->first->attr.sys : NULL;

	if (s->nr == 1 &&
	    rec_pmu_is_unlisted(args->env.sysfs, first->type, first->config))
		return "the cores' PMU does not list it, and they may lack it";
	if (s->are_periodic && recorded_ns < SHORT_NS)
		return args->workload && !args->duration_ns
			       ? "the command ended at once: record a longer "
				 "run, or with a higher -F"
			       : "record for longer, or with a higher -F";
	if (s->are_periodic && !args->target.system_wide)
		return "it used less CPU time than lies between two samples: "
		       "-g -e sched:sched_switch shows where it waits";
	if (s->are_user_only)
		return "only user space was recorded (:u)";
	return NULL;
}

/* Print why there are no samples, unless they were lost, which is said. */
static void print_absence(const struct rec_recording *rec, FILE *out)
{
	const struct rec_args *args = rec->session.args;
	const uint64_t recorded_ns = rec_now_ns() - rec->session.started_ns;
	const struct sampling s = sampling_of(&args->events);
	const char *cause = likely_cause(args, &s, recorded_ns);

	if (rec->rotation.done.counts.sample_nr ||
	    rec->file.sink.counts.sample_nr ||
	    lost_on(rec, all_losses(rec), false, -1))
		return;
	if (!s.nr || args->attr.no_samples) {
		fprintf(out, LINE "no samples: its events %s ]\n",
			s.nr ? "were only counted (-n)" : "take none");
		return;
	}
	fputs(LINE "no samples: ", out);
	if (s.nr == 1)
		fprintf(out, "%s did not occur", rec_event_title(s.first));
	else
		fprintf(out, "none of the %zu events occurred", s.nr);
	if (s.period > 1)
		fprintf(out, " %" PRIu64 " times", s.period);
	if (args->delay.is_given || args->control)
		fputs(" while events were enabled ]\n", out);
	else
		fprintf(out, " in %.3f s%s%s ]\n", s_of(recorded_ns),
			cause ? ": " : "", cause ? cause : "");
}

static void print_pressure(const struct pd_trailer_cost *cost,
			   const struct rec_sample_layouts *layouts, FILE *out)
{
	if (!cost->spilled_len && !cost->cut_nr && !cost->dropped_nr)
		return;
	fprintf(out, LINE "%.1f MB were kept in spare memory for a while",
		(double)cost->spilled_len / 1024.0 / 1024.0);
	if (cost->cut_nr && !layouts->has_long_stacks)
		fprintf(out,
			", up to %" PRIu64 " samples are without what finds "
			"callers of leaves",
			cost->cut_nr);
	else if (cost->cut_nr)
		fprintf(out,
			", the stacks of %" PRIu64 " samples were cut to %u "
			"bytes",
			cost->cut_nr, REC_STACK_KEPT_LEN);
	if (cost->dropped_nr)
		fprintf(out, ", %" PRIu64 " samples were dropped",
			cost->dropped_nr);
	fprintf(out, " ]\n");
}

static void print_late(const struct rec_recording *rec, FILE *out)
{
	uint64_t late_len =
		rec->rotation.done.late_len + rec->file.sink.late_len;

	if (late_len)
		fprintf(out,
			LINE "%.1f MB were compressed at level 1, to be in the "
			     "file within --flush-interval ]\n",
			(double)late_len / 1024.0 / 1024.0);
}

/* Print what the rates were lowered for. */
static void print_budget(const struct rec_args *args, FILE *out)
{
	fputs(", to stay below ", out);
	if (args->cpu_limit_pct > 0)
		fprintf(out, "%g%% of a CPU", args->cpu_limit_pct);
	if (args->disk_limit_len)
		fprintf(out, "%s%.1f MB an hour",
			args->cpu_limit_pct > 0 ? " and " : "",
			(double)args->disk_limit_len / 1024.0 / 1024.0);
	fputs(" ]\n", out);
}

/* Print the rate of a lowered event, on average and at worst. */
static void print_lowered(const struct rec_recording *rec,
			  const struct rec_event *event, FILE *out)
{
	const struct rec_budget *budget = &rec->session.budget;
	double mean = rec_budget_mean(budget), held;
	struct pd_trailer_rate asked, least;
	bool is_freq;

	if (!rec_rate_at(event, 0, 0, &asked) ||
	    !rec_rate_at(event, budget->most_shift, budget->fastest_hz,
			 &least) ||
	    (asked.value == least.value && asked.flags == least.flags))
		return;
	/* The lowest rate does not change with the budget. */
	is_freq = asked.flags & PD_RATE_IS_FREQ;
	held = is_freq ? (double)asked.value / mean
		       : (double)asked.value * mean;
	if (is_freq == (held < (double)least.value))
		held = (double)least.value;
	fprintf(out, LINE "%s: ", event->name);
	if (asked.flags != least.flags)
		fprintf(out,
			"not all that occurred, %" PRIu64
			" a second of a CPU at worst",
			least.value);
	else if (is_freq)
		fprintf(out,
			"frequency %.0f, not %" PRIu64 ", on average, %" PRIu64
			" at worst",
			held, asked.value, least.value);
	else
		fprintf(out,
			"period %.0f, not %" PRIu64 ", on average, %" PRIu64
			" at worst",
			held, asked.value, least.value);
	print_budget(rec->session.args, out);
}

static void print_rates(const struct rec_recording *rec,
			const struct pd_trailer_cost *cost, FILE *out)
{
	const struct rec_event_list *events = &rec->session.args->events;

	if (cost->throttle_nr)
		fprintf(out,
			LINE "the kernel throttled %" PRIu64
			     " times; a lower -F avoids it ]\n",
			cost->throttle_nr);
	if (cost->max_rate_after_hz < cost->max_rate_before_hz)
		fprintf(out,
			LINE "the kernel lowered its highest rate from "
			     "%" PRIu64 " to %" PRIu64 " Hz meanwhile "
			     "(kernel.perf_event_max_sample_rate) ]\n",
			cost->max_rate_before_hz, cost->max_rate_after_hz);
	for (size_t i = 0; i < events->nr; i++)
		print_lowered(rec, &events->events[i], out);
	if (rec->session.budget.most_shift >= REC_BUDGET_CUT_SHIFT &&
	    rec->schedule.layouts.has_long_stacks)
		fprintf(out,
			LINE "stack copies were cut to %u bytes for a while, "
			     "too ]\n",
			REC_STACK_KEPT_LEN);
}

void rec_summary_print_cost(struct rec_recording *rec, FILE *out)
{
	struct pd_trailer_cost cost;
	double cpu_s;

	rec_self_usage_read(&rec->session, &rec->file, &rec->schedule, &cost);
	cpu_s = s_of(cost.user_ns + cost.system_ns);
	fprintf(out,
		LINE "used %.3f s user, %.3f s system, %.1f MB memory, woken "
		     "up %" PRIu64 " times, recording after %.3f s",
		s_of(cost.user_ns), s_of(cost.system_ns),
		(double)cost.peak_rss_len / 1024.0 / 1024.0, cost.wakeup_nr,
		s_of(cost.startup_ns));
	if (cost.recorded_ns > SHARE_MIN_NS)
		fprintf(out, ", %.2f%% of a CPU",
			100.0 * cpu_s /
				s_of(cost.startup_ns + cost.recorded_ns));
	if (cost.written_len && rec->session.args->level)
		fprintf(out, ", ratio %.1f",
			(double)cost.plain_len / (double)cost.written_len);
	fprintf(out, " ]\n");
	/* A file's trailer has its own count; here all files are counted. */
	cost.throttle_nr += rec->rotation.done.counts.throttle_nr;
	cost.cut_nr += rec->rotation.done.losses.cut_nr;
	cost.dropped_nr += rec->rotation.done.losses.dropped_nr;
	print_pressure(&cost, &rec->schedule.layouts, out);
	print_late(rec, out);
	print_rates(rec, &cost, out);
}

void rec_summary_print_opened(const struct rec_recording *rec, FILE *out)
{
	for (size_t i = 0; i < rec->session.open.event_nr; i++) {
		const struct rec_event *event =
			&rec->session.args->events.events[i];
		const struct perf_event_attr *attr = &event->attr.sys;

		fprintf(out,
			LINE "%s: type %u, config 0x%llx, %s %llu, sample_type "
			     "0x%llx, on %zu descriptors%s%s ]\n",
			event->name, attr->type,
			(unsigned long long)attr->config,
			attr->freq ? "frequency" : "period",
			(unsigned long long)attr->sample_period,
			(unsigned long long)attr->sample_type,
			rec->session.open.first[i + 1] -
				rec->session.open.first[i],
			event->filter ? ", filter " : "",
			event->filter ? event->filter : "");
	}
	fprintf(out, LINE "%zu rings of %zu KiB, %zu threads, %zu CPUs ]\n",
		rec->session.rings.nr,
		(rec->session.args->dry_run
			 ? (size_t)rec->session.args->ring_len
			 : rec->session.rings.data_len) /
			1024,
		rec->session.target.thread_nr, rec->session.target.cpu_nr);
	if (rec->session.open.gone_nr)
		fprintf(out,
			LINE "%zu threads ended before they were opened "
			     "]\n",
			rec->session.open.gone_nr);
}

/* Print missing build-ids; names may be missing, but no sample is. */
static void print_build_ids(const struct rec_recording *rec, FILE *out)
{
	const struct rec_build_id_stats *stats = &rec->session.build_ids.stats;

	if (stats->unread_nr)
		fprintf(out,
			LINE "no build-id of %zu of %zu files that were mapped "
			     "meanwhile: gone before they could be read ]\n",
			stats->unread_nr, stats->file_nr);
	if (stats->mixed_nr)
		fprintf(out,
			LINE "no build-id of %zu paths for perf: several files "
			     "stood there, which perfpair tells apart ]\n",
			stats->mixed_nr);
	if (stats->is_full)
		fprintf(out,
			LINE
			"build-ids of the first %zu files only: no more are "
			"kept ]\n",
			stats->file_nr);
}

/* Print that closing takes time: the last close of a tracepoint waits until no
 * CPU uses it any more, under a lock of the whole host. */
static void print_closing(const struct rec_recording *rec, FILE *out)
{
	const struct rec_event_list *list = &rec->session.args->events;
	size_t nr = 0;

	for (size_t i = 0; i < list->nr; i++)
		nr += list->events[i].attr.sys.type == PERF_TYPE_TRACEPOINT;
	if (nr >= TRACEPOINTS_SLOW)
		fprintf(out,
			LINE "closing %zu tracepoints, for each of which the "
			     "kernel waits some 40 ms; the recording is "
			     "complete ]\n",
			nr);
}

void rec_summary_print(struct rec_recording *rec, FILE *out)
{
	const struct rec_counts *counts = &rec->file.sink.counts;

	fprintf(out,
		LINE "Captured and wrote %.3f MB %s%s (%" PRIu64 " samples",
		(double)(rec->rotation.done.len + rec->file.out.len) / 1024.0 /
			1024.0,
		rec->file.out.path,
		rec->rotation.files.nr ? ".<timestamp>" : "",
		rec->rotation.done.counts.sample_nr + counts->sample_nr);
	if (rec->rotation.files.nr > 1)
		fprintf(out, " in %zu files", rec->rotation.files.nr);
	fprintf(out, ")");
	if (rec->session.args->level && counts->plain_len)
		fprintf(out, ", %.3f MB before compression",
			(double)(rec->rotation.done.counts.plain_len +
				 counts->plain_len) /
				1024.0 / 1024.0);
	fprintf(out, " ]\n");
	print_losses(rec, out);
	print_absence(rec, out);
	print_build_ids(rec, out);
	rec_summary_print_cost(rec, out);
	print_closing(rec, out);
}

/* Return whether a shell takes the path as one word. */
static bool is_plain_word(const char *path)
{
	return path[0] != '-' &&
	       !path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789"
				  "_./+@%=:,-")];
}

void rec_summary_print_next(const struct rec_recording *rec, FILE *out)
{
	const char *path = rec->file.out.path;

	if (rec->rotation.files.nr || rec->file.out.is_pipe ||
	    !rec->file.sink.counts.sample_nr)
		return;
	if (!strcmp(path, "perf.data"))
		path = "";
	else if (!is_plain_word(path))
		path = "FILE";
	fprintf(out,
		LINE "to look at it: perfpair report%s%s, or perfpair view%s%s "
		     "in the browser ]\n",
		*path ? " " : "", path, *path ? " " : "", path);
}
