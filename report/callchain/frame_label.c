/* What makes frames the same node of a call graph. */
#include "report/callchain/frames_impl.h"

#include <errno.h>
#include <string.h>

int rpt_frame_inline_number(struct rpt_frames *frames,
			    const struct rpt_frame *f, uint64_t *ret)
{
	int64_t idx;

	*ret = 0;
	if (!f->inline_name)
		return 0;
	idx = rpt_intern(&frames->dso_names, f->inline_name,
			 strlen(f->inline_name));
	if (idx < 0)
		return (int)idx;
	*ret = (uint64_t)idx + 1;
	return 0;
}

#define LABEL_WORDS 4
/* Marks in words of labels, of what inlined functions have none. */
#define LABEL_PLACE   UINT64_MAX /* in the third */
#define LABEL_ADDRESS 1		 /* in the last */
#define LABEL_LINE    2

/* Of inlined functions the name alone counts. */
static int function_label(struct rpt_frames *frames, const struct rpt_frame *f,
			  uint64_t label[LABEL_WORDS])
{
	if (rpt_frame_inline_number(frames, f, &label[2]))
		return -ENOMEM;
	if (label[2])
		return 0;
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
	return 0;
}

/* The function's label, and how far behind its start. */
static int address_label(struct rpt_frames *frames, const struct rpt_frame *f,
			 uint64_t label[LABEL_WORDS])
{
	uint64_t words[LABEL_WORDS] = { 0 };
	uint32_t function = 0;

	if (function_label(frames, f, words) ||
	    rpt_frames_number(&frames->functions, words, LABEL_WORDS,
			      &function))
		return -ENOMEM;
	label[0] = function;
	label[1] = f->sym ? f->addr - f->sym->start : 0;
	label[2] = f->call_off;
	label[3] = LABEL_ADDRESS;
	return 0;
}

static int line_label(struct rpt_frames *frames, const struct rpt_frame *f,
		      uint64_t label[LABEL_WORDS])
{
	uint32_t line, file;

	if (rpt_frame_line(frames, (uint32_t)(f - frames->items), &line, &file))
		return -ENOMEM;
	if (!*(const char *)rpt_intern_key(&frames->lines, file))
		return function_label(frames, f, label);
	label[0] = line;
	label[3] = LABEL_LINE;
	return 0;
}

static int make_label(struct rpt_frames *frames, const struct rpt_frame *f,
		      uint64_t label[LABEL_WORDS])
{
	switch (frames->key) {
	case RPT_FRAME_ADDRESS:
		return address_label(frames, f, label);
	case RPT_FRAME_SRCLINE:
		return line_label(frames, f, label);
	case RPT_FRAME_FUNCTION:
	default:
		return function_label(frames, f, label);
	}
}

/* Those of one recording, by function. */
static bool is_plain(const struct rpt_frames *frames, const struct rpt_frame *f)
{
	return frames->key == RPT_FRAME_FUNCTION && !frames->is_merged &&
	       !f->inline_name;
}

/* What function_label() has of these. */
static struct rpt_address plain_label(const struct rpt_frame *f)
{
	return (struct rpt_address){
		.ip = f->sym ? f->sym->start : f->ip,
		.scope = f->dso_rank,
	};
}

static int set_plain_label(struct rpt_frames *frames, const struct rpt_frame *f)
{
	uint32_t at = (uint32_t)(f - frames->items);
	struct rpt_address want = plain_label(f);
	struct rpt_address *slot;

	if (rpt_address_hash_reserve(&frames->functions_first))
		return -ENOMEM;
	slot = rpt_address_hash_slot(&frames->functions_first, &want);
	if (!slot->answer)
		rpt_address_hash_put(&frames->functions_first, slot, &want, at);
	frames->briefs[at].label = slot->answer;
	return 0;
}

static int set_label(struct rpt_frames *frames, struct rpt_frame *f)
{
	uint32_t at = (uint32_t)(f - frames->items);
	uint32_t known_nr = frames->labels.nr;
	uint32_t *firsts =
		rpt_grow(frames->first_frames, &frames->first_frames_cap,
			 known_nr, sizeof(*firsts));
	uint64_t label[LABEL_WORDS] = { 0 };
	uint32_t idx = 0, line, file;

	if (!firsts)
		return -ENOMEM;
	frames->first_frames = firsts;
	if (make_label(frames, f, label) ||
	    rpt_frames_number(&frames->labels, label, LABEL_WORDS, &idx))
		return -ENOMEM;
	if (idx == known_nr)
		firsts[idx] = at;
	frames->briefs[at].label = firsts[idx] + 1;
	/* shown with it */
	if (frames->key != RPT_FRAME_FUNCTION && idx == known_nr &&
	    rpt_frame_line(frames, at, &line, &file))
		return -ENOMEM;
	return 0;
}

int rpt_frame_label(struct rpt_frames *frames, uint32_t frame, uint32_t *ret)
{
	const struct rpt_frame_brief *brief = &frames->briefs[frame];
	struct rpt_frame *f = &frames->items[frame];
	int rc = 0;

	if (!brief->label && is_plain(frames, f))
		rc = set_plain_label(frames, f);
	else if (!brief->label)
		rc = set_label(frames, f);
	if (rc)
		return rc;
	*ret = brief->label - 1;
	return 0;
}
