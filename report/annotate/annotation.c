#include "report/annotate/annotation.h"

#include "report/annotate/code_bytes.h"
#include "report/annotate/disassembler.h"
#include "report/base/memory.h"
#include "report/elf/plt.h"
#include "report/elf/source_file.h"
#include "report/symbols/carried_texts.h"
#include "report/symbols/dso.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/source_line.h"

#include "format/base/search.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rpt_annotator {
	struct rpt_annotator_conf conf;
	struct rpt_disassembler dis;
	struct rpt_source_texts sources;
	struct pd_carried_code carried;
};

/* A function while its rows are made. */
struct maker {
	struct rpt_annotator *annotator;
	struct rpt_annotation *code;
	enum rpt_code_arch arch;
	uint32_t row_cap;
	uint32_t hit_cap;
	uint32_t file_cap;
	size_t text_len, text_cap;
	uint64_t *targets; /* by row: where it jumps to in the function, as
			    * offset + 1; 0: nowhere */
	uint32_t target_cap;
	const char *last_inlined; /* the name at last_inlined_off */
	uint32_t last_inlined_off;
};

/* A damaged section counts as missing. */
static void read_carried(struct rpt_annotator *annotator)
{
	const struct rpt_annotator_conf *conf = &annotator->conf;
	struct pd_carried_text text;

	if (conf->reader &&
	    !pd_reader_carried_text(conf->reader, PD_CARRIED_BYTES, &text,
				    NULL))
		pd_carried_code_read(&text, conf->symbols->carried.file_nr,
				     &annotator->carried, NULL);
}

struct rpt_annotator *rpt_annotator_new(const struct rpt_annotator_conf *conf)
{
	struct rpt_annotator *annotator =
		rpt_alloc_zeroed(1, sizeof(*annotator));

	annotator->conf = *conf;
	rpt_disassembler_init(&annotator->dis, conf->is_intel);
	read_carried(annotator);
	return annotator;
}

void rpt_annotator_free(struct rpt_annotator *annotator)
{
	if (!annotator)
		return;
	rpt_disassembler_release(&annotator->dis);
	rpt_source_texts_release(&annotator->sources);
	pd_carried_code_release(&annotator->carried);
	free(annotator);
}

/* Write where a source file is looked for.  Return false if that is too long.
 */
static bool moved_path(const struct rpt_annotator_conf *conf, const char *path,
		       char ret[PATH_MAX])
{
	const char *prefix = conf->prefix && *path == '/' ? conf->prefix : "";
	const char *rest = path;
	int len;

	for (uint32_t i = 0; i < conf->strip_nr && *rest == '/'; i++) {
		const char *slash = strchr(rest + 1, '/');

		if (!slash)
			break;
		rest = slash;
	}
	len = snprintf(ret, PATH_MAX, "%s%s", prefix, rest);
	return len > 0 && len < PATH_MAX;
}

bool rpt_annotator_source(struct rpt_annotator *annotator, struct rpt_dso *dso,
			  const char *path, uint32_t line, struct pd_str *ret)
{
	const struct rpt_annotator_conf *conf = &annotator->conf;
	struct rpt_source_place place = { .path = path, .line = line };
	char other[PATH_MAX];

	if (conf->prefix || conf->strip_nr) {
		if (!moved_path(conf, path, other))
			return false;
		place.moved = other;
	}
	return rpt_dso_source_text(dso, &annotator->sources, &place, ret);
}

static uint32_t add_text(struct maker *m, const char *text)
{
	size_t len = strlen(text) + 1;
	uint32_t off = (uint32_t)m->text_len;

	while (m->text_cap - m->text_len < len) {
		m->text_cap = m->text_cap ? m->text_cap * 2 : 4096;
		m->code->texts =
			rpt_realloc_array(m->code->texts, m->text_cap, 1);
	}
	memcpy(m->code->texts + m->text_len, text, len);
	m->text_len += len;
	return off;
}

/* Find the dso address of an address that objdump shows, if it is in the
 * segment of the function. */
static bool dso_addr(const struct rpt_annotation *code, uint64_t addr,
		     uint64_t *ret)
{
	const struct rpt_code_function *f = &code->function;

	*ret = addr - code->start + f->sym->start;
	return rpt_dso_kind(f->dso) == RPT_DSO_KERNEL ||
	       rpt_dso_kind(f->dso) == RPT_DSO_MODULE ||
	       rpt_dso_file_addr(f->dso, *ret) == addr;
}

/* Return the symbol of code at a dso address, or NULL. */
static const struct rpt_symbol *code_symbol(struct rpt_dso *dso, uint64_t addr)
{
	const struct rpt_symbol *sym = rpt_dso_symbol(dso, addr);

	return sym && sym->name && sym->type != STT_OBJECT &&
			       sym->type != STT_TLS
		       ? sym
		       : NULL;
}

