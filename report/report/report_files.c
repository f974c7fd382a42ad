#include "report/report/report_files.h"

#include "report/base/memory.h"
#include "report/report/stack_walk.h"

#include "format/support/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_files(struct rpt_report_files *inputs,
		      const struct rpt_report_args *args, struct pd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < args->input_nr && !rc; i++) {
		inputs->args[i] = *args;
		inputs->args[i].input = args->inputs[i];
		inputs->path = args->inputs[i];
		inputs->nr++;
		rc = rpt_report_open(&inputs->items[i], &inputs->args[i], err);
	}
	return rc;
}

/* Give all recordings one shape: call chains and branches in front of them are
 * shown if any has some, but samples and branches are not mixed. */
static int agree(struct rpt_report_files *inputs, struct pd_err *err)
{
	const unsigned of_any = RPT_SHAPE_CHAINS | RPT_SHAPE_BRANCHES;
	unsigned shape = inputs->items[0].shape;

	for (uint32_t i = 1; i < inputs->nr; i++) {
		unsigned other = inputs->items[i].shape;

		inputs->path = inputs->args[i].input;
		if ((other ^ shape) & RPT_SHAPE_BY_BRANCH)
			return pd_err_set(
				err, -ENODATA,
				"%s branch stacks, unlike %s: they "
				"cannot be shown as one",
				other & RPT_SHAPE_BY_BRANCH ? "has" : "has no",
				inputs->args[0].input);
		shape = ((shape | other) & of_any) | (shape & other);
	}
	for (uint32_t i = 0; i < inputs->nr; i++)
		inputs->items[i].shape = shape;
	return 0;
}

/* Check that the fields of tracepoints are the same in each recording. */
static int compare_fields(const struct rpt_report_files *inputs, uint32_t idx,
			  struct pd_err *err)
{
	const struct rpt_columns *a = &inputs->items[0].view.columns;
	const struct rpt_columns *b = &inputs->items[idx].view.columns;
	bool are_same = a->field_nr == b->field_nr;

	for (size_t i = 0; i < a->field_nr && are_same; i++)
		are_same = !strcmp(rpt_trace_field_name(&a->fields[i]),
				   rpt_trace_field_name(&b->fields[i]));
	if (are_same)
		return 0;
	return pd_err_set(err, -ENODATA,
			  "its tracepoints have other fields than those of %s",
			  inputs->args[0].input);
}

/* Return whether symbols are looked up: tables of tasks need none, and reading
 * the kernel's can take longer than the rest.  The width of DSOs depends on
 * them.
 */
static bool needs_symbols(const struct rpt_report *report)
{
	const unsigned without = RPT_BY_TASK | RPT_BY_COMM | RPT_BY_CPU |
				 RPT_BY_TRACE | RPT_BY_FIELD | RPT_BY_HOST |
				 RPT_BY_VALUE;
	const struct rpt_rows_conf *conf = &report->rows_conf;

	return conf->keys.by & ~without || conf->chains ||
	       conf->hide.unresolved || conf->hide.symbol_part ||
	       conf->ignored || conf->parent ||
	       report->filters.samples.asked & RPT_FILTER_SYMBOL;
}

/* Return whether addresses are needed only of what has no symbol. */
static bool are_functions_enough(const struct rpt_report *report)
{
	return report->frames.key == RPT_FRAME_FUNCTION &&
	       !report->frames.conf.is_verbose &&
	       !(report->rows_conf.keys.by & ~(unsigned)RPT_BY_FUNCTION) &&
	       !(report->filters.samples.asked & RPT_FILTER_SYMBOL);
}

static int configure(struct rpt_report_files *inputs, struct rpt_symbols *owner,
		     struct pd_err *err)
{
	int rc = agree(inputs, err);

