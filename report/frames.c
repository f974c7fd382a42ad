#include "report/frames.h"

#include "format/layout.h"
#include "report/inline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rpt_frames_init(struct rpt_frames *frames,
		     const struct rpt_timeline *timeline, bool inlines)
{
	*frames =
		(struct rpt_frames){ .timeline = timeline, .inlines = inlines };
}

void rpt_frames_release(struct rpt_frames *frames)
{
	free(frames->items);
	free(frames->spans);
	free(frames->dso_ranks);
	rpt_intern_release(&frames->dsos);
	rpt_intern_release(&frames->lookups);
	rpt_intern_release(&frames->labels);
	rpt_intern_release(&frames->places);
	rpt_intern_release(&frames->dso_names);
	*frames = (struct rpt_frames){ 0 };
}

static char level_of(unsigned cpumode)
{
	switch (cpumode) {
	case PD_CPUMODE_KERNEL:
		return 'k';
	case PD_CPUMODE_USER:
		return '.';
	case PD_CPUMODE_GUEST_KERNEL:
		return 'g';
	case PD_CPUMODE_GUEST_USER:
		return 'u';
	default:
		return 'H';
	}
}

/* Numbers of words that identify something; -ENOMEM stays negative. */
static int number(struct rpt_intern *table, const uint64_t *words, size_t nr,
		  uint32_t *ret)
{
	int64_t idx = rpt_intern(table, words, nr * sizeof(*words));

	if (idx < 0)
		return (int)idx;
	*ret = (uint32_t)idx;
	return 0;
}

static int set_dso_place(struct rpt_frames *frames, struct rpt_frame *f)
{
	char name[512];
	int64_t idx;

	rpt_dso_short_name(f->dso, name, sizeof(name));
	idx = rpt_intern(&frames->dso_names, name, strlen(name));
	if (idx < 0)
		return (int)idx;
	f->dso_place = (uint32_t)idx;
	return 0;
}

static uint32_t find_rank(const struct rpt_frames *frames,
			  const struct rpt_dso *dso)
{
	const struct rpt_symbols *symbols =
		rpt_timeline_symbols(frames->timeline);
	const struct rpt_dso *at;

	for (uint32_t i = 0; (at = rpt_symbols_dso_at(symbols, i)); i++) {
		if (at == dso)
			return i + 1;
	}
	return 0;
}

static int set_dso_rank(struct rpt_frames *frames, struct rpt_frame *f)
{
	uint32_t known_nr = frames->dsos.nr;
	uint64_t key = (uint64_t)(uintptr_t)f->dso;
	int64_t idx;

	if (known_nr == frames->dso_ranks_cap) {
		uint32_t cap = known_nr ? known_nr * 2 : 64;
		uint32_t *ranks =
			realloc(frames->dso_ranks, cap * sizeof(*ranks));

		if (!ranks)
			return -ENOMEM;
		frames->dso_ranks = ranks;
		frames->dso_ranks_cap = cap;
	}
	idx = rpt_intern(&frames->dsos, &key, sizeof(key));
	if (idx < 0)
		return (int)idx;
	if (idx == known_nr)
		frames->dso_ranks[idx] = find_rank(frames, f->dso);
	f->dso_rank = frames->dso_ranks[idx];
	return 0;
}

/* What call graphs compare: of inlined functions the name alone. */
static int set_label(struct rpt_frames *frames, struct rpt_frame *f,
		     uint32_t inline_nr)
{
	uint64_t label[3] = { (uint64_t)(uintptr_t)f->dso,
			      f->sym ? f->sym->start : f->ip, inline_nr };

	if (inline_nr) {
		label[0] = 0;
		label[1] = 0;
	}
	return number(&frames->labels, label, 3, &f->label);
}

static int set_places(struct rpt_frames *frames, struct rpt_frame *f,
		      uint32_t inline_nr)
{
	uint64_t place[4] = { 0 };
	int rc;

	if (f->sym) {
		place[0] = f->dso_place + 1;
		place[1] = f->sym->start;
		place[2] = f->sym->end;
		place[3] = inline_nr;
		rc = number(&frames->places, place, 4, &f->place);
		f->self_place = f->place;
		return rc;
	}
	place[1] = f->ip;
	rc = number(&frames->places, place, 2, &f->place);
	place[1] = f->addr;
	return rc ? rc : number(&frames->places, place, 2, &f->self_place);
}

