/* An Arrow stream with a row for each sample and event, in the order of time:
 * docs/formats.md "Arrow" has its columns.  What a row says is what a line of
 * script --format jsonl says.
 *
 * Names are found once for each different call chain in one state of the maps.
 * Both these and the dictionaries are forgotten when they take much memory, so
 * that this does not grow with the recording.
 */
#include "report/export/arrow_block.h"
#include "report/export/export_impl.h"
#include "report/export/export_samples.h"

#include "format/file/feature.h"
#include "format/records/callchain.h"
#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/events/event_name.h"
#include "report/profile/user_stack.h"
#include "report/symbols/inline_frames.h"
#include "report/timeline/guest_ids.h"
#include "report/timeline/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, EVENT, COMM, PID, TID, CPU, PERIOD, IP, SYM, DSO, STACK, TOD };

static const struct rpt_arrow_column columns[] = {
	[TIME] = { "time", RPT_ARROW_INT64, true },
	[EVENT] = { "event", RPT_ARROW_TEXT, false },
	[COMM] = { "comm", RPT_ARROW_TEXT, false },
	[PID] = { "pid", RPT_ARROW_INT32, true },
	[TID] = { "tid", RPT_ARROW_INT32, true },
	[CPU] = { "cpu", RPT_ARROW_INT32, true },
	[PERIOD] = { "period", RPT_ARROW_UINT64, false },
	[IP] = { "ip", RPT_ARROW_UINT64, true },
	[SYM] = { "sym", RPT_ARROW_TEXT, true },
	[DSO] = { "dso", RPT_ARROW_TEXT, true },
	[STACK] = { "stack", RPT_ARROW_TEXT, true },
	/* if the recording has the time of day; the last one */
	[TOD] = { "tod", RPT_ARROW_TIME, true },
};

static const char *const facts[][2] = { { "perfpair.version", "1" } };

#define NONE UINT32_MAX

/* Callers of a stack whose names are longer are left out. */
#define STACK_LEN ((size_t)1 << 20)

/* The meaning of the words of a chain; none: the address alone. */
enum { CHAIN_IS_THERE = 1, CHAIN_IS_SWAPPED = 2, CHAIN_IS_OF_BRANCHES = 4 };

/* The first words of a chain's key, without padding. */
struct chain_head {
	uint64_t space_id;
	uint32_t space_version;
	uint32_t kernel_version;
	uint16_t cpumode;
	uint16_t form; /* CHAIN_* */
	uint32_t unwound_nr;
};

/* The numbers of the texts of a frame, or NONE. */
struct frame_texts {
	const char *name; /* NULL: it has none */
	const struct rpt_dso *dso;
	bool is_set;
	uint32_t sym, dso_text;
	uint32_t in_stack; /* of arrow.names */
};

/* The values of the columns by which a chain is known. */
struct place {
	uint64_t ip;
	uint32_t sym, dso, stack; /* numbers of texts, or NONE */
	bool has_ip;
};

/* Names and comms that are remembered by their addresses. */
#define TEXTS_NR 4096u
#define COMMS_NR 256u

struct arrow {
	struct rpt_export_samples samples;
	struct rpt_arrow_schema schema;
	struct rpt_arrow_block block;
	uint64_t tod_shift_ns; /* time of day minus sample time */
	char **event_names;    /* owned, with the texts */
	uint32_t *events;      /* owned; their numbers, or NONE */
	struct {
		const char *comm; /* NULL: none */
		uint32_t number;
	} comms[COMMS_NR];

	struct rpt_intern chains; /* struct chain_head, and its words */
	struct place *places;	  /* owned; by number of the chain */
	uint32_t places_cap;
	struct rpt_intern names;  /* of frames, as they stand in a stack */
	struct rpt_intern stacks; /* uint32_t: names, the leaf first */
	uint32_t *stack_texts;	  /* owned; by number of the stack */
	uint32_t stack_texts_cap;
	uint64_t held_len; /* of all these, about */
	struct frame_texts texts[TEXTS_NR];

	/* of the chain under construction: */
	uint64_t unwound[RPT_USER_STACK_FRAMES + 1];
	struct pd_buf key;
	uint32_t *frames; /* owned; their names, the leaf first */
	uint32_t frames_cap, frame_nr;
	struct pd_buf text;
};

