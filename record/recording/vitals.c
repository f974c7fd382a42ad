/* vitals.c: how the recording does: STATUS= and --metrics. */
#include "record/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "format/support/message.h"
#include "format/support/safe_text.h"
#include "record/base/memory_limit.h"
#include "record/base/runtime.h"
#include "record/recording/self_usage.h"
#include "record/recording/summary.h"
#include "record/targets/event_rate.h"

/* Between two reports, and at least between them, if there is news; the CPU's
 * share is that of the last minute or two. */
static const uint64_t report_ns = 10000000000, least_ns = 3000000000,
		      window_ns = 60000000000;

/* The figures of the whole run.  Numbers are doubles, as Prometheus has
 * them. */
struct figures {
	double start_s; /* since 1970 */
	double cpu_s;
	double cpu_share; /* in the window */
	double resident_len;
	double wakeup_nr;
	double sample_nr, throttle_nr;
	double lost_nr, lost_side_nr, cut_nr;
	double plain_len, written_len, waiting_len;
	double file_nr, file_s; /* when the last one ended, since 1970 */
	double rate_share, change_nr;
	double cpu_limit, disk_limit_len_s, memory_limit_len; /* 0: none */
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Return the share of a CPU since the window began; a new one begins when that
 * was long ago. */
static double cpu_share(struct rec_vitals *v, uint64_t now_ns)
{
	uint64_t cpu_ns = rec_own_cpu_ns();

	if (now_ns - v->next_ns >= window_ns) {
		v->from_ns = v->next_ns;
		v->from_cpu_ns = v->next_cpu_ns;
		v->next_ns = now_ns;
		v->next_cpu_ns = cpu_ns;
	}
	return (double)(cpu_ns - v->from_cpu_ns) /
	       (double)(now_ns - v->from_ns + 1);
}

static const struct rec_event *first_sampled(const struct rec_event_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!rec_event_is_dummy(&list->events[i]) &&
		    list->events[i].attr.sys.sample_period)
			return &list->events[i];
	return NULL;
}

/* Compute an event's rate at a shift; rates that are never lowered, too. */
static void rate_at(const struct rec_budget *budget,
		    const struct rec_event *event, unsigned shift,
		    struct pd_trailer_rate *ret)
{
	const struct perf_event_attr *attr = &event->attr.sys;

	if (rec_rate_at(event, shift, budget->fastest_hz, ret))
		return;
	ret->value = attr->sample_period;
	ret->flags = attr->freq ? PD_RATE_IS_FREQ : 0;
}

/* Compute the first event's rate, and what was asked for.  Return false if none
 * is sampled. */
static bool first_rates(const struct rec_recording *rec,
			struct pd_trailer_rate *now,
			struct pd_trailer_rate *asked)
{
	const struct rec_budget *budget = &rec->session.budget;
	const struct rec_event *event =
		first_sampled(&rec->session.args->events);

	if (!event)
		return false;
	rate_at(budget, event, budget->shift, now);
	rate_at(budget, event, 0, asked);
	return true;
}

/* Return the share of the first event's rate that is left. */
static double rate_share(const struct rec_recording *rec)
{
	struct pd_trailer_rate now, asked;

	if (!first_rates(rec, &now, &asked))
		return 1;
	if (now.flags != asked.flags)
		return 1 / (double)(1u << rec->session.budget.shift);
	return now.flags & PD_RATE_IS_FREQ
		       ? (double)now.value / (double)asked.value
		       : (double)asked.value / (double)now.value;
}

static bool read_figures(struct rec_recording *rec, uint64_t now_ns,
			 struct figures *ret)
{
	const struct rec_args *args = rec->session.args;
	const struct rec_budget *budget = &rec->session.budget;
	struct rec_counts counts;
	uint64_t file_len;

	if (!rec_sink_try_counts(&rec->file.sink, &counts))
		return false;
	rec_counts_add(&counts, &rec->rotation.done.counts);
	*ret = (struct figures){
		.start_s = rec->vitals.start_s,
		.cpu_s = (double)rec_own_cpu_ns() / 1e9,
		.cpu_share = cpu_share(&rec->vitals, now_ns),
		.resident_len = (double)rec_own_memory("/proc", &file_len),
		.wakeup_nr = (double)rec->session.wakeup_nr,
		.sample_nr = (double)counts.sample_nr,
		.throttle_nr = (double)counts.throttle_nr,
		.lost_nr = (double)rec_summary_lost(rec, false),
		.lost_side_nr = (double)rec_summary_lost(rec, true),
		.cut_nr = (double)(rec->rotation.done.losses.cut_nr +
				   rec->file.losses.cut_nr),
		.plain_len = (double)counts.plain_len,
		.written_len = (double)(rec->rotation.done.len +
					__atomic_load_n(&rec->file.out.len,
							__ATOMIC_RELAXED)),
		.waiting_len = (double)rec_schedule_waiting_len(&rec->schedule),
		.file_nr = (double)rec->rotation.files.nr,
		.file_s = rec->vitals.file_s,
		.rate_share = rate_share(rec),
		.change_nr = (double)budget->change_nr,
		.cpu_limit = args->cpu_limit_pct / 100,
		.disk_limit_len_s = (double)args->disk_limit_len / 3600,
		.memory_limit_len = (double)args->memory_limit_len,
	};
	return true;
}

