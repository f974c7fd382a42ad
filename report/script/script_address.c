#include "report/script/script_line.h"

#include "report/symbols/inline_frames.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/source_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define PLACE_FIELDS                                                          \
	(RPT_FIELD_SYM | RPT_FIELD_SYMOFF | RPT_FIELD_DSO | RPT_FIELD_DSOFF | \
	 RPT_FIELD_SRCLINE)

static const char *name_of(const struct rpt_script_found *p)
{
	return p->sym ? p->sym->name : NULL;
}

static void put_symbol(FILE *f, const struct rpt_script_found *p,
		       const char *name, uint64_t fields)
{
	if (!(fields & RPT_FIELD_SYM))
		return;
	fprintf(f, " %s", name ? name : "[unknown]");
	if (name && (fields & RPT_FIELD_SYMOFF))
		fprintf(f, "+0x%" PRIx64, p->addr - p->sym->start);
}

/* perf shows the path of a module only where the file's table of build-ids has
 * it, or where it is asked for. */
const char *rpt_script_dso_name(const struct rpt_script *script,
				const struct rpt_script_found *p, char *buf,
				size_t len)
{
	if (!p->has_map)
		return "[unknown]";
	if (rpt_dso_kind(p->map.dso) == RPT_DSO_MODULE &&
	    !script->conf.is_kernel_path && !rpt_dso_is_in_table(p->map.dso))
		return rpt_dso_short_name(p->map.dso, buf, len);
	return rpt_dso_name(p->map.dso);
}

