#include "report/script/symbol_text_cache.h"

#include "report/base/hex_digits.h"
#include "report/symbols/kallsyms_prefetch.h"
#include "report/script/script_line.h"

#include <errno.h>
#include <stdlib.h>

#define GRANULE_BITS 8
#define SEEN_NR_MIN  1024u

/* Wider ranges are looked through before the hash table: gaps mostly, which
 * would fill it with a granule for each address. */
#define WIDE_LEN ((uint64_t)1 << 20)

/* Memory of one of each, about, with the room that tables have to grow */
#define SPOT_COST_LEN 256u
#define SEEN_COST_LEN 64u
#define TEXT_COST_LEN 96u
#define VIEW_COST_LEN 512u

/* What is printed by other means: script_address.c */
#define OTHER_FIELDS (RPT_FIELD_SRCLINE | RPT_FIELD_DSOFF)
#define SPOT_FIELDS  (RPT_FIELD_SYM | RPT_FIELD_SYMOFF | RPT_FIELD_DSO)

void rpt_script_spots_release(struct rpt_script_spots *spots)
{
	rpt_intern_release(&spots->views);
	rpt_intern_release(&spots->texts);
	free(spots->wides);
	free(spots->spots);
	free(spots->seen);
	*spots = (struct rpt_script_spots){ 0 };
}

static bool has(const struct rpt_addr_range *range, uint64_t ip)
{
	return ip - range->first <= range->last - range->first;
}

/* Where in the hash table a search begins */
static uint32_t hash_of(uint64_t granule, uint32_t view_nr)
{
	uint64_t mixed = (granule ^ (uint64_t)view_nr << 32) *
			 UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(mixed >> 32);
}

/* The entry of a spot with ip, or the free one where the search ends. */
static struct rpt_script_seen *find_seen(const struct rpt_script_spots *spots,
					 uint32_t view_nr, uint64_t granule,
					 uint64_t ip)
{
	uint32_t at = hash_of(granule, view_nr);

	for (;; at++) {
		struct rpt_script_seen *seen =
			&spots->seen[at & (spots->seen_cap - 1)];

		if (!seen->spot_nr ||
		    (seen->granule == granule && seen->view_nr == view_nr &&
		     has(&spots->spots[seen->spot_nr - 1].range, ip)))
			return seen;
	}
}

static bool grow_seen(struct rpt_script_spots *spots)
{
	struct rpt_script_spots grown = *spots;

	if (spots->seen_cap && spots->seen_nr < spots->seen_cap / 2)
		return true;
	grown.seen_cap = spots->seen_cap ? spots->seen_cap * 2 : SEEN_NR_MIN;
	grown.seen = calloc(grown.seen_cap, sizeof(*grown.seen));
	if (!grown.seen)
		return false;
	for (uint32_t i = 0; i < spots->seen_cap; i++) {
		const struct rpt_script_seen *old = &spots->seen[i];
		uint32_t at = hash_of(old->granule, old->view_nr);

		if (!old->spot_nr)
			continue;
		while (grown.seen[at & (grown.seen_cap - 1)].spot_nr)
			at++;
		grown.seen[at & (grown.seen_cap - 1)] = *old;
	}
	free(spots->seen);
	*spots = grown;
	return true;
}

/* From now on addresses of the granule are looked for in the spot. */
static bool add_seen(struct rpt_script *script, uint32_t view_nr,
		     uint64_t granule, uint64_t ip, uint32_t spot_nr)
{
	struct rpt_script_spots *spots = &script->spots;
	struct rpt_script_seen *seen;

	if (!grow_seen(spots))
		return false;
	seen = find_seen(spots, view_nr, granule, ip);
	if (seen->spot_nr)
		return true;
	*seen = (struct rpt_script_seen){ granule, view_nr, spot_nr };
	spots->seen_nr++;
	script->kept_len += SEEN_COST_LEN;
	return true;
}

