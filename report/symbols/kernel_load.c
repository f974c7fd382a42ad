/* kernel_load.c: reads the names of the kernel and of its modules, and finds by
 * how much their addresses have moved since the recording. */
#include "report/symbols/dso.h"

#include "format/records/build_id.h"
#include "report/elf/elf_symbols.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/kallsyms_locate.h"
#include "report/symbols/kernel_origin.h"
#include "report/symbols/symbols.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void set_problem(struct rpt_kernel_names *names, const char *why)
{
	snprintf(names->problem, sizeof(names->problem), "%s", why);
}

static bool has_raw_names(const struct rpt_symbols *symbols)
{
	return symbols->conf.raw_names || !symbols->conf.demangle_kernel;
}

/* Return NULL if there is none that can be used. */
static struct rpt_kallsyms_cache *open_copy(const struct rpt_symbols *symbols)
{
	uint8_t id[RPT_BUILD_ID_MAX];
	uint8_t len = rpt_running_build_id(id);
	char path[PATH_MAX];

	if (!pd_build_id_path(path, PATH_MAX, symbols->home_cache, id, len,
			      "kallsyms"))
		return NULL;
	return rpt_kallsyms_cache_open(path, RPT_RUNNING_KALLSYMS,
				       has_raw_names(symbols));
}

/* Put all names in one table, each ending no later than the range of kcore that
 * it starts in. */
static void fit_to_kcore(struct rpt_kallsyms *kallsyms,
			 const struct rpt_kcore *kcore)
{
	struct rpt_symbol_table *table = &kallsyms->kernel;

	rpt_kallsyms_join(kallsyms);
	for (size_t i = 0; i < table->nr; i++) {
		struct rpt_symbol *sym = &table->syms[i];
		const struct rpt_kcore_part *part =
			rpt_kcore_at(kcore, sym->start);

		if (part && sym->end > part->end)
			sym->end = part->end;
	}
}

static bool read_kallsyms(struct rpt_symbols *symbols, const char *path)
{
	const struct rpt_kcore *kcore = rpt_symbols_kcore(symbols);
	struct rpt_kernel_names *names = &symbols->kernel_names;
	struct pd_err err = PD_ERR_INIT;

	if (rpt_kallsyms_read(&names->kallsyms, path, has_raw_names(symbols),
			      &err)) {
		snprintf(names->problem, sizeof(names->problem), "%.180s: %s",
			 path, err.text);
		return false;
	}
	if (names->kallsyms.is_hidden)
		set_problem(names, "the kernel hides its addresses "
				   "(kernel.kptr_restrict)");
	if (kcore)
		fit_to_kcore(&names->kallsyms, kcore);
	return !names->kallsyms.is_hidden;
}

/* A copy of the running kernel's names can be asked only if the kernel is where
 * it was recorded. */
static bool use_kallsyms(struct rpt_symbols *symbols)
{
	struct rpt_kernel_names *names = &symbols->kernel_names;
	const struct rpt_kernel *kernel = &symbols->kernel;
	const char *path = names->source.kallsyms;
	bool is_running =
		!symbols->conf.kallsyms && !strcmp(path, RPT_RUNNING_KALLSYMS);
	uint64_t ref_addr;

	if (kernel->ref_addr && *kernel->ref_name &&
	    rpt_kallsyms_look_for(path, kernel->ref_name, &ref_addr) &&
	    ref_addr) {
		names->add = ref_addr - kernel->ref_addr;
		if (is_running && !names->add)
			names->copy = open_copy(symbols);
	}
	return names->copy || read_kallsyms(symbols, path);
}

