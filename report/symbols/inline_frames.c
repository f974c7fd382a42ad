#include "report/symbols/inline_frames.h"

#include "report/elf/demangle.h"
#include "report/symbols/dso.h"
#include "report/elf/dwarf_functions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 64
#define SLOTS_MIN  256

struct answer {
	uint64_t addr;
	size_t frames_nr;
	struct rpt_inline_frame frames[];
};

struct rpt_inlines {
	struct rpt_dwarf_functions *functions; /* NULL: none */
	struct rpt_arena names;		       /* demangled */
	/* Open addressing, slots_nr a power of two, at most half full. */
	struct answer **slots;
	size_t slots_nr;
	size_t answers_nr;
};

void rpt_inlines_free(struct rpt_inlines *inlines)
{
	size_t i;

	if (!inlines)
		return;
	for (i = 0; i < inlines->slots_nr; i++)
		free(inlines->slots[i]);
	free(inlines->slots);
	rpt_arena_release(&inlines->names);
	rpt_dwarf_functions_free(inlines->functions);
	free(inlines);
}

struct rpt_elf *rpt_dso_debug_file(const struct rpt_dso *dso)
{
	struct rpt_elf_section section;

	if (dso->kind == RPT_DSO_KERNEL) {
		/* others must not look: the kernel may be loading */
		struct rpt_elf *vmlinux =
			dso->owner->kernel_names.source.vmlinux;

		return vmlinux && rpt_elf_section(vmlinux, ".debug_info",
						  &section)
			       ? vmlinux
			       : NULL;
	}
	if (dso->runtime &&
	    rpt_elf_section(dso->runtime, ".debug_info", &section))
		return dso->runtime;
	if (dso->debug && rpt_elf_section(dso->debug, ".debug_info", &section))
		return dso->debug;
	return NULL;
}

static struct rpt_inlines *open_inlines(struct rpt_dso *dso)
{
	struct rpt_inlines *inlines = calloc(1, sizeof(*inlines));
	struct rpt_elf *file = rpt_dso_debug_file(dso);

	if (!inlines)
		return NULL;
	inlines->slots_nr = SLOTS_MIN;
	inlines->slots = calloc(inlines->slots_nr, sizeof(struct answer *));
	if (!inlines->slots) {
		free(inlines);
		return NULL;
	}
	if (file)
		inlines->functions = rpt_dwarf_functions_new(file);
	if (file && rpt_elf_over_limit(file))
		rpt_dso_set_problem(dso, rpt_elf_over_limit(file));
	return inlines;
}

static const char *plain_name(struct rpt_inlines *inlines, const char *name,
			      const struct rpt_symbol_table *table)
{
	char *plain = table->raw_names
			      ? NULL
			      : rpt_demangle(name, table->with_parameters);
	const char *kept;

	if (!plain)
		return name;
	kept = rpt_arena_copy(&inlines->names, plain, strlen(plain));
	free(plain);
	return kept ? kept : name;
}

/* addr2line answers with the symbol's name for a function whose own is not the
 * linker's, when asked for the first time; later with the function's name,
 * which becomes the symbol's if both start at the same address.  Asked in the
 * same order, this gives the same names (binutils 2.40). */
static const char *innermost_name(const struct rpt_dso *dso,
				  const struct rpt_symbol *sym,
				  struct rpt_dwarf_function *function)
{
	uint64_t off;

	if (function->is_linkage && function->name)
		return function->name;
	if (rpt_elf_addr_to_off(dso->runtime, function->start, &off) &&
	    off == sym->start)
		function->name = sym->name;
	function->is_linkage = true;
	return sym->name;
}

static size_t make_frames(struct rpt_dso *dso, const struct rpt_symbol *sym,
			  uint64_t addr, struct rpt_inline_frame *frames)
{
	struct rpt_dwarf_function *found[FRAMES_MAX];
	size_t i, nr;

	assert(sym->name);
	nr = rpt_dwarf_functions_at(dso->inlines->functions, addr, found,
				    FRAMES_MAX);
	for (i = 0; i < nr; i++) {
		const char *name =
			i ? found[i]->name : innermost_name(dso, sym, found[0]);

		if (!name)
			name = sym->name;
		name = plain_name(dso->inlines, name, &dso->table);
		frames[i].is_inlined =
			name != sym->name && strcmp(name, sym->name) != 0;
		frames[i].name = name;
		frames[i].call_off = i ? found[i - 1]->die_off : 0;
	}
	/* The symbol alone says nothing new. */
	return nr == 1 && !frames[0].is_inlined ? 0 : nr;
}