/* What string has, kept.  NULL: out of memory. */
static const char *keep_text(struct rpt_script *script, uint32_t *ret_len)
{
	struct rpt_intern *texts = &script->spots.texts;
	uint32_t known_nr = texts->nr;
	size_t len;
	const char *text = rpt_text_string_take(script->string, &len);
	int64_t nr = text ? rpt_intern(texts, text, len) : -ENOMEM;

	if (nr < 0)
		return NULL;
	if (nr == known_nr)
		script->kept_len += TEXT_COST_LEN + len;
	*ret_len = (uint32_t)len;
	return rpt_intern_key(texts, (uint32_t)nr);
}

static bool name_spot(struct rpt_script *script,
		      struct rpt_symbol_text_cache *spot,
		      const struct rpt_script_found *p, uint64_t fields)
{
	struct rpt_text *t = &script->string->text;

	if (fields & RPT_FIELD_SYM) {
		rpt_text_char(t, ' ');
		rpt_text_str(t, p->sym ? p->sym->name : "[unknown]");
		spot->has_off = p->sym && (fields & RPT_FIELD_SYMOFF);
	}
	if (spot->has_off)
		rpt_text_str(t, "+0x");
	spot->name = keep_text(script, &spot->name_len);
	return spot->name;
}

static bool end_spot(struct rpt_script *script,
		     struct rpt_symbol_text_cache *spot,
		     const struct rpt_script_found *p,
		     const struct rpt_script_view_key *key)
{
	struct rpt_text *t = &script->string->text;
	char buf[4096];

	if (key->fields & RPT_FIELD_DSO) {
		rpt_text_put(t, " (", 2);
		rpt_text_str(t,
			     rpt_script_dso_name(script, p, buf, sizeof(buf)));
		rpt_text_char(t, ')');
	}
	if (key->kind == RPT_SCRIPT_CHAIN)
		rpt_text_char(t, '\n');
	spot->tail = keep_text(script, &spot->tail_len);
	return spot->tail;
}

static bool describe(struct rpt_script *script,
		     struct rpt_symbol_text_cache *spot,
		     const struct rpt_script_found *p, uint64_t ip,
		     const struct rpt_script_view_key *key)
{
	*spot = (struct rpt_symbol_text_cache){ .range = p->range };
	if (rpt_script_shows_offset(p, (enum pd_perf)key->perf))
		spot->shown_add = p->addr - ip;
	if (p->sym)
		spot->off_add = p->addr - ip - p->sym->start;
	spot->is_stop = rpt_script_is_stop(script, p);
	return name_spot(script, spot, p, key->fields) &&
	       end_spot(script, spot, p, key);
}

/* Room for the wide ranges of one more view; false: out of memory. */
static bool grow_wides(struct rpt_script_spots *spots)
{
	struct rpt_script_wide *wides =
		rpt_grow(spots->wides, &spots->wides_cap, spots->views.nr,
			 sizeof(*wides));

	if (!wides)
		return false;
	spots->wides = wides;
	wides[spots->views.nr].nr = 0;
	return true;
}

/* A new spot; NULL: out of memory. */
static struct rpt_symbol_text_cache *
add_spot(struct rpt_script *script, const struct rpt_symbol_text_cache *spot)
{
	struct rpt_script_spots *spots = &script->spots;
	struct rpt_symbol_text_cache *grown =
		rpt_grow(spots->spots, &spots->cap, spots->nr, sizeof(*spot));

	if (!grown)
		return NULL;
	spots->spots = grown;
	grown[spots->nr] = *spot;
	script->kept_len += SPOT_COST_LEN;
	return &grown[spots->nr++];
}

/* Puts the latest spot where addresses of its view are looked for first. */
static struct rpt_symbol_text_cache *
add_wide(struct rpt_script *script, uint32_t view_nr,
	 struct rpt_symbol_text_cache *spot)
{
	struct rpt_script_wide *wide = &script->spots.wides[view_nr];
	uint32_t at = wide->nr++ % RPT_SCRIPT_WIDE_NR;

