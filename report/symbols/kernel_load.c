/* Names of the kernel and its modules, and by how much their addresses moved
 * since. */
#include "report/symbols/dso.h"

#include "report/symbols/debug_file.h"
#include "report/elf/elf_symbols.h"
#include "report/symbols/kallsyms_prefetch.h"
#include "report/symbols/kallsyms_locate.h"
#include "report/symbols/host_kernel.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void no_kernel(struct rpt_symbols *symbols, const char *why)
{
	snprintf(symbols->kernel_problem, sizeof(symbols->kernel_problem), "%s",
		 why);
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

static void *read_early(void *arg)
{
	struct rpt_symbols *symbols = arg;
	struct pd_err err = PD_ERR_INIT;

	symbols->early_copy = open_copy(symbols);
	symbols->is_early_read =
		!symbols->early_copy &&
		!rpt_kallsyms_read(&symbols->early, RPT_RUNNING_KALLSYMS,
				   has_raw_names(symbols),
				   &symbols->is_kernel_unwanted, &err);
	return NULL;
}

void rpt_symbols_expect_running_kernel(struct rpt_symbols *symbols)
{
	const struct rpt_symbols_conf *conf = &symbols->conf;

	if (conf->kallsyms || conf->vmlinux || *conf->symfs || conf->lender)
		return;
	symbols->is_early_thread = !pthread_create(&symbols->early_thread, NULL,
						   read_early, symbols);
}

static void end_early(struct rpt_symbols *symbols)
{
	if (symbols->is_early_thread)
		pthread_join(symbols->early_thread, NULL);
	symbols->is_early_thread = false;
}

/* What was read before it was asked for, if that was the right file. */
static bool take_early(struct rpt_symbols *symbols, const char *path)
{
	if (strcmp(path, RPT_RUNNING_KALLSYMS) != 0)
		return false;
	end_early(symbols);
	if (!symbols->is_early_read)
		return false;
	symbols->is_early_read = false;
	symbols->kallsyms = symbols->early;
	symbols->early = (struct rpt_kallsyms){ 0 };
	return true;
}

static struct rpt_kallsyms_cache *take_copy(struct rpt_symbols *symbols)
{
	bool was_early = symbols->is_early_thread;
	struct rpt_kallsyms_cache *copy;

	end_early(symbols);
	copy = symbols->early_copy;
	symbols->early_copy = NULL;
	return was_early ? copy : open_copy(symbols);
}

/* Recorded since it was booted, so that all addresses are as recorded. */
static bool use_copy(struct rpt_symbols *symbols)
{
	uint64_t ref_addr;

	if (!symbols->kernel.ref_addr)
		return false;
	symbols->copy = take_copy(symbols);
	if (!symbols->copy)
		return false;
	if (rpt_kallsyms_cache_ref(symbols->copy, symbols->kernel.ref_name,
				   &ref_addr) &&
	    ref_addr == symbols->kernel.ref_addr)
		return true;
	rpt_kallsyms_cache_free(symbols->copy);
	symbols->copy = NULL;
	return false;
}

/* All names in one table, and none goes on behind the range that it begins in.
 */
static int fit_to_kcore(struct rpt_kallsyms *kallsyms,
			const struct rpt_kcore *kcore)
{
	struct rpt_symbol_table *table = &kallsyms->kernel;
	int rc = rpt_kallsyms_join(kallsyms);

	for (size_t i = 0; i < table->nr && !rc; i++) {
		struct rpt_symbol *sym = &table->syms[i];
		const struct rpt_kcore_part *part =
			rpt_kcore_at(kcore, sym->start);

		if (part && sym->end > part->end)
			sym->end = part->end;
	}
	return rc;
}

static bool read_kallsyms(struct rpt_symbols *symbols, const char *path)
{
	const struct rpt_kcore *kcore = rpt_symbols_kcore(symbols);
	struct pd_err err = PD_ERR_INIT;

	if (!take_early(symbols, path) &&
	    rpt_kallsyms_read(&symbols->kallsyms, path, has_raw_names(symbols),
			      &symbols->is_kernel_unwanted, &err)) {
		snprintf(symbols->kernel_problem,
			 sizeof(symbols->kernel_problem), "%.180s: %s", path,
			 err.text);
		return false;
	}
	if (symbols->kallsyms.is_hidden)
		no_kernel(symbols, "the kernel hides its addresses "
				   "(kernel.kptr_restrict)");
	if (kcore && fit_to_kcore(&symbols->kallsyms, kcore)) {
		no_kernel(symbols, strerror(ENOMEM));
		return false;
	}
	return !symbols->kallsyms.is_hidden;
}

static bool use_kallsyms(struct rpt_symbols *symbols, const char *path)
{
	uint64_t ref_addr;

	if (!read_kallsyms(symbols, path))
		return false;
	if (rpt_kallsyms_addr(&symbols->kallsyms, symbols->kernel.ref_name,
			      &ref_addr))
		symbols->kernel_add = moved_by(symbols, ref_addr);
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
	struct rpt_elf *file = symbols->source.vmlinux;
	uint64_t ref_addr;

	if (rpt_elf_symbols_read(&symbols->vmlinux_table, file, file,
				 RPT_ADDRESS_SPACE_ADDR) != 0 ||
	    rpt_symbol_table_index(&symbols->vmlinux_table) != 0)
		return false;
	if (vmlinux_ref(file, symbols->kernel.ref_name, &ref_addr))
		symbols->kernel_add = moved_by(symbols, ref_addr);
	return true;
}

/* If that is why: not that --vmlinux or --symfs had nothing. */
static void withhold(struct rpt_symbols *symbols)
{
	const struct rpt_symbols_conf *conf = &symbols->conf;

	if (!*conf->symfs && !(conf->vmlinux && !conf->ignore_vmlinux))
		symbols->is_withheld =
			rpt_kernel_origin_text(symbols, symbols->kernel_problem,
					       sizeof(symbols->kernel_problem));
}

static bool use_source(struct rpt_symbols *symbols)
{
	struct rpt_kallsyms_locate *source = &symbols->source;

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
	if (symbols->is_kernel_loaded)
		return;
	symbols->is_kernel_loaded = true;
	rpt_symbol_table_init(&symbols->vmlinux_table, has_raw_names(symbols));
	if (!symbols->kernel.ref_name)
		symbols->kernel.ref_name = "";
	if (use_source(symbols))
		symbols->kernel_problem[0] = '\0';
}

/* What the copy, if there is one, does not tell. */
static void load_rest(struct rpt_symbols *symbols)
{
	if (!symbols->copy || symbols->is_rest_loaded)
		return;
	symbols->is_rest_loaded = true;
	read_kallsyms(symbols, RPT_RUNNING_KALLSYMS);
}

static void *prefetch(void *arg)
{
	struct rpt_symbols *symbols = arg;

	load_once(symbols);
	pthread_mutex_lock(&symbols->kernel_lock);
	symbols->is_kernel_busy = false;
	pthread_cond_broadcast(&symbols->kernel_done);
	pthread_mutex_unlock(&symbols->kernel_lock);
	if (symbols->is_rest_expected)
		load_rest(symbols);
	return NULL;
}

bool rpt_symbols_has_kernel(struct rpt_symbols *symbols)
{
	bool is_busy;

	pthread_mutex_lock(&symbols->kernel_lock);
	is_busy = symbols->is_kernel_busy;
	pthread_mutex_unlock(&symbols->kernel_lock);
	return !is_busy;
}

void rpt_symbols_await_kernel(struct rpt_symbols *symbols)
{
	pthread_mutex_lock(&symbols->kernel_lock);
	while (symbols->is_kernel_busy)
		pthread_cond_wait(&symbols->kernel_done, &symbols->kernel_lock);
	pthread_mutex_unlock(&symbols->kernel_lock);
}

/* Whether modules were mapped: samples are likely in some. */
static bool has_modules(const struct rpt_symbols *symbols)
{
	for (size_t i = 0; i < symbols->dsos_nr; i++) {
		const struct rpt_dso *dso = symbols->dsos[i];

		if (dso->kind == RPT_DSO_MODULE && dso->end && !dso->told.nr)
			return true;
	}
	return false;
}

void rpt_symbols_prefetch_kernel(struct rpt_symbols *symbols)
{
	const struct rpt_symbols *lender = symbols->conf.lender;

	for (; lender; lender = lender->conf.lender) {
		if (rpt_symbols_have_kernel_of(symbols, lender))
			return;
	}
	if (symbols->is_kernel_loaded || symbols->is_kernel_thread ||
	    !symbols->kernel.ref_name)
		return;
	symbols->is_rest_expected = has_modules(symbols);
	symbols->is_kernel_busy = true;
	symbols->is_kernel_thread = !pthread_create(&symbols->kernel_thread,
						    NULL, prefetch, symbols);
	if (!symbols->is_kernel_thread)
		symbols->is_kernel_busy = false;
}

static void end_prefetch(struct rpt_symbols *symbols)
{
	if (symbols->is_kernel_thread)
		pthread_join(symbols->kernel_thread, NULL);
	symbols->is_kernel_thread = false;
}

static void need_rest(struct rpt_symbols *symbols)
{
	end_prefetch(symbols);
	load_rest(symbols);
}

/* Copies from to the DSO's table with sub taken off each address. */
static int copy_table(struct rpt_dso *dso, const struct rpt_symbol_table *from,
		      uint64_t sub)
{
	struct rpt_symbol sym;
	size_t i;
	int rc = 0;

	for (i = 0; i < from->nr && rc == 0; i++) {
		sym = from->syms[i];
		sym.start -= sub;
		sym.end -= sub;
		rc = rpt_symbol_table_add(&dso->table, &sym);
	}
	return rc ? rc : rpt_symbol_table_index(&dso->table);
}

static int load_kernel(struct rpt_dso *dso)
{
	struct rpt_symbols *symbols = dso->owner;
	struct rpt_symbol_table *table = symbols->source.vmlinux
						 ? &symbols->vmlinux_table
						 : &symbols->kallsyms.kernel;

	dso->is_copied = symbols->copy;
	if (symbols->kernel_add)
		return copy_table(dso, table, symbols->kernel_add);
	dso->shared = table;
	return 0;
}

static int load_module_file(struct rpt_dso *dso)
{
	struct rpt_elf *file = rpt_dso_runtime(dso);

	if (!file || file->ehdr.e_type != ET_REL)
		return 0;
	return rpt_elf_symbols_read(&dso->table, file, file,
				    RPT_ADDRESS_SPACE_MODULE);
}

static int load_module(struct rpt_dso *dso)
{
	struct rpt_symbols *symbols = dso->owner;
	const struct rpt_symbol_table *from;
	char name[256];

	need_rest(symbols);
	rpt_module_name(dso->name, name, sizeof(name));
	from = rpt_kallsyms_module(&symbols->kallsyms, name);
	if (from && dso->end)
		return copy_table(dso, from, dso->start);
	return load_module_file(dso);
}

void rpt_dso_load_kernel(struct rpt_dso *dso)
{
	bool is_module = dso->kind == RPT_DSO_MODULE;
	int rc;

	rpt_symbols_await_kernel(dso->owner);
	load_once(dso->owner);
	rc = is_module ? load_module(dso) : load_kernel(dso);
	if (rc)
		rpt_dso_set_problem(dso, strerror(-rc));
	else if ((!is_module || dso->owner->is_withheld) && !dso->is_copied &&
		 !(dso->shared ? dso->shared : &dso->table)->nr &&
		 !dso->told.nr)
		rpt_dso_set_problem(dso, dso->owner->kernel_problem);
}

const char *rpt_symbols_withheld(const struct rpt_symbols *symbols)
{
	const struct rpt_dso *dso;

	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++)
		if (symbols->is_withheld && dso->problem &&
		    !strcmp(dso->problem, symbols->kernel_problem))
			return dso->problem;
	return NULL;
}

struct rpt_symbol_table *rpt_dso_table_at(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_symbol_table *table =
		dso->is_copied ? rpt_kallsyms_cache_at(dso->owner->copy, addr)
			       : NULL;

	if (table)
		return table;
	if (dso->is_copied)
		need_rest(dso->owner);
	return dso->shared ? dso->shared : &dso->table;
}

void rpt_kernel_release(struct rpt_symbols *symbols)
{
	atomic_store(&symbols->is_kernel_unwanted, true);
	end_prefetch(symbols);
	end_early(symbols);
	rpt_kallsyms_release(&symbols->early);
	rpt_kallsyms_cache_free(symbols->early_copy);
	rpt_kallsyms_cache_free(symbols->copy);
	rpt_kallsyms_release(&symbols->kallsyms);
	rpt_symbol_table_release(&symbols->vmlinux_table);
	rpt_kallsyms_locate_release(&symbols->source);
	rpt_kernel_origin_release(&symbols->origin);
}