static uint32_t text_of(struct arrow *a, uint32_t column, const char *text)
{
	return rpt_arrow_block_text(&a->block, column, text, strlen(text));
}

static void forget(struct arrow *a)
{
	size_t event_nr = pd_reader_events(a->samples.part->reader)->nr;

	rpt_intern_release(&a->chains);
	rpt_intern_release(&a->names);
	rpt_intern_release(&a->stacks);
	a->held_len = 0;
	memset(a->comms, 0, sizeof(a->comms));
	memset(a->texts, 0, sizeof(a->texts));
	for (size_t i = 0; i < event_nr; i++)
		a->events[i] = NONE;
}

/* Put the name of a frame: of code without one its file's, as in other exports.
 */
static void put_name(struct pd_buf *b, const char *name,
		     const struct rpt_dso *dso)
{
	const char *path = dso ? rpt_dso_name(dso) : "[unknown]";
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;

	if (name || *file == '[') {
		name = name ? name : file;
		rpt_export_put_utf8(b, name, strlen(name));
	} else {
		pd_buf_u8(b, '[');
		rpt_export_put_utf8(b, file, strlen(file));
		pd_buf_u8(b, ']');
	}
	for (size_t i = 0; i < b->len; i++)
		b->data[i] = (uint8_t)rpt_folded_char((char)b->data[i]);
}

/* Return the number of a key, and count what a new one holds, with the item of
 * item_len bytes beside it. */
static uint32_t number_of(struct arrow *a, struct rpt_intern *table,
			  const void *key, size_t len, size_t item_len)
{
	uint32_t nr = table->nr;
	uint32_t number = (uint32_t)rpt_intern(table, key, len);

	if (number == nr)
		a->held_len += len + item_len + RPT_ARROW_TEXT_COST_LEN;
	return number;
}

static const struct frame_texts *texts_of(struct arrow *a, const char *name,
					  const struct rpt_dso *dso)
{
	size_t slot = ((uintptr_t)name >> 3 ^ (uintptr_t)dso >> 6) % TEXTS_NR;
	struct frame_texts *texts = &a->texts[slot];

	if (texts->is_set && texts->name == name && texts->dso == dso)
		return texts;
	pd_buf_reset(&a->text);
	put_name(&a->text, name, dso);
	*texts = (struct frame_texts){
		.name = name,
		.dso = dso,
		.is_set = true,
		.sym = name ? text_of(a, SYM, name) : NONE,
		.dso_text = dso ? text_of(a, DSO, rpt_dso_name(dso)) : NONE,
		.in_stack =
			number_of(a, &a->names, a->text.data, a->text.len, 0),
	};
	return texts;
}

static void add_frame(struct arrow *a, struct place *place, uint64_t ip,
		      const struct rpt_dso *dso, const char *name)
{
	const struct frame_texts *texts = texts_of(a, name, dso);

	if (!a->frame_nr) {
		place->ip = ip;
		place->has_ip = true;
		place->sym = texts->sym;
		place->dso = texts->dso_text;
	}
	a->frames = rpt_grow(a->frames, &a->frames_cap, a->frame_nr,
			     sizeof(*a->frames));
	a->frames[a->frame_nr++] = texts->in_stack;
}

/* Add the frame of an address, behind those of what is inlined there. */
static void add_address(struct arrow *a, struct place *place,
			const struct rpt_sample *sample, unsigned cpumode,
			uint64_t ip)
{
	const struct rpt_location *at =
		rpt_export_samples_find(&a->samples, sample, cpumode, ip);
	const struct rpt_inline_frame *inlined;
	size_t nr = 0;

	if (at->sym && a->samples.part->args->names.inline_frames)
		nr = rpt_dso_inline_frames(at->map.dso, ip + at->addr_add,
					   &inlined);
	for (size_t i = 0; i < nr; i++)
		add_frame(a, place, ip, at->map.dso, inlined[i].name);
	if (!nr)
		add_frame(a, place, ip, at->map.dso,
			  at->sym ? at->sym->name : NULL);
}

/* Add the frames of a chain: recorded ones, then those from a stack copy; the
 * limit holds for each of these. */