	wide->ranges[at] = spot->range;
	wide->spots[at] = script->spots.nr - 1;
	return spot;
}

/* A spot of a function is found by its first granule, whatever others it was
 * asked about in. */
static struct rpt_symbol_text_cache *
add_narrow(struct rpt_script *script, uint32_t view_nr,
	   const struct rpt_symbol_text_cache *spot, uint64_t ip)
{
	struct rpt_script_spots *spots = &script->spots;
	uint64_t first = spot->range.first;
	const struct rpt_script_seen *seen;
	uint32_t spot_nr;

	if (!grow_seen(spots))
		return NULL;
	seen = find_seen(spots, view_nr, first >> GRANULE_BITS, first);
	spot_nr = seen->spot_nr;
	if (!spot_nr || !has(&spots->spots[spot_nr - 1].range, ip)) {
		if (!add_spot(script, spot))
			return NULL;
		spot_nr = spots->nr;
	}
	if (!add_seen(script, view_nr, first >> GRANULE_BITS, first, spot_nr) ||
	    !add_seen(script, view_nr, ip >> GRANULE_BITS, ip, spot_nr))
		return NULL;
	return &spots->spots[spot_nr - 1];
}

/* Of a line that is printed once more */
static const struct rpt_symbol_text_cache no_spot = {
	.name = "",
	.tail = "",
	.is_stop = true,
};

static const struct rpt_symbol_text_cache *
make_spot(struct rpt_script *script, const struct rpt_script_line *line,
	  uint32_t view_nr, uint64_t ip)
{
	struct rpt_symbols *symbols =
		rpt_timeline_symbols(script->conf.timeline);
	const struct rpt_script_view_key *key =
		rpt_intern_key(&script->spots.views, view_nr);
	struct rpt_script_found p;
	struct rpt_symbol_text_cache spot, *made;

	if (script->may_postpone && key->cpumode == PD_CPUMODE_KERNEL &&
	    !rpt_symbols_has_kernel(symbols)) {
		script->is_postponed = true;
		return &no_spot;
	}
	rpt_script_find(script, line, key->cpumode, ip, &p);
	if (!describe(script, &spot, &p, ip, key))
		return NULL;
	if (spot.range.last - spot.range.first < WIDE_LEN)
		return add_narrow(script, view_nr, &spot, ip);
	made = add_spot(script, &spot);
	return made ? add_wide(script, view_nr, made) : NULL;
}

/* What of the line the texts of its places depend on, as a number; -ENOMEM. */
static int64_t find_view(struct rpt_script *script,
			 struct rpt_script_line *line,
			 enum rpt_script_kind kind, unsigned cpumode)
{
	struct rpt_script_spots *spots = &script->spots;
	struct rpt_script_view_key key = {
		.fields = line->fields & SPOT_FIELDS,
		.kind = (uint16_t)kind,
		.cpumode = (uint8_t)cpumode,
		.perf = (uint8_t)line->event->needed_perf,
	};
	struct rpt_script_view *recent;
	uint32_t known_nr = spots->views.nr;
	int64_t nr;

	rpt_script_find_generations(script, line);
	key.generation = line->kernel_generation;
	if (cpumode == PD_CPUMODE_USER) {
		key.space = (uintptr_t)line->who.space;
		key.generation = line->space_generation;
	}
	recent = &spots->recent[(key.space / 64 + key.generation + cpumode) %
				RPT_SCRIPT_VIEWS_NR];
	if (recent->nr && memcmp(&recent->key, &key, sizeof(key)) == 0)
		return (int64_t)recent->nr - 1;
	if (!grow_wides(spots))
		return -ENOMEM;
	nr = rpt_intern(&spots->views, &key, sizeof(key));
	if (nr == known_nr)
		script->kept_len += VIEW_COST_LEN;
	if (nr >= 0)
		*recent = (struct rpt_script_view){ key, (uint64_t)nr + 1 };
	return nr;
}

