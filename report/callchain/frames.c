#include "report/callchain/frames.h"

#include "format/layout.h"
#include "report/callchain/frames_prefetch.h"
#include "report/callchain/frames_impl.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/dso_class.h"
#include "report/timeline/map_range.h"
#include "report/symbols/symbol_range.h"
#include "report/timeline/timeline_budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rpt_frames_init(struct rpt_frames *frames,
		     const struct rpt_timeline *timeline, bool inlines)
{
	*frames = (struct rpt_frames){
		.timeline = timeline,
		.inlines = inlines,
		.has_symbols = true,
		.labels.is_bytes = true,
	};
}

void rpt_frames_release(struct rpt_frames *frames)
{
	free(frames->items);
	free(frames->briefs);
	rpt_address_hash_release(&frames->addresses);
	rpt_address_hash_release(&frames->functions_first);
	rpt_address_hash_release(&frames->functions_at);
	free(frames->first_frames);
	free(frames->dso_infos);
	rpt_address_context_release(&frames->scopes);
	rpt_intern_release(&frames->dsos);
	rpt_intern_release(&frames->labels);
	rpt_intern_release(&frames->places);
	rpt_intern_release(&frames->dso_names);
	rpt_function_merge_release(&frames->merge);
	rpt_intern_release(&frames->builds);
	rpt_intern_release(&frames->branch_ends);
	rpt_intern_release(&frames->lines);
	rpt_intern_release(&frames->functions);
	*frames = (struct rpt_frames){ 0 };
}

void rpt_frames_use(struct rpt_frames *frames, uint32_t idx,
		    const struct rpt_timeline *timeline)
{
	memset(frames->lately, 0, sizeof(frames->lately));
	frames->timeline = timeline;
	frames->input = idx;
	frames->is_merged = true;
}

/* Samples of one task come one after the other. */
void rpt_frames_who(struct rpt_frames *frames, uint32_t pid, uint32_t tid,
		    struct rpt_when when, struct rpt_who *ret)
{
	struct rpt_task_state *last =
		&frames->lately[tid % RPT_FRAMES_TASKS_NR];

	if (last->who.pid != pid || last->who.tid != tid ||
	    !rpt_span_has(&last->span, when))
		rpt_timeline_task_span(frames->timeline, pid, tid, when, last);
	*ret = last->who;
}

void rpt_frames_forget(struct rpt_frames *frames)
{
	const struct rpt_timeline *timeline = frames->timeline;
	bool inlines = frames->inlines;

	rpt_budget_give(rpt_timeline_budget(timeline),
			rpt_frames_cost_len(frames) * frames->addresses.nr);
	rpt_frames_release(frames);
	rpt_frames_init(frames, timeline, inlines);
}

char rpt_frame_level(unsigned cpumode)
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

static int add_dso(struct rpt_frames *frames, struct rpt_dso *dso)
{
	struct rpt_frame_dso *info;
	int64_t place;
	char name[512];
	const char *shown = name;

	if (dso && frames->is_verbose)
		shown = rpt_dso_name(dso);
	else
		rpt_dso_short_name(dso, name, sizeof(name));
	place = rpt_intern(&frames->dso_names, shown, strlen(shown));
	if (place < 0)
		return (int)place;
	info = &frames->dso_infos[frames->dsos.nr - 1];
	info->rank = dso ? rpt_dso_idx(dso) + 1 : 0;
	info->place = (uint32_t)place;
	return 0;
}

static int set_dso(struct rpt_frames *frames, struct rpt_frame *f)
{
	uint32_t known_nr = frames->dsos.nr;
	uint64_t key = (uint64_t)(uintptr_t)f->dso;
	struct rpt_frame_dso *infos =
		rpt_grow(frames->dso_infos, &frames->dso_infos_cap, known_nr,
			 sizeof(*infos));
	uint32_t idx = 0;

	if (!infos)
		return -ENOMEM;
	frames->dso_infos = infos;
	if (!known_nr || f->dso != frames->last_dso) {
		if (rpt_frames_number(&frames->dsos, &key, 1, &idx) ||
		    (idx == known_nr && add_dso(frames, f->dso)))
			return -ENOMEM;
		frames->last_dso = f->dso;
		frames->last_info = infos[idx];
	}
	f->dso_rank = frames->last_info.rank;
	f->dso_place = frames->last_info.place;
	return 0;
}

/* Of a user file whose build-id is known, else 0: the kernel's tells no
 * addresses. */
