#include "report/profile/wait_pass.h"

#include "report/offcpu/elapsed.h"
#include "report/offcpu/task_slices.h"
#include "report/offcpu/wait_graph.h"
#include "report/profile/profile_impl.h"

#include <errno.h>
#include <string.h>

_Static_assert(RPT_WAIT_DEPTH <= RPT_LINKS_MAX, "a link for each stack");

struct waits {
	struct rpt_profile *profile;
	struct rpt_switch_events switches;
	struct rpt_off_cpu off;
	struct rpt_task_slices slices;
	struct rpt_wait_graph graph;
	const struct pd_event *run; /* NULL: none */
	bool is_divided;
	bool is_at_end;	   /* what is delivered had not ended */
	uint64_t unfit_nr; /* stacks for which no budget was */
	struct pd_err *err;
};

static const struct pd_record no_record = { .file_off = UINT64_MAX };

/* Return what a task does at a time as a sample without a stack; its task is
 * not set. */
static struct rpt_sample sample_of(const struct waits *w, uint32_t pid,
				   uint32_t tid, uint32_t cpu, uint64_t time_ns)
{
	return (struct rpt_sample){
		.fields = { .present = PD_SAMPLE_TIME | PD_SAMPLE_TID |
				       (cpu == UINT32_MAX ? 0 : PD_SAMPLE_CPU),
			    .time_ns = time_ns,
			    .pid = pid,
			    .tid = tid,
			    .cpu = cpu },
		.event = &w->switches.events->events[w->switches.switch_idx],
		.rec = &no_record,
		.when = { .time_ns = time_ns },
	};
}

/* Find the task of such a sample.  It is good until the next one is read. */
static void find_task(struct waits *w, struct rpt_sample *sample)
{
	sample->task =
		rpt_sample_reader_task(&w->profile->samples, sample->fields.pid,
				       sample->fields.tid, sample->when);
}

/* Return the number of a sample's stack, or RPT_NO_STACK. */
static uint32_t stack_of(struct waits *w, struct rpt_sample *sample)
{
	int64_t part;

	sample->event = &w->switches.events->events[w->switches.switch_idx];
	part = rpt_profile_part(w->profile, sample);
	w->unfit_nr += part < 0;
	return part < 0 ? RPT_NO_STACK : (uint32_t)part;
}

/* Take an interval without a CPU: rpt_off_cpu_deliver. */
static int take_wait(void *ctx, const struct rpt_off_cpu_interval *interval)
{
	struct waits *w = ctx;
	struct rpt_profile *profile = w->profile;
	struct rpt_wait_piece piece = {
		.start_ns = interval->start_ns,
		.end_ns = interval->end_ns,
		.wait = interval->wait,
	};
	struct rpt_sample sample;

	if (rpt_sample_reader_read(&profile->samples, interval->rec, &sample,
				   NULL))
		return 0;
	profile->conf.value_conf.wait = &interval->wait;
	piece.stack = stack_of(w, &sample);
	profile->conf.value_conf.wait = NULL;
	piece.pid = sample.fields.pid;
	piece.cpu = sample.fields.present & PD_SAMPLE_CPU ? sample.fields.cpu
							  : UINT32_MAX;
	piece.is_open = w->is_at_end;
	piece.is_asked = w->is_divided
				 ? rpt_profile_passes_task(profile, &sample)
				 : piece.stack != RPT_NO_STACK &&
					   (!profile->conf.event_switch ||
					    sample.is_shown);
	rpt_wait_graph_add(&w->graph, sample.fields.tid, &piece);
	return 0;
}

/* Return whether the filter leaves the task of a slice. */
static bool is_chosen(struct waits *w, const struct rpt_slice *slice)
{
	const struct rpt_filter *filter = w->profile->conf.filter;
	struct rpt_sample sample;

	if (!filter || !(filter->asked & RPT_FILTER_TASK))
		return true;
	sample = sample_of(w, slice->pid, slice->tid, slice->cpu,
			   slice->start_ns);
	find_task(w, &sample);
	return rpt_profile_passes_task(w->profile, &sample);
}

