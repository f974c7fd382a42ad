/* A processed profile of the Firefox Profiler, version 58: its types are in
 * src/types/profile.ts of github.com/firefox-devtools/profiler.  Each task has
 * a thread for each event, with tables of its own. */
#include "report/export/export_impl.h"

#include "report/base/compare.h"
#include "report/base/json_text.h"
#include "report/base/memory.h"
#include "report/cli/output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VERSION	  58
#define NS_PER_MS 1e6

/* Numbers of the set, numbered anew from 0 for one thread. */
struct firefox_tables {
	struct rpt_intern stacks, frames, functions, files;
};

struct firefox {
	const struct rpt_export *export;
	const struct rpt_export_set *set;
	struct rpt_export_event *events;
	bool has_several_events; /* with samples */
	struct rpt_json json;
	struct rpt_intern sources; /* texts that are names of source files */
	struct firefox_tables thread;
	uint32_t *order; /* samples by event, task and time */
	uint32_t *path;	 /* stacks from a stack to its root */
	uint32_t path_cap;
};

static uint32_t number(struct rpt_intern *table, uint32_t item)
{
	return (uint32_t)rpt_intern(table, &item, sizeof(item));
}

static uint32_t item(const struct rpt_intern *table, uint32_t idx)
{
	return *(const uint32_t *)rpt_intern_key(table, idx);
}

static void open_key(struct firefox *f, const char *key, char bracket)
{
	rpt_json_key(&f->json, key);
	rpt_json_open(&f->json, bracket);
}

static void put_null(struct firefox *f)
{
	rpt_json_str(&f->json, NULL);
}

/* Put a column whose items are all the same. */
static void put_same(struct firefox *f, const char *key, uint32_t nr,
		     const char *value)
{
	open_key(f, key, '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_raw(&f->json, value, strlen(value));
	rpt_json_close(&f->json, ']');
}

static void put_length(struct firefox *f, uint32_t nr)
{
	rpt_json_member_u64(&f->json, "length", nr);
	rpt_json_close(&f->json, '}');
}

/* Return the number of a stack in the thread's tables; its callers come before
 * it. */
static uint32_t stack_number(struct firefox *f, uint32_t stack)
{
	uint32_t nr = 0, ret = 0;

	for (uint32_t at = stack; at;
	     at = rpt_export_stack_at(f->set, at)->callers) {
		f->path = rpt_grow(f->path, &f->path_cap, nr, sizeof(*f->path));
		f->path[nr++] = at;
	}
	while (nr)
		ret = number(&f->thread.stacks, f->path[--nr]);
	return ret;
}

static void put_stacks(struct firefox *f)
{
	const struct rpt_intern *stacks = &f->thread.stacks;

	open_key(f, "stackTable", '{');
	open_key(f, "frame", '[');
	for (uint32_t i = 0; i < stacks->nr; i++)
		rpt_json_u64(&f->json,
			     number(&f->thread.frames,
				    rpt_export_stack_at(f->set, item(stacks, i))
					    ->frame));
	rpt_json_close(&f->json, ']');
	open_key(f, "prefix", '[');
	for (uint32_t i = 0; i < stacks->nr; i++) {
		uint32_t callers =
			rpt_export_stack_at(f->set, item(stacks, i))->callers;

		if (callers)
			rpt_json_u64(&f->json,
				     number(&f->thread.stacks, callers));
		else
			put_null(f);
	}
	rpt_json_close(&f->json, ']');
	put_length(f, stacks->nr);
}

static const struct rpt_export_frame *frame_at(const struct firefox *f,
					       uint32_t idx)
{
	return rpt_export_frame_at(f->set, item(&f->thread.frames, idx));
}

static const struct rpt_export_function *function_at(const struct firefox *f,
						     uint32_t idx)
{
	return rpt_export_function_at(f->set, item(&f->thread.functions, idx));
}

/* By enum rpt_export_kind: a category of the head. */
static const unsigned categories[] = { 1, 2, 3, 1, 1 };

static void put_frames(struct firefox *f)
{
	uint32_t nr = f->thread.frames.nr;

	open_key(f, "frameTable", '{');
	open_key(f, "address", '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_int(&f->json, frame_at(f, i)->addr
					       ? (int64_t)frame_at(f, i)->addr
					       : -1);
	rpt_json_close(&f->json, ']');
	open_key(f, "func", '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_u64(&f->json, number(&f->thread.functions,
					      frame_at(f, i)->function));
	rpt_json_close(&f->json, ']');
	open_key(f, "category", '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_u64(
			&f->json,
			categories[rpt_export_function_at(
					   f->set, frame_at(f, i)->function)
					   ->kind]);
	rpt_json_close(&f->json, ']');
	open_key(f, "line", '[');
	for (uint32_t i = 0; i < nr; i++)
		if (frame_at(f, i)->line)
			rpt_json_u64(&f->json, frame_at(f, i)->line);
		else
			put_null(f);
	rpt_json_close(&f->json, ']');
	put_same(f, "column", nr, "null");
	put_same(f, "subcategory", nr, "0");
	put_same(f, "inlineDepth", nr, "0");
	put_same(f, "nativeSymbol", nr, "null");
	put_same(f, "innerWindowID", nr, "0");
	put_length(f, nr);
}