static int build_number(struct rpt_frames *frames, const struct rpt_dso *dso,
			uint32_t *ret)
{
	uint8_t len;
	const uint8_t *id = rpt_dso_build_id(dso, &len);
	int64_t idx;

	*ret = 0;
	if (!len || rpt_dso_kind(dso) != RPT_DSO_USER)
		return 0;
	idx = rpt_intern(&frames->builds, id, len);
	*ret = (uint32_t)idx + 1;
	return idx < 0 ? -ENOMEM : 0;
}

static int set_merged_place(struct rpt_frames *frames, struct rpt_frame *f)
{
	int64_t name = rpt_intern(&frames->dso_names, f->sym->name,
				  strlen(f->sym->name));
	struct rpt_place place = {
		.start = f->sym->start,
		.end = f->sym->end,
		.dso = f->dso_place,
		.name = (uint32_t)name,
		.input = frames->input,
	};
	uint64_t inlined;

	if (name < 0 || rpt_frame_inline_number(frames, f, &inlined) ||
	    build_number(frames, f->dso, &place.build))
		return -ENOMEM;
	place.inlined = (uint32_t)inlined;
	return rpt_function_merge_number(&frames->merge, &place, &f->place);
}

static int set_place(struct rpt_frames *frames, struct rpt_frame *f)
{
	/* Names alike of two sources are two places. */
	uint64_t source = f->dso ? rpt_dso_source(f->dso) : 0;
	uint64_t place[4] = { source << 32 | f->dso_place, 0, 0, 0 };

	if (!f->sym)
		return 0;
	if (frames->is_merged)
		return set_merged_place(frames, f);
	place[1] = f->sym->start;
	place[2] = f->sym->end;
	if (rpt_frame_inline_number(frames, f, &place[3]))
		return -ENOMEM;
	return rpt_frames_number(&frames->places, place, 4, &f->place);
}

int rpt_frames_reserve(struct rpt_frames *frames, uint64_t more_nr)
{
	struct rpt_budget *budget = rpt_timeline_budget(frames->timeline);
	uint64_t cost_len = rpt_frames_cost_len(frames) * more_nr;
	uint64_t cap = frames->nr + more_nr;
	struct rpt_frame *items;
	struct rpt_frame_brief *briefs;

	if (cap > UINT32_MAX)
		return -ENOMEM;
	if (cap > frames->cap) {
		items = reallocarray(frames->items, cap, sizeof(*items));
		if (!items)
			return -ENOMEM;
		frames->items = items;
		frames->cap = (uint32_t)cap;
	}
	if (cap > frames->briefs_cap) {
		briefs = reallocarray(frames->briefs, cap, sizeof(*briefs));
		if (!briefs)
			return -ENOMEM;
		frames->briefs = briefs;
		frames->briefs_cap = (uint32_t)cap;
	}
	if (cost_len <= rpt_budget_left(budget) &&
	    rpt_budget_take(budget, cost_len))
		frames->paid_nr += (uint32_t)more_nr;
	return 0;
}

void rpt_frames_pay_back(struct rpt_frames *frames)
{
	rpt_budget_give(rpt_timeline_budget(frames->timeline),
			rpt_frames_cost_len(frames) * frames->paid_nr);
	frames->paid_nr = 0;
}

/* Room for one more: nothing is written while there is some. */
static int grow(struct rpt_frames *frames)
{
	struct rpt_frame_brief *briefs;
	struct rpt_frame *items;

	if (frames->nr < frames->cap && frames->nr < frames->briefs_cap)
		return 0;
	items = rpt_grow(frames->items, &frames->cap, frames->nr,
			 sizeof(*items));
	if (!items)
		return -ENOMEM;
	frames->items = items;
	briefs = rpt_grow(frames->briefs, &frames->briefs_cap, frames->nr,
			  sizeof(*briefs));
	if (!briefs)
		return -ENOMEM;
	frames->briefs = briefs;
	return 0;
}

/* Of a frame that has all its numbers. */
static int push_whole(struct rpt_frames *frames, const struct rpt_frame *frame)
{
	int rc = grow(frames);

	if (rc)
		return rc;
	frames->briefs[frames->nr] = (struct rpt_frame_brief){
		.level = frame->level,
		.is_mapped = frame->dso,
		.is_named = frame->sym,
	};
	frames->items[frames->nr++] = *frame;
	return 0;
}