/* Find a reference symbol's address. */
static bool vmlinux_ref(const struct rpt_elf *file, const char *name,
			uint64_t *ret_addr)
{
	struct rpt_elf_section symtab;
	Elf_Data *data;
	GElf_Sym sym;

	if (!rpt_elf_section(file, ".symtab", &symtab))
		return false;
	data = elf_getdata(symtab.scn, NULL);
	for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
		const char *got =
			elf_strptr(file->elf, symtab.shdr.sh_link, sym.st_name);

		if (!got || strcmp(got, name) != 0)
			continue;
		*ret_addr = sym.st_value;
		return true;
	}
	return false;
}

static bool use_vmlinux(struct rpt_symbols *symbols)
{
	struct rpt_kernel_names *names = &symbols->kernel_names;
	const struct rpt_kernel *kernel = &symbols->kernel;
	uint64_t ref_addr;

	if (!rpt_elf_symbols_read(&names->vmlinux_table, names->source.vmlinux,
				  PD_ELF_SPACE_ADDR))
		return false;
	if (kernel->ref_addr &&
	    vmlinux_ref(names->source.vmlinux, kernel->ref_name, &ref_addr))
		names->add = ref_addr - kernel->ref_addr;
	return true;
}

/* Say so if the recorded kernel is not the running one; not if --vmlinux or
 * --symfs had no names. */
static void withhold(struct rpt_symbols *symbols)
{
	const struct rpt_symbols_conf *conf = &symbols->conf;
	struct rpt_kernel_names *names = &symbols->kernel_names;

	if (!*conf->symfs && !(conf->vmlinux && !conf->ignore_vmlinux))
		names->is_withheld = rpt_kernel_origin_text(
			symbols, names->problem, sizeof(names->problem));
}

static bool use_source(struct rpt_symbols *symbols)
{
	struct rpt_kallsyms_locate *source = &symbols->kernel_names.source;

	rpt_kallsyms_locate_find(symbols);
	if (source->vmlinux) {
		if (use_vmlinux(symbols))
			return true;
		rpt_kallsyms_locate_pass(symbols);
	}
	if (source->kallsyms)
		return use_kallsyms(symbols);
	set_problem(&symbols->kernel_names,
		    rpt_kallsyms_locate_problem(symbols));
	withhold(symbols);
	return false;
}

static void load_once(struct rpt_symbols *symbols)
{
	struct rpt_kernel_names *names = &symbols->kernel_names;

	if (names->is_loaded)
		return;
	names->is_loaded = true;
	rpt_symbol_table_init(&names->vmlinux_table, has_raw_names(symbols));
	if (!symbols->kernel.ref_name)
		symbols->kernel.ref_name = "";
	if (!use_source(symbols))
		return;
	names->problem[0] = '\0';
	names->table = names->source.vmlinux ? &names->vmlinux_table
					     : &names->kallsyms.kernel;
	if (!names->copy)
		rpt_symbol_table_index(names->table);
}

/* Read the names that the copy does not have. */
static void load_rest(struct rpt_symbols *symbols)
{
	struct rpt_kernel_names *names = &symbols->kernel_names;

	if (!names->copy || names->is_rest_loaded)
		return;
	names->is_rest_loaded = true;
	read_kallsyms(symbols, RPT_RUNNING_KALLSYMS);
}

static void load_in_background(void *ctx, uint32_t idx)
{
	(void)idx;
	load_once(ctx);
}

void rpt_symbols_prefetch_kernel(struct rpt_symbols *symbols)
{
	const struct rpt_symbols *from = symbols->conf.shared_from;

	for (; from; from = from->conf.shared_from) {
		if (rpt_symbols_have_kernel_of(symbols, from))
			return;
	}
	if (symbols->kernel.ref_name && !symbols->kernel_names.is_loaded &&
	    !symbols->kernel_names.task.nr)
		rpt_threads_start(&symbols->kernel_names.task, 1,
				  load_in_background, symbols);
}

/* Copy a table to that of the DSO, and subtract sub from each address. */
static void copy_table(struct rpt_dso *dso, const struct rpt_symbol_table *from,
		       uint64_t sub)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct rpt_symbol sym = from->syms[i];

		sym.start -= sub;
		sym.end -= sub;
		rpt_symbol_table_add(&dso->names.table, &sym);
	}
}

