#include "report/script.h"

#include "report/inline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* An address and all that its text depends on; without padding. */
struct place_key {
	uint64_t ip;
	uint64_t space;
	uint32_t generation;
	uint16_t kind;
	uint16_t cpumode;
	uint64_t fields;
};

struct place {
	bool has_map;
	struct rpt_map map;
	uint64_t addr; /* dso address */
	const struct rpt_symbol *sym;
};

#define PLACE_FIELDS (RPT_FIELD_SYM | RPT_FIELD_SYMOFF | RPT_FIELD_DSO)

static void put_symbol(FILE *f, const struct place *p, const char *name,
		       uint64_t fields)
{
	if (!(fields & RPT_FIELD_SYM))
		return;
	fprintf(f, " %s", name ? name : "[unknown]");
	if (name && (fields & RPT_FIELD_SYMOFF))
		fprintf(f, "+0x%" PRIx64, p->addr - p->sym->start);
}

static void put_dso(FILE *f, const struct place *p, uint64_t fields)
{
	if (fields & RPT_FIELD_DSO)
		fprintf(f, " (%s)",
			p->has_map ? rpt_dso_name(p->map.dso) : "[unknown]");
}

static void put_entry(FILE *f, const struct place *p, uint64_t shown,
		      const struct rpt_inline_frame *frame, uint64_t fields)
{
	fprintf(f, "\t%16" PRIx64, shown);
	put_symbol(f, p, frame->name, fields);
	if (frame->is_inlined)
		fputs(" (inlined)", f);
	else
		put_dso(f, p, fields);
	fputc('\n', f);
}

/* Call chains show where in its file a user address lies, with perf 6.12 and
 * later the address itself. */
static void put_chain(FILE *f, const struct place *p,
		      const struct place_key *key, enum pd_perf perf)
{
	bool is_file_offset =
		p->has_map && !p->map.is_kernel && perf == PD_PERF_6_1;
	uint64_t shown = is_file_offset ? p->addr : key->ip;
	uint64_t fields = key->fields;
	struct rpt_inline_frame itself = { p->sym ? p->sym->name : NULL,
					   false };
	const struct rpt_inline_frame *frames = NULL;
	size_t nr = 0;

	if (key->kind == RPT_SCRIPT_UNWOUND && p->sym)
		nr = rpt_dso_inline_frames(p->map.dso, p->addr, &frames);
	for (size_t i = 0; i < nr; i++)
		put_entry(f, p, shown, &frames[i], fields);
	if (!nr)
		put_entry(f, p, shown, &itself, fields);
}

static struct pd_str text_of(struct rpt_script *script,
			     const struct rpt_script_line *line,
			     const struct place_key *key)
{
	struct place p = { 0 };
	struct pd_str ret = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return ret;
	p.has_map = rpt_timeline_map(script->conf.timeline, &line->who,
				     key->cpumode, key->ip, line->when, &p.map);
	if (!p.has_map && key->cpumode == PD_CPUMODE_KERNEL)
		p.has_map = rpt_timeline_kernel_beyond(script->conf.timeline,
						       key->ip, &p.map);
	if (p.has_map) {
		p.addr = key->ip - p.map.start + p.map.pgoff;
		p.sym = rpt_dso_symbol(p.map.dso, p.addr);
	}
	if (key->kind == RPT_SCRIPT_PASSES) {
		if (rpt_filter_place(script->conf.filter,
				     p.has_map ? p.map.dso : NULL,
				     p.sym ? p.sym->name : NULL, key->ip))
			fputc('y', f);
	} else if (key->kind == RPT_SCRIPT_PLACE) {
		put_symbol(f, &p, p.sym ? p.sym->name : NULL, key->fields);
		put_dso(f, &p, key->fields);
	} else {
		put_chain(f, &p, key, line->event->needed_perf);
	}
	if (fclose(f) == 0) {
		ret.ptr = rpt_arena_copy(&script->pool, text, len);
		ret.len = len;
	}
	free(text);
	return ret;
}

static int grow(struct rpt_script *script)
{
	uint32_t cap = script->texts_cap ? script->texts_cap * 2 : 4096;
	struct pd_str *texts = reallocarray(script->texts, cap, sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	script->texts = texts;
	script->texts_cap = cap;
	return 0;
}

struct pd_str rpt_script_place(struct rpt_script *script,
			       const struct rpt_script_line *line,
			       enum rpt_script_kind kind, unsigned cpumode,
			       uint64_t ip)
{
	bool is_user = cpumode == PD_CPUMODE_USER;
	struct place_key key = {
		.ip = ip,
		.space = is_user ? (uintptr_t)line->who.space : 0,
		.kind = (uint16_t)kind,
		.cpumode = (uint16_t)cpumode,
		.fields = line->fields & PLACE_FIELDS,
	};
	uint32_t known_nr = script->lookups.nr;
	int64_t idx;

	key.generation =
		is_user ? rpt_space_generation(line->who.space, line->when)
			: rpt_timeline_kernel_generation(script->conf.timeline,
							 line->when);
	if (known_nr == script->texts_cap && grow(script))
		return (struct pd_str){ 0 };
	idx = rpt_intern(&script->lookups, &key, sizeof(key));
	if (idx < 0)
		return (struct pd_str){ 0 };
	if (idx == known_nr)
		script->texts[idx] = text_of(script, line, &key);
	return script->texts[idx];
}
