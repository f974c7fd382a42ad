/* --format rows: recordings as rows of two tables, samples and stacks, whose
 * columns docs/formats.md "Rows" describes.  Another order or meaning of them
 * needs another RPT_ROWS_VERSION. */

#include "format/base/buf.h"
#include "report/base/memory.h"
#include "report/export/export_impl.h"
#include "report/export/rows_ids.h"
#include "report/export/rows_out.h"
#include "report/input/sample_pass.h"
#include "report/timeline/cgroup_labels.h"

#include "format/support/message.h"
#include "format/support/out_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define RPT_ROWS_VERSION 1
#define NS_PER_S	 UINT64_C(1000000000)
#define NS_PER_DAY	 (86400 * NS_PER_S) /* DAY_S of fleet_sql.c */
#define NAME_LEN	 4096

/* The key of a row of samples; hashed, so without padding. */
struct row_key {
	uint32_t event;
	uint32_t stack;
	uint32_t bin; /* seconds since 1970 */
	uint32_t comm;
	uint32_t cgroup;
	uint32_t zero;
};

struct rows {
	struct rpt_export *export;
	const struct rpt_rows_args *args;
	struct rpt_intern *known; /* struct rpt_rows_tables */
	struct rpt_export_event *events;
	struct rpt_rows_ids ids;
	struct rpt_intern keys; /* struct row_key */
	struct rpt_export_value *values;
	uint32_t values_cap;
	/* Of all rows: */
	const char *host;
	uint64_t start_ns; /* time of day */
	uint64_t slice;
	uint64_t load;
	uint64_t lost_nr;
	bool is_damaged;
	char *labels; /* owned */
};

/* Set the time of day of the first sample.  If the recording does not say it,
 * the file's last change was its end. */
static void set_start(struct rows *rows)
{
	const struct rpt_report *report = rows->export->report;
	uint64_t span_ns;

	rpt_export_times(rows->export, &rows->start_ns, &span_ns);
	if (!rows->start_ns && report->source.mtime_s > 0)
		rows->start_ns =
			(uint64_t)report->source.mtime_s * NS_PER_S - span_ns;
	if (!rows->start_ns)
		rows->start_ns = rows->load - span_ns;
	if (span_ns > NS_PER_DAY)
		sup_message("%s: the recording is longer than a day: 'fleet "
			    "--from' finds only slices that begin less than a "
			    "day before (--time cuts it)",
			    report->args->input);
}

/* Set the slice's number to what its samples are, so that a copy of the file
 * has the same, and another symbol file changes nothing. */
static void set_slice(struct rows *rows)
{
	const struct rpt_report *report = rows->export->report;
	struct pd_buf key = PD_BUF_INIT;

	pd_buf_bytes(&key, rows->host, strlen(rows->host) + 1);
	pd_buf_u64(&key, report->blocks.first_ns);
	pd_buf_u64(&key, report->blocks.span_ns);
	for (uint32_t e = 0; e < report->whole.events.nr; e++) {
		const char *name = rows->events[e].name;

		pd_buf_bytes(&key, name, strlen(name) + 1);
		pd_buf_u64(&key, rows->events[e].nr);
		pd_buf_u64(&key, rows->events[e].period);
	}
	rows->slice = XXH3_64bits(key.data, key.len);
	pd_buf_release(&key);
}

static bool has_column(const char *label)
{
	static const char *const names[] = { "run",	"host", "release",
					     "service", "pod",	"container" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(label, names[i], len) && label[len] == '=')
			return true;
	}
	return false;
}

/* Set the labels without a column to "\nNAME=VALUE\nNAME=VALUE\n", so that
 * "\nNAME=VALUE\n" finds one. */
static void set_labels(struct rows *rows)
{
	size_t len;
	FILE *out = open_memstream(&rows->labels, &len);
	bool is_any = false;

	for (size_t i = 0; i < rows->args->label_nr; i++) {
		if (has_column(rows->args->labels[i]))
			continue;
		fprintf(out, "%s%s\n", is_any ? "" : "\n",
			rows->args->labels[i]);
		is_any = true;
	}
	fclose(out);
}

