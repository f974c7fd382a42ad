/* Names of the kernel and its modules, and by how much their addresses moved
 * since. */
#include "report/symbols/dso.h"

#include "report/symbols/debug_file.h"
#include "report/elf/elf_symbols.h"
#include "report/symbols/kallsyms_locate.h"
#include "report/symbols/symbols.h"
#include "report/symbols/kernel_origin.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

static void no_kernel(struct rpt_symbols *symbols, const char *why)
{
	snprintf(symbols->kernel_names.problem,
		 sizeof(symbols->kernel_names.problem), "%s", why);
}

/* By how much the table's addresses are above the recorded ones. */
static uint64_t moved_by(const struct rpt_symbols *symbols, uint64_t ref_addr)
{
	return symbols->kernel.ref_addr ? ref_addr - symbols->kernel.ref_addr
					: 0;
}

static bool has_raw_names(const struct rpt_symbols *symbols)
{
	return symbols->conf.raw_names || !symbols->conf.demangle_kernel;
}

/* NULL: none serves. */
static struct rpt_kallsyms_cache *open_copy(const struct rpt_symbols *symbols)
{
	uint8_t id[RPT_BUILD_ID_MAX];
	uint8_t len = rpt_running_build_id(id);
	char path[PATH_MAX];

	if (!rpt_build_id_path(path, symbols->home_cache, id, len, "kallsyms"))
		return NULL;
	return rpt_kallsyms_cache_open(path, RPT_RUNNING_KALLSYMS,
				       has_raw_names(symbols));
}

/* Recorded since it was booted, so that all addresses are as recorded. */
static bool use_copy(struct rpt_symbols *symbols)
{
	uint64_t ref_addr;

	if (!symbols->kernel.ref_addr)
		return false;
	symbols->kernel_names.copy = open_copy(symbols);
	if (!symbols->kernel_names.copy)
		return false;
	if (rpt_kallsyms_cache_ref(symbols->kernel_names.copy,
				   symbols->kernel.ref_name, &ref_addr) &&
	    ref_addr == symbols->kernel.ref_addr)
		return true;
	rpt_kallsyms_cache_free(symbols->kernel_names.copy);
	symbols->kernel_names.copy = NULL;
	return false;
}

/* All names in one table, and none goes on behind the range that it begins in.
 */
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
	rpt_symbol_table_index(table);
}

static bool read_kallsyms(struct rpt_symbols *symbols, const char *path)
{
	const struct rpt_kcore *kcore = rpt_symbols_kcore(symbols);
	struct pd_err err = PD_ERR_INIT;

	if (rpt_kallsyms_read(&symbols->kernel_names.kallsyms, path,
			      has_raw_names(symbols), &err)) {
		snprintf(symbols->kernel_names.problem,
			 sizeof(symbols->kernel_names.problem), "%.180s: %s",
			 path, err.text);
		return false;
	}
	if (symbols->kernel_names.kallsyms.is_hidden)
		no_kernel(symbols, "the kernel hides its addresses "
				   "(kernel.kptr_restrict)");
	if (kcore)
		fit_to_kcore(&symbols->kernel_names.kallsyms, kcore);
	return !symbols->kernel_names.kallsyms.is_hidden;
}

static bool use_kallsyms(struct rpt_symbols *symbols, const char *path)
{
	uint64_t ref_addr;

	if (!read_kallsyms(symbols, path))
		return false;
	if (rpt_kallsyms_addr(&symbols->kernel_names.kallsyms,
			      symbols->kernel.ref_name, &ref_addr))
		symbols->kernel_names.add = moved_by(symbols, ref_addr);
	return true;
}