	for (uint32_t i = 0; i < inputs->nr && !rc; i++) {
		struct rpt_report *item = &inputs->items[i];

		inputs->path = inputs->args[i].input;
		item->shared.symbols = owner;
		rc = rpt_report_configure(item, err);
		item->frames.conf.without_symbols = !needs_symbols(item);
		item->frames.conf.is_by_function = are_functions_enough(item);
		owner = item->symbols;
		if (!rc)
			rc = compare_fields(inputs, i, err);
	}
	inputs->items[0].whole.parts = inputs->items;
	inputs->items[0].whole.part_nr = inputs->nr;
	return rc;
}

int rpt_report_files_open_behind(struct rpt_report_files *inputs,
				 const struct rpt_report_args *args,
				 struct rpt_symbols *shared_from,
				 struct pd_err *err)
{
	int rc;

	*inputs = (struct rpt_report_files){
		.args = rpt_alloc_zeroed(args->input_nr, sizeof(*inputs->args)),
		.items = rpt_alloc_zeroed(args->input_nr,
					  sizeof(*inputs->items)),
		.path = args->inputs[0],
	};
	rc = open_files(inputs, args, err);
	return rc ? rc : configure(inputs, shared_from, err);
}

int rpt_report_files_open(struct rpt_report_files *inputs,
			  const struct rpt_report_args *args,
			  struct pd_err *err)
{
	return rpt_report_files_open_behind(inputs, args, NULL, err);
}

int rpt_report_files_count(struct rpt_report_files *inputs, struct pd_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < inputs->nr && !rc; i++) {
		inputs->path = inputs->args[i].input;
		rc = rpt_report_count(&inputs->items[i], err);
	}
	if (!rc)
		rpt_report_merge(&inputs->items[0]);
	return rc;
}

/* Return whether a function of one recording has the word in its name; offer
 * the others to near. */
static bool has_word(struct rpt_report_files *inputs, uint32_t idx,
		     struct sup_nearest *near)
{
	struct rpt_report *first = &inputs->items[0];
	const char *word = first->args->rows.symbol_part;
	struct rpt_stack_walk walk;
	bool has = false;

	rpt_frames_use(&first->frames, idx, inputs->items[idx].timeline);
	rpt_stack_walk_init(&walk, &inputs->items[idx], &first->frames);
	while (!has && !rpt_stack_walk_next(&walk) && walk.stack) {
		for (uint32_t i = 0; walk.is_new_place && i < walk.frame_nr;
		     i++) {
			const char *name = rpt_frame_symbol(
				&first->frames.items[walk.frames[i]]);

			has |= name && strstr(name, word);
			if (name)
				sup_nearest_offer(near, name);
		}
	}
	rpt_stack_walk_release(&walk);
	return has;
}

int rpt_report_files_check_word(struct rpt_report_files *inputs,
				struct pd_err *err)
{
	const struct rpt_report_args *args = inputs->items[0].args;
	const char *word = args->rows.symbol_part;
	struct sup_nearest near;
	uint64_t nr = 0;

	if (!args->rows.is_part_a_word)
		return 0;
	sup_nearest_init(&near, word, strlen(word));
	for (uint32_t i = 0; i < inputs->nr; i++) {
		nr += rpt_profile_sample_nr(&inputs->items[i].profile);
		if (has_word(inputs, i, &near))
			return 0;
	}
	if (!nr)
		return 0; /* why there are no samples is told */
	inputs->path = word;
	pd_err_set(err, -ENODATA,
		   "%s, and no function of %s has it in its name",
		   access(word, F_OK) ? strerror(errno) : "no recording",
		   args->input);
	sup_nearest_hint(&near, err, NULL);
	return -ENODATA;
}

/* Close the recording that shares its symbols last. */
void rpt_report_files_close(struct rpt_report_files *inputs)
{
	while (inputs->nr)
		rpt_report_close(&inputs->items[--inputs->nr]);
	free(inputs->items);
	free(inputs->args);
	*inputs = (struct rpt_report_files){ 0 };
}
