#include "report/elf/dwarf_functions.h"

#include "report/base/compare.h"
#include "report/base/memory.h"

#include "format/base/search.h"

#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>

#define DEPTH_MAX 128 /* nested namespaces, classes, blocks, inlines */
#define NO_PARENT SIZE_MAX

/* A range of code of one function. */
struct range {
	uint64_t start;
	uint64_t end;
	size_t function;
};

struct unit {
	Dwarf_Off die_off;
	bool is_walked;
	struct rpt_dwarf_function *functions;
	uint32_t functions_nr;
	uint32_t functions_cap;
	struct range *ranges;
	uint32_t ranges_nr;
	uint32_t ranges_cap;
};

/* A range of code of one unit. */
struct unit_range {
	uint64_t start;
	uint64_t end;
	size_t unit;
};

/* A range is written once, in two bytes at least, and taken by one function;
 * but many functions can say that one long list is theirs. */
enum { RANGES_MIN = 1 << 16 };

struct rpt_dwarf_functions {
	Dwarf *debug;
	size_t ranges_left; /* that may be read */
	bool is_over;	    /* there were more */
	struct unit *units;
	uint32_t units_nr;
	uint32_t units_cap;
	struct unit_range *index; /* by start */
	uint32_t index_nr;
	uint32_t index_cap;
};

/* The place in the ranges of a DIE; a zeroed one is their beginning. */
struct range_place {
	ptrdiff_t at;
	Dwarf_Addr base; /* dwarf_ranges() sets it once */
};

/* Read the next range of a DIE.  Return false if there is none. */
static bool next_range(struct rpt_dwarf_functions *f, Dwarf_Die *die,
		       struct range_place *place, uint64_t *ret_start,
		       uint64_t *ret_end)
{
	do {
		if (!f->ranges_left) {
			f->is_over = true;
			return false;
		}
		f->ranges_left--;
		place->at = dwarf_ranges(die, place->at, &place->base,
					 ret_start, ret_end);
	} while (place->at > 0 && *ret_start >= *ret_end);
	return place->at > 0;
}

static void add_unit(struct rpt_dwarf_functions *f, Dwarf_Die *die)
{
	uint32_t unit = f->units_nr++;
	uint64_t start, end;
	struct range_place place = { 0 };

	f->units = rpt_grow(f->units, &f->units_cap, unit, sizeof(*f->units));
	f->units[unit] = (struct unit){ .die_off = dwarf_dieoffset(die) };
	while (next_range(f, die, &place, &start, &end)) {
		f->index = rpt_grow(f->index, &f->index_cap, f->index_nr,
				    sizeof(*f->index));
		f->index[f->index_nr++] =
			(struct unit_range){ start, end, unit };
	}
}

static int by_start(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return rpt_compare_u64(x->start, y->start);
}

static void read_units(struct rpt_dwarf_functions *f)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	/* skip split units: libdw would open a .dwo */
	while (dwarf_get_units(f->debug, cu, &cu, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_partial ||
		    type == DW_UT_skeleton)
			add_unit(f, &die);
	if (f->index_nr)
		qsort(f->index, f->index_nr, sizeof(*f->index), by_start);
}

struct rpt_dwarf_functions *rpt_dwarf_functions_new(struct rpt_elf *file)
{
	Dwarf *debug = rpt_elf_dwarf(file);
	struct rpt_dwarf_functions *f;

	if (!debug)
		return NULL;
	f = rpt_alloc_zeroed(1, sizeof(*f));
	f->debug = debug;
	f->ranges_left = RANGES_MIN + rpt_elf_there_len(file);
	read_units(f);
	return f;
}

void rpt_dwarf_functions_free(struct rpt_dwarf_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->units_nr; i++) {
		free(functions->units[i].functions);
		free(functions->units[i].ranges);
	}
	free(functions->units);
	free(functions->index);
	dwarf_end(functions->debug);
	free(functions);
}

static void add_range(struct unit *unit, uint64_t start, uint64_t end,
		      size_t function)
{
	unit->ranges = rpt_grow(unit->ranges, &unit->ranges_cap,
				unit->ranges_nr, sizeof(*unit->ranges));
	unit->ranges[unit->ranges_nr++] =
		(struct range){ start, end, function };
}