static void put_functions(struct firefox *f)
{
	uint32_t nr = f->thread.functions.nr;

	open_key(f, "funcTable", '{');
	open_key(f, "name", '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_u64(&f->json, function_at(f, i)->name);
	rpt_json_close(&f->json, ']');
	open_key(f, "resource", '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_u64(&f->json,
			     number(&f->thread.files, function_at(f, i)->file));
	rpt_json_close(&f->json, ']');
	open_key(f, "source", '[');
	for (uint32_t i = 0; i < nr; i++)
		if (function_at(f, i)->source)
			rpt_json_u64(
				&f->json,
				number(&f->sources, function_at(f, i)->source));
		else
			put_null(f);
	rpt_json_close(&f->json, ']');
	put_same(f, "isJS", nr, "false");
	put_same(f, "relevantForJS", nr, "false");
	put_same(f, "lineNumber", nr, "null");
	put_same(f, "columnNumber", nr, "null");
	put_length(f, nr);
}

/* Put the files that functions are from; type 1 is a library. */
static void put_files(struct firefox *f)
{
	uint32_t nr = f->thread.files.nr;

	open_key(f, "resourceTable", '{');
	open_key(f, "lib", '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_u64(&f->json, item(&f->thread.files, i));
	rpt_json_close(&f->json, ']');
	open_key(f, "name", '[');
	for (uint32_t i = 0; i < nr; i++)
		rpt_json_u64(
			&f->json,
			rpt_export_file_at(f->set, item(&f->thread.files, i))
				->path);
	rpt_json_close(&f->json, ']');
	put_same(f, "host", nr, "null");
	put_same(f, "type", nr, "1");
	put_length(f, nr);
}

/* Put tables that every thread has, and that are empty here. */
static void put_empty(struct firefox *f)
{
	static const char text[] =
		"{\"data\": [], \"name\": [], \"startTime\": [], "
		"\"endTime\": [], \"phase\": [], \"category\": [], "
		"\"length\": 0}";
	static const char symbols[] =
		"{\"libIndex\": [], \"address\": [], \"name\": [], "
		"\"functionSize\": [], \"length\": 0}";

	rpt_json_key(&f->json, "markers");
	rpt_json_raw(&f->json, text, strlen(text));
	rpt_json_key(&f->json, "nativeSymbols");
	rpt_json_raw(&f->json, symbols, strlen(symbols));
}

static const struct rpt_export_sample *sample_at(const struct firefox *f,
						 uint32_t at)
{
	return rpt_export_sample_at(f->set, f->order[at]);
}

/* Put the samples of a thread.  They weigh their periods, those of clocks in
 * ms; the viewer has no unit for other events. */
static void put_samples(struct firefox *f, uint32_t first, uint32_t end)
{
	const struct rpt_time_blocks *blocks = &f->export->report->blocks;
	bool is_clock = f->events[sample_at(f, first)->event].is_clock;

	open_key(f, "samples", '{');
	open_key(f, "stack", '[');
	for (uint32_t i = first; i < end; i++)
		rpt_json_u64(&f->json, stack_number(f, sample_at(f, i)->stack));
	rpt_json_close(&f->json, ']');
	open_key(f, "time", '[');
	for (uint32_t i = first; i < end; i++)
		rpt_json_number(&f->json, (double)sample_at(f, i)->bin *
						  (double)blocks->len_ns /
						  NS_PER_MS);
	rpt_json_close(&f->json, ']');
	open_key(f, "weight", '[');
	for (uint32_t i = first; i < end; i++)
		rpt_json_number(&f->json,
				(double)f->set->values[f->order[i]].period /
					(is_clock ? NS_PER_MS : 1));
	rpt_json_close(&f->json, ']');
	rpt_json_member_str(&f->json, "weightType",
			    is_clock ? "tracing-ms" : "samples");
	put_length(f, end - first);
}

static bool have_several(const struct firefox *f)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->export->report->whole.events.nr; i++)
		nr += f->events[i].nr != 0;
	return nr > 1;
}

