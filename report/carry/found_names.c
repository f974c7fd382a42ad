#include "report/carry/found_names.h"

#include "format/base/search.h"
#include "format/symtab/perf_map_line.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/elf/elf_symbols.h"
#include "report/elf/plt.h"
#include "report/elf/symbol_table.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso.h"
#include "report/symbols/dso_class.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The symbols of a file as they stand in it: mangled, with all that start at
 * the same address. */

struct symbol_aliases {
	struct rpt_symbol_table table; /* neither sorted nor chosen from */
	uint32_t *order; /* owned: by start, then as in the file */
	uint32_t nr;
};

static struct pd_carried_file *new_file(struct rpt_found_names *found)
{
	found->files = rpt_grow(found->files, &found->cap, found->nr,
				sizeof(*found->files));
	found->lists = rpt_grow(found->lists, &found->lists_cap, found->nr,
				sizeof(*found->lists));
	memset(&found->lists[found->nr], 0, sizeof(*found->lists));
	memset(&found->files[found->nr], 0, sizeof(*found->files));
	return &found->files[found->nr++];
}

/* Add a name, whose text has to live as long. */
static void found_file_add(struct rpt_found_file *list,
			   const struct pd_carried_name *name)
{
	list->names = rpt_grow(list->names, &list->cap, list->nr,
			       sizeof(*list->names));
	list->names[list->nr++] = *name;
}

/* Take over what the recording carries; texts stay its own. */
static void take_old(struct rpt_found_names *found,
		     const struct pd_carried *carried)
{
	for (uint32_t i = 0; i < carried->file_nr; i++) {
		struct pd_carried_file *f = new_file(found);
		struct rpt_found_file *list = &found->lists[i];

		*f = carried->files[i];
		list->cap = f->name_nr + 1;
		list->names = rpt_alloc_zeroed(list->cap, sizeof(*list->names));
		if (!pd_carried_names(carried, i, list->names, NULL))
			list->nr = f->name_nr;
	}
	found->old_nr = found->nr;
}

static bool is_of_kernel(const struct rpt_dso *dso)
{
	return dso->kind == RPT_DSO_KERNEL || dso->kind == RPT_DSO_MODULE;
}

/* Return true if a recording can carry names of the DSO: those of KSYMBOL
 * records it has anyway. */
static bool is_carried(const struct rpt_dso *dso)
{
	if (dso->kind == RPT_DSO_GUEST || dso->names.recorded.nr)
		return false;
	return dso->kind != RPT_DSO_USER || dso->name[0] == '/';
}

static void take_segments(struct rpt_found_names *found,
			  struct pd_carried_file *f, const struct rpt_elf *elf)
{
	size_t nr = elf->loads_nr;

	if (nr > PD_ELF_SEGMENTS_MAX)
		nr = PD_ELF_SEGMENTS_MAX;
	f->segments =
		rpt_arena_alloc(&found->texts, (nr + 1) * sizeof(*f->segments));
	f->segment_nr = (uint32_t)nr;
	for (size_t i = 0; i < nr; i++)
		f->segments[i] = (struct pd_elf_segment){
			.off = elf->loads[i].p_offset,
			.addr = elf->loads[i].p_vaddr,
			.len = elf->loads[i].p_filesz,
		};
}

/* Describe a DSO's file. */
static void describe(struct rpt_found_names *found, struct rpt_dso *dso,
		     struct pd_carried_file *f)
{
	const struct rpt_elf *elf;
	uint8_t id_len;
	const uint8_t *id;
	uint32_t pid;

	dso = rpt_dso_loaded(dso);
	elf = dso->files.runtime;
	id = rpt_dso_build_id(dso, &id_len);
	f->path = (struct pd_str){ dso->name, strlen(dso->name) };
	if (is_of_kernel(dso)) {
		f->kind = PD_CARRIED_KERNEL;
		f->path = (struct pd_str){ "[kernel.kallsyms]", 17 };
	} else if (pd_is_perf_map(f->path, &pid)) {
		f->kind = PD_CARRIED_PERF_MAP;
		f->pid = pid;
	}
	f->is_64 = true;
	f->reason = elf || f->kind != PD_CARRIED_ELF ? PD_CARRIED_WHOLE
						     : PD_CARRIED_GONE;
	if (dso->kind != RPT_DSO_MODULE) {
		memcpy(f->build_id, id, id_len);
		f->build_id_len = id_len;
	}
	if (!elf || f->kind != PD_CARRIED_ELF)
		return;
	f->is_64 = elf->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	f->is_big_endian = elf->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	f->machine = elf->ehdr.e_machine;
	f->type = elf->ehdr.e_type;
	take_segments(found, f, elf);
}