/* Write the name of a slot of the PLT that is no symbol of its own: the first
 * ones, which _init covers (plt.c), and those of functions without a name.
 * Return false if it is something else. */
static bool name_slot(struct rpt_dso *dso, const struct rpt_symbol *sym,
		      uint64_t off, char *ret, size_t len)
{
	const struct rpt_elf *file = rpt_dso_loaded(dso)->files.runtime;
	const char *name;

	if (strcmp(sym->name, "_init") != 0 || off == sym->start)
		return !strcmp(sym->name, "@plt");
	name = file ? rpt_plt_name_at(file, off) : NULL;
	if (name)
		snprintf(ret, len, "%s@plt", name);
	return true;
}

/* Write "<mix+0x10>" behind the text of an instruction that names an address,
 * "# 1210 <mix+0x10>" if that is not in the text; callee gets "mix+0x10". */
static void name_target(const struct maker *m, struct rpt_code_row *row,
			struct rpt_instruction *insn, char *callee, size_t len)
{
	uint64_t addr = insn->has_target ? insn->target : insn->data, off;
	struct rpt_dso *dso = m->code->function.dso;
	const struct rpt_symbol *sym = NULL;
	char *end = insn->text + strlen(insn->text);
	size_t left = sizeof(insn->text) - (size_t)(end - insn->text);

	*callee = '\0';
	if (dso_addr(m->code, addr, &off)) {
		row->to = off;
		sym = code_symbol(dso, off);
	}
	if (sym && name_slot(dso, sym, off, callee, len))
		sym = *callee ? sym : NULL;
	else if (sym && off == sym->start)
		snprintf(callee, len, "%s", sym->name);
	else if (sym)
		snprintf(callee, len, "%s+0x%" PRIx64, sym->name,
			 off - sym->start);
	if (!insn->has_target)
		snprintf(end, left, "        # %" PRIx64 "%s%s%s", addr,
			 sym ? " <" : "", callee, sym ? ">" : "");
	else if (sym)
		snprintf(end, left, " <%s>", callee);
}

/* Return the number of a source file's name. */
static uint32_t file_number(struct maker *m, const char *file)
{
	struct rpt_annotation *code = m->code;

	for (uint32_t i = 0; i < code->file_nr; i++)
		if (code->files[i] == file || !strcmp(code->files[i], file))
			return i;
	code->files = rpt_grow(code->files, &m->file_cap, code->file_nr,
			       sizeof(*code->files));
	code->files[code->file_nr] = file;
	return code->file_nr++;
}

static void set_line(struct maker *m, struct rpt_code_row *row)
{
	const struct rpt_code_function *f = &m->code->function;
	const char *file;
	int line;

	if (!rpt_dso_source_line(f->dso, f->sym->start + row->off, &file,
				 &line) ||
	    line <= 0)
		return;
	row->line = (uint32_t)line;
	row->file = file_number(m, file);
}

/* Set the innermost function that was inlined into this one at a row. */
static void set_inlined(struct maker *m, struct rpt_code_row *row)
{
	const struct rpt_code_function *f = &m->code->function;
	const struct rpt_inline_frame *frames;
	size_t nr = rpt_dso_inline_frames(f->dso, f->sym->start + row->off,
					  &frames);

	if (nr < 2 || !frames[0].is_inlined || !frames[0].name)
		return;
	if (!m->last_inlined || strcmp(m->last_inlined, frames[0].name) != 0) {
		m->last_inlined = frames[0].name;
		m->last_inlined_off = add_text(m, frames[0].name);
	}
	row->inlined_off = m->last_inlined_off;
}

/* Note where a row jumps to, or whom it calls. */
static void set_target(struct maker *m, struct rpt_code_row *row,
		       struct rpt_instruction *insn)
{
	uint64_t off = insn->target - m->code->start;
	char callee[RPT_INSTRUCTION_TEXT_LEN];

	m->targets[m->code->row_nr] = 0;
	if (!insn->has_target && !insn->has_data)
		return;
	name_target(m, row, insn, callee, sizeof(callee));
	if (!insn->has_target)
		return;
	if (!insn->is_call && off < m->code->len)
		m->targets[m->code->row_nr] = off + 1;
	else if (*callee)
		row->callee_off = add_text(m, callee);
}