static void put_thread_name(struct firefox *f,
			    const struct rpt_export_sample *sample)
{
	const char *comm = rpt_export_text_at(f->set, sample->comm);
	char *name = NULL;

	if (f->has_several_events &&
	    asprintf(&name, "%s, %s", comm, f->events[sample->event].name) < 0)
		abort();
	rpt_json_member_str(&f->json, "name", name ? name : comm);
	free(name);
}

static void put_thread(struct firefox *f, uint32_t first, uint32_t end)
{
	const struct rpt_export_sample *sample = sample_at(f, end - 1);
	char pid[16];

	snprintf(pid, sizeof(pid), "%" PRId32, (int32_t)sample->pid);
	f->thread = (struct firefox_tables){ .stacks.is_bytes = true,
					     .frames.is_bytes = true,
					     .functions.is_bytes = true,
					     .files.is_bytes = true };
	rpt_json_line(&f->json, 0);
	rpt_json_open(&f->json, '{');
	put_thread_name(f, sample);
	rpt_json_member_str(&f->json, "processType", "default");
	if (sample->process != RPT_EXPORT_NONE)
		rpt_json_member_str(
			&f->json, "processName",
			rpt_export_text_at(f->set, sample->process));
	rpt_json_member_str(&f->json, "pid", pid);
	rpt_json_member_u64(&f->json, "tid", sample->tid);
	rpt_json_member_bool(&f->json, "isMainThread",
			     sample->pid == sample->tid);
	rpt_json_member_u64(&f->json, "processStartupTime", 0);
	rpt_json_member_str(&f->json, "processShutdownTime", NULL);
	rpt_json_member_u64(&f->json, "registerTime", 0);
	rpt_json_member_str(&f->json, "unregisterTime", NULL);
	put_same(f, "pausedRanges", 0, "");
	put_samples(f, first, end);
	put_stacks(f);
	put_frames(f);
	put_functions(f);
	put_files(f);
	put_empty(f);
	rpt_json_close(&f->json, '}');
	rpt_intern_release(&f->thread.stacks);
	rpt_intern_release(&f->thread.frames);
	rpt_intern_release(&f->thread.functions);
	rpt_intern_release(&f->thread.files);
}

static int compare_threads(const struct rpt_export_sample *a,
			   const struct rpt_export_sample *b)
{
	int order = rpt_compare_u64(a->event, b->event);

	if (!order)
		order = rpt_compare_u64(a->host, b->host);
	if (!order)
		order = rpt_compare_u64(a->pid, b->pid);
	return order ? order : rpt_compare_u64(a->tid, b->tid);
}

static int compare_samples(const void *a, const void *b, void *ctx)
{
	const struct rpt_export_set *set = ctx;
	const struct rpt_export_sample *x =
		rpt_export_sample_at(set, *(const uint32_t *)a);
	const struct rpt_export_sample *y =
		rpt_export_sample_at(set, *(const uint32_t *)b);
	int order = compare_threads(x, y);

	if (!order)
		order = rpt_compare_u64(x->bin, y->bin);
	return order ? order
		     : rpt_compare_u64(*(const uint32_t *)a,
				       *(const uint32_t *)b);
}

static void put_threads(struct firefox *f)
{
	uint32_t nr = f->set->samples.nr, end;

	f->order = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*f->order));
	for (uint32_t i = 0; i < nr; i++)
		f->order[i] = i;
	qsort_r(f->order, nr, sizeof(*f->order), compare_samples,
		(void *)(uintptr_t)f->set);
	open_key(f, "threads", '[');
	for (uint32_t first = 0; first < nr; first = end) {
		for (end = first + 1;
		     end < nr &&
		     !compare_threads(sample_at(f, first), sample_at(f, end));
		     end++)
			;
		put_thread(f, first, end);
	}
	rpt_json_close(&f->json, ']');
}