/* Return the number of a new file of the kernel's, or UINT32_MAX. */
static uint32_t find_kernel(const struct rpt_found_names *found)
{
	for (uint32_t i = found->old_nr; i < found->nr; i++)
		if (found->files[i].kind == PD_CARRIED_KERNEL)
			return i;
	return UINT32_MAX;
}

/* Return the number of the file that carries the DSO's names, a new one if
 * there is none. */
static uint32_t file_of(struct rpt_found_names *found, struct rpt_dso *dso)
{
	const struct pd_carried *carried = &dso->owner->carried;
	const struct pd_carried_file *old = rpt_dso_carried_file(dso);
	uint32_t idx;

	if (old)
		return (uint32_t)(old - carried->files);
	idx = is_of_kernel(dso) ? find_kernel(found) : UINT32_MAX;
	if (idx != UINT32_MAX) {
		/* the kernel's own build-id, if a module came first */
		if (dso->kind == RPT_DSO_KERNEL)
			describe(found, dso, &found->files[idx]);
		return idx;
	}
	describe(found, dso, new_file(found));
	found->is_changed = true;
	return found->nr - 1;
}

/* The letter of a kernel's symbol, as nm(1) has it. */
static uint8_t letter_of(const struct rpt_symbol *sym)
{
	char letter = sym->type == STT_OBJECT ? 'd' : 't';

	if (sym->binding == STB_WEAK)
		letter = 'w';
	return (uint8_t)(sym->binding == STB_GLOBAL ? letter - 'a' + 'A'
						    : letter);
}

/* Add a name out of kallsyms or a perf map. */
static void add_line(struct rpt_found_names *found, struct rpt_found_file *list,
		     const struct rpt_dso *dso, const struct rpt_symbol *sym)
{
	bool is_module = dso->kind == RPT_DSO_MODULE;
	char module[256] = "", *text;
	struct pd_carried_name name = {
		.start = sym->start + (is_module ? dso->range.start : 0),
		.len = sym->end - sym->start,
		.source = PD_CARRIED_LINE,
		.info = is_of_kernel(dso) ? letter_of(sym) : 0,
	};
	size_t len;

	if (is_module)
		rpt_module_name(dso->name, module, sizeof(module));
	len = strlen(sym->name) + strlen(module) + 2;
	text = rpt_arena_alloc(&found->texts, len);
	snprintf(text, len, "%s%s%s", sym->name, *module ? "\t" : "", module);
	name.text = (struct pd_str){ text, strlen(text) };
	found_file_add(list, &name);
}

/* Return the symbol that this machine has at an address, if it is not what the
 * recording carries; *ret_is_first if that carries none.  A Go program's table
 * says no more than what is carried. */
static const struct rpt_symbol *find_new(struct rpt_dso *dso, uint64_t addr,
					 bool *ret_is_first)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *here =
		rpt_dso_find(rpt_dso_loaded(dso), addr, &range);
	const struct rpt_symbol *there =
		rpt_dso_carried_symbol(dso, addr, &range);

	*ret_is_first = here && !there;
	if (here && there &&
	    (here->is_go ||
	     (there->start == here->start && there->end == here->end &&
	      !strcmp(there->name, here->name))))
		return NULL;
	return here;
}

/* By start; names of one start keep their order. */
static int compare_names(const void *a, const void *b)
{
	const struct pd_carried_name *x = *(void *const *)a,
				     *y = *(void *const *)b;
	int rc = rpt_compare_u64(x->start, y->start);

	return rc ? rc : rpt_compare_u64((uintptr_t)x, (uintptr_t)y);
}

static bool is_same(const struct pd_carried_name *a,
		    const struct pd_carried_name *b)
{
	return a->start == b->start && a->len == b->len &&
	       a->source == b->source && a->text.len == b->text.len &&
	       !memcmp(a->text.ptr, b->text.ptr, a->text.len);
}