/* Take the time on a CPU, and that of a new task until it has its first one,
 * which has no stack: rpt_slice_deliver. */
static int take_slice(void *ctx, const struct rpt_slice *slice)
{
	struct waits *w = ctx;
	bool is_new = slice->wait.state == RPT_WAIT_WOKEN &&
		      slice->wait.waker_tid == RPT_WAKER_NONE;
	struct rpt_wait_piece piece = {
		.start_ns = slice->start_ns,
		.end_ns = slice->end_ns,
		.pid = slice->pid,
		.cpu = slice->cpu,
		.wait = { .state = slice->kind == RPT_SLICE_RUNS
					   ? RPT_WAIT_NONE
					   : RPT_WAIT_WOKEN,
			  .waker_tid = RPT_WAKER_NONE },
		.stack = RPT_NO_STACK,
	};

	piece.is_asked = w->is_divided && is_chosen(w, slice);
	if (slice->kind == RPT_SLICE_RUNS ||
	    (slice->kind == RPT_SLICE_WAITS && is_new))
		rpt_wait_graph_add(&w->graph, slice->tid, &piece);
	return 0;
}

/* Take a sample of time on a CPU. */
static void take_run(struct waits *w, const struct pd_record *rec)
{
	struct rpt_sample sample;
	uint32_t stack;

	if (rpt_sample_reader_read(&w->profile->samples, rec, &sample, NULL) ||
	    !sample.fields.tid)
		return;
	stack = stack_of(w, &sample);
	if (stack != RPT_NO_STACK)
		rpt_wait_graph_sample(&w->graph, sample.fields.tid,
				      sample.when.time_ns, stack);
}

static int deliver(void *ctx, const struct pd_record *rec, uint64_t time_ns)
{
	struct waits *w = ctx;
	struct rpt_switch sw;
	int rc = 0;

	(void)time_ns;
	if (rec->type == PD_RECORD_LOST || rec->type == PD_RECORD_LOST_SAMPLES)
		rc = rpt_profile_add_record(w->profile, rec, NULL, w->err);
	if (rec->type == PD_RECORD_SAMPLE && w->run &&
	    pd_event_set_of_record(w->switches.events, rec) == w->run)
		take_run(w, rec);
	if (!rc)
		rc = rpt_switch_events_apply(&w->switches, &w->off, rec, &sw);
	return rc ? rc : rpt_task_slices_apply(&w->slices, &sw);
}

/* Return what stands at the innermost end of a cause's chain. */
static const char *root_word(const struct rpt_wait_cause *cause)
{
	static const char *const words[RPT_ROOTS_NR] = {
		[RPT_ROOT_RUN] = "[on a CPU]",
		[RPT_ROOT_NO_CPU] = "[waits for a CPU]",
		[RPT_ROOT_INTERRUPT] = RPT_WORD_INTERRUPT,
		[RPT_ROOT_GOES_ON] = "[goes on at the end]",
		[RPT_ROOT_UNKNOWN] = "[waker not known]",
		[RPT_ROOT_TOO_DEEP] = "[not followed]",
	};

	return cause->root == RPT_ROOT_RUN &&
			       cause->stacks[cause->nr - 1] != RPT_NO_STACK
		       ? ""
		       : words[cause->root];
}

#define WORD_LEN 64u

/* Put the frame "[...NAME]" into buf, without printf(), which took a twentieth
 * of all time, and return it. */
static const char *frame_with(const char *begin, const char *name,
			      char buf[static WORD_LEN])
{
	char *end = stpcpy(buf, begin);
	size_t len = strnlen(name, WORD_LEN - (size_t)(end - buf) - 2);

	memcpy(end, name, len);
	memcpy(end + len, "]", 2);
	return buf;
}

/* Return the name of the task behind which a cause waited for a CPU; NULL: none
 * is known. */
