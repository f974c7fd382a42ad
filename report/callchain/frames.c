#include "report/callchain/frames.h"

#include "format/layout.h"
#include "report/callchain/frames_prefetch.h"
#include "report/callchain/frames_impl.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/dso_class.h"
#include "report/timeline/timeline.h"

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
	free(frames->first_frames);
	free(frames->dso_infos);
	rpt_address_cache_release(&frames->locations);
	free(frames->location_frames);
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
	frames->timeline = timeline;
	frames->input = idx;
	frames->is_merged = true;
}

void rpt_frames_forget(struct rpt_frames *frames)
{
	const struct rpt_timeline *timeline = frames->timeline;
	bool inlines = frames->inlines;

	rpt_budget_give(rpt_timeline_budget(timeline), frames->paid_len);
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
	return 0;
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

static int64_t find_context(struct rpt_frames *frames,
			    const struct rpt_frame_scope *scope,
			    unsigned cpumode)
{
	bool is_user = (cpumode & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_USER;

	return rpt_address_cache_context(
		&frames->locations,
		&(struct rpt_address_context){
			.space = is_user ? scope->space_id : 0,
			.version = is_user ? scope->space_generation
					   : scope->kernel_generation,
			.kind = frames->input << 8 | cpumode,
		});
}

static int pay(struct rpt_frames *frames, uint64_t len)
{
	if (!rpt_budget_take(rpt_timeline_budget(frames->timeline), len))
		return -EFBIG;
	frames->paid_len += len;
	return 0;
}

/* Look up a location that is not in the cache yet. */
static int64_t add_location(struct rpt_frames *frames,
			    const struct rpt_frame_scope *scope,
			    unsigned cpumode, uint32_t context, uint64_t ip)
{
	struct rpt_location_query query = {
		.who = &scope->who,
		.when = scope->when,
		.cpumode = cpumode & PD_MISC_CPUMODE_MASK,
		.ip = ip,
		.without_symbol = !frames->has_symbols,
	};
	struct rpt_location location;
	uint32_t known_nr = frames->locations.nr;
	uint32_t *firsts =
		rpt_grow(frames->location_frames, &frames->location_frames_cap,
			 known_nr, sizeof(*firsts));
	int64_t number;
	int rc;

	if (!firsts)
		return -ENOMEM;
	frames->location_frames = firsts;
	rc = pay(frames, RPT_LOCATION_COST_LEN);
	if (rc)
		return rc;
	rpt_timeline_locate(frames->timeline, &query, &location);
	if (location.map.dso && location.map.prot & RPT_PROT_EXEC)
		rpt_dso_note_run(location.map.dso);
	number = rpt_address_cache_add(&frames->locations, context, ip,
				       &location);
	if (number == known_nr)
		firsts[number] = 0;
	return number;
}

static struct rpt_frame frame_at(const struct rpt_location *location,
				 unsigned cpumode, uint64_t ip)
{
	const struct rpt_map *map = &location->map;

	return (struct rpt_frame){
		.ip = ip,
		.addr = ip + location->addr_add,
		.dso = map->dso,
		.sym = location->sym,
		.level = rpt_frame_level(cpumode & PD_MISC_CPUMODE_MASK),
		.is_shared = map->is_shared && map->ino &&
			     !(map->prot & RPT_PROT_EXEC),
		.map_len = map->end - map->start,
		.ino = map->ino,
	};
}

/* Push the frames of an address; the first frame of a location is the model of
 * later ones. */
static int push_address(struct rpt_frames *frames, uint32_t number,
			unsigned cpumode, uint64_t ip)
{
	const struct rpt_location *location =
		&frames->locations.locations[number];
	uint32_t *first = &frames->location_frames[number];
	uint32_t start = frames->nr, inlined_nr = 0;
	struct rpt_frame frame;
	int rc = pay(frames, rpt_frames_cost_len(frames));

	if (rc)
		return rc;
	if (*first) {
		frame = frames->items[*first - 1];
		frame.ip = ip;
		frame.addr = ip + location->addr_add;
		frame.line = 0;
		frame.file = 0;
		return push_whole(frames, &frame);
	}
	frame = frame_at(location, cpumode, ip);
	if (cpumode & RPT_FRAME_UNWOUND && frames->inlines && frame.sym)
		rc = push_inlined(frames, &frame, &inlined_nr);
	if (!rc)
		rc = push(frames, &frame);
	if (!rc && inlined_nr)
		frames->briefs[start].inlined_nr = inlined_nr;
	if (!rc && !(cpumode & RPT_FRAME_UNWOUND && frames->inlines))
		*first = start + 1;
	return rc;
}

/* Find the first frame of an address that was not asked for before. */
static int new_address(struct rpt_frames *frames,
		       const struct rpt_frame_scope *scope, unsigned cpumode,
		       const struct rpt_address *address, uint32_t *ret)
{
	int64_t number = rpt_address_cache_find(&frames->locations,
						address->scope, address->ip);

	if (number < 0)
		number = add_location(frames, scope, cpumode, address->scope,
				      address->ip);
	if (number < 0)
		return (int)number;
	*ret = frames->location_frames[number] - 1;
	if (frames->is_by_function && *ret != UINT32_MAX &&
	    frames->briefs[*ret].is_named)
		return 0;
	*ret = frames->nr;
	return push_address(frames, (uint32_t)number, cpumode, address->ip);
}

/* Find the first frame of an address. */
static int first_frame(struct rpt_frames *frames,
		       const struct rpt_frame_scope *scope, unsigned cpumode,
		       const struct rpt_address *address, uint32_t *ret)
{
	struct rpt_address *slot;
	int rc;

	if (frames->is_asked_once)
		return new_address(frames, scope, cpumode, address, ret);
	if (rpt_address_hash_reserve(&frames->addresses))
		return -ENOMEM;
	slot = rpt_address_hash_slot(&frames->addresses, address);
	if (slot->answer) {
		*ret = slot->answer - 1;
		return 0;
	}
	rc = new_address(frames, scope, cpumode, address, ret);
	if (!rc)
		rpt_address_hash_put(&frames->addresses, slot, address, *ret);
	return rc;
}

int rpt_frames_resolve(struct rpt_frames *frames,
		       const struct rpt_frame_scope *scope, unsigned cpumode,
		       uint64_t ip, struct rpt_frame_span *ret)
{
	int64_t context = find_context(frames, scope, cpumode);
	struct rpt_address address = { .ip = ip, .scope = (uint32_t)context };
	uint32_t start, inlined_nr;
	int rc;

	if (context < 0)
		return (int)context;
	rc = first_frame(frames, scope, cpumode, &address, &start);
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
