/* Finds which frames are the same node of a call graph. */
#include "report/base/memory.h"
#include "report/callchain/frames.h"

#define LABEL_WORDS 4
/* Marks in words of labels, of what inlined functions have none. */
#define LABEL_PLACE   UINT64_MAX /* in the third */
#define LABEL_ADDRESS 1		 /* in the last */
#define LABEL_LINE    2

/* Inlined functions differ by their name alone. */
static void function_label(struct rpt_frames *frames, const struct rpt_frame *f,
			   uint64_t label[LABEL_WORDS])
{
	label[2] = rpt_frame_inline_number(frames, f);
	if (label[2])
		return;
	if (frames->is_merged && f->sym) {
		label[1] = f->place;
		label[2] = LABEL_PLACE;
	} else if (frames->is_merged) {
		label[0] = f->dso ? f->dso_place + 1 : 0;
		label[1] = f->ip;
	} else {
		label[0] = (uint64_t)(uintptr_t)f->dso;
		label[1] = f->sym ? f->sym->start : f->ip;
	}
}

/* The function's label, and how far behind its start. */
static void address_label(struct rpt_frames *frames, const struct rpt_frame *f,
			  uint64_t label[LABEL_WORDS])
{
	uint64_t words[LABEL_WORDS] = { 0 };

	function_label(frames, f, words);
	label[0] = rpt_frames_number(&frames->labels.functions, words,
				     sizeof(words));
	label[1] = f->sym ? f->addr - f->sym->start : 0;
	label[2] = f->call_off;
	label[3] = LABEL_ADDRESS;
}

static void line_label(struct rpt_frames *frames, const struct rpt_frame *f,
		       uint64_t label[LABEL_WORDS])
{
	uint32_t line, file;

	rpt_frame_line(frames, (uint32_t)(f - frames->items), &line, &file);
	if (!*(const char *)rpt_intern_key(&frames->lines, file)) {
		function_label(frames, f, label);
		return;
	}
	label[0] = line;
	label[3] = LABEL_LINE;
}

static uint32_t find_label(struct rpt_frames *frames, uint32_t at)
{
	struct rpt_frame_labels *labels = &frames->labels;
	const struct rpt_frame *f = &frames->items[at];
	uint32_t known_nr = labels->numbers.nr, idx, line, file;
	uint64_t label[LABEL_WORDS] = { 0 };

	if (frames->key == RPT_FRAME_ADDRESS)
		address_label(frames, f, label);
	else if (frames->key == RPT_FRAME_SRCLINE)
		line_label(frames, f, label);
	else
		function_label(frames, f, label);
	idx = rpt_frames_number(&labels->numbers, label, sizeof(label));
	if (idx < known_nr)
		return labels->first_frames[idx];
	labels->first_frames =
		rpt_grow(labels->first_frames, &labels->first_frames_cap, idx,
			 sizeof(*labels->first_frames));
	labels->first_frames[idx] = at;
	if (frames->key != RPT_FRAME_FUNCTION) /* it is shown with the label */
		rpt_frame_line(frames, at, &line, &file);
	return at;
}

uint32_t rpt_frame_label(struct rpt_frames *frames, uint32_t frame)
{
	struct rpt_frame_flags *flag = &frames->flags[frame];

	if (!flag->label)
		flag->label = find_label(frames, frame) + 1;
	return flag->label - 1;
}
