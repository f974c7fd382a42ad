#include "report/symbols/carried_texts.h"

#include "report/symbols/dso.h"

#include <string.h>

void rpt_symbols_set_lines(struct rpt_symbols *symbols,
			   struct rpt_carried_texts *texts)
{
	pd_carried_lines_release(&symbols->carried_texts.lines);
	pd_carried_sources_release(&symbols->carried_texts.sources);
	symbols->carried_texts = *texts;
	memset(texts, 0, sizeof(*texts));
}

/* Return the number of the DSO's carried file; UINT32_MAX if there is none in
 * the recording itself. */
static uint32_t file_of(struct rpt_dso *dso)
{
	const struct pd_carried *carried = &dso->owner->carried;
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);

	return f && dso->names.carried.from == carried
		       ? (uint32_t)(f - carried->files)
		       : UINT32_MAX;
}

static const struct pd_carried_lines *lines_of(const struct rpt_dso *dso)
{
	return &dso->owner->carried_texts.lines;
}

bool rpt_dso_has_carried_lines(struct rpt_dso *dso)
{
	return lines_of(dso)->file_nr &&
	       pd_carried_lines_of(lines_of(dso), file_of(dso));
}

const struct pd_carried_place *rpt_dso_carried_place(struct rpt_dso *dso,
						     uint64_t addr)
{
	return lines_of(dso)->file_nr
		       ? pd_carried_lines_at(lines_of(dso), file_of(dso), addr)
		       : NULL;
}

const struct pd_carried_function *
rpt_dso_carried_function(const struct rpt_dso *dso,
			 const struct pd_carried_place *place, uint32_t idx,
			 uint64_t *ret_number)
{
	*ret_number = place->function_start + idx;
	return &lines_of(dso)->functions[*ret_number];
}

const char *rpt_dso_carried_text(const struct rpt_dso *dso, uint32_t text)
{
	return text ? lines_of(dso)->texts[text].ptr : NULL;
}

static bool put_line(const struct rpt_dso *dso, uint32_t file, uint32_t line,
		     const char **ret_file, int *ret_line)
{
	*ret_file = rpt_dso_carried_text(dso, file);
	*ret_line = (int)line;
	return *ret_file;
}

bool rpt_dso_carried_line(struct rpt_dso *dso, uint64_t addr,
			  const char **ret_file, int *ret_line)
{
	const struct pd_carried_place *place = rpt_dso_carried_place(dso, addr);

	return place &&
	       put_line(dso, place->file, place->line, ret_file, ret_line);
}

bool rpt_dso_carried_call(const struct rpt_dso *dso, uint64_t number,
			  const char **ret_file, int *ret_line)
{
	const struct pd_carried_lines *lines = lines_of(dso);
	const struct pd_carried_function *f;

	if (number >= lines->function_nr)
		return false;
	f = &lines->functions[number];
	return put_line(dso, f->call_file, f->call_line, ret_file, ret_line);
}

bool rpt_symbols_carried_source(const struct rpt_symbols *symbols,
				const char *path, int line, struct pd_str *ret)
{
	const struct pd_str text = { path, strlen(path) };

	return line > 0 &&
	       pd_carried_sources_line(&symbols->carried_texts.sources, text,
				       (uint32_t)line, ret);
}
