#include "report/callchain/frames.h"

#include "format/file/layout.h"
#include "report/base/cpu_prefetch.h"
#include "report/base/memory.h"
#include "report/base/shortage.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/perf_map.h"
#include "report/symbols/source_line.h"
#include "report/timeline/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The frame of a word; its symbol does not move. */
struct rpt_word_frame {
	struct rpt_symbol *sym; /* owned */
	uint32_t frame;
};

void rpt_frames_init(struct rpt_frames *frames,
		     const struct rpt_timeline *timeline,
		     const struct rpt_frames_conf *conf)
{
	*frames = (struct rpt_frames){
		.timeline = timeline,
		.conf = *conf,
	};
}

void rpt_frames_release(struct rpt_frames *frames)
{
	free(frames->items);
	free(frames->flags);
	rpt_address_hash_release(&frames->addresses);
	rpt_address_cache_release(&frames->locations);
	free(frames->location_frames);
	rpt_address_hash_release(&frames->labels.first_frames);
	rpt_intern_release(&frames->labels.offsets);
	rpt_intern_release(&frames->places);
	rpt_intern_release(&frames->dso_names);
	rpt_function_merge_release(&frames->merge);
	rpt_intern_release(&frames->branch_ends);
	rpt_intern_release(&frames->lines);
	for (uint32_t i = 0; i < frames->words.nr; i++)
		free(frames->word_frames[i].sym);
	free(frames->word_frames);
	rpt_intern_release(&frames->words);
	*frames = (struct rpt_frames){ 0 };
}