static int push(struct rpt_frames *frames, const struct rpt_frame *frame)
{
	int rc = push_whole(frames, frame);
	struct rpt_frame *item = frames->items + frames->nr - 1;

	if (!rc)
		rc = set_dso(frames, item);
	return rc ? rc : set_place(frames, item);
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
		frame.call_off = inner[i].call_off;
		rc = push(frames, &frame);
	}
	*ret_nr = (uint32_t)nr;
	return rc;
}

/* How far what is said of an address holds around it. */
struct reach {
	struct rpt_map_range mapped;
	struct rpt_addr_range symbol;
};

/* Puts into f what is mapped at its address. */
static void look_up(const struct rpt_frames *frames,
		    const struct rpt_frame_scope *scope, unsigned cpumode,
		    struct rpt_frame *f, struct reach *reach)
{
	const struct rpt_map *map = &reach->mapped.map;

	reach->symbol = RPT_RANGE_ALL;
	f->level = rpt_frame_level(cpumode);
	f->addr = f->ip;
	if (!rpt_timeline_mapped(frames->timeline, &scope->who, cpumode, f->ip,
				 scope->when, &reach->mapped) &&
	    (cpumode != PD_CPUMODE_KERNEL ||
	     !rpt_timeline_kernel_beyond(frames->timeline, f->ip,
					 &reach->mapped.map)))
		return;
	f->dso = map->dso;
	f->addr = f->ip - map->start + map->pgoff;
	f->map_len = map->end - map->start;
	f->ino = map->ino;
	f->is_shared =
		map->is_shared && map->ino && !(map->prot & RPT_PROT_EXEC);
	if (frames->has_symbols)
		f->sym =
			rpt_dso_symbol_range(map->dso, f->addr, &reach->symbol);
	if (map->prot & RPT_PROT_EXEC)
		rpt_dso_note_run(map->dso);
}

/* The frame of an address that lies where another one was asked for: that one,
 * or a frame of its own. */
static int resolve_near(struct rpt_frames *frames,
			const struct rpt_frame_spot *spot, uint64_t ip,
			uint32_t *ret)
{
	struct rpt_frame f;

	*ret = spot->frame;
	if (frames->is_by_function && frames->briefs[spot->frame].is_named)
		return 0;
	*ret = frames->nr;
	f = frames->items[spot->frame];
	f.ip = ip;
	f.addr = ip + spot->add;
	f.line = 0; /* its own is another */
	f.file = 0;
	return push_whole(frames, &f);
}

/* Pushes a frame, or finds that of its function. */
static int push_function(struct rpt_frames *frames, const struct rpt_frame *f,
			 uint32_t scope, uint32_t *ret)
{
	struct rpt_address start = {
		.ip = f->ip - (f->addr - f->sym->start),
		.scope = scope,
	};
	struct rpt_address *slot;
	int rc = rpt_address_hash_reserve(&frames->functions_at);

	if (rc)
		return rc;
	slot = rpt_address_hash_slot(&frames->functions_at, &start);
	if (slot->answer && frames->items[slot->answer - 1].sym == f->sym) {
		*ret = slot->answer - 1;
		return 0;
	}
	*ret = frames->nr;
	rc = push(frames, f);
	if (!rc && !slot->answer)
		rpt_address_hash_put(&frames->functions_at, slot, &start, *ret);
	return rc;
}

/* The first frame of an address, pushed where there is none to share. */
static int resolve(struct rpt_frames *frames,
		   const struct rpt_frame_scope *scope, unsigned cpumode,
		   const struct rpt_address *address, uint32_t *ret)
{
	bool has_inlines = cpumode & RPT_FRAME_UNWOUND && frames->inlines;
	const struct rpt_frame_spot *spot =
		has_inlines
			? NULL
			: rpt_frame_range_cache_find(&frames->spots, address);
	struct rpt_frame f = { .ip = address->ip };
	struct reach reach;
	uint32_t nr = 0;
	int rc;

	if (spot)
		return resolve_near(frames, spot, address->ip, ret);
	look_up(frames, scope, cpumode & PD_MISC_CPUMODE_MASK, &f, &reach);
	*ret = frames->nr;
	if (has_inlines && f.sym && push_inlined(frames, &f, &nr))
		return -ENOMEM;
	if (frames->is_by_function && f.sym && !nr)
		rc = push_function(frames, &f, address->scope, ret);
	else
		rc = push(frames, &f);
	if (rc)
		return rc;
	if (nr)
		frames->briefs[*ret].inlined_nr = nr;
	if (!has_inlines)
		rpt_frame_range_cache_keep(
			&frames->spots, address,
			&(struct rpt_frame_place){ *ret, f.addr,
						   reach.mapped.range,
						   reach.symbol });
	return 0;
}