static void load_kernel(struct rpt_dso *dso)
{
	struct rpt_kernel_names *names = &dso->owner->kernel_names;

	if (names->add && names->table)
		copy_table(dso, names->table, names->add);
	else
		dso->names.shared = names->table;
}

/* Return false if the file is damaged. */
static bool load_module(struct rpt_dso *dso)
{
	struct rpt_symbols *symbols = dso->owner;
	const struct rpt_symbol_table *from;
	struct rpt_elf *file;
	char name[256];

	load_rest(symbols);
	rpt_module_name(dso->name, name, sizeof(name));
	from = rpt_kallsyms_module(&symbols->kernel_names.kallsyms, name);
	if (from && dso->range.end) {
		copy_table(dso, from, dso->range.start);
		return true;
	}
	file = rpt_dso_runtime(dso);
	return !file || file->ehdr.e_type != ET_REL ||
	       rpt_elf_symbols_read(&dso->names.table, file,
				    PD_ELF_SPACE_MODULE);
}

static bool has_names(struct rpt_dso *dso)
{
	const struct rpt_dso_names *names = &dso->names;

	return names->table.nr || (names->shared && names->shared->nr) ||
	       names->recorded.nr || rpt_dso_has_carried(dso) ||
	       (dso->kind == RPT_DSO_KERNEL && dso->owner->kernel_names.copy);
}

void rpt_dso_load_kernel(struct rpt_dso *dso)
{
	struct rpt_kernel_names *names = &dso->owner->kernel_names;
	bool is_module = dso->kind == RPT_DSO_MODULE;

	rpt_threads_join(&names->task);
	load_once(dso->owner);
	if (!is_module)
		load_kernel(dso);
	else if (!load_module(dso)) {
		rpt_dso_set_problem(dso, RPT_DSO_DAMAGED);
		return;
	}
	if ((!is_module || names->is_withheld) && !has_names(dso))
		rpt_dso_set_problem(dso, names->problem);
}

const char *rpt_symbols_withheld(const struct rpt_symbols *symbols)
{
	const struct rpt_kernel_names *names;
	struct rpt_dso *dso;

	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++) {
		if (!dso->problem)
			continue;
		/* another recording of this kernel may have looked for them */
		names = &rpt_dso_shared(dso)->owner->kernel_names;
		if (names->is_withheld && !strcmp(dso->problem, names->problem))
			return dso->problem;
	}
	return NULL;
}

const struct rpt_symbol *rpt_dso_find(struct rpt_dso *dso, uint64_t addr,
				      struct rpt_addr_range *range)
{
	struct rpt_dso_names *names = &dso->names;
	struct rpt_kallsyms_cache *copy = NULL;
	const struct rpt_symbol *sym;

	/* Until the kernel is loaded, the background task may set it. */
	if (dso->kind == RPT_DSO_KERNEL)
		copy = dso->owner->kernel_names.copy;
	if (copy) {
		if (rpt_kallsyms_cache_find(copy, addr, range, &sym))
			return sym;
		load_rest(dso->owner);
	}
	if (names->file) {
		sym = rpt_symbol_windows_find(names->file, addr, range);
		return sym ? sym : rpt_dso_go_find(dso, addr, range);
	}
	return rpt_symbol_table_find_range(
		names->shared ? names->shared : &names->table, addr, range);
}

void rpt_kernel_release(struct rpt_symbols *symbols)
{
	struct rpt_kernel_names *names = &symbols->kernel_names;

	rpt_threads_join(&names->task);
	rpt_kallsyms_cache_free(names->copy);
	rpt_kallsyms_release(&names->kallsyms);
	rpt_symbol_table_release(&names->vmlinux_table);
	rpt_kallsyms_locate_release(&names->source);
	rpt_kernel_origin_release(&symbols->origin);
}