/* STATUS= */

/* Print the rate of the first event: "19 Hz", or "9 Hz, not 19". */
static void put_rate(FILE *out, const struct rec_recording *rec)
{
	struct pd_trailer_rate now, asked;

	if (!first_rates(rec, &now, &asked))
		return;
	if (now.flags & PD_RATE_IS_FREQ)
		fprintf(out, "%" PRIu64 " Hz", now.value);
	else
		fprintf(out, "each %" PRIu64, now.value);
	if (now.value != asked.value || now.flags != asked.flags)
		fprintf(out, ", not %s%" PRIu64,
			asked.flags & PD_RATE_IS_FREQ ? "" : "each ",
			asked.value);
	fputs(", ", out);
}

static void say_status(const struct rec_recording *rec, const struct figures *f)
{
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	if (!out)
		return;
	put_rate(out, rec);
	fprintf(out, "%.2f %% CPU, %.0f lost, %.0f files, %.0f MB",
		100 * f->cpu_share, f->lost_nr, f->file_nr,
		f->written_len / 1024 / 1024);
	fclose(out);
	rec_service_say(&rec->service, "STATUS=recording: %s%s%s", text,
			rec->vitals.refused[0] ? "; not reloaded: " : "",
			rec->vitals.refused);
}

/* --metrics: the text format of Prometheus, with its units and endings. */

enum { IS_COUNTER = 1, IF_SET = 2 };

static const struct {
	const char *name, *help;
	size_t off;
	unsigned flags;
} metrics[] = {
#define METRIC(name, member, flags, help)                                 \
	{                                                                 \
		"perfpair_" name, help, offsetof(struct figures, member), \
			flags                                             \
	}
	METRIC("start_time_seconds", start_s, 0,
	       "When the recorder started, since 1970."),
	METRIC("cpu_seconds_total", cpu_s, IS_COUNTER,
	       "CPU time of all threads of the recorder."),
	METRIC("resident_memory_bytes", resident_len, 0,
	       "Memory of the recorder."),
	METRIC("wakeups_total", wakeup_nr, IS_COUNTER,
	       "How often records or commands woke the main thread."),
	METRIC("samples_total", sample_nr, IS_COUNTER, "Samples in files."),
	METRIC("lost_samples_total", lost_nr, IS_COUNTER,
	       "Samples that the kernel or the recorder dropped."),
	METRIC("lost_records_total", lost_side_nr, IS_COUNTER,
	       "Records of tasks and maps that the kernel dropped."),
	METRIC("cut_stacks_total", cut_nr, IS_COUNTER,
	       "Stack copies that were cut."),
	METRIC("throttled_total", throttle_nr, IS_COUNTER,
	       "How often the kernel throttled an event."),
	METRIC("record_bytes_total", plain_len, IS_COUNTER,
	       "Records in files, before compression."),
	METRIC("written_bytes_total", written_len, IS_COUNTER,
	       "Length of all files that were written."),
	METRIC("waiting_bytes", waiting_len, 0,
	       "Records that wait in spare memory."),
	METRIC("files_total", file_nr, IS_COUNTER, "Files that are finished."),
	METRIC("last_file_timestamp_seconds", file_s, 0,
	       "When the last file was finished, since 1970; 0: none yet."),
	METRIC("rate_ratio", rate_share, 0,
	       "Rate of the first event, as a part of what was asked for."),
	METRIC("rate_changes_total", change_nr, IS_COUNTER,
	       "How often a budget changed the rates."),
	METRIC("budget_cpu_ratio", cpu_limit, IF_SET,
	       "What the recorder may take of one CPU."),
	METRIC("budget_disk_bytes_per_second", disk_limit_len_s, IF_SET,
	       "What the recorder may write."),
	METRIC("budget_memory_bytes", memory_limit_len, IF_SET,
	       "How much memory the recorder may take."),
#undef METRIC
};

static void put_head(FILE *out, const char *name, const char *help,
		     bool is_counter)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		is_counter ? "counter" : "gauge");
}

static void put_metrics(FILE *out, const struct figures *f)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		double value;

		memcpy(&value, (const char *)f + metrics[i].off, sizeof(value));
		if (metrics[i].flags & IF_SET && value <= 0)
			continue;
		put_head(out, metrics[i].name, metrics[i].help,
			 metrics[i].flags & IS_COUNTER);
		fprintf(out, "%s %.15g\n", metrics[i].name, value);
	}
}

/* Print a label's value: what is not safe as "\\x0a". */
static void put_label(FILE *out, const char *text)
{
	struct pd_str left = { text, strlen(text) };
	char buf[SUP_SAFE_LEN];

	while (left.len) {
		struct pd_str part = sup_safe_next(&left, SUP_SAFE_NAME, buf);

		for (size_t i = 0; i < part.len; i++) {
			if (part.ptr[i] == '"' || part.ptr[i] == '\\')
				fputc('\\', out);
			fputc(part.ptr[i], out);
		}
	}
}