static struct rpt_frame_space space_of(const struct rpt_frames *frames,
				       const struct rpt_frame_scope *scope,
				       unsigned cpumode)
{
	bool is_user = (cpumode & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_USER;

	return (struct rpt_frame_space){
		.space_id = is_user ? scope->space_id : 0,
		.generation = is_user ? scope->space_generation
				      : scope->kernel_generation,
		.kind = frames->input << 8 | cpumode,
	};
}

static int ask(struct rpt_frames *frames, const struct rpt_frame_scope *scope,
	       unsigned cpumode, const struct rpt_address *address,
	       uint32_t *ret)
{
	if (frames->paid_nr)
		frames->paid_nr--;
	else if (!rpt_budget_take(rpt_timeline_budget(frames->timeline),
				  rpt_frames_cost_len(frames)))
		return -EFBIG;
	return resolve(frames, scope, cpumode, address, ret);
}

/* A table is worth its memory, and what it waits for that, where one in so many
 * addresses is asked for again; it tells when it has so many. */
#define AGAIN_PART    8u
#define TOLD_AFTER_NR 2048u

/* Whether addresses are remembered, with room for one more.  0, 1 or -ENOMEM.
 */
static int remember(struct rpt_frames *frames)
{
	struct rpt_address_hash *table = &frames->addresses;

	if (frames->is_forgetful)
		return 0;
	if (frames->may_forget && table->nr >= TOLD_AFTER_NR &&
	    frames->again_nr < table->nr / AGAIN_PART) {
		frames->is_forgetful = true;
		rpt_address_hash_release(table);
		return 0;
	}
	return rpt_address_hash_reserve(table) ? -ENOMEM : 1;
}

/* The first frame of an address.  0, -ENOMEM or -EFBIG. */
static int first_frame(struct rpt_frames *frames,
		       const struct rpt_frame_scope *scope, unsigned cpumode,
		       const struct rpt_address *address, uint32_t *ret)
{
	struct rpt_address *slot;
	int rc = remember(frames);

	if (rc <= 0)
		return rc ? rc : ask(frames, scope, cpumode, address, ret);
	slot = rpt_address_hash_slot(&frames->addresses, address);
	if (slot->answer) {
		frames->again_nr++;
		*ret = slot->answer - 1;
		return 0;
	}
	rc = ask(frames, scope, cpumode, address, ret);
	if (!rc)
		rpt_address_hash_put(&frames->addresses, slot, address, *ret);
	return rc;
}

int rpt_frames_resolve(struct rpt_frames *frames,
		       const struct rpt_frame_scope *scope, unsigned cpumode,
		       uint64_t ip, struct rpt_frame_span *ret)
{
	struct rpt_frame_space space = space_of(frames, scope, cpumode);
	struct rpt_address want = { .ip = ip };
	uint32_t start, inlined_nr;
	int rc = rpt_address_context_number(&frames->scopes, &space,
					    &want.scope);

	if (!rc)
		rc = first_frame(frames, scope, cpumode, &want, &start);
	if (rc)
		return rc;
	inlined_nr = frames->briefs[start].inlined_nr;
	*ret = (struct rpt_frame_span){
		.start = start,
		.nr = inlined_nr ? inlined_nr : 1,
		.self = start + inlined_nr,
	};
	return 0;
}

/* That of the first map, user before kernel. */
unsigned rpt_frames_mode_at(const struct rpt_frames *frames,
			    const struct rpt_frame_scope *scope, uint64_t ip)
{
	static const unsigned modes[] = { PD_CPUMODE_USER, PD_CPUMODE_KERNEL };
	struct rpt_map map;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (rpt_timeline_map(frames->timeline, &scope->who, modes[i],
				     ip, scope->when, &map))
			return modes[i];
	return PD_CPUMODE_HYPERVISOR;
}

void rpt_frames_prefetch(const struct rpt_frames *frames,
			 const struct rpt_frame_scope *scope, unsigned cpumode,
			 uint64_t ip)
{
	struct rpt_frame_space space = space_of(frames, scope, cpumode);
	struct rpt_address want = {
		.ip = ip,
		.scope = rpt_address_context_lately(&frames->scopes, &space),
	};

	if (want.scope && !frames->is_forgetful)
		rpt_address_hash_prefetch(&frames->addresses, &want);
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