static void add_chain(struct arrow *a, struct place *place,
		      const struct rpt_sample *sample, uint32_t unwound_nr)
{
	const struct pd_u64s *chain = &sample->fields.callchain;
	const struct pd_u64s unwound = { .raw = (const uint8_t *)a->unwound,
					 .nr = unwound_nr };
	uint32_t max_nr = a->samples.part->rows_conf.max_stack;
	struct pd_callchain it = pd_callchain_start(chain);
	uint32_t left_nr = sample->fields.is_chain_of_branches &&
					   pd_callchain_has_user(chain, max_nr)
				   ? UINT32_MAX
				   : max_nr;

	if (!pd_callchain_is_known(chain, max_nr))
		return;
	for (; left_nr && pd_callchain_next(&it) != PD_CALLCHAIN_END; left_nr--)
		add_address(a, place, sample, it.cpumode, it.ip);
	it = pd_callchain_start(&unwound);
	it.has_no_marks = true;
	it.next_idx = 1; /* behind the mark */
	for (left_nr = max_nr;
	     left_nr && pd_callchain_next(&it) != PD_CALLCHAIN_END; left_nr--)
		add_address(a, place, sample, it.cpumode, it.ip);
}

/* Put the text of a stack, the root first, as folded. */
static void put_stack(struct arrow *a)
{
	const struct rpt_intern_entry *names = a->names.entries;
	uint32_t nr = 0;
	size_t len = 0;

	for (; nr < a->frame_nr; nr++) {
		len += names[a->frames[nr]].len + (size_t)1;
		if (len > STACK_LEN)
			break;
	}
	pd_buf_reset(&a->text);
	if (nr < a->frame_nr)
		pd_buf_bytes(&a->text, "[cut];", nr ? 6 : 5);
	while (nr-- > 0) {
		const struct rpt_intern_entry *name = &names[a->frames[nr]];

		pd_buf_bytes(&a->text, name->key, name->len);
		if (nr)
			pd_buf_u8(&a->text, ';');
	}
}

/* Return the number of the text of the frames. */
static uint32_t stack_of(struct arrow *a)
{
	uint32_t nr = a->stacks.nr;
	uint32_t idx = number_of(a, &a->stacks, a->frames,
				 a->frame_nr * sizeof(*a->frames),
				 sizeof(*a->stack_texts));

	if (idx < nr)
		return a->stack_texts[idx];
	a->stack_texts = rpt_grow(a->stack_texts, &a->stack_texts_cap, idx,
				  sizeof(*a->stack_texts));
	put_stack(a);
	a->stack_texts[idx] = rpt_arrow_block_text(
		&a->block, STACK, (const char *)a->text.data, a->text.len);
	return a->stack_texts[idx];
}

static bool has_chain(const struct arrow *a, const struct rpt_sample *sample)
{
	return a->samples.part->rows_conf.chains &&
	       (sample->fields.present & PD_SAMPLE_CALLCHAIN);
}

static uint16_t form_of(const struct arrow *a, const struct rpt_sample *sample)
{
	const struct pd_sample *fields = &sample->fields;

	if (!has_chain(a, sample))
		return 0;
	return (uint16_t)(CHAIN_IS_THERE |
			  (fields->callchain.swap ? CHAIN_IS_SWAPPED : 0) |
			  (fields->is_chain_of_branches ? CHAIN_IS_OF_BRANCHES
							: 0));
}

/* Make the key of what the frames of a sample depend on. */
static void make_key(struct arrow *a, const struct rpt_sample *sample,
		     uint32_t unwound_nr)
{
	const struct pd_sample *fields = &sample->fields;
	const struct chain_head head = {
		.space_id = sample->task->space_id,
		.space_version = sample->task->space_version,
		.kernel_version = sample->task->kernel_version,
		.cpumode = sample->cpumode,
		.form = form_of(a, sample),
		.unwound_nr = unwound_nr,
	};
	const struct pd_u64s ip = { .raw = (const uint8_t *)&fields->ip,
				    .nr = 1 };
	const struct pd_u64s *words = head.form ? &fields->callchain : &ip;
	size_t len = words->nr * sizeof(uint64_t);
	size_t unwound_len = unwound_nr * sizeof(uint64_t);
	uint8_t *to;

	pd_buf_reset(&a->key);
	to = pd_buf_reserve(&a->key, sizeof(head) + len + unwound_len);
	if (!to)
		return;
	memcpy(to, &head, sizeof(head));
	if (len)
		memcpy(to + sizeof(head), words->raw, len);
	memcpy(to + sizeof(head) + len, a->unwound, unwound_len);
	pd_buf_commit(&a->key, sizeof(head) + len + unwound_len);
}