static void init(struct rows *rows, struct rpt_export *export,
		 struct rpt_rows_tables *tables)
{
	const struct rpt_report *report = export->report;
	struct timespec now;
	const char *host;

	*rows = (struct rows){
		.export = export,
		.args = tables->args,
		.known = &tables->known,
		.events = rpt_export_events(export),
		.keys.is_bytes = true,
		.host = report->host ? report->host : "",
		.lost_nr = rpt_lost_samples(report->profile.lost_nr,
					    report->profile.lost_sample_nr),
		.is_damaged = rpt_report_is_damaged(report),
	};
	host = rpt_rows_label(rows->args, "host");
	if (host)
		rows->host = host;
	clock_gettime(CLOCK_REALTIME, &now);
	rows->load = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	set_start(rows);
	set_slice(rows);
	set_labels(rows);
	rpt_rows_ids_init(&rows->ids, &export->set);
}

static void release(struct rows *rows)
{
	rpt_export_events_free(rows->export, rows->events);
	rpt_rows_ids_release(&rows->ids);
	rpt_intern_release(&rows->keys);
	free(rows->values);
	free(rows->labels);
}

/* Return the second in which a block's bin begins. */
static uint32_t bin_of(const struct rows *rows, uint32_t block)
{
	const struct rpt_time_blocks *blocks = &rows->export->report->blocks;
	uint64_t ns = rows->start_ns;

	if (blocks->nr && block < blocks->nr)
		ns += block * blocks->len_ns;
	return (uint32_t)(ns / rows->args->bin_ns *
			  (rows->args->bin_ns / NS_PER_S));
}

/* Add up the samples of the blocks of a bin. */
static void add_rows(struct rows *rows)
{
	const struct rpt_export_set *set = &rows->export->set;

	for (uint32_t i = 0; i < set->samples.nr; i++) {
		const struct rpt_export_sample *from =
			rpt_export_sample_at(set, i);
		const struct row_key key = {
			.event = from->event,
			.stack = from->stack,
			.bin = bin_of(rows, from->bin),
			.comm = from->comm,
			.cgroup = from->cgroup,
		};
		uint32_t known_nr = rows->keys.nr;
		uint32_t at =
			(uint32_t)rpt_intern(&rows->keys, &key, sizeof(key));

		rows->values = rpt_grow(rows->values, &rows->values_cap, at,
					sizeof(*rows->values));
		if (at == known_nr)
			rows->values[at] = (struct rpt_export_value){ 0 };
		rows->values[at].nr += set->values[i].nr;
		rows->values[at].period += set->values[i].period;
	}
}

static const char *text_of(const struct rows *rows, uint32_t text)
{
	return text == RPT_EXPORT_NONE
		       ? ""
		       : rpt_export_text_at(&rows->export->set, text);
}

static void put_label(const struct rows *rows, struct rpt_rows_out *out,
		      const char *name, const char *otherwise)
{
	const char *value = rpt_rows_label(rows->args, name);

	rpt_rows_out_str(out, value ? value : otherwise);
}

static void put_slice(const struct rows *rows, struct rpt_rows_out *out,
		      uint32_t at)
{
	rpt_rows_out_u8(out, RPT_ROWS_VERSION);
	put_label(rows, out, "run", "");
	rpt_rows_out_u64(out, rows->slice);
	rpt_rows_out_u32(out, (uint32_t)(rows->start_ns / NS_PER_S));
	rpt_rows_out_u64(out, rows->load);
	rpt_rows_out_u32(out, at);
	rpt_rows_out_u32(out, rows->keys.nr);
	rpt_rows_out_u64(out, at ? 0 : rows->lost_nr);
	rpt_rows_out_u8(out, rows->is_damaged);
	rpt_rows_out_str(out, rows->host);
	put_label(rows, out, "release", "");
	put_label(rows, out, "service", "");
	rpt_rows_out_str(out, rows->labels);
}

/* Return the number of the function at the end of a stack; of none: 0. */
static uint64_t function_at(const struct rows *rows, uint32_t stack)
{
	const struct rpt_export_set *set = &rows->export->set;
	uint32_t frame;

	if (!stack)
		return 0;
	frame = rpt_export_stack_at(set, stack)->frame;
	return rows->ids.functions[rpt_export_frame_at(set, frame)->function];
}