static int set_numbers(struct rpt_frames *frames, struct rpt_frame *f)
{
	int64_t inline_nr = 0;
	int rc;

	if (f->inline_name)
		inline_nr = 1 + rpt_intern(&frames->dso_names, f->inline_name,
					   strlen(f->inline_name));
	if (f->inline_name && inline_nr <= 0)
		return -ENOMEM;
	rc = set_dso_place(frames, f);
	if (!rc)
		rc = set_dso_rank(frames, f);
	if (!rc)
		rc = set_label(frames, f, (uint32_t)inline_nr);
	return rc ? rc : set_places(frames, f, (uint32_t)inline_nr);
}

static int push(struct rpt_frames *frames, const struct rpt_frame *frame)
{
	if (frames->nr == frames->cap) {
		uint32_t cap = frames->cap ? frames->cap * 2 : 1024;
		struct rpt_frame *items =
			realloc(frames->items, cap * sizeof(*items));

		if (!items)
			return -ENOMEM;
		frames->items = items;
		frames->cap = cap;
	}
	frames->items[frames->nr] = *frame;
	return set_numbers(frames, &frames->items[frames->nr++]);
}

/* The frames that a debugger would show at f's address instead of f alone;
 * their number goes to *ret_nr. */
static int push_inlined(struct rpt_frames *frames, const struct rpt_frame *f,
			uint32_t *ret_nr)
{
	const struct rpt_inline_frame *inner;
	size_t nr = rpt_dso_inline_frames(f->dso, f->addr, &inner);
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		struct rpt_frame frame = *f;

		if (inner[i].is_inlined)
			frame.inline_name = inner[i].name;
		rc = push(frames, &frame);
	}
	*ret_nr = (uint32_t)nr;
	return rc;
}

static int resolve(struct rpt_frames *frames,
		   const struct rpt_frame_scope *scope, unsigned cpumode,
		   uint64_t ip, struct rpt_frame_span *ret)
{
	bool is_unwound = cpumode & RPT_FRAME_UNWOUND;
	struct rpt_frame f = { .ip = ip, .addr = ip };
	struct rpt_map map;
	uint32_t nr = 0;

	cpumode &= PD_MISC_CPUMODE_MASK;
	f.level = level_of(cpumode);
	ret->start = frames->nr;
	if (rpt_timeline_map(frames->timeline, &scope->who, cpumode, ip,
			     scope->when, &map) ||
	    (cpumode == PD_CPUMODE_KERNEL &&
	     rpt_timeline_kernel_beyond(frames->timeline, ip, &map))) {
		f.dso = map.dso;
		f.addr = ip - map.start + map.pgoff;
		f.sym = rpt_dso_symbol(map.dso, f.addr);
	}
	if (is_unwound && frames->inlines && f.sym &&
	    push_inlined(frames, &f, &nr))
		return -ENOMEM;
	ret->nr = nr ? nr : 1;
	ret->self = frames->nr;
	return push(frames, &f);
}

static int grow_spans(struct rpt_frames *frames)
{
	uint32_t cap = frames->spans_cap ? frames->spans_cap * 2 : 1024;
	struct rpt_frame_span *spans =
		realloc(frames->spans, cap * sizeof(*spans));

	if (!spans)
		return -ENOMEM;
	frames->spans = spans;
	frames->spans_cap = cap;
	return 0;
}

int rpt_frames_resolve(struct rpt_frames *frames,
		       const struct rpt_frame_scope *scope, unsigned cpumode,
		       uint64_t ip, struct rpt_frame_span *ret)
{
	bool is_user = (cpumode & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_USER;
	uint64_t key[3] = {
		ip,
		(uint64_t)cpumode << 32 | (is_user ? scope->space_id : 0),
		is_user ? scope->space_generation : scope->kernel_generation,
	};
	uint32_t known_nr = frames->lookups.nr;
	int64_t idx;

	if (known_nr == frames->spans_cap && grow_spans(frames))
		return -ENOMEM;
	idx = rpt_intern(&frames->lookups, key, sizeof(key));
	if (idx < 0)
		return (int)idx;
	if (idx == known_nr) {
		int rc = resolve(frames, scope, cpumode, ip,
				 &frames->spans[idx]);

		if (rc)
			return rc;
	}
	*ret = frames->spans[idx];
	return 0;
}

const char *rpt_frame_name(const struct rpt_frame *frame, char *buf, size_t len)
{
	if (frame->inline_name)
		snprintf(buf, len, "%s (inlined)", frame->inline_name);
	else if (frame->sym)
		return frame->sym->name;
	else
		snprintf(buf, len, "%#llx", (unsigned long long)frame->ip);
	return buf;
}