static struct answer *make_answer(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_inline_frame frames[FRAMES_MAX];
	const struct rpt_symbol *sym = rpt_dso_symbol(dso, addr);
	struct answer *answer;
	uint64_t file_addr;
	size_t nr = 0;

	if (sym && dso->inlines->functions && dso->runtime &&
	    rpt_elf_off_to_addr(dso->runtime, addr, &file_addr))
		nr = make_frames(dso, sym, file_addr, frames);
	answer = calloc(1, sizeof(*answer) + nr * sizeof(frames[0]));
	if (!answer)
		return NULL;
	answer->addr = addr;
	answer->frames_nr = nr;
	memcpy(answer->frames, frames, nr * sizeof(frames[0]));
	return answer;
}

static size_t slot_of(const struct rpt_inlines *inlines, uint64_t addr)
{
	uint64_t mixed = addr * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = (size_t)(mixed >> 32) & (inlines->slots_nr - 1);

	while (inlines->slots[slot] && inlines->slots[slot]->addr != addr)
		slot = (slot + 1) & (inlines->slots_nr - 1);
	return slot;
}

static bool grow(struct rpt_inlines *inlines)
{
	struct answer **old = inlines->slots;
	size_t i, old_nr = inlines->slots_nr;

	inlines->slots = calloc(old_nr * 2, sizeof(struct answer *));
	if (!inlines->slots) {
		inlines->slots = old;
		return false;
	}
	inlines->slots_nr = old_nr * 2;
	for (i = 0; i < old_nr; i++)
		if (old[i])
			inlines->slots[slot_of(inlines, old[i]->addr)] = old[i];
	free(old);
	return true;
}

size_t rpt_dso_inline_frames(struct rpt_dso *dso, uint64_t addr,
			     const struct rpt_inline_frame **ret_frames)
{
	struct rpt_inlines *inlines;
	struct answer *answer;
	size_t slot;

	/* Names come first: they open the files. */
	dso = rpt_dso_loaded(dso);
	if (dso->kind != RPT_DSO_USER || !rpt_dso_symbol(dso, addr))
		return 0;
	if (!dso->inlines)
		dso->inlines = open_inlines(dso);
	inlines = dso->inlines;
	if (!inlines || !inlines->functions)
		return 0;
	slot = slot_of(inlines, addr);
	answer = inlines->slots[slot];
	if (!answer) {
		if (inlines->answers_nr * 2 >= inlines->slots_nr &&
		    !grow(inlines))
			return 0;
		answer = make_answer(dso, addr);
		if (!answer)
			return 0;
		inlines->answers_nr++;
		inlines->slots[slot_of(inlines, addr)] = answer;
	}
	*ret_frames = answer->frames;
	return answer->frames_nr;
}

bool rpt_dso_has_functions(struct rpt_dso *dso)
{
	dso = rpt_dso_loaded(dso);
	return dso->kind == RPT_DSO_USER && rpt_dso_debug_file(dso);
}

struct rpt_dwarf_functions *rpt_dso_functions(struct rpt_dso *dso)
{
	if (!dso->inlines)
		dso->inlines = open_inlines(dso);
	return dso->inlines ? dso->inlines->functions : NULL;
}

bool rpt_dso_call_line(struct rpt_dso *dso, uint64_t call_off,
		       const char **ret_file, int *ret_line)
{
	struct rpt_dwarf_functions *functions =
		rpt_dso_functions(rpt_dso_loaded(dso));

	return functions && rpt_dwarf_functions_call(functions, call_off,
						     ret_file, ret_line);
}

static const struct rpt_elf *file_of(const struct rpt_dso *dso)
{
	while (dso->lent)
		dso = dso->lent;
	return dso->runtime;
}

uint64_t rpt_dso_file_addr(const struct rpt_dso *dso, uint64_t addr)
{
	const struct rpt_elf *file = file_of(dso);
	uint64_t file_addr;

	if (file && rpt_elf_off_to_addr(file, addr, &file_addr))
		return file_addr;
	return addr;
}

bool rpt_dso_has_file(const struct rpt_dso *dso)
{
	return file_of(dso) != NULL;
}