/* NULL: out of memory. */
static const struct rpt_symbol_text_cache *spot_of(struct rpt_script *script,
						   struct rpt_script_line *line,
						   uint32_t view_nr,
						   uint64_t ip)
{
	struct rpt_script_spots *spots = &script->spots;
	const struct rpt_script_wide *wide = &spots->wides[view_nr];
	const struct rpt_script_seen *seen;

	for (uint32_t i = 0; i < RPT_SCRIPT_WIDE_NR && i < wide->nr; i++)
		if (has(&wide->ranges[i], ip))
			return &spots->spots[wide->spots[i]];
	if (spots->seen_cap) {
		seen = find_seen(spots, view_nr, ip >> GRANULE_BITS, ip);
		if (seen->spot_nr)
			return &spots->spots[seen->spot_nr - 1];
	}
	return make_spot(script, line, view_nr, ip);
}

/* Besides name and tail: a tab and two numbers */
#define PLAIN_LEN (1u + 2 * RPT_HEX_LEN)

static void put_spot(struct rpt_text *t,
		     const struct rpt_symbol_text_cache *spot, bool is_line,
		     uint64_t ip)
{
	char number[RPT_HEX_LEN];

	if (is_line) {
		rpt_text_char(t, '\t');
		rpt_hex_put_wide(number, ip + spot->shown_add);
		rpt_text_put(t, number, RPT_HEX_LEN);
	}
	rpt_text_put(t, spot->name, spot->name_len);
	if (spot->has_off)
		rpt_text_put(t, number,
			     rpt_hex_put(number, ip + spot->off_add));
	rpt_text_put(t, spot->tail, spot->tail_len);
}

/* The same where there is room for all of it */
static void put_spot_at_once(struct rpt_text *t,
			     const struct rpt_symbol_text_cache *spot,
			     bool is_line, uint64_t ip)
{
	char *to = t->data + t->len;

	if (is_line) {
		*to++ = '\t';
		rpt_hex_put_wide(to, ip + spot->shown_add);
		to += RPT_HEX_LEN;
	}
	memcpy(to, spot->name, spot->name_len);
	to += spot->name_len;
	if (spot->has_off)
		to += rpt_hex_put(to, ip + spot->off_add);
	memcpy(to, spot->tail, spot->tail_len);
	t->len = (size_t)(to - t->data) + spot->tail_len;
}

static bool put_text(struct rpt_script *script,
		     const struct rpt_script_text *text)
{
	if (!text) {
		script->text.status = -ENOMEM;
		return false;
	}
	rpt_text_put(&script->text, text->ptr, text->len);
	return !text->is_stop;
}

static bool is_plain(const struct rpt_script_line *line,
		     enum rpt_script_kind kind)
{
	return (kind == RPT_SCRIPT_CHAIN || kind == RPT_SCRIPT_ADDRESS) &&
	       !(line->fields & OTHER_FIELDS);
}

bool rpt_script_put_place(struct rpt_script *script,
			  struct rpt_script_line *line,
			  enum rpt_script_kind kind, unsigned cpumode,
			  uint64_t ip)
{
	bool is_line = kind == RPT_SCRIPT_CHAIN;
	struct rpt_text *t = &script->text;
	const struct rpt_symbol_text_cache *spot;
	int64_t view_nr;

	if (!is_plain(line, kind))
		return put_text(script, rpt_script_address(script, line, kind,
							   cpumode, ip));
	view_nr = find_view(script, line, kind, cpumode);
	spot = view_nr < 0 ? NULL
			   : spot_of(script, line, (uint32_t)view_nr, ip);
	if (!spot) {
		t->status = -ENOMEM;
		return false;
	}
	if (RPT_TEXT_LEN - t->len >
	    PLAIN_LEN + (uint64_t)spot->name_len + spot->tail_len)
		put_spot_at_once(t, spot, is_line, ip);
	else
		put_spot(t, spot, is_line, ip);
	return !spot->is_stop;
}
