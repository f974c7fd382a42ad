#include "record/summary.h"

#include <inttypes.h>
#include <sys/resource.h>

#define LINE "[ perfpair-record: "

/* Losses of one CPU (or thread), all events together. */
static uint64_t lost_on(const struct rec_recording *rec, int cpu, pid_t tid)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < rec->loss_nr; i++)
		if (rec->losses[i].cpu == cpu &&
		    (cpu >= 0 || rec->losses[i].tid == tid))
			nr += rec->losses[i].lost_nr;
	return nr;
}

static uint64_t lost_in_all(const struct rec_recording *rec)
{
	uint64_t nr = 0;

	if (!rec->losses_known)
		return rec->sink.counts.lost_nr;
	for (size_t i = 0; i < rec->loss_nr; i++)
		nr += rec->losses[i].lost_nr;
	return nr;
}

static void print_losses(const struct rec_recording *rec, FILE *out)
{
	uint64_t lost_nr = lost_in_all(rec);
	uint64_t all_nr = lost_nr + rec->sink.counts.sample_nr;

	if (!lost_nr)
		return;
	fprintf(out, LINE "lost %" PRIu64 " of %" PRIu64 " samples (%.2f%%)",
		lost_nr, all_nr, 100.0 * (double)lost_nr / (double)all_nr);
	for (size_t i = 0; i < rec->rings.nr && rec->losses_known; i++) {
		const struct rec_ring_map *map = &rec->rings.maps[i];
		uint64_t nr = lost_on(rec, map->cpu, map->tid);

		if (nr && map->cpu >= 0)
			fprintf(out, ", CPU %d: %" PRIu64, map->cpu, nr);
		else if (nr)
			fprintf(out, ", thread %d: %" PRIu64, map->tid, nr);
	}
	fprintf(out, "; a larger -m loses fewer ]\n");
}

static void print_cost(const struct rec_recording *rec, FILE *out)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	fprintf(out,
		LINE "used %.3f s user, %.3f s system, %.1f MB memory, woken "
		     "up %" PRIu64 " times, recording after %.3f s ]\n",
		(double)usage.ru_utime.tv_sec +
			(double)usage.ru_utime.tv_usec / 1e6,
		(double)usage.ru_stime.tv_sec +
			(double)usage.ru_stime.tv_usec / 1e6,
		(double)usage.ru_maxrss / 1024.0, rec->wakeup_nr,
		(double)(rec->started_ns - rec->begin_ns) / 1e9);
}

void rec_summary_print_opened(const struct rec_recording *rec, FILE *out)
{
	for (size_t i = 0; i < rec->open.event_nr; i++) {
		const struct rec_event *event = &rec->args->events.events[i];
		const struct perf_event_attr *attr = &event->attr.sys;

		fprintf(out,
			LINE "%s: type %u, config 0x%llx, %s %llu, sample_type "
			     "0x%llx, on %zu descriptors%s%s ]\n",
			event->name, attr->type, attr->config,
			attr->freq ? "frequency" : "period",
			attr->sample_period, attr->sample_type,
			rec->open.first[i + 1] - rec->open.first[i],
			event->filter ? ", filter " : "",
			event->filter ? event->filter : "");
	}
	fprintf(out, LINE "%zu rings of %zu KiB, %zu threads, %zu CPUs ]\n",
		rec->rings.nr, rec->rings.data_len / 1024,
		rec->target.thread_nr, rec->target.cpu_nr);
	if (rec->open.gone_nr)
		fprintf(out,
			LINE "%zu threads ended before they were opened "
			     "]\n",
			rec->open.gone_nr);
}

void rec_summary_print(const struct rec_recording *rec, FILE *out)
{
	const struct rec_counts *counts = &rec->sink.counts;

	fprintf(out,
		LINE "Captured and wrote %.3f MB %s%s (%" PRIu64 " samples",
		(double)(rec->slices.len + rec->out.len) / 1024.0 / 1024.0,
		rec->out.path, rec->slices.files.nr ? ".<timestamp>" : "",
		rec->slices.sample_nr + counts->sample_nr);
	if (rec->slices.files.nr > 1)
		fprintf(out, " in %zu files", rec->slices.files.nr);
	fprintf(out, ")");
	if (rec->args->level && counts->plain_len)
		fprintf(out, ", %.3f MB before compression",
			(double)(rec->slices.plain_len + counts->plain_len) /
				1024.0 / 1024.0);
	fprintf(out, " ]\n");
	print_losses(rec, out);
	if (counts->throttle_nr)
		fprintf(out,
			LINE "the kernel throttled %" PRIu64
			     " times; a lower -F avoids it ]\n",
			counts->throttle_nr);
	print_cost(rec, out);
}
