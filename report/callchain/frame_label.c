/* Finds which frames are the same node of a call graph. */
#include "report/callchain/frames.h"

/* Scopes other than a DSO's number. */
#define LABEL_INLINED UINT32_MAX       /* and the number of its name */
#define LABEL_PLACE   (UINT32_MAX - 1) /* in one of several recordings */
#define LABEL_LINE    (UINT32_MAX - 2)
#define LABEL_ADDRESS (UINT32_MAX - 3) /* a function's label, and an offset */
/* With a DSO's number: code without a name, by ip.  A symbol's start, which is
 * an offset in the file, may be the same number. */
#define LABEL_NAMELESS (UINT32_C(1) << 31)

/* A DSO and an address in it, or whatever else makes frames the same. */
struct label {
	uint32_t scope;
	uint64_t value;
};

/* Return the label of a function; inlined ones differ only by name. */
static struct label function_label(struct rpt_frames *frames,
				   const struct rpt_frame *f)
{
	uint32_t inlined = rpt_frame_inline_number(frames, f);

	if (inlined)
		return (struct label){ LABEL_INLINED, inlined };
	if (frames->is_merged && f->sym)
		return (struct label){ LABEL_PLACE, f->place };
	if (frames->is_merged)
		return (struct label){
			LABEL_NAMELESS | (f->dso ? f->dso_place + 1 : 0), f->ip
		};
	if (f->sym)
		return (struct label){ f->dso_rank, f->sym->start };
	return (struct label){ LABEL_NAMELESS | f->dso_rank, f->ip };
}

/* Return the first frame with a label, which is number at if it is new. */
static uint32_t first_frame(struct rpt_frames *frames, struct label label,
			    uint32_t at)
{
	struct rpt_address_hash *first_frames = &frames->labels.first_frames;
	int64_t known =
		rpt_address_hash_find(first_frames, label.value, label.scope);

	if (known >= 0)
		return (uint32_t)known;
	rpt_address_hash_add(first_frames, label.value, label.scope, at);
	return at;
}

/* Return the label of an address: its function's, and the offset in it. */
static struct label address_label(struct rpt_frames *frames,
				  const struct rpt_frame *f)
{
	const uint64_t offset[2] = { f->sym ? f->addr - f->sym->start : 0,
				     f->call_off };
	uint64_t function = first_frame(frames, function_label(frames, f),
					(uint32_t)(f - frames->items));

	return (struct label){
		LABEL_ADDRESS,
		function << 32 | rpt_frames_number(&frames->labels.offsets,
						   offset, sizeof(offset))
	};
}

static struct label line_label(struct rpt_frames *frames,
			       const struct rpt_frame *f)
{
	uint32_t line, file;

	rpt_frame_line(frames, (uint32_t)(f - frames->items), &line, &file);
	if (!*(const char *)rpt_intern_key(&frames->lines, file))
		return function_label(frames, f);
	return (struct label){ LABEL_LINE, line };
}

static uint32_t find_label(struct rpt_frames *frames, uint32_t at)
{
	const struct rpt_frame *f = &frames->items[at];
	uint32_t first, line, file;

	if (frames->key == RPT_FRAME_FUNCTION)
		return first_frame(frames, function_label(frames, f), at);
	first = first_frame(frames,
			    frames->key == RPT_FRAME_ADDRESS
				    ? address_label(frames, f)
				    : line_label(frames, f),
			    at);
	if (first == at) /* it is shown with the label */
		rpt_frame_line(frames, at, &line, &file);
	return first;
}

uint32_t rpt_frame_label(struct rpt_frames *frames, uint32_t frame)
{
	struct rpt_frame_flags *flag = &frames->flags[frame];

	if (!flag->label)
		flag->label = find_label(frames, frame) + 1;
	return flag->label - 1;
}