static void put_sample(const struct rows *rows, struct rpt_rows_out *out,
		       uint32_t at)
{
	const struct row_key *key = rpt_intern_key(&rows->keys, at);
	const struct rpt_rows_ids *ids = &rows->ids;
	const char *cgroup = text_of(rows, key->cgroup);
	struct rpt_cgroup_labels labels = rpt_cgroup_labels_of(cgroup);

	put_slice(rows, out, at);
	rpt_rows_out_str(out, cgroup);
	put_label(rows, out, "pod", labels.pod);
	put_label(rows, out, "container", labels.container);
	rpt_rows_out_str(out, text_of(rows, key->comm));
	rpt_rows_out_str(out, rows->events[key->event].name);
	rpt_rows_out_u8(out, rows->events[key->event].is_clock);
	rpt_rows_out_u32(out, key->bin);
	rpt_rows_out_u32(out, (uint32_t)(rows->args->bin_ns / NS_PER_S));
	rpt_rows_out_u64(out, ids->stacks[key->stack]);
	rpt_rows_out_u64(out, ids->codes[key->stack]);
	rpt_rows_out_u64(out, function_at(rows, ids->selves[key->stack]));
	rpt_rows_out_u64(out, rows->values[at].period);
	rpt_rows_out_u64(out, rows->values[at].nr);
	rpt_rows_out_end(out);
}

static const char *kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[RPT_EXPORT_USER] = "user",
		[RPT_EXPORT_KERNEL] = "kernel",
		[RPT_EXPORT_JIT] = "jit",
		[RPT_EXPORT_INLINED] = "inlined",
		[RPT_EXPORT_NAMELESS] = "nameless",
	};

	return names[kind];
}

/* Put a row for one frame of a stack, number place from the root. */
static void put_frame(const struct rows *rows, struct rpt_rows_out *out,
		      uint32_t stack, uint32_t at, uint32_t place)
{
	const struct rpt_export_set *set = &rows->export->set;
	uint32_t number = rpt_export_stack_at(set, at)->frame;
	const struct rpt_export_frame *frame = rpt_export_frame_at(set, number);
	const struct rpt_export_function *function =
		rpt_export_function_at(set, frame->function);
	const struct rpt_export_file *file =
		rpt_export_file_at(set, function->file);
	const char level = (char)function->level;
	char buf[NAME_LEN];

	rpt_rows_out_u8(out, RPT_ROWS_VERSION);
	rpt_rows_out_u64(out, rows->ids.stacks[stack]);
	rpt_rows_out_u64(out, rows->ids.codes[stack]);
	rpt_rows_out_u32(out, place);
	rpt_rows_out_u8(out, at == rows->ids.selves[stack]);
	rpt_rows_out_u64(out, rows->ids.functions[frame->function]);
	rpt_rows_out_str(out,
			 rpt_rows_ids_name(set, function, buf, sizeof(buf)));
	rpt_rows_out_text(out, &level, 1);
	rpt_rows_out_str(out, kind_name(function->kind));
	rpt_rows_out_str(out, rpt_rows_ids_dso(set, function));
	rpt_rows_out_str(out, rpt_export_text_at(set, file->path));
	rpt_rows_out_str(out, rpt_export_text_at(set, file->build_id));
	rpt_rows_out_u64(out, frame->addr);
	rpt_rows_out_end(out);
}

static void put_stack(const struct rows *rows, struct rpt_rows_out *out,
		      uint32_t stack, uint32_t *chain)
{
	const struct rpt_export_set *set = &rows->export->set;
	uint32_t nr = 0;

	for (uint32_t at = stack; at;
	     at = rpt_export_stack_at(set, at)->callers)
		chain[nr++] = at;
	for (uint32_t place = 0; place < nr; place++)
		put_frame(rows, out, stack, chain[nr - 1 - place], place);
}

/* Return whether a stack is new to the table; it is there then. */
static bool is_new(const struct rows *rows, uint32_t stack)
{
	const uint64_t key[2] = { rows->ids.stacks[stack],
				  rows->ids.codes[stack] };
	uint32_t known_nr = rows->known->nr;

	return rpt_intern(rows->known, key, sizeof(key)) == known_nr;
}