/* Return what is known of the sample's chain; good until the next one. */
static const struct place *place_of(struct arrow *a,
				    const struct rpt_sample *sample)
{
	const struct rpt_report *part = a->samples.part;
	uint32_t nr = a->chains.nr, unwound_nr = 0, idx;
	struct place *place;

	if (has_chain(a, sample))
		unwound_nr = rpt_user_stack_frames(part->unwind, part->timeline,
						   sample, a->unwound);
	make_key(a, sample, unwound_nr);
	idx = number_of(a, &a->chains, a->key.data, a->key.len, sizeof(*place));
	if (idx < nr)
		return &a->places[idx];
	a->places =
		rpt_grow(a->places, &a->places_cap, idx, sizeof(*a->places));
	place = &a->places[idx];
	*place = (struct place){ .sym = NONE, .dso = NONE, .stack = NONE };
	a->frame_nr = 0;
	if (has_chain(a, sample))
		add_chain(a, place, sample, unwound_nr);
	else if (sample->fields.present & PD_SAMPLE_IP)
		add_address(a, place, sample, sample->cpumode,
			    sample->fields.ip);
	if (a->frame_nr)
		place->stack = stack_of(a);
	return place;
}

static uint32_t comm_of(struct arrow *a, const struct rpt_sample *sample)
{
	const char *comm = sample->task->comm_then;
	size_t slot = ((uintptr_t)comm >> 3) % COMMS_NR;
	char unknown[16];

	if (!comm)
		return text_of(
			a, COMM,
			rpt_comm_or_tid(comm, sample->task->ref.tid, unknown));
	if (a->comms[slot].comm != comm) {
		a->comms[slot].comm = comm;
		a->comms[slot].number = text_of(a, COMM, comm);
	}
	return a->comms[slot].number;
}

static uint32_t event_of(struct arrow *a, const struct rpt_sample *sample)
{
	size_t idx =
		(size_t)(sample->event -
			 pd_reader_events(a->samples.part->reader)->events);

	if (a->events[idx] == NONE)
		a->events[idx] = text_of(a, EVENT, a->event_names[idx]);
	return a->events[idx];
}

static void set_if(struct rpt_arrow_block *block, uint32_t column, bool has,
		   uint64_t v)
{
	if (has)
		rpt_arrow_block_set(block, column, v);
	else
		rpt_arrow_block_set_none(block, column);
}

static void set_text_if(struct rpt_arrow_block *block, uint32_t column,
			uint32_t number)
{
	if (number == NONE)
		rpt_arrow_block_set_none(block, column);
	else
		rpt_arrow_block_set_text(block, column, number);
}

static int add_row(struct arrow *a, const struct rpt_sample *sample,
		   const struct place *place)
{
	const struct pd_sample *fields = &sample->fields;
	bool has_time = fields->present & PD_SAMPLE_TIME;
	struct rpt_arrow_block *block = &a->block;

	set_if(block, TIME, has_time, fields->time_ns);
	rpt_arrow_block_set_text(block, EVENT, event_of(a, sample));
	rpt_arrow_block_set_text(block, COMM, comm_of(a, sample));
	set_if(block, PID, fields->present & PD_SAMPLE_TID, fields->pid);
	set_if(block, TID, fields->present & PD_SAMPLE_TID, fields->tid);
	set_if(block, CPU, fields->present & PD_SAMPLE_CPU, fields->cpu);
	rpt_arrow_block_set(block, PERIOD, fields->period);
	set_if(block, IP, place->has_ip, place->ip);
	set_text_if(block, SYM, place->sym);
	set_text_if(block, DSO, place->dso);
	set_text_if(block, STACK, place->stack);
	if (a->schema.nr > TOD)
		set_if(block, TOD, has_time, fields->time_ns + a->tod_shift_ns);
	return rpt_arrow_block_next(block, a->held_len);
}