/* Return whether the language's names are also the linker's. */
static bool is_plain_language(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Ada83:
	case DW_LANG_Cobol74:
	case DW_LANG_Cobol85:
	case DW_LANG_Fortran77:
	case DW_LANG_Pascal83:
	case DW_LANG_PLI:
	case DW_LANG_UPC:
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

static void read_name(struct rpt_dwarf_function *function, Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		function->name = dwarf_formstring(&attr);
	function->is_linkage = function->name || is_plain_language(die);
	if (!function->name)
		function->name = dwarf_diename(die);
}

/* Return the new function's index. */
static size_t add_function(struct rpt_dwarf_functions *f, struct unit *unit,
			   Dwarf_Die *die, size_t parent)
{
	struct rpt_dwarf_function function = {
		.parent = parent,
		.die_off = dwarf_dieoffset(die),
	};
	uint32_t idx = unit->functions_nr++;
	uint64_t start, end;
	struct range_place place = { 0 };

	unit->functions = rpt_grow(unit->functions, &unit->functions_cap, idx,
				   sizeof(*unit->functions));
	while (next_range(f, die, &place, &start, &end)) {
		if (!function.start)
			function.start = start;
		add_range(unit, start, end, idx);
	}
	if (function.start)
		read_name(&function, die);
	unit->functions[idx] = function;
	return idx;
}

/* Return whether functions can be inside of such a DIE. */
static bool is_scope(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static void walk(struct rpt_dwarf_functions *f, struct unit *unit,
		 Dwarf_Die *parent_die, size_t parent, unsigned depth)
{
	Dwarf_Die die;
	int rc = depth < DEPTH_MAX ? dwarf_child(parent_die, &die) : 1;

	for (; rc == 0 && !f->is_over; rc = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);
		size_t function = parent;

		if (!is_scope(tag))
			continue;
		/* a nested function is not inlined */
		if (tag == DW_TAG_subprogram)
			function = NO_PARENT;
		if (tag == DW_TAG_subprogram ||
		    tag == DW_TAG_inlined_subroutine)
			function = add_function(f, unit, &die, function);
		walk(f, unit, &die, function, depth + 1);
	}
}

static struct unit *unit_at(const struct rpt_dwarf_functions *f, uint64_t addr)
{
	size_t at;

	PD_FIND_FIRST(at, f->index_nr, f->index[at].start > addr);
	if (!at || addr >= f->index[at - 1].end)
		return NULL;
	return &f->units[f->index[at - 1].unit];
}

/* Return the function with the shortest range that holds addr; of equal ones,
 * the inner. */
static size_t function_at(const struct unit *unit, uint64_t addr)
{
	size_t best = NO_PARENT;
	uint64_t best_len = UINT64_MAX;

	for (size_t i = 0; i < unit->ranges_nr; i++) {
		const struct range *s = &unit->ranges[i];

		if (addr < s->start || addr >= s->end ||
		    s->end - s->start > best_len)
			continue;
		best = s->function;
		best_len = s->end - s->start;
	}
	return best;
}

size_t rpt_dwarf_functions_at(struct rpt_dwarf_functions *functions,
			      uint64_t addr,
			      const struct rpt_dwarf_function **found,
			      size_t max)
{
	struct unit *unit = unit_at(functions, addr);
	Dwarf_Die die;
	size_t at, nr = 0;

	if (!unit)
		return 0;
	if (!unit->is_walked) {
		unit->is_walked = true;
		if (dwarf_offdie(functions->debug, unit->die_off, &die))
			walk(functions, unit, &die, NO_PARENT, 0);
	}
	if (functions->is_over)
		return 0;
	for (at = function_at(unit, addr); at != NO_PARENT && nr < max;
	     at = found[nr - 1]->parent)
		found[nr++] = &unit->functions[at];
	return nr;
}

bool rpt_dwarf_functions_are_over(const struct rpt_dwarf_functions *functions)
{
	return functions->is_over;
}

bool rpt_dwarf_functions_call(struct rpt_dwarf_functions *functions,
			      uint64_t die_off, const char **ret_file,
			      int *ret_line)
{
	Dwarf_Attribute attr;
	Dwarf_Word line, file;
	Dwarf_Files *files;
	Dwarf_Die die, unit;
	size_t nr;

	if (!dwarf_offdie(functions->debug, die_off, &die) ||
	    dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &attr), &line) ||
	    dwarf_formudata(dwarf_attr(&die, DW_AT_call_file, &attr), &file) ||
	    !dwarf_diecu(&die, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || file >= nr ||
	    line > INT_MAX)
		return false;
	*ret_line = (int)line;
	*ret_file = dwarf_filesrc(files, (size_t)file, NULL, NULL);
	return *ret_file != NULL;
}

bool rpt_dwarf_functions_unit(const struct rpt_dwarf_functions *functions,
			      uint64_t addr, uint64_t *ret_die_off)
{
	const struct unit *unit = unit_at(functions, addr);

	if (unit)
		*ret_die_off = unit->die_off;
	return unit;
}

bool rpt_dwarf_functions_line(struct rpt_dwarf_functions *functions,
			      uint64_t addr, const char **ret_file,
			      int *ret_line)
{
	const struct unit *unit = unit_at(functions, addr);
	Dwarf_Line *line;
	Dwarf_Die die;

	if (!unit || !dwarf_offdie(functions->debug, unit->die_off, &die))
		return false;
	line = dwarf_getsrc_die(&die, addr);
	if (!line || dwarf_lineno(line, ret_line) != 0)
		return false;
	*ret_file = dwarf_linesrc(line, NULL, NULL);
	return *ret_file != NULL;
}