static void put_dso(FILE *f, const struct rpt_script *script,
		    const struct rpt_script_found *p, uint64_t fields)
{
	char buf[4096];

	if (!(fields & (RPT_FIELD_DSO | RPT_FIELD_DSOFF)))
		return;
	fprintf(f, " (%s", rpt_script_dso_name(script, p, buf, sizeof(buf)));
	if ((fields & RPT_FIELD_DSOFF) && p->has_map &&
	    rpt_dso_kind(p->map.dso) == RPT_DSO_USER)
		fprintf(f, "+0x%" PRIx64, p->addr);
	fputc(')', f);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Its line in the source, or where in the file it lies */
static void put_srcline(FILE *f, const struct rpt_script *script,
			const struct rpt_script_found *p, uint64_t call_off,
			uint64_t fields)
{
	char buf[4096];
	uint64_t file_addr;
	const char *file;
	bool is_known;
	int line;

	if (!(fields & RPT_FIELD_SRCLINE) || !p->has_map)
		return;
	rpt_script_lock(script);
	file_addr = rpt_dso_file_addr(p->map.dso, p->addr);
	is_known =
		call_off ? rpt_dso_call_line(p->map.dso, call_off, &file, &line)
			 : rpt_dso_source_line(p->map.dso, p->addr, &file,
					       &line);
	rpt_script_unlock(script);
	if (is_known)
		fprintf(f, "\n  %s:%d",
			script->conf.is_full_path ? file : last_part(file),
			line);
	else
		fprintf(f, "\n  %s[%" PRIx64 "]",
			rpt_dso_short_name(p->map.dso, buf, sizeof(buf)),
			file_addr);
}

static void put_entry(FILE *f, const struct rpt_script *script,
		      const struct rpt_script_found *p, uint64_t shown,
		      const struct rpt_inline_frame *frame, uint64_t fields)
{
	fprintf(f, "\t%16" PRIx64, shown);
	put_symbol(f, p, frame->name, fields);
	if (!frame->is_inlined)
		put_dso(f, script, p, fields);
	put_srcline(f, script, p, frame->call_off, fields);
	if (frame->is_inlined)
		fputs(" (inlined)", f);
	fputc('\n', f);
}

/* Call chains show where in its file a user address lies, with perf 6.12 and
 * later the address itself. */
bool rpt_script_shows_offset(const struct rpt_script_found *p,
			     enum pd_perf perf)
{
	return p->has_map && !p->map.is_kernel && perf == PD_PERF_6_1;
}

static bool is_stop(const struct rpt_script *script, const char *name)
{
	return script->conf.stops &&
	       rpt_intern_find(script->conf.stops, name, strlen(name)) >= 0;
}

/* True: a chain ends here, with the function that is shown last. */
static bool put_chain(FILE *f, const struct rpt_script *script,
		      const struct rpt_script_found *p,
		      const struct rpt_script_address_key *key,
		      enum pd_perf perf)
{
	uint64_t shown = rpt_script_shows_offset(p, perf) ? p->addr : key->ip;
	uint64_t fields = key->fields;
	struct rpt_inline_frame itself = { .name = name_of(p) };
	const struct rpt_inline_frame *frames = NULL;
	size_t nr = 0;

	if (key->kind == RPT_SCRIPT_UNWOUND && p->sym &&
	    !script->conf.hide_inlined) {
		rpt_script_lock(script);
		nr = rpt_dso_inline_frames(p->map.dso, p->addr, &frames);
		rpt_script_unlock(script);
	}
	for (size_t i = 0; i < nr; i++) {
		put_entry(f, script, p, shown, &frames[i], fields);
		if (is_stop(script, frames[i].name))
			return true;
	}
	if (nr)
		return false;
	put_entry(f, script, p, shown, &itself, fields);
	return rpt_script_is_stop(script, p);
}

/* Whether it is mapped from a file that is not here. */
static bool lacks_file(const struct rpt_script *script,
		       const struct rpt_script_found *p)
{
	bool has_file;

	if (!p->has_map)
		return false;
	rpt_script_lock(script);
	has_file = rpt_dso_has_file(p->map.dso);
	rpt_script_unlock(script);
	return !has_file;
}

static void put_branch(FILE *f, const struct rpt_script *script,
		       const struct rpt_script_found *p,
		       const struct rpt_script_address_key *key)
{
	char buf[4096];
	uint64_t addr = key->ip;

	if (key->kind == RPT_SCRIPT_BRANCH_OFF) {
		if (lacks_file(script, p))
			addr = p->addr;
		fprintf(f, "0x%" PRIx64, addr);
	} else if (key->kind == RPT_SCRIPT_BRANCH) {
		fprintf(f, "%" PRIx64, addr);
	} else if (p->sym) {
		fprintf(f, "%s+0x%" PRIx64, p->sym->name,
			p->addr - p->sym->start);
	} else {
		fputs("[unknown]", f);
	}
	if (key->fields & RPT_FIELD_DSO)
		fprintf(f, "(%s)",
			rpt_script_dso_name(script, p, buf, sizeof(buf)));
}

/* As put_chain() */
static bool put_place(FILE *f, const struct rpt_script *script,
		      const struct rpt_script_line *line,
		      const struct rpt_script_found *p,
		      const struct rpt_script_address_key *key)
{
	switch ((enum rpt_script_kind)key->kind) {
	case RPT_SCRIPT_PASSES:
		if (rpt_filter_place(script->conf.filter,
				     p->has_map ? p->map.dso : NULL, name_of(p),
				     key->ip))
			fputc('y', f);
		break;
	case RPT_SCRIPT_ADDRESS:
		put_symbol(f, p, name_of(p), key->fields);
		put_dso(f, script, p, key->fields);
		put_srcline(f, script, p, 0, key->fields);
		break;
	case RPT_SCRIPT_BRANCH:
	case RPT_SCRIPT_BRANCH_SYM:
	case RPT_SCRIPT_BRANCH_OFF:
		put_branch(f, script, p, key);
		break;
	case RPT_SCRIPT_CHAIN:
	case RPT_SCRIPT_UNWOUND:
		return put_chain(f, script, p, key, line->event->needed_perf);
	}
	return false;
}

/* What of a range of dso addresses around addr is one of ips around ip */
static void narrow_by_symbol(struct rpt_addr_range *range, uint64_t ip,
			     const struct rpt_addr_range *of, uint64_t addr)
{
	uint64_t below = addr - of->first, above = of->last - addr;

	if (below < ip)
		rpt_range_from(range, ip - below);
	if (above < range->last - ip)
		range->last = ip + above;
}

/* Kernel addresses may read the kernel's names. */
static bool find_map(const struct rpt_script *script,
		     const struct rpt_script_line *line, unsigned cpumode,
		     uint64_t ip, struct rpt_map_range *ret)
{
	const struct rpt_timeline *tl = script->conf.timeline;
	bool is_kernel = cpumode == PD_CPUMODE_KERNEL, is_found;

	if (is_kernel)
		rpt_script_lock(script);
	is_found = rpt_timeline_mapped(tl, &line->who, cpumode, ip, line->when,
				       ret) ||
		   (is_kernel && rpt_timeline_kernel_beyond(tl, ip, &ret->map));
	if (is_kernel)
		rpt_script_unlock(script);
	return is_found;
}

void rpt_script_find(const struct rpt_script *script,
		     const struct rpt_script_line *line, unsigned cpumode,
		     uint64_t ip, struct rpt_script_found *ret)
{
	struct rpt_addr_range named = RPT_RANGE_ALL;
	struct rpt_map_range mapped = { 0 };

	*ret = (struct rpt_script_found){ 0 };
	ret->has_map = find_map(script, line, cpumode, ip, &mapped);
	ret->range = mapped.range;
	if (!ret->has_map)
		return;
	ret->map = mapped.map;
	ret->addr = ip - ret->map.start + ret->map.pgoff;
	rpt_script_lock(script);
	ret->sym = rpt_dso_symbol_range(ret->map.dso, ret->addr, &named);
	rpt_script_unlock(script);
	narrow_by_symbol(&ret->range, ip, &named, ret->addr);
}

bool rpt_script_is_stop(const struct rpt_script *script,
			const struct rpt_script_found *p)
{
	return p->sym && is_stop(script, p->sym->name);
}

/* False: out of memory. */
static bool make_text(struct rpt_script *script,
		      const struct rpt_script_line *line,
		      const struct rpt_script_address_key *key,
		      struct rpt_script_text *ret)
{
	struct rpt_script_found p;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return false;
	rpt_script_find(script, line, key->cpumode, key->ip, &p);
	ret->is_stop = put_place(f, script, line, &p, key);
	if (fclose(f) == 0) {
		ret->ptr = rpt_arena_copy(&script->pool, text, len);
		ret->len = (uint32_t)len;
	}
	free(text);
	return ret->ptr != NULL;
}

static bool grow(struct rpt_script *script)
{
	uint32_t cap = script->texts_cap ? script->texts_cap * 2 : 4096;
	struct rpt_script_text *texts =
		reallocarray(script->texts, cap, sizeof(*texts));

	if (!texts)
		return false;
	script->texts = texts;
	script->texts_cap = cap;
	return true;
}

/* What a text takes besides its bytes */
#define TEXT_COST_LEN 144u

void rpt_script_forget_places(struct rpt_script *script)
{
	if (script->kept_len <= script->conf.kept_max_len)
		return;
	rpt_intern_release(&script->lookups);
	rpt_arena_release(&script->pool);
	memset(script->places, 0, sizeof(script->places));
	rpt_script_spots_release(&script->spots);
	script->kept_len = 0;
}

/* The number of the key's text, made at its first time; -ENOMEM. */
static int64_t text_nr(struct rpt_script *script,
		       const struct rpt_script_line *line,
		       const struct rpt_script_address_key *key)
{
	uint32_t known_nr = script->lookups.nr;
	int64_t idx;

	if (known_nr == script->texts_cap && !grow(script))
		return -ENOMEM;
	idx = rpt_intern(&script->lookups, key, sizeof(*key));
	if (idx != known_nr)
		return idx;
	script->texts[idx] = (struct rpt_script_text){ 0 };
	make_text(script, line, key, &script->texts[idx]);
	script->kept_len += TEXT_COST_LEN + script->texts[idx].len;
	return idx;
}

void rpt_script_find_generations(const struct rpt_script *script,
				 struct rpt_script_line *line)
{
	if (line->is_placed)
		return;
	line->is_placed = true;
	line->space_generation =
		rpt_address_space_generation(line->who.space, line->when);
	line->kernel_generation = rpt_timeline_kernel_generation(
		script->conf.timeline, line->when);
}

const struct rpt_script_text *rpt_script_address(struct rpt_script *script,
						 struct rpt_script_line *line,
						 enum rpt_script_kind kind,
						 unsigned cpumode, uint64_t ip)
{
	struct rpt_script_address_key key = {
		.ip = ip,
		.fields = line->fields & PLACE_FIELDS,
		.kind = (uint16_t)kind,
		.cpumode = (uint16_t)cpumode,
	};
	struct rpt_script_address_slot *slot =
		&script->places[(ip ^ ip >> 13) % RPT_SCRIPT_PLACES_NR];
	const struct rpt_script_text *text;

	rpt_script_find_generations(script, line);
	key.generation = line->kernel_generation;
	if (cpumode == PD_CPUMODE_USER) {
		key.space = (uintptr_t)line->who.space;
		key.generation = line->space_generation;
	}
	if (!slot->text_nr || memcmp(&slot->key, &key, sizeof(key)) != 0) {
		int64_t nr = text_nr(script, line, &key);

		if (nr < 0)
			return NULL;
		slot->key = key;
		slot->text_nr = (uint64_t)nr + 1;
	}
	text = &script->texts[slot->text_nr - 1];
	return text->ptr ? text : NULL;
}
