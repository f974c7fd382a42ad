#include "report/symbols/inline_frames.h"

#include "report/base/intern.h"
#include "report/elf/demangle.h"
#include "report/elf/dwarf_functions.h"
#include "report/symbols/dso.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct answer {
	uint32_t frames_nr;
	const struct rpt_inline_frame *frames; /* in the arena */
};

struct rpt_inlines {
	struct rpt_dwarf_functions *functions; /* NULL: none */
	struct rpt_arena arena;	 /* of frames, and of demangled names */
	struct rpt_intern addrs; /* addresses of answers */
	struct answer *answers;	 /* by number of the address */
	uint32_t answers_cap;
};

void rpt_inlines_free(struct rpt_inlines *inlines)
{
	if (!inlines)
		return;
	rpt_intern_release(&inlines->addrs);
	free(inlines->answers);
	rpt_arena_release(&inlines->arena);
	rpt_dwarf_functions_free(inlines->functions);
	free(inlines);
}

struct rpt_elf *rpt_dso_debug_file(const struct rpt_dso *dso)
{
	struct rpt_elf *files[] = { dso->files.runtime, dso->files.debug };
	struct rpt_elf_section section;

	/* read for the kernel alone: others do not wait until it is loaded */
	if (dso->kind == RPT_DSO_KERNEL)
		files[0] = dso->owner->kernel_names.source.vmlinux;
	for (size_t i = 0; i < 2; i++)
		if (files[i] &&
		    rpt_elf_section(files[i], ".debug_info", &section))
			return files[i];
	return NULL;
}

static struct rpt_inlines *open_inlines(struct rpt_dso *dso)
{
	struct rpt_inlines *inlines = rpt_alloc_zeroed(1, sizeof(*inlines));
	struct rpt_elf *file = rpt_dso_debug_file(dso);

	if (file)
		inlines->functions = rpt_dwarf_functions_new(file);
	if (file && rpt_elf_over_limit(file))
		rpt_dso_set_problem(dso, rpt_elf_over_limit(file));
	return inlines;
}

static struct rpt_inlines *inlines_of(struct rpt_dso *dso)
{
	if (!dso->inlines)
		dso->inlines = open_inlines(dso);
	return dso->inlines;
}

static const char *plain_name(struct rpt_inlines *inlines, const char *name,
			      const struct rpt_symbol_table *table)
{
	char *plain = table->raw_names
			      ? NULL
			      : rpt_demangle(name, table->with_parameters);

	if (plain)
		name = rpt_arena_copy(&inlines->arena, plain, strlen(plain));
	free(plain);
	return rpt_arena_safe(&inlines->arena, name);
}

/* Return whether the function starts where the symbol does. */
static bool starts_at(const struct rpt_dso *dso, const struct rpt_symbol *sym,
		      const struct rpt_dwarf_function *function)
{
	uint64_t off;

	return rpt_elf_addr_to_off(dso->files.runtime, function->start, &off) &&
	       off == sym->start;
}

static size_t find_local(struct rpt_dso *dso, const struct rpt_symbol *sym,
			 uint64_t addr, struct rpt_function_facts *ret)
{
	const struct rpt_dwarf_function *found[RPT_FUNCTIONS_MAX];
	uint64_t file_addr;
	size_t nr;

	if (!dso->files.runtime ||
	    !rpt_elf_off_to_addr(dso->files.runtime, addr, &file_addr))
		return 0;
	nr = rpt_dwarf_functions_at(rpt_dso_functions(dso), file_addr, found,
				    RPT_FUNCTIONS_MAX);
	if (rpt_dwarf_functions_are_over(rpt_dso_functions(dso)) &&
	    !dso->problem)
		rpt_dso_set_problem(dso, "its debug information is larger than "
					 "the limit allows: left out");
	for (size_t i = 0; i < nr; i++)
		ret[i] = (struct rpt_function_facts){
			.name = found[i]->name,
			.is_linkage = found[i]->is_linkage,
			.is_symbol = starts_at(dso, sym, found[i]),
			.call_off = found[i]->die_off,
		};
	return nr;
}

static size_t find_carried(struct rpt_dso *dso, uint64_t addr,
			   struct rpt_function_facts *ret)
{
	const struct pd_carried_place *place = rpt_dso_carried_place(dso, addr);
	const struct pd_carried_function *f;
	uint64_t number;
	uint32_t nr = place ? place->function_nr : 0;

	for (uint32_t i = 0; i < nr; i++) {
		f = rpt_dso_carried_function(dso, place, i, &number);
		ret[i] = (struct rpt_function_facts){
			.name = rpt_dso_carried_text(dso, f->name),
			.is_linkage = f->flags & PD_CARRIED_IS_LINKAGE,
			.is_symbol = f->flags & PD_CARRIED_IS_SYMBOL,
			.call_off = number + 1,
		};
	}
	return nr;
}

/* Return the DSO whose debug information is asked: that which has the file; or
 * dso itself, for what its recording carries, or else for the file's Go table;
 * NULL: there is none. */
static struct rpt_dso *dso_with_functions(struct rpt_dso *dso)
{
	struct rpt_dso *loaded = rpt_dso_loaded(dso);

	if (loaded->kind != RPT_DSO_USER)
		return NULL;
	if (rpt_dso_functions(loaded))
		return loaded;
	return rpt_dso_has_carried_lines(dso) || rpt_dso_has_go(loaded) ? dso
									: NULL;
}

