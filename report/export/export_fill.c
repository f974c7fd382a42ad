#include "report/export/export_fill.h"

#include "format/records/build_id.h"
#include "report/base/memory.h"
#include "report/elf/function_stem.h"
#include "report/report/stack_walk.h"

#include <stdlib.h>
#include <string.h>

struct fill {
	struct rpt_export_set *set;
	struct rpt_report *report; /* the whole */
	bool has_levels;
	uint32_t part;
	struct rpt_stack_walk walk;
	uint32_t *frames; /* by frame of the report: frame of the set + 1 */
	uint32_t frames_cap;
	uint32_t *stacks; /* by place of the walk */
	uint32_t stacks_cap;
};

static uint32_t file_of(struct rpt_export_set *set, const struct rpt_dso *dso)
{
	char hex[PD_BUILD_ID_HEX_LEN] = "";
	struct rpt_export_file file = { 0 };
	uint8_t len = 0;

	if (dso) {
		const uint8_t *id = rpt_dso_build_id(dso, &len);
		const char *name = rpt_dso_name(dso);
		const char *slash = strrchr(name, '/');

		pd_build_id_hex(id, len, hex);
		file.path = rpt_export_text(set, name);
		file.name = rpt_export_text(set, slash ? slash + 1 : name);
	}
	file.build_id = rpt_export_text(set, hex);
	return (uint32_t)rpt_intern(&set->files, &file, sizeof(file));
}

/* A function that was inlined is in front of the one that has it.  A frame
 * whose name is another than its symbol's is named as if it were inlined, too.
 */
static enum rpt_export_kind kind_of(const struct rpt_frames *all,
				    uint32_t number, uint32_t caller)
{
	const struct rpt_frame *frame = &all->items[number];

	if (frame->inline_name && caller == number + 1)
		return RPT_EXPORT_INLINED;
	if (rpt_frame_is_nameless(frame))
		return RPT_EXPORT_NAMELESS;
	if (frame->level == 'k')
		return RPT_EXPORT_KERNEL;
	return frame->dso && rpt_diff_is_jit(rpt_dso_name(frame->dso))
		       ? RPT_EXPORT_JIT
		       : RPT_EXPORT_USER;
}

/* Return the name of a frame's function; of code without one, its file's. */
static uint32_t name_of(struct fill *fill, const struct rpt_frame *frame)
{
	const struct rpt_frames *all = &fill->report->frames;
	const char *name = rpt_frame_symbol(frame);
	const char *file;
	char *text = NULL;
	uint32_t ret;

	if (name)
		return rpt_export_text(fill->set, name);
	if (!frame->dso)
		return rpt_export_text(fill->set, "[unknown]");
	file = rpt_intern_key(&all->dso_names, frame->dso_place);
	if (*file == '[')
		return rpt_export_text(fill->set, file);
	if (asprintf(&text, "[%s]", file) < 0)
		abort();
	ret = rpt_export_text(fill->set, text);
	free(text);
	return ret;
}

/* Set the source line of a frame, if call graphs are by line. */
static void set_line(struct fill *fill, uint32_t number,
		     struct rpt_export_function *function,
		     struct rpt_export_frame *frame)
{
	struct rpt_frames *all = &fill->report->frames;
	const char *text, *colon;
	uint32_t line, source;