/* Prometheus refuses a label that stands twice. */
static bool is_first_of_title(const struct rec_event_list *list, size_t idx)
{
	const char *title = rec_event_title(&list->events[idx]);
	size_t i = 0;

	while (strcmp(rec_event_title(&list->events[i]), title) != 0)
		i++;
	return i == idx;
}

/* Print the rates of events that have a frequency, or of the others. */
static void put_rates(FILE *out, const struct rec_recording *rec,
		      const char *name, const char *help, unsigned flags)
{
	const struct rec_event_list *list = &rec->session.args->events;
	bool has_head = false;

	for (size_t i = 0; i < list->nr; i++) {
		const struct rec_event *event = &list->events[i];
		struct pd_trailer_rate rate;

		rate_at(&rec->session.budget, event, rec->session.budget.shift,
			&rate);
		if (rec_event_is_dummy(event) || !rate.value ||
		    rate.flags != flags || !is_first_of_title(list, i))
			continue;
		if (!has_head)
			put_head(out, name, help, false);
		has_head = true;
		fprintf(out, "%s{event=\"", name);
		put_label(out, rec_event_title(event));
		fprintf(out, "\"} %" PRIu64 "\n", rate.value);
	}
}

static void make_text(const struct rec_recording *rec, const struct figures *f,
		      struct pd_buf *ret)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out) {
		ret->status = -ENOMEM;
		return;
	}
	put_head(out, "perfpair_build_info", "The recorder's version.", false);
	fprintf(out, "perfpair_build_info{version=\"%s\"} 1\n",
		PERFPAIR_VERSION);
	put_metrics(out, f);
	put_rates(out, rec, "perfpair_frequency_hertz",
		  "Samples a second that are asked for, of each CPU.",
		  PD_RATE_IS_FREQ);
	put_rates(out, rec, "perfpair_period",
		  "How many occurrences make a sample.", 0);
	if (fclose(out))
		ret->status = -ENOMEM;
	else
		pd_buf_bytes(ret, text, len);
	free(text);
}

/* Both. */

static void write_metrics(struct rec_recording *rec, const struct figures *f)
{
	struct rec_vitals *v = &rec->vitals;
	struct pd_buf text = PD_BUF_INIT;
	struct pd_err err = PD_ERR_INIT;

	if (!v->file.path || !rec_metrics_file_is_ready(&v->file, &err))
		return;
	if (err.code && !v->has_told)
		sup_message("--metrics: %s: %s", v->file.path, err.text);
	v->has_told |= err.code != 0;
	make_text(rec, f, &text);
	if (!pd_buf_status(&text))
		rec_metrics_file_put(&v->file, &text);
	pd_buf_release(&text);
}

int rec_vitals_begin(struct rec_recording *rec, struct pd_err *err)
{
	const char *path = rec->session.args->metrics;
	struct rec_vitals *v = &rec->vitals;
	struct pd_buf text = PD_BUF_INIT;
	struct stat its, own;
	struct figures f;
	int rc = 0;

	if (path && !stat(path, &its) && !fstat(rec->file.out.fd, &own) &&
	    its.st_dev == own.st_dev && its.st_ino == own.st_ino)
		return pd_err_set(err, -EINVAL,
				  "--metrics: %s: the recording goes there",
				  path);
	v->start_s = now_s();
	v->from_ns = rec->session.begin_ns;
	v->next_ns = rec_now_ns();
	v->next_cpu_ns = rec_own_cpu_ns();
	v->told_ns = v->next_ns;
	v->has_listener = path || rec->service.fd >= 0;
	if (!path || !read_figures(rec, v->next_ns, &f))
		return 0;
	make_text(rec, &f, &text);
	rc = rec_metrics_file_open(&v->file, path, &text, err);
	pd_buf_release(&text);
	return rc;
}

void rec_vitals_step(struct rec_recording *rec, uint64_t now_ns)
{
	struct rec_vitals *v = &rec->vitals;
	bool is_new = rec->rotation.files.nr != v->file_nr ||
		      rec->session.budget.change_nr != v->change_nr;
	struct figures f;

	if (!v->has_listener ||
	    now_ns - v->told_ns < (is_new ? least_ns : report_ns))
		return;
	if (rec->rotation.files.nr != v->file_nr)
		v->file_s = now_s();
	if (!read_figures(rec, now_ns, &f))
		return;
	v->file_nr = rec->rotation.files.nr;
	v->change_nr = rec->session.budget.change_nr;
	v->told_ns = now_ns;
	say_status(rec, &f);
	write_metrics(rec, &f);
}

void rec_vitals_end(struct rec_recording *rec)
{
	struct figures f;

	if (rec->vitals.file.path && read_figures(rec, rec_now_ns(), &f))
		write_metrics(rec, &f);
	rec_metrics_file_close(&rec->vitals.file);
}