size_t rpt_dso_function_facts(struct rpt_dso *dso, uint64_t addr,
			      struct rpt_function_facts *ret)
{
	const struct rpt_symbol *sym = rpt_dso_symbol(dso, addr);

	dso = sym ? dso_with_functions(dso) : NULL;
	if (!dso)
		return 0;
	if (rpt_dso_functions(dso))
		return find_local(dso, sym, addr, ret);
	return rpt_dso_has_carried_lines(dso)
		       ? find_carried(dso, addr, ret)
		       : rpt_dso_go_facts(rpt_dso_loaded(dso), sym, addr, ret);
}

static size_t make_frames(struct rpt_dso *dso, const struct rpt_symbol *sym,
			  uint64_t addr, struct rpt_inline_frame *frames)
{
	struct rpt_function_facts found[RPT_FUNCTIONS_MAX];
	size_t nr = rpt_dso_function_facts(dso, addr, found);

	assert(sym->name);
	for (size_t i = 0; i < nr; i++) {
		const char *name = found[i].name;

		/* the symbol's instead of the source's */
		if (!name || (!i && !found[0].is_linkage && found[0].is_symbol))
			name = sym->name;
		name = plain_name(dso->inlines, name, &dso->names.table);
		frames[i].is_inlined =
			name != sym->name && strcmp(name, sym->name) != 0;
		frames[i].name = name;
		frames[i].call_off = i ? found[i - 1].call_off : 0;
	}
	/* the symbol alone adds nothing */
	return nr == 1 && !frames[0].is_inlined ? 0 : nr;
}

static struct answer make_answer(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_inline_frame frames[RPT_FUNCTIONS_MAX];
	const struct rpt_symbol *sym = rpt_dso_symbol(dso, addr);
	size_t nr = sym ? make_frames(dso, sym, addr, frames) : 0;

	return (struct answer){
		.frames_nr = (uint32_t)nr,
		.frames = rpt_arena_copy(&dso->inlines->arena, frames,
					 nr * sizeof(frames[0])),
	};
}

/* Return NULL if there are too many. */
static const struct answer *answer_of(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_inlines *inlines = inlines_of(dso);
	int64_t idx = rpt_intern_find(&inlines->addrs, &addr, sizeof(addr));

	if (idx >= 0)
		return &inlines->answers[idx];
	inlines->answers =
		rpt_grow(inlines->answers, &inlines->answers_cap,
			 inlines->addrs.nr, sizeof(*inlines->answers));
	idx = rpt_intern(&inlines->addrs, &addr, sizeof(addr));
	if (idx < 0)
		return NULL;
	inlines->answers[idx] = make_answer(dso, addr);
	return &inlines->answers[idx];
}

size_t rpt_dso_inline_frames(struct rpt_dso *dso, uint64_t addr,
			     const struct rpt_inline_frame **ret_frames)
{
	const struct answer *answer;

	/* symbols come first: they open the files */
	if (!rpt_dso_symbol(dso, addr))
		return 0;
	dso = dso_with_functions(dso);
	answer = dso ? answer_of(dso, addr) : NULL;
	if (!answer)
		return 0;
	*ret_frames = answer->frames;
	return answer->frames_nr;
}

bool rpt_dso_has_functions(struct rpt_dso *dso)
{
	struct rpt_dso *loaded = rpt_dso_loaded(dso);

	return loaded->kind == RPT_DSO_USER &&
	       (rpt_dso_debug_file(loaded) || rpt_dso_has_go(loaded) ||
		rpt_dso_has_carried_lines(dso));
}

struct rpt_dwarf_functions *rpt_dso_functions(struct rpt_dso *dso)
{
	return inlines_of(dso)->functions;
}

bool rpt_dso_call_line(struct rpt_dso *dso, uint64_t call_off,
		       const char **ret_file, int *ret_line)
{
	struct rpt_dso *loaded = rpt_dso_loaded(dso);
	struct rpt_dwarf_functions *functions = rpt_dso_functions(loaded);

	if (functions)
		return rpt_dwarf_functions_call(functions, call_off, ret_file,
						ret_line);
	if (rpt_dso_has_carried_lines(dso))
		return rpt_dso_carried_call(dso, call_off - 1, ret_file,
					    ret_line);
	return rpt_dso_go_line(loaded, call_off, ret_file, ret_line);
}

static const struct rpt_elf *file_of(const struct rpt_dso *dso)
{
	while (dso->shared_from)
		dso = dso->shared_from;
	return dso->files.runtime;
}

/* The same by the segments of a file that is carried. */
static uint64_t carried_addr(const struct pd_carried_file *f, uint64_t off)
{
	for (uint32_t i = 0; i < f->segment_nr; i++) {
		const struct pd_elf_segment *s = &f->segments[i];

		if (off >= s->off && off - s->off < s->len)
			return s->addr + (off - s->off);
	}
	return off;
}

uint64_t rpt_dso_file_addr(struct rpt_dso *dso, uint64_t addr)
{
	const struct rpt_elf *file = file_of(dso);
	const struct pd_carried_file *f =
		file ? NULL : rpt_dso_carried_file(dso);
	uint64_t file_addr;

	if (file && rpt_elf_off_to_addr(file, addr, &file_addr))
		return file_addr;
	return f && f->kind == PD_CARRIED_ELF ? carried_addr(f, addr) : addr;
}

bool rpt_dso_has_file(struct rpt_dso *dso)
{
	return file_of(dso) || rpt_dso_has_carried_lines(dso);
}
