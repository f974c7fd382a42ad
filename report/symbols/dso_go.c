#include "report/symbols/dso_go.h"

#include "report/base/memory.h"
#include "report/symbols/dso.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

void rpt_dso_go_free(struct rpt_dso_go *go)
{
	if (!go)
		return;
	rpt_intern_release(&go->starts);
	rpt_intern_release(&go->called);
	rpt_arena_release(&go->texts);
	free(go->symbols);
	free(go);
}

/* Return the DSO's, made the first time: most DSOs have none. */
static struct rpt_dso_go *go_of(struct rpt_dso *dso)
{
	if (!dso->names.go)
		dso->names.go = rpt_alloc_zeroed(1, sizeof(*dso->names.go));
	return dso->names.go;
}

static void set_problem(struct rpt_dso *dso, const char *text)
{
	if (!dso->problem)
		rpt_dso_set_problem(dso, text);
}

static struct pd_go_table *table_of(struct rpt_dso *dso)
{
	struct rpt_elf *file = dso->files.runtime;
	struct pd_go_table *table;

	if (dso->kind != RPT_DSO_USER || !file)
		return NULL;
	table = rpt_elf_go_table(file);
	if (file->go_table_rc)
		set_problem(dso, file->go_table_rc == -EFBIG
					 ? "its Go table lies in more data "
					   "than the limit allows: left out"
					 : "its Go table is damaged: left out");
	return table;
}

/* Note that lines or inlined calls are missing. */
static void note_limits(struct rpt_dso *dso, const struct pd_go_table *table)
{
	if (!table->step_left_nr ||
	    !pd_elf_image_allows(table->elf, table->looked_len))
		set_problem(dso, "its Go table has more steps than the limit "
				 "allows: some lines are left out");
}

/* Return whether there is room for one more name: as many bytes of them as of a
 * table of the file (limits.h). */
static bool has_room(struct rpt_dso *dso, const struct pd_go_table *table,
		     size_t len)
{
	struct rpt_dso_go *go = go_of(dso);

	go->text_len += len;
	if (pd_elf_image_allows(table->elf, go->text_len))
		return true;
	set_problem(dso, "the names of its Go table are longer than the limit "
			 "allows: some are left out");
	return false;
}

bool rpt_dso_has_go(struct rpt_dso *dso)
{
	return table_of(dso);
}

bool rpt_dso_is_go(struct rpt_dso *dso)
{
	return table_of(rpt_dso_shared(dso));
}

bool rpt_dso_is_frameless(struct rpt_dso *dso, uint64_t addr)
{
	struct pd_go_table *table = table_of(rpt_dso_shared(dso));
	struct pd_go_function f;
	uint16_t machine;
	uint32_t len;

	if (!table || !pd_go_table_find(table, addr, &f))
		return false;
	machine = table->elf->machine;
	return (machine == EM_X86_64 || machine == EM_386) &&
	       pd_go_table_stack(table, &f, f.start + (addr - f.off), &len) &&
	       !len;
}

/* Return NULL if it has no name. */
static const struct rpt_symbol *make_symbol(struct rpt_dso *dso,
					    struct pd_go_table *table,
					    const struct pd_go_function *f)
{
	struct pd_str text = pd_go_table_name(table, f->name);
	struct rpt_arena *texts = &go_of(dso)->texts;
	struct rpt_symbol sym = {
		.start = f->off,
		.end = f->off + (f->end - f->start),
		.binding = STB_GLOBAL,
		.type = STT_FUNC,
		.is_named = true,
		.is_go = true,
	};

	if (!text.len || !has_room(dso, table, text.len))
		return NULL;
	sym.name = rpt_arena_safe(texts,
				  rpt_arena_copy(texts, text.ptr, text.len));
	return rpt_arena_copy(texts, &sym, sizeof(sym));
}

const struct rpt_symbol *rpt_dso_go_find(struct rpt_dso *dso, uint64_t addr,
					 struct rpt_addr_range *range)
{
	struct pd_go_table *table = table_of(dso);
	struct pd_go_function f;
	struct rpt_dso_go *go;
	uint32_t known_nr;
	int64_t idx;

	if (!table)
		return NULL;
	if (!pd_go_table_find(table, addr, &f)) {
		rpt_range_from(range, addr);
		rpt_range_until(range, addr + 1);
		return NULL;
	}
	rpt_range_from(range, f.off);
	rpt_range_until(range, f.off + (f.end - f.start));
	go = go_of(dso);
	known_nr = go->starts.nr;
	go->symbols =
		rpt_grow(go->symbols, &go->cap, known_nr, sizeof(*go->symbols));
	idx = rpt_intern(&go->starts, &f.off, sizeof(f.off));
	if (idx == known_nr)
		go->symbols[idx] = make_symbol(dso, table, &f);
	return idx < 0 ? NULL : go->symbols[idx];
}

bool rpt_dso_go_line(struct rpt_dso *dso, uint64_t addr, const char **ret_file,
		     int *ret_line)
{
	struct pd_go_table *table = table_of(dso);
	struct pd_go_function f;
	struct pd_str file;
	uint32_t line;
	bool is_found;

	if (!table || !pd_go_table_find(table, addr, &f))
		return false;
	is_found = pd_go_table_line(table, &f, f.start + (addr - f.off), &file,
				    &line);
	note_limits(dso, table);
	if (!is_found || line > INT_MAX)
		return false;
	*ret_file = file.ptr;
	*ret_line = (int)line;
	return true;
}

/* Return a name that lives as long as the DSO, or NULL. */
static const char *called_name(struct rpt_dso *dso, struct pd_go_table *table,
			       uint32_t name)
{
	struct pd_str text = pd_go_table_name(table, name);
	struct rpt_intern *called = &go_of(dso)->called;
	int64_t idx = rpt_intern_find(called, text.ptr, text.len);

	if (idx < 0 && text.len && has_room(dso, table, text.len))
		idx = rpt_intern(called, text.ptr, text.len);
	return idx < 0 ? NULL : rpt_intern_key(called, (uint32_t)idx);
}

size_t rpt_dso_go_facts(struct rpt_dso *dso, const struct rpt_symbol *sym,
			uint64_t addr, struct rpt_function_facts *ret)
{
	struct pd_go_table *table = table_of(dso);
	struct pd_go_call calls[RPT_FUNCTIONS_MAX - 1];
	struct pd_go_function f;
	size_t nr;

	if (!table || !pd_go_table_find(table, addr, &f))
		return 0;
	nr = pd_go_table_calls(table, &f, f.start + (addr - f.off), calls,
			       RPT_FUNCTIONS_MAX - 1);
	note_limits(dso, table);
	for (size_t i = 0; i < nr; i++)
		ret[i] = (struct rpt_function_facts){
			.name = called_name(dso, table, calls[i].name),
			.is_linkage = true,
			.call_off = f.off + (calls[i].addr - f.start),
		};
	ret[nr] = (struct rpt_function_facts){
		.is_symbol = sym->start == f.off,
	};
	if (!ret[nr].is_symbol)
		ret[nr].name = called_name(dso, table, f.name);
	return nr + 1;
}