static const char *behind_whom(struct waits *w,
			       const struct rpt_wait_cause *cause)
{
	struct rpt_sample sample = sample_of(w, UINT32_MAX, cause->behind_tid,
					     UINT32_MAX, cause->start_ns);

	if (!cause->behind_tid)
		return NULL;
	find_task(w, &sample);
	return sample.task->comm;
}

/* Fill chain with the links of a cause.  Return 0 or -EFBIG. */
static int link_stacks(struct waits *w, const struct rpt_wait_cause *cause,
		       struct rpt_linked_chain *chain)
{
	struct rpt_linked_stacks *linked = w->profile->linked;
	const char *word = root_word(cause);
	const char *behind = behind_whom(w, cause);
	char buf[WORD_LEN];

	if (behind)
		word = frame_with("[waits for a CPU behind ", behind, buf);

	chain->nr = 0;
	chain->words[chain->nr++] = RPT_CONTEXT_LINKED;
	for (uint32_t i = cause->nr; i-- > 0;) {
		int64_t link =
			rpt_linked_stacks_link(linked, cause->stacks[i], word);

		if (link < 0)
			return (int)link;
		chain->words[chain->nr++] = (uint64_t)link;
		if (!i)
			break;
		word = frame_with("[woken by ",
				  cause->wakers[i] ? cause->wakers[i] : "?",
				  buf);
	}
	return 0;
}

/* Return the part of a cause's task: its stack, or one without frames. */
static int64_t part_of(struct waits *w, const struct rpt_wait_cause *cause,
		       struct rpt_sample *sample)
{
	static const struct rpt_wait not_known = { RPT_WAIT_BLOCKED,
						   RPT_WAKER_NONE, NULL };
	const struct rpt_wait **wait = &w->profile->conf.value_conf.wait;
	int64_t part;

	if (cause->stacks[0] != RPT_NO_STACK)
		return cause->stacks[0];
	if (cause->wait->wait.state)
		*wait = &cause->wait->wait;
	else if (cause->root != RPT_ROOT_RUN)
		*wait = &not_known;
	find_task(w, sample);
	part = rpt_profile_part(w->profile, sample);
	*wait = NULL;
	return part;
}

/* Set what a part of a cause counts for. */
static void set_weights(const struct waits *w,
			const struct rpt_wait_cause *cause, uint64_t start_ns,
			uint64_t end_ns, struct rpt_sample *sample)
{
	uint64_t len = end_ns - start_ns,
		 whole = cause->end_ns - cause->start_ns;

	sample->fields.time_ns = sample->when.time_ns = start_ns;
	sample->fields.period = len;
	if (!w->is_divided)
		return;
	sample->second = cause->parallelism ? len : 0;
	sample->fields.period =
		len == whole ? cause->latency_ns
			     : (uint64_t)((double)cause->latency_ns *
					  ((double)len / (double)whole));
}

/* Count a cause: rpt_wait_cause_deliver. */
static int count_cause(void *ctx, const struct rpt_wait_cause *cause)
{
	struct waits *w = ctx;
	struct rpt_profile *profile = w->profile;
	const struct rpt_filter *filter = profile->conf.filter;
	struct rpt_sample sample = sample_of(w, cause->wait->pid, cause->tid,
					     cause->wait->cpu, cause->start_ns);
	int64_t part = part_of(w, cause, &sample);
	struct rpt_task_state task = { 0 };
	struct rpt_linked_chain chain;
	uint64_t at = cause->start_ns, next;
	int rc = part < 0 ? -EFBIG : link_stacks(w, cause, &chain);

	if (rc == -EFBIG) {
		w->unfit_nr++;
		return 0;
	}
	/* the name that the wait began with */
	task.comm = (const char *)(uintptr_t)rpt_linked_stacks_key(
			    profile->linked, (uint32_t)part)
			    ->base->comm;
	sample.task = &task;
	profile->conf.value_conf.parallelism = cause->parallelism;
	for (; !rc && at < cause->end_ns; at = next) {
		next = rpt_profile_part_end(&profile->conf, at, cause->end_ns);
		set_weights(w, cause, at, next, &sample);
		if (!filter || rpt_filter_sample_time(filter, &sample.fields))
			rc = rpt_profile_count_linked(profile, &sample,
						      (uint32_t)part, &chain);
	}
	profile->conf.value_conf.parallelism = 0;
	return rc;
}