void rpt_frames_use(struct rpt_frames *frames, uint32_t idx,
		    const struct rpt_timeline *timeline)
{
	frames->timeline = timeline;
	frames->input = idx;
	frames->is_merged = true;
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

static uint32_t number_dso(struct rpt_frames *frames, struct rpt_dso *dso)
{
	char buf[512];
	const char *name = dso && frames->conf.is_verbose
				   ? rpt_dso_name(dso)
				   : rpt_dso_short_name(dso, buf, sizeof(buf));

	return rpt_frames_number(&frames->dso_names, name, strlen(name));
}

/* Return the number of the name of an inlined function, from 1 on; 0 of another
 * frame.  Private to the room. */
static uint32_t frame_inline_number(struct rpt_frames *frames,
				    const struct rpt_frame *f)
{
	const char *name = f->inline_name;

	return name ? 1 + rpt_frames_number(&frames->dso_names, name,
					    strlen(name))
		    : 0;
}

/* Return the number of a function's name.  One that is made of bounds is
 * another function in each build. */
static uint32_t number_name(struct rpt_frames *frames,
			    const struct rpt_symbol *sym, uint32_t build)
{
	char name[64];

	if (!sym->is_made_up || rpt_symbol_is_file(sym))
		return rpt_frames_number(&frames->dso_names, sym->name,
					 strlen(sym->name));
	snprintf(name, sizeof(name), "%s@%" PRIu32, sym->name, build);
	return rpt_frames_number(&frames->dso_names, name, strlen(name));
}

/* Return the number of a function of several recordings. */
static uint32_t number_merged(struct rpt_frames *frames,
			      const struct rpt_frame *f)
{
	uint8_t id_len;
	const uint8_t *id = rpt_dso_build_id(f->dso, &id_len);
	struct rpt_place place = {
		.start = f->sym->start,
		.end = f->sym->end,
		.dso = f->dso_place,
		.inlined = frame_inline_number(frames, f),
		.input = frames->input,
	};

	/* The kernel's build-id does not say where it was loaded. */
	if (id_len && rpt_dso_kind(f->dso) == RPT_DSO_USER)
		place.build = 1 + rpt_frames_number(&frames->merge.builds, id,
						    id_len);
	place.name = number_name(frames, f->sym, place.build);
	return rpt_function_merge_number(&frames->merge, &place);
}

static uint32_t number_function(struct rpt_frames *frames,
				const struct rpt_frame *f)
{
	/* Equal names from two sources are two places, and so are other names
	 * of two files of one path; but a perf map is one, whatever layer of it
	 * a line lies in. */
	const bool is_map = rpt_is_perf_map(rpt_dso_recorded_name(f->dso));
	const uint32_t source = is_map ? 0 : rpt_dso_source(f->dso);
	const uint64_t place[5] = {
		(uint64_t)source << 32 | f->dso_place,
		f->sym->start,
		f->sym->end,
		frame_inline_number(frames, f),
		rpt_dso_has_namesake(f->dso) ? number_name(frames, f->sym, 0)
					     : 0,
	};

	return rpt_frames_number(&frames->places, place, sizeof(place));
}

void rpt_frames_reserve(struct rpt_frames *frames, uint32_t more_nr)
{
	uint64_t cap = frames->nr + (uint64_t)more_nr;

	if (cap <= frames->cap)
		return;
	if (cap > UINT32_MAX)
		rpt_shortage_of_memory();
	frames->cap = (uint32_t)cap;
	frames->items = rpt_realloc_array(frames->items, frames->cap,
					  sizeof(*frames->items));
	frames->flags = rpt_realloc_array(frames->flags, frames->cap,
					  sizeof(*frames->flags));
}

/* Add a frame whose numbers are all set. */
static void push_numbered(struct rpt_frames *frames,
			  const struct rpt_frame *frame)
{
	if (frames->nr == frames->cap)
		rpt_frames_reserve(frames, frames->nr + 64);
	frames->flags[frames->nr] = (struct rpt_frame_flags){
		.level = frame->level,
		.is_mapped = frame->dso,
		.is_named = frame->sym,
		.is_file = frame->sym && rpt_symbol_is_file(frame->sym),
	};
	frames->items[frames->nr++] = *frame;
}

static void push(struct rpt_frames *frames, struct rpt_frame frame)
{
	frame.dso_rank = frame.dso ? rpt_dso_idx(frame.dso) + 1 : 0;
	frame.dso_place = number_dso(frames, frame.dso);
	if (frame.sym)
		frame.place = frames->is_merged
				      ? number_merged(frames, &frame)
				      : number_function(frames, &frame);
	push_numbered(frames, &frame);
}

/* Push the frames that a debugger shows at f's address instead of f alone.
 * Return how many there are. */
static uint32_t push_inlined(struct rpt_frames *frames,
			     const struct rpt_frame *f)
{
	const struct rpt_inline_frame *inner;
	size_t nr = rpt_dso_inline_frames(f->dso, f->addr, &inner);

	for (size_t i = 0; i < nr; i++) {
		struct rpt_frame frame = *f;

		if (inner[i].is_inlined)
			frame.inline_name = inner[i].name;
		frame.call_off = inner[i].call_off;
		push(frames, frame);
	}
	return (uint32_t)nr;
}

/* Return the number of the context of an address, mostly that of the address
 * before. */
static uint32_t find_context(struct rpt_frames *frames,
			     struct rpt_frame_scope *scope, unsigned cpumode)
{
	bool is_user = (cpumode & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_USER;
	const struct rpt_address_context key = {
		.space = is_user ? scope->space_id : 0,
		.version =
			is_user ? scope->space_version : scope->kernel_version,
		.kind = frames->input << 8 | cpumode,
	};

	if (!scope->context || scope->cpumode != cpumode)
		scope->context =
			1 + rpt_address_cache_context(&frames->locations, &key);
	scope->cpumode = cpumode;
	return scope->context - 1;
}

void rpt_frames_prefetch(struct rpt_frames *frames,
			 struct rpt_frame_scope *scope, unsigned cpumode,
			 uint64_t ip)
{
	uint32_t context = find_context(frames, scope, cpumode);

	if (frames->addresses.slots_nr)
		rpt_cpu_prefetch(&frames->addresses.slots[rpt_address_hash_at(
			&frames->addresses, ip, context)]);
}

static int pay(struct rpt_frames *frames, uint64_t len)
{
	return rpt_budget_take(rpt_timeline_budget(frames->timeline), len)
		       ? 0
		       : -EFBIG;
}

/* Look up the location of an address.  Return its number, or -EFBIG. */
static int64_t add_location(struct rpt_frames *frames,
			    const struct rpt_frame_scope *scope,
			    unsigned cpumode, uint32_t context, uint64_t ip)
{
	const struct rpt_location_query query = {
		.ref = &scope->ref,
		.when = scope->when,
		.cpumode = cpumode & PD_MISC_CPUMODE_MASK,
		.ip = ip,
		.without_symbol = frames->conf.without_symbols,
	};
	struct rpt_location location;
	uint32_t known_nr = frames->locations.nr, number;
	int rc = pay(frames, RPT_LOCATION_COST_LEN);

	if (rc)
		return rc;
	rpt_timeline_locate(frames->timeline, &query, &location);
	if (location.map.dso && location.map.prot & RPT_PROT_EXEC)
		rpt_dso_note_run(location.map.dso);
	number = rpt_address_cache_add(&frames->locations, context, ip,
				       &location);
	frames->location_frames =
		rpt_grow(frames->location_frames, &frames->location_frames_cap,
			 known_nr, sizeof(*frames->location_frames));
	if (number == known_nr)
		frames->location_frames[number] = 0;
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
		.map_len = location->map_len,
		.ino = map->ino,
	};
}

/* Add the frames of an address; later frames of a location are copies of its
 * first one. */
static void push_address(struct rpt_frames *frames, uint32_t number,
			 unsigned cpumode, uint64_t ip)
{
	const struct rpt_location *location =
		&frames->locations.locations[number];
	bool has_inlines = cpumode & RPT_FRAME_UNWOUND && frames->conf.inlines;
	uint32_t *first = &frames->location_frames[number];
	uint32_t start = frames->nr, inlined_nr = 0;
	struct rpt_frame frame;

	if (*first) {
		frame = frames->items[*first - 1];
		frame.ip = ip;
		frame.addr = ip + location->addr_add;
		frame.line = 0;
		frame.file = 0;
		push_numbered(frames, &frame);
		return;
	}
	frame = frame_at(location, cpumode, ip);
	if (has_inlines && frame.sym)
		inlined_nr = push_inlined(frames, &frame);
	push(frames, frame);
	if (inlined_nr)
		frames->flags[start].inlined_nr = inlined_nr;
	if (!has_inlines)
		*first = start + 1;
}

/* Find the first frame of an address that is not in frames->addresses. */
static int find_first(struct rpt_frames *frames,
		      const struct rpt_frame_scope *scope, unsigned cpumode,
		      uint32_t context, uint64_t ip, uint32_t *ret)
{
	int64_t number =
		rpt_address_cache_find(&frames->locations, context, ip);
	int rc;

	if (number < 0)
		number = add_location(frames, scope, cpumode, context, ip);
	if (number < 0)
		return (int)number;
	*ret = frames->location_frames[number] - 1;
	if (frames->conf.is_by_function && *ret != UINT32_MAX &&
	    frames->flags[*ret].is_named)
		return 0;
	rc = pay(frames, rpt_frames_cost_len(frames));
	if (rc)
		return rc;
	*ret = frames->nr;
	push_address(frames, (uint32_t)number, cpumode, ip);
	return 0;
}

int rpt_frames_resolve(struct rpt_frames *frames, struct rpt_frame_scope *scope,
		       unsigned cpumode, uint64_t ip,
		       struct rpt_frame_span *ret)
{
	uint32_t context = find_context(frames, scope, cpumode);
	int64_t known = rpt_address_hash_find(&frames->addresses, ip, context);
	uint32_t start = (uint32_t)known, inlined_nr;
	int rc = 0;

	if (known < 0)
		rc = find_first(frames, scope, cpumode, context, ip, &start);
	if (rc)
		return rc;
	if (known < 0 && !frames->is_asked_once)
		rpt_address_hash_add(&frames->addresses, ip, context, start);
	inlined_nr = frames->flags[start].inlined_nr;
	*ret = (struct rpt_frame_span){
		.start = start,
		.nr = inlined_nr ? inlined_nr : 1,
		.self = start + inlined_nr,
	};
	return 0;
}

uint32_t rpt_frames_unmapped(struct rpt_frames *frames)
{
	static const struct rpt_symbol unknown = {
		.end = UINT64_MAX,
		.name = "[unknown]",
		.is_named = true,
		.is_made_up = true,
	};
	const struct rpt_frame frame = {
		.sym = &unknown,
		.level = rpt_frame_level(PD_CPUMODE_USER),
	};

	if (!frames->unmapped) {
		push_numbered(frames, &frame);
		frames->unmapped = frames->nr;
	}
	return frames->unmapped - 1;
}

/* Return the number of the place of a word, which is in no DSO. */
static uint32_t number_word(struct rpt_frames *frames,
			    const struct rpt_frame *f)
{
	const struct rpt_place place = {
		.dso = f->dso_place,
		.name = number_name(frames, f->sym, 0),
		.input = frames->input,
	};
	const uint64_t words[2] = { UINT64_MAX, f->sym->start };

	return frames->is_merged
		       ? rpt_function_merge_number(&frames->merge, &place)
		       : rpt_frames_number(&frames->places, words,
					   sizeof(words));
}

uint32_t rpt_frames_word(struct rpt_frames *frames, const char *word)
{
	size_t len = strlen(word);
	uint32_t known_nr = frames->words.nr;
	uint32_t idx = rpt_frames_number(&frames->words, word, len);
	struct rpt_word_frame *made;
	/* words are other places, as addresses, too */
	struct rpt_frame frame = { .ip = idx, .addr = idx, .level = 'k' };

	frames->word_frames = rpt_grow(frames->word_frames, &frames->word_cap,
				       idx, sizeof(*frames->word_frames));
	made = &frames->word_frames[idx];
	if (idx < known_nr)
		return made->frame;
	made->sym = rpt_alloc_zeroed(1, sizeof(*made->sym));
	*made->sym = (struct rpt_symbol){
		.start = idx,
		.end = idx + 1,
		.name = rpt_intern_key(&frames->words, idx),
		.is_named = true,
	};
	frame.sym = made->sym;
	frame.dso_place = number_dso(frames, NULL);
	frame.place = number_word(frames, &frame);
	push_numbered(frames, &frame);
	made->frame = frames->nr - 1;
	return made->frame;
}

unsigned rpt_frames_mode_at(const struct rpt_frames *frames,
			    const struct rpt_frame_scope *scope, uint64_t ip)
{
	static const unsigned modes[] = { PD_CPUMODE_USER, PD_CPUMODE_KERNEL };
	struct rpt_map map;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (rpt_timeline_map(frames->timeline, &scope->ref, modes[i],
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

/* Finds which frames are the same node of a call graph. */

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
	uint32_t inlined = frame_inline_number(frames, f);

	if (inlined)
		return (struct label){ LABEL_INLINED, inlined };
	if (f - frames->items == (ptrdiff_t)frames->unmapped - 1)
		return (struct label){ LABEL_NAMELESS, f->ip };
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

/* Finds the source lines of frames, as rows and call graphs show them. */

#define NO_LINE "??:0"

static const char *shown_path(const struct rpt_frames *frames, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !frames->conf.full_paths ? slash + 1 : path;
}

/* Return the text for a line that is not known: addr2line(1) says nothing of
 * code without a function.  The caller frees it. */
static char *line_text(const struct rpt_frame *f)
{
	char name[512];
	char *text;
	int len;
	bool has_function = f->sym && !f->sym->is_made_up;

	if (!f->dso ||
	    (has_function && !f->sym->is_plt &&
	     rpt_dso_kind(f->dso) == RPT_DSO_USER && rpt_dso_has_file(f->dso)))
		return strdup(NO_LINE);
	if (has_function)
		len = asprintf(&text, "%s+%" PRIu64, f->sym->name,
			       f->addr - f->sym->start);
	else
		len = asprintf(&text, "%s[%" PRIx64 "]",
			       rpt_dso_short_name(f->dso, name, sizeof(name)),
			       rpt_dso_file_addr(f->dso, f->addr));
	return len < 0 ? NULL : text;
}

static bool find_line(const struct rpt_frame *f, const char **ret_path,
		      int *ret_line)
{
	if (f->call_off)
		return rpt_dso_call_line(f->dso, f->call_off, ret_path,
					 ret_line);
	return f->dso &&
	       rpt_dso_source_line(f->dso, f->addr, ret_path, ret_line);
}

/* Return the number of a text, as it is safe to print. */
static uint32_t number_safe(struct rpt_intern *table, const char *text)
{
	char *safe = rpt_alloc_safe(text, strlen(text), SUP_SAFE_NAME);
	uint32_t number = rpt_frames_number(table, safe, strlen(safe));

	free(safe);
	return number;
}

static void make_line(struct rpt_frames *frames, struct rpt_frame *f)
{
	const char *path = "";
	char *text;
	int line;

	if (find_line(f, &path, &line)) {
		path = shown_path(frames, path);
		if (asprintf(&text, "%s:%d", path, line) < 0)
			text = NULL;
	} else {
		path = "";
		text = line_text(f);
	}
	if (!text)
		rpt_shortage_of_memory();
	f->line = 1 + number_safe(&frames->lines, text);
	f->file = 1 + number_safe(&frames->lines, path);
	free(text);
}

void rpt_frame_line(struct rpt_frames *frames, uint32_t frame,
		    uint32_t *ret_line, uint32_t *ret_file)
{
	struct rpt_frame *f = &frames->items[frame];

	if (!f->line)
		make_line(frames, f);
	*ret_line = f->line - 1;
	*ret_file = f->file - 1;
}

/* Return "a.c:12", or "+7" if addresses are shown; NULL: nothing is known. */
static const char *place_text(const struct rpt_frames *frames,
			      const struct rpt_frame *f, char *buf, size_t len)
{
	bool is_known, is_in_file;
	const char *text;

	if (!f->line)
		return NULL;
	text = rpt_intern_key(&frames->lines, f->line - 1);
	is_known = *(const char *)rpt_intern_key(&frames->lines, f->file - 1);
	is_in_file = is_known || !strcmp(text, NO_LINE);
	if (is_in_file)
		return text;
	if (frames->key != RPT_FRAME_ADDRESS)
		return NULL;
	snprintf(buf, len, "+%" PRIu64, f->addr - f->sym->start);
	return buf;
}

const char *rpt_frame_graph_name(const struct rpt_frames *frames,
				 uint32_t frame, char *buf, size_t len)
{
	const struct rpt_frame *f = &frames->items[frame];
	const char *place;
	char text[32];

	if (frames->key == RPT_FRAME_FUNCTION || !f->sym || !f->dso)
		return rpt_frame_name(f, buf, len);
	place = place_text(frames, f, text, sizeof(text));
	snprintf(buf, len, "%s%s%s%s",
		 f->inline_name ? f->inline_name : f->sym->name,
		 place ? " " : "", place ? place : "",
		 f->inline_name ? " (inlined)" : "");
	return buf;
}