/* Put a row for each event that the sample counts for. */
static int take_sample(void *ctx, struct rpt_sample *sample)
{
	struct arrow *a = ctx;
	bool is_chosen = sample->is_shown &&
			 !rpt_is_of_guest(sample->fields.misc) &&
			 !rpt_export_samples_hide(&a->samples, sample);
	const struct place *place = NULL;
	size_t idx = 0;
	int rc = 0;

	while (!rc && rpt_sample_reader_next(a->samples.reader, sample, &idx)) {
		if (!is_chosen || !sample->is_shown)
			continue;
		if (rpt_arrow_block_forget(&a->block, a->held_len)) {
			forget(a);
			place = NULL;
		}
		if (!place)
			place = place_of(a, sample);
		rc = add_row(a, sample, place);
	}
	return rc;
}

static void name_events(struct arrow *a, const struct pd_event_set *events)
{
	char buf[RPT_EVENT_NAME_LEN];

	a->event_names = rpt_alloc_zeroed(events->nr + 1, sizeof(char *));
	a->events = rpt_alloc_zeroed(events->nr + 1, sizeof(*a->events));
	for (size_t i = 0; i < events->nr; i++) {
		const char *name = rpt_event_name(&events->events[i], buf);

		a->event_names[i] = rpt_alloc_text(name, strlen(name));
	}
}

static void open_stream(struct arrow *a, struct rpt_report *report, FILE *out)
{
	struct pd_cursor payload;
	struct pd_clock_data clock;

	a->samples.take = take_sample;
	a->samples.ctx = a;
	a->samples.part = report;
	a->schema = (struct rpt_arrow_schema){ columns, TOD, facts, 1 };
	if (pd_reader_feature(report->reader, PD_FEATURE_CLOCK_DATA,
			      &payload) &&
	    !pd_feature_clock_data_read(&payload, &clock)) {
		a->tod_shift_ns = clock.wall_clock_ns - clock.clockid_ns;
		a->schema.nr = TOD + 1;
	}
	name_events(a, pd_reader_events(report->reader));
	forget(a);
	rpt_arrow_block_open(&a->block, &a->schema, out);
}

static void close_stream(struct arrow *a)
{
	size_t event_nr = pd_reader_events(a->samples.part->reader)->nr;

	for (size_t i = 0; i < event_nr; i++)
		free(a->event_names[i]);
	free(a->event_names);
	free(a->events);
	rpt_intern_release(&a->chains);
	rpt_intern_release(&a->names);
	rpt_intern_release(&a->stacks);
	free(a->places);
	free(a->stack_texts);
	free(a->frames);
	pd_buf_release(&a->key);
	pd_buf_release(&a->text);
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	int rc = rpt_export_refuse_terminal(out, err);
	struct arrow *a;
	int last;

	if (rc)
		return rc;
	a = rpt_alloc_zeroed(1, sizeof(*a));
	open_stream(a, report, out);
	rc = rpt_export_samples_read(&a->samples, report, err);
	last = rpt_arrow_block_close(&a->block);
	if (!last && fflush(out))
		last = -errno;
	close_stream(a);
	free(a);
	rc = rc ? rc : last;
	return rc && rc != -EPIPE ? pd_err_set(err, rc, "%s", strerror(-rc))
				  : 0;
}

static int check(struct rpt_report_args *args, struct pd_err *err)
{
	if (args->input_nr > 1)
		return pd_err_set(err, -EINVAL,
				  "--format arrow takes one recording: the "
				  "clocks of two are not the same");
	if (args->rows.is_one_socket || args->chains.ignore_callees ||
	    args->branches.has_history || args->switches.off_cpu ||
	    args->switches.latency || args->filter.parallelisms)
		return pd_err_set(err, -EINVAL,
				  "--format arrow has single samples, without "
				  "--socket-filter, --ignore-callees, "
				  "--off-cpu, --latency, --branch-history");
	if (args->graph.key != RPT_FRAME_FUNCTION)
		return pd_err_set(err, -EINVAL,
				  "--format arrow has stacks of functions, not "
				  "of -g address or srcline");
	return 0;
}

const struct rpt_output rpt_output_arrow = {
	.name = "arrow",
	.help = "a row a sample, for pandas, polars, DuckDB, ClickHouse",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES | RPT_OUTPUT_SINGLE,
	.options = { rpt_report_opts },
	.check = check,
	.set_up = rpt_export_set_up,
	.print = print_report,
};