	if (all->key != RPT_FRAME_SRCLINE)
		return;
	rpt_frame_line(all, number, &line, &source);
	text = rpt_intern_key(&all->lines, source);
	if (!*text)
		return;
	function->source = rpt_export_text(fill->set, text);
	colon = strrchr(rpt_intern_key(&all->lines, line), ':');
	frame->line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

static uint32_t new_frame(struct fill *fill, uint32_t number, uint32_t caller)
{
	struct rpt_export_set *set = fill->set;
	const struct rpt_frame *from = &fill->report->frames.items[number];
	struct rpt_export_function function = {
		.name = name_of(fill, from),
		.file = file_of(set, from->dso),
		.kind = kind_of(&fill->report->frames, number, caller),
	};
	struct rpt_export_frame frame = { 0 };

	if (fill->has_levels) {
		function.level = (unsigned char)from->level;
		/* the kernel lies elsewhere after each boot */
		if (from->sym && from->level != 'k')
			frame.addr = from->sym->start;
	}
	if (fill->report->frames.key == RPT_FRAME_ADDRESS)
		frame.addr = from->addr;
	set_line(fill, number, &function, &frame);
	frame.function = (uint32_t)rpt_intern(&set->functions, &function,
					      sizeof(function));
	return (uint32_t)rpt_intern(&set->frames, &frame, sizeof(frame));
}

static uint32_t frame_of(struct fill *fill, uint32_t number, uint32_t caller)
{
	uint32_t had = fill->frames_cap;

	if (number >= had) {
		fill->frames = rpt_grow(fill->frames, &fill->frames_cap, number,
					sizeof(*fill->frames));
		memset(fill->frames + had, 0,
		       (fill->frames_cap - had) * sizeof(*fill->frames));
	}
	if (!fill->frames[number])
		fill->frames[number] = new_frame(fill, number, caller) + 1;
	return fill->frames[number] - 1;
}

/* Return whether a frame is code without a name in the file of its caller,
 * which is the same: they are one frame. */
static bool is_more_of(const struct rpt_export_set *set, uint32_t callers,
		       uint32_t frame)
{
	const struct rpt_export_frame *f = rpt_export_frame_at(set, frame);

	return callers && rpt_export_stack_at(set, callers)->frame == frame &&
	       rpt_export_function_at(set, f->function)->kind ==
		       RPT_EXPORT_NAMELESS;
}

static uint32_t stack_of(struct fill *fill)
{
	const struct rpt_stack_walk *walk = &fill->walk;
	uint32_t stack = 0;

	for (uint32_t i = 0; i < walk->frame_nr; i++) {
		uint32_t frame = frame_of(fill, walk->frames[i],
					  i ? walk->frames[i - 1] : 0);

		if (!is_more_of(fill->set, stack, frame))
			stack = rpt_export_stack(fill->set, stack, frame);
	}
	return stack;
}

static uint32_t comm_of(struct fill *fill)
{
	const struct rpt_stack_walk *walk = &fill->walk;
	char buf[16];

	return rpt_export_text(
		fill->set,
		rpt_comm_or_tid((const char *)(uintptr_t)walk->key->base->comm,
				walk->stack->first_tid, buf));
}

/* Return a value by which stacks are told apart. */
static uint64_t value_of(const struct fill *fill, enum rpt_value value)
{
	const struct rpt_profile_conf *conf = &fill->walk.report->profile.conf;
	uint32_t i = 0;

	while (i < conf->value_nr && conf->values[i] != value)
		i++;
	return i < conf->value_nr ? rpt_stack_key_values(fill->walk.key)[i] : 0;
}

static uint32_t process_of(struct fill *fill)
{
	const struct rpt_stack *stack = fill->walk.stack;
	const char *comm =
		(const char *)(uintptr_t)value_of(fill, RPT_VALUE_PROCESS);
	char buf[16];

	return rpt_export_text(fill->set,
			       rpt_comm_or_tid(comm, stack->first_pid, buf));
}

static uint32_t cgroup_of(struct fill *fill)
{
	const struct rpt_profile *profile = &fill->walk.report->profile;
	const char *name = rpt_timeline_cgroup(
		profile->conf.timeline, value_of(fill, RPT_VALUE_CGROUP));

	return name ? rpt_export_text(fill->set, name) : RPT_EXPORT_NONE;
}

/* Set the labels that are asked for. */
static void set_labels(struct fill *fill, struct rpt_export_sample *sample)
{
	unsigned labels = fill->report->args->out.labels;
	const struct rpt_stack_walk *walk = &fill->walk;

	if (labels & RPT_LABEL_COMM)
		sample->comm = comm_of(fill);
	if (labels & RPT_LABEL_PROCESS)
		sample->process = process_of(fill);
	if (labels & RPT_LABEL_PID)
		sample->pid = walk->stack->first_pid;
	if (labels & RPT_LABEL_TID)
		sample->tid = walk->stack->first_tid;
	if (labels & RPT_LABEL_CPU && walk->key->base->cpu != RPT_NO_KEY)
		sample->cpu = walk->key->base->cpu;
	if (labels & RPT_LABEL_CGROUP)
		sample->cgroup = cgroup_of(fill);
	if (labels & RPT_LABEL_HOST && walk->report->host)
		sample->host = rpt_export_text(fill->set, walk->report->host);
}

static void add_stack(struct fill *fill)
{
	const struct rpt_stack_walk *walk = &fill->walk;
	struct rpt_export_sample sample;

	fill->stacks = rpt_grow(fill->stacks, &fill->stacks_cap, walk->place,
				sizeof(*fill->stacks));
	if (walk->is_new_place)
		fill->stacks[walk->place] = stack_of(fill);
	memset(&sample, 0xff, sizeof(sample)); /* RPT_EXPORT_NONE */
	sample.event = fill->report->whole.events
			       .numbers[fill->part][walk->key->event_idx];
	sample.stack = fill->stacks[walk->place];
	sample.bin = walk->key->base->block;
	set_labels(fill, &sample);
	rpt_export_add(fill->set, &sample,
		       &(struct rpt_export_value){ walk->stack->nr,
						   walk->stack->period });
}

static int fill_part(struct fill *fill)
{
	struct rpt_report *part = &fill->report->whole.parts[fill->part];
	struct rpt_frames *frames = &fill->report->frames;
	int rc;

	if (fill->report->whole.part_nr > 1)
		rpt_frames_use(frames, fill->part, part->timeline);
	rpt_stack_walk_init(&fill->walk, part, frames);
	while (!(rc = rpt_stack_walk_next(&fill->walk)) && fill->walk.stack)
		if (!fill->walk.is_hidden)
			add_stack(fill);
	rpt_stack_walk_release(&fill->walk);
	return rc;
}

int rpt_export_fill(struct rpt_export_set *set, struct rpt_report *report,
		    bool has_levels)
{
	struct fill fill = { .set = set,
			     .report = report,
			     .has_levels = has_levels };
	int rc = 0;

	for (; fill.part < report->whole.part_nr && !rc; fill.part++)
		rc = fill_part(&fill);
	free(fill.frames);
	free(fill.stacks);
	return rc;
}