/* Print the stacks that samples ended in, each once. */
static void print_stacks(const struct rows *rows, struct rpt_rows_out *out)
{
	uint32_t nr = rows->export->set.edges.nr + 1;
	bool *is_there = rpt_alloc_zeroed(nr, sizeof(*is_there));
	uint32_t *chain = rpt_alloc_zeroed(nr, sizeof(*chain));

	for (uint32_t i = 0; i < rows->keys.nr; i++) {
		const struct row_key *key = rpt_intern_key(&rows->keys, i);

		if (!is_there[key->stack] && is_new(rows, key->stack))
			put_stack(rows, out, key->stack, chain);
		is_there[key->stack] = true;
	}
	free(chain);
	free(is_there);
}

static void print_samples(const struct rows *rows, struct rpt_rows_out *out)
{
	for (uint32_t i = 0; i < rows->keys.nr; i++)
		put_sample(rows, out, i);
}

/* Print one table to a stream. */
static int print(const struct rows *rows,
		 void (*table)(const struct rows *, struct rpt_rows_out *),
		 FILE *file)
{
	struct rpt_text *text = rpt_alloc(sizeof(*text));
	struct rpt_rows_out out = { .text = text, .form = rows->args->form };
	int rc;

	rpt_text_init(text, file);
	table(rows, &out);
	rc = rpt_text_flush(text);
	free(text);
	if (!rc && fflush(file))
		rc = -errno;
	return rc;
}

static int print_tables(struct rpt_rows_tables *tables, const struct rows *rows,
			struct pd_err *err)
{
	const char *path = rows->args->stacks_path;
	int rc = 0;

	/* a sample's stack is there before it */
	if (tables->stacks)
		rc = print(rows, print_stacks, tables->stacks);
	if (rc)
		pd_err_set(err, rc, "%s: %s", path, strerror(-rc));
	if (!rc) {
		rc = print(rows, print_samples, tables->samples);
		if (rc)
			pd_err_set(err, rc, "%s", strerror(-rc));
	}
	tables->is_broken = rc;
	return rc;
}

int rpt_rows_tables_open(struct rpt_rows_tables *ret,
			 const struct rpt_rows_args *args, FILE *samples,
			 struct pd_err *err)
{
	*ret = (struct rpt_rows_tables){ .args = args,
					 .samples = samples,
					 .known.is_bytes = true };
	if (args->form == RPT_ROWS_ROWBINARY && rpt_export_is_terminal(samples))
		return pd_err_set(err, -EINVAL,
				  "RowBinary is no text: -o FILE");
	return 0;
}

/* Open the file of stacks, once there are some: it replaces an earlier one. */
static int open_stacks(struct rpt_rows_tables *tables, struct pd_err *err)
{
	const char *path = tables->args->stacks_path;

	if (!path || tables->stacks)
		return 0;
	tables->stacks = sup_place_fopen(path, false, err);
	tables->is_broken = !tables->stacks;
	return tables->stacks ? 0 : err->code;
}

int rpt_rows_tables_add(struct rpt_rows_tables *tables,
			struct rpt_report *report, struct pd_err *err)
{
	struct rpt_export export;
	struct rows rows;
	int rc;

	rc = rpt_export_fill_set(&export, report, true, err);
	if (!rc)
		rc = open_stacks(tables, err);
	if (!rc) {
		init(&rows, &export, tables);
		add_rows(&rows);
		rc = print_tables(tables, &rows, err);
		release(&rows);
	}
	rpt_export_set_release(&export.set);
	return rc;
}

void rpt_rows_tables_forget(struct rpt_rows_tables *tables)
{
	rpt_intern_release(&tables->known);
	tables->known = (struct rpt_intern){ .is_bytes = true };
}

int rpt_rows_tables_close(struct rpt_rows_tables *tables, int rc,
			  struct pd_err *err)
{
	if (tables->stacks && fclose(tables->stacks) && !rc)
		rc = pd_err_set(err, -errno, "%s: %s",
				tables->args->stacks_path, strerror(errno));
	rpt_intern_release(&tables->known);
	return rc;
}