/* Add an entry to profile->damage if there was no memory for all. */
static void report_unfit(struct waits *w)
{
	struct pd_err err = PD_ERR_INIT;

	if (!w->unfit_nr && !w->graph.unfit_nr && !w->off.unfit_nr &&
	    !w->slices.unfit_nr)
		return;
	pd_err_set(&err, -EFBIG,
		   "more waits than the limit on memory allows (--max-ratio); "
		   "others are not counted");
	pd_damage_add(&w->profile->damage, PD_DAMAGE_RECORD, 0, &err);
}

static int count_causes(struct waits *w)
{
	const struct rpt_profile_conf *conf = &w->profile->conf;
	struct rpt_elapsed_conf divide = {
		.start_ns = w->slices.first_ns,
		.by_level = conf->filter &&
			    conf->filter->asked & RPT_FILTER_PARALLELISM,
	};

	for (uint32_t i = 0; i < conf->value_nr; i++)
		divide.by_level |= conf->values[i] == RPT_VALUE_PARALLELISM;
	return w->is_divided
		       ? rpt_elapsed_divide(&w->graph, &divide, count_cause, w)
		       : rpt_wait_graph_explain(&w->graph, count_cause, w);
}

static int read_and_count(struct waits *w, const struct rpt_pass_input *in)
{
	struct rpt_budget *budget =
		rpt_timeline_budget(w->profile->conf.timeline);
	int rc;

	rpt_off_cpu_init(&w->off, take_wait, w, budget);
	rpt_task_slices_init(&w->slices, take_slice, w, budget);
	rpt_wait_graph_init(&w->graph, budget);
	w->profile->linked = rpt_linked_stacks_new(budget);
	w->profile->linked->has_no_wakers = w->switches.wake_idx == UINT32_MAX;
	rc = rpt_sample_pass(in, deliver, w, w->err);
	w->is_at_end = true;
	if (!rc)
		rc = rpt_task_slices_end(&w->slices);
	if (!rc)
		rc = rpt_off_cpu_end(&w->off);
	if (!rc)
		rc = count_causes(w);
	w->profile->off_cpu = w->off.counts;
	w->profile->linked->left_ns = w->graph.left_ns;
	report_unfit(w);
	rpt_wait_graph_release(&w->graph);
	rpt_task_slices_release(&w->slices);
	rpt_off_cpu_release(&w->off);
	return rc;
}

int rpt_wait_pass(const struct rpt_off_cpu_pass *pass,
		  struct rpt_profile *profile, struct pd_err *err)
{
	const struct pd_event_set *events = pd_reader_events(pass->in.reader);
	struct rpt_pass_input in = pass->in;
	struct waits w = {
		.profile = profile,
		.is_divided = pass->is_divided,
		.err = err,
	};
	int rc = rpt_switch_events_find(&w.switches, events, pass->tracepoints,
					profile->conf.timeline, err);

	if (rc)
		return rc;
	in.types = rpt_switch_event_types | UINT64_C(1)
						    << PD_RECORD_LOST_SAMPLES;
	if (pass->run_idx >= 0)
		w.run = &events->events[pass->run_idx];
	profile->has_some_switches = w.switches.is_partial;
	rc = read_and_count(&w, &in);
	profile->samples.unknown_id_nr += w.switches.samples.unknown_id_nr;
	profile->samples.damaged_nr += w.switches.samples.damaged_nr;
	rpt_switch_events_release(&w.switches);
	rpt_profile_report_full(profile);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}