static bool vmlinux_ref(const struct rpt_elf *file, const char *name,
			uint64_t *ret_addr)
{
	struct rpt_elf_section symtab;
	Elf_Data *data;
	GElf_Sym sym;
	int i;

	if (!rpt_elf_section(file, ".symtab", &symtab))
		return false;
	data = elf_getdata(symtab.scn, NULL);
	for (i = 1; data && gelf_getsym(data, i, &sym); i++) {
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
	struct rpt_elf *file = symbols->kernel_names.source.vmlinux;
	uint64_t ref_addr;

	if (rpt_elf_symbols_read(&symbols->kernel_names.vmlinux_table, file,
				 file, RPT_ADDRESS_SPACE_ADDR) != 0)
		return false;
	rpt_symbol_table_index(&symbols->kernel_names.vmlinux_table);
	if (vmlinux_ref(file, symbols->kernel.ref_name, &ref_addr))
		symbols->kernel_names.add = moved_by(symbols, ref_addr);
	return true;
}

/* If that is why: not that --vmlinux or --symfs had nothing. */
static void withhold(struct rpt_symbols *symbols)
{
	const struct rpt_symbols_conf *conf = &symbols->conf;

	if (!*conf->symfs && !(conf->vmlinux && !conf->ignore_vmlinux))
		symbols->kernel_names.is_withheld = rpt_kernel_origin_text(
			symbols, symbols->kernel_names.problem,
			sizeof(symbols->kernel_names.problem));
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
	if (!source->kallsyms) {
		no_kernel(symbols, rpt_kallsyms_locate_problem(symbols));
		withhold(symbols);
		return false;
	}
	if (!symbols->conf.kallsyms &&
	    !strcmp(source->kallsyms, RPT_RUNNING_KALLSYMS) &&
	    use_copy(symbols))
		return true;
	return use_kallsyms(symbols, source->kallsyms);
}

static void load_once(struct rpt_symbols *symbols)
{
	if (symbols->kernel_names.is_loaded)
		return;
	symbols->kernel_names.is_loaded = true;
	rpt_symbol_table_init(&symbols->kernel_names.vmlinux_table,
			      has_raw_names(symbols));
	if (!symbols->kernel.ref_name)
		symbols->kernel.ref_name = "";
	if (use_source(symbols))
		symbols->kernel_names.problem[0] = '\0';
}

/* What the copy, if there is one, does not tell. */
static void load_rest(struct rpt_symbols *symbols)
{
	if (!symbols->kernel_names.copy || symbols->kernel_names.is_rest_loaded)
		return;
	symbols->kernel_names.is_rest_loaded = true;
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

/* Copies from to the DSO's table with sub taken off each address. */
static void copy_table(struct rpt_dso *dso, const struct rpt_symbol_table *from,
		       uint64_t sub)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct rpt_symbol sym = from->syms[i];

		sym.start -= sub;
		sym.end -= sub;
		rpt_symbol_table_add(&dso->names.table, &sym);
	}
	rpt_symbol_table_index(&dso->names.table);
}

static void load_kernel(struct rpt_dso *dso)
{
	struct rpt_symbols *symbols = dso->owner;
	struct rpt_symbol_table *table =
		symbols->kernel_names.source.vmlinux
			? &symbols->kernel_names.vmlinux_table
			: &symbols->kernel_names.kallsyms.kernel;

	dso->names.is_copied = symbols->kernel_names.copy;
	if (symbols->kernel_names.add)
		copy_table(dso, table, symbols->kernel_names.add);
	else
		dso->names.shared = table;
}

static int load_module_file(struct rpt_dso *dso)
{
	struct rpt_elf *file = rpt_dso_runtime(dso);
	int rc;

	if (!file || file->ehdr.e_type != ET_REL)
		return 0;
	rc = rpt_elf_symbols_read(&dso->names.table, file, file,
				  RPT_ADDRESS_SPACE_MODULE);
	if (!rc)
		rpt_symbol_table_index(&dso->names.table);
	return rc;
}

static int load_module(struct rpt_dso *dso)
{
	struct rpt_symbols *symbols = dso->owner;
	const struct rpt_symbol_table *from;
	char name[256];

	load_rest(symbols);
	rpt_module_name(dso->name, name, sizeof(name));
	from = rpt_kallsyms_module(&symbols->kernel_names.kallsyms, name);
	if (!from || !dso->end)
		return load_module_file(dso);
	copy_table(dso, from, dso->start);
	return 0;
}

void rpt_dso_load_kernel(struct rpt_dso *dso)
{
	bool is_module = dso->kind == RPT_DSO_MODULE;
	int rc = 0;

	rpt_threads_join(&dso->owner->kernel_names.task);
	load_once(dso->owner);
	if (is_module)
		rc = load_module(dso);
	else
		load_kernel(dso);
	if (rc)
		rpt_dso_set_problem(dso, strerror(-rc));
	else if ((!is_module || dso->owner->kernel_names.is_withheld) &&
		 !dso->names.is_copied &&
		 !(dso->names.shared ? dso->names.shared : &dso->names.table)
			  ->nr &&
		 !dso->names.recorded.nr)
		rpt_dso_set_problem(dso, dso->owner->kernel_names.problem);
}

const char *rpt_symbols_withheld(const struct rpt_symbols *symbols)
{
	const struct rpt_dso *dso;

	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++)
		if (symbols->kernel_names.is_withheld && dso->problem &&
		    !strcmp(dso->problem, symbols->kernel_names.problem))
			return dso->problem;
	return NULL;
}

struct rpt_symbol_table *rpt_dso_table_at(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_symbol_table *table =
		dso->names.is_copied
			? rpt_kallsyms_cache_at(dso->owner->kernel_names.copy,
						addr)
			: NULL;

	if (table)
		return table;
	if (dso->names.is_copied)
		load_rest(dso->owner);
	return dso->names.shared ? dso->names.shared : &dso->names.table;
}

void rpt_kernel_release(struct rpt_symbols *symbols)
{
	rpt_threads_join(&symbols->kernel_names.task);
	rpt_kallsyms_cache_free(symbols->kernel_names.copy);
	rpt_kallsyms_release(&symbols->kernel_names.kallsyms);
	rpt_symbol_table_release(&symbols->kernel_names.vmlinux_table);
	rpt_kallsyms_locate_release(&symbols->kernel_names.source);
	rpt_kernel_origin_release(&symbols->origin);
}