static void put_meta(struct firefox *f)
{
	static const char list[] =
		"[{\"name\": \"Other\", \"color\": \"grey\", "
		"\"subcategories\": [\"Other\"]}, "
		"{\"name\": \"User\", \"color\": \"yellow\", "
		"\"subcategories\": [\"Other\"]}, "
		"{\"name\": \"Kernel\", \"color\": \"orange\", "
		"\"subcategories\": [\"Other\"]}, "
		"{\"name\": \"JIT\", \"color\": \"blue\", "
		"\"subcategories\": [\"Other\"]}]";
	const struct rpt_report_args *args = f->export->report->args;
	char *title = rpt_page_title(args->inputs, args->input_nr);
	uint64_t len_ns = f->export->report->blocks.len_ns;
	uint64_t start_ns, span_ns;

	rpt_export_times(f->export, &start_ns, &span_ns);
	open_key(f, "meta", '{');
	rpt_json_member_str(&f->json, "product", title);
	rpt_json_member_str(&f->json, "importedFrom",
			    "perfpair " PERFPAIR_VERSION);
	rpt_json_member_u64(&f->json, "preprocessedProfileVersion", VERSION);
	rpt_json_member_u64(&f->json, "version", 31);
	rpt_json_member_u64(&f->json, "processType", 0);
	rpt_json_member_u64(&f->json, "stackwalk", 1);
	rpt_json_member_bool(&f->json, "symbolicated", true);
	rpt_json_member_bool(&f->json, "usesOnlyOneStackType", true);
	rpt_json_member_bool(&f->json, "sourceCodeIsNotOnSearchfox", true);
	rpt_json_member_number(&f->json, "startTime",
			       (double)start_ns / NS_PER_MS);
	rpt_json_member_number(&f->json, "interval",
			       len_ns ? (double)len_ns / NS_PER_MS : 1);
	put_same(f, "markerSchema", 0, "");
	rpt_json_key(&f->json, "categories");
	rpt_json_raw(&f->json, list, strlen(list));
	rpt_json_close(&f->json, '}');
	free(title);
}

static void put_libs(struct firefox *f)
{
	open_key(f, "libs", '[');
	for (uint32_t i = 0; i < f->set->files.nr; i++) {
		const struct rpt_export_file *file =
			rpt_export_file_at(f->set, i);
		const char *path = rpt_export_text_at(f->set, file->path);
		const char *name = rpt_export_text_at(f->set, file->name);

		rpt_json_line(&f->json, 0);
		rpt_json_open(&f->json, '{');
		rpt_json_member_str(&f->json, "arch", "");
		rpt_json_member_str(&f->json, "name", name);
		rpt_json_member_str(&f->json, "path", path);
		rpt_json_member_str(&f->json, "debugName", name);
		rpt_json_member_str(&f->json, "debugPath", path);
		rpt_json_member_str(&f->json, "breakpadId", "");
		rpt_json_member_str(&f->json, "codeId",
				    rpt_export_text_at(f->set, file->build_id));
		rpt_json_close(&f->json, '}');
	}
	rpt_json_close(&f->json, ']');
}

/* Put what threads share, after them. */
static void put_shared(struct firefox *f)
{
	open_key(f, "shared", '{');
	open_key(f, "stringArray", '[');
	for (uint32_t i = 0; i < f->set->texts.nr; i++)
		rpt_json_str(&f->json, rpt_export_text_at(f->set, i));
	rpt_json_close(&f->json, ']');
	open_key(f, "sources", '{');
	put_same(f, "uuid", f->sources.nr, "null");
	open_key(f, "filename", '[');
	for (uint32_t i = 0; i < f->sources.nr; i++)
		rpt_json_u64(&f->json, item(&f->sources, i));
	rpt_json_close(&f->json, ']');
	put_length(f, f->sources.nr);
	rpt_json_close(&f->json, '}');
}

static void print(const struct rpt_export *export, struct rpt_text *out)
{
	struct firefox f = { .export = export,
			     .set = &export->set,
			     .events = rpt_export_events(export),
			     .json = RPT_JSON_INIT(out, ""),
			     .sources.is_bytes = true };

	f.has_several_events = have_several(&f);
	rpt_json_open(&f.json, '{');
	put_meta(&f);
	put_libs(&f);
	put_threads(&f);
	put_shared(&f);
	rpt_json_close(&f.json, '}');
	rpt_export_events_free(export, f.events);
	rpt_intern_release(&f.sources);
	free(f.order);
	free(f.path);
}

static int check(struct rpt_report_args *args, struct pd_err *err)
{
	(void)err;
	/* its tracks are threads */
	args->out.labels |= RPT_LABEL_COMM | RPT_LABEL_PID | RPT_LABEL_TID;
	return 0;
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	return rpt_export_print_text(report, out, print, err);
}

const struct rpt_output rpt_output_firefox = {
	.name = "firefox",
	.help = "for the Firefox Profiler",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.options = { rpt_report_opts, rpt_label_opts },
	.check = check,
	.set_up = rpt_export_set_up_times,
	.print = print_report,
};