/* Return true if the name is among those before it. */
static bool is_repeated(const struct rpt_found_file *list, uint32_t nr,
			const struct pd_carried_name *name)
{
	for (uint32_t i = nr; i-- && list->names[i].start == name->start;)
		if (is_same(&list->names[i], name))
			return true;
	return false;
}

/* Sort by start; names that were added before come first. */
static void sort_names(struct rpt_found_file *list)
{
	struct pd_carried_name **order =
		rpt_alloc_zeroed(list->nr + (size_t)1, sizeof(*order));
	struct pd_carried_name *sorted =
		rpt_alloc_zeroed(list->nr + (size_t)1, sizeof(*sorted));
	struct rpt_found_file to = { .names = sorted, .is_changed = true };

	for (uint32_t i = 0; i < list->nr; i++)
		order[i] = &list->names[i];
	qsort(order, list->nr, sizeof(*order), compare_names);
	for (uint32_t i = 0; i < list->nr; i++)
		if (!is_repeated(&to, to.nr, order[i]))
			sorted[to.nr++] = *order[i];
	to.cap = list->nr + 1;
	free(order);
	free(list->names);
	*list = to;
}

struct item {
	uint64_t start;
	uint32_t idx;
};

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int rc = rpt_compare_u64(x->start, y->start);

	return rc ? rc : rpt_compare_u64(x->idx, y->idx);
}

static void sort(struct symbol_aliases *aliases)
{
	uint32_t nr = (uint32_t)aliases->table.nr;
	struct item *items = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*items));

	for (uint32_t i = 0; i < nr; i++)
		items[i] = (struct item){ aliases->table.syms[i].start, i };
	qsort(items, nr, sizeof(*items), compare_items);
	aliases->order =
		rpt_alloc_zeroed(nr + (size_t)1, sizeof(*aliases->order));
	for (uint32_t i = 0; i < nr; i++)
		aliases->order[i] = items[i].idx;
	aliases->nr = nr;
	free(items);
}

/* Read the symbols of a loaded DSO's files. */
static void symbol_aliases_read(struct symbol_aliases *aliases,
				const struct rpt_dso *dso)
{
	const struct rpt_dso_files *files = &dso->files;
	const struct rpt_elf *syms =
		files->debug ? files->debug : files->runtime;
	const struct rpt_elf *runtime =
		files->runtime ? files->runtime : files->debug;

	rpt_symbol_table_init(&aliases->table, true);
	if (!syms)
		return;
	rpt_elf_symbols_add(&aliases->table, syms, runtime, PD_ELF_SPACE_FILE);
	if (files->is_mini)
		rpt_elf_symbols_add(&aliases->table, runtime, runtime,
				    PD_ELF_SPACE_FILE);
	rpt_plt_symbols_read(&aliases->table, runtime);
	sort(aliases);
}

/* Bytes of text, with a NUL each, that the names of a file may take, for the
 * file and for each hit.  Aliases can share one long text; those that do not
 * fit are left out. */
#define TEXT_LEN ((size_t)16 << 10)

/* Add one of them if it fits.  What has no size gets that up to the end of
 * chosen, which readers would find by the next symbol. */
static void add_one(const struct rpt_symbol *sym,
		    const struct rpt_symbol *chosen,
		    struct rpt_found_names *found, struct rpt_found_file *list)
{
	size_t len = strnlen(sym->name, list->text_left);
	struct pd_carried_name name = {
		.start = sym->start,
		.len = (sym->end > sym->start ? sym->end : chosen->end) -
		       sym->start,
		.source = sym->is_go	? PD_CARRIED_GO
			  : sym->is_plt ? PD_CARRIED_PLT
					: PD_CARRIED_SYMTAB,
		.info = (uint8_t)ELF64_ST_INFO(sym->binding, sym->type),
	};

	if (len == list->text_left)
		return;
	list->text_left -= len + 1;
	name.text =
		(struct pd_str){ rpt_arena_copy(&found->texts, sym->name, len),
				 len };
	found_file_add(list, &name);
}

/* Add sym and all that start with it to a list; texts are found's. */
static void symbol_aliases_add(const struct symbol_aliases *aliases,
			       const struct rpt_symbol *sym,
			       struct rpt_found_names *found,
			       struct rpt_found_file *list)
{
	const struct rpt_symbol *syms = aliases->table.syms;
	uint32_t lo;