static void add_row(struct maker *m, struct rpt_instruction *insn, uint64_t off)
{
	struct rpt_annotation *code = m->code;
	struct rpt_code_row *row;

	code->rows = rpt_grow(code->rows, &m->row_cap, code->row_nr,
			      sizeof(*code->rows));
	m->targets = rpt_grow(m->targets, &m->target_cap, code->row_nr,
			      sizeof(*m->targets));
	row = &code->rows[code->row_nr];
	*row = (struct rpt_code_row){
		.off = (uint32_t)off,
		.len = insn->len,
		.is_code = insn->is_code,
		.target = RPT_NO_ROW,
	};
	set_target(m, row, insn);
	row->text_off = add_text(m, insn->text);
	set_line(m, row);
	set_inlined(m, row);
	code->row_nr++;
}

static void add_rows(struct maker *m)
{
	struct rpt_annotation *code = m->code;
	struct rpt_instruction insn;

	for (uint64_t off = 0; off < code->len; off += insn.len) {
		rpt_disassemble(&m->annotator->dis, m->arch, code->bytes + off,
				code->len - off, code->start + off, &insn);
		add_row(m, &insn, off);
	}
}

/* Return the row that an offset lies in. */
static uint32_t row_at(const struct rpt_annotation *code, uint64_t off)
{
	uint32_t at;

	PD_FIND_FIRST(at, code->row_nr, code->rows[at].off > off);
	return at - 1;
}

static void link_targets(struct maker *m)
{
	struct rpt_annotation *code = m->code;

	for (uint32_t i = 0; m->targets && i < code->row_nr; i++) {
		uint32_t to;

		if (!m->targets[i])
			continue;
		to = row_at(code, m->targets[i] - 1);
		if (code->rows[to].off == m->targets[i] - 1)
			code->rows[i].target = to;
	}
}

/* Add the samples of one event to a row, whose hits are the last ones. */
static void add_hit(struct maker *m, uint32_t row,
		    const struct rpt_code_hit *hit)
{
	struct rpt_annotation *code = m->code;
	struct rpt_code_row *r = &code->rows[row];
	struct rpt_row_hit *h;

	if (!r->hit_nr)
		r->hit_start = code->hit_nr;
	for (uint32_t i = 0; i < r->hit_nr; i++) {
		h = &code->hits[r->hit_start + i];
		if (h->event_idx != hit->event_idx)
			continue;
		h->count.nr += hit->count.nr;
		h->count.period += hit->count.period;
		return;
	}
	code->hits = rpt_grow(code->hits, &m->hit_cap, code->hit_nr,
			      sizeof(*code->hits));
	code->hits[code->hit_nr++] =
		(struct rpt_row_hit){ hit->event_idx, hit->count };
	r->hit_nr++;
}

static void add_hits(struct maker *m, const struct rpt_code_hits *hits)
{
	struct rpt_annotation *code = m->code;
	const struct rpt_code_function *f = &code->function;

	for (uint32_t i = 0; i < f->hit_nr; i++) {
		const struct rpt_code_hit *hit = &hits->items[f->hit_start + i];
		uint64_t off = hit->addr - f->sym->start;

		if (off < code->len)
			add_hit(m, row_at(code, off), hit);
		else
			code->outside_nr += hit->count.nr;
	}
}

int rpt_annotate(struct rpt_annotator *annotator,
		 const struct rpt_code_hits *hits, uint32_t function,
		 struct rpt_annotation *ret, struct pd_err *err)
{
	struct maker m = { .annotator = annotator, .code = ret };
	const struct rpt_symbols *symbols = annotator->conf.symbols;
	struct rpt_code_bytes bytes;
	int rc;

	*ret = (struct rpt_annotation){
		.function = hits->functions[function],
	};
	rc = rpt_code_bytes_find(ret->function.dso, ret->function.sym,
				 ret->function.dso->owner == symbols
					 ? &annotator->carried
					 : NULL,
				 &bytes, err);
	ret->bytes = bytes.data;
	if (rc)
		return rc;
	ret->len = bytes.len;
	ret->start = bytes.start;
	ret->is_carried = bytes.is_carried;
	ret->is_cut =
		ret->len < ret->function.sym->end - ret->function.sym->start;
	m.arch = bytes.arch;
	add_text(&m, "");
	add_rows(&m);
	link_targets(&m);
	add_hits(&m, hits);
	free(m.targets);
	return 0;
}

void rpt_annotation_release(struct rpt_annotation *code)
{
	free(code->bytes);
	free(code->rows);
	free(code->hits);
	free(code->texts);
	free(code->files);
	memset(code, 0, sizeof(*code));
}

struct rpt_hit_count rpt_annotation_count(const struct rpt_annotation *code,
					  uint32_t row, uint32_t event_idx)
{
	const struct rpt_code_row *r = &code->rows[row];

	for (uint32_t i = 0; i < r->hit_nr; i++)
		if (code->hits[r->hit_start + i].event_idx == event_idx)
			return code->hits[r->hit_start + i].count;
	return (struct rpt_hit_count){ 0, 0 };
}