	PD_FIND_FIRST(lo, aliases->nr,
		      syms[aliases->order[lo]].start >= sym->start);
	for (; lo < aliases->nr; lo++) {
		const struct rpt_symbol *at = &syms[aliases->order[lo]];

		if (at->start != sym->start)
			break;
		if (at->is_plt == sym->is_plt)
			add_one(at, sym, found, list);
	}
}

/* Safe on a zeroed struct. */
static void symbol_aliases_release(struct symbol_aliases *aliases)
{
	rpt_symbol_table_release(&aliases->table);
	free(aliases->order);
}

/* Take the symbols of all hits of a file.  Return how many hits have one, and
 * in *ret_new_nr how many had none in what the recording carries; those of
 * found_code.h do not count. */
static uint64_t take_symbols(struct rpt_found_names *found,
			     const struct rpt_hit_file *hit, bool is_elf,
			     uint64_t *ret_new_nr)
{
	struct rpt_found_file *list = &found->lists[hit->carried_idx];
	struct symbol_aliases aliases = { .nr = 0 };
	const struct rpt_symbol *last = NULL;
	uint64_t named_nr = 0;
	bool is_first;

	if (is_elf)
		symbol_aliases_read(&aliases, rpt_dso_loaded(hit->dso));
	*ret_new_nr = 0;
	list->text_left = TEXT_LEN + TEXT_LEN * hit->hit_nr;
	for (uint32_t i = 0; i < hit->hit_nr; i++) {
		uint64_t addr = hit->hits[i].addr;
		const struct rpt_symbol *sym =
			find_new(hit->dso, addr, &is_first);

		if (!hit->hits[i].is_code) {
			named_nr += rpt_dso_symbol(hit->dso, addr) != NULL;
			*ret_new_nr += is_first;
		}
		if (!sym || sym == last)
			continue;
		last = sym;
		list->is_changed = true;
		if (sym->is_go)
			add_one(sym, sym, found, list);
		else if (is_elf)
			symbol_aliases_add(&aliases, sym, found, list);
		else
			add_line(found, list, hit->dso, sym);
	}
	symbol_aliases_release(&aliases);
	return named_nr;
}

static void find_in(struct rpt_found_names *found, struct rpt_hit_file *hit,
		    struct rpt_carry_result *result)
{
	uint32_t idx = file_of(found, hit->dso);
	struct pd_carried_file *f = &found->files[idx];
	uint64_t named_nr, new_nr;

	hit->carried_idx = idx;
	named_nr = take_symbols(found, hit, f->kind == PD_CARRIED_ELF, &new_nr);
	if (idx >= found->old_nr) {
		f->hit_nr += hit->hit_nr - hit->code_nr;
		f->named_nr += named_nr;
	} else if (new_nr) {
		f->named_nr += new_nr;
		if (f->named_nr > f->hit_nr)
			f->named_nr = f->hit_nr;
		if (rpt_dso_loaded(hit->dso)->files.runtime)
			f->reason = PD_CARRIED_WHOLE;
	}
	result->new_name_nr += new_nr;
	rpt_carry_count_add(&result->names, named_nr,
			    hit->hit_nr - hit->code_nr, rpt_dso_name(hit->dso));
}

void rpt_found_names_find(struct rpt_found_names *found,
			  const struct rpt_symbols *symbols,
			  struct rpt_hit_files *hits,
			  struct rpt_carry_result *result)
{
	memset(found, 0, sizeof(*found));
	take_old(found, &symbols->carried);
	for (uint32_t i = 0; i < hits->nr; i++)
		if (is_carried(hits->files[i].dso))
			find_in(found, &hits->files[i], result);
	for (uint32_t i = 0; i < found->nr; i++) {
		if (found->lists[i].is_changed)
			sort_names(&found->lists[i]);
		found->is_changed |= found->lists[i].is_changed;
		found->files[i].names = found->lists[i].names;
		found->files[i].name_nr = found->lists[i].nr;
	}
}

void rpt_found_names_release(struct rpt_found_names *found)
{
	for (uint32_t i = 0; i < found->nr; i++)
		free(found->lists[i].names);
	free(found->files);
	free(found->lists);
	rpt_arena_release(&found->texts);
	memset(found, 0, sizeof(*found));
}
