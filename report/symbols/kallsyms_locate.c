#include "report/symbols/kallsyms_locate.h"

#include "report/cache/kallsyms_copy.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/dso.h"
#include "report/elf/elf_symbols.h"
#include "report/symbols/kernel_origin.h"
#include "report/base/whole_file.h"

#include "format/records/build_id.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MODULES_MAX_LEN ((size_t)1 << 20)
#define KCORE_CACHE	"[kernel.kcore]"

static struct rpt_elf *open_vmlinux(const struct rpt_symbols *symbols,
				    const struct sup_name *name,
				    bool is_checked)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *file = rpt_elf_open_for(name, &err);
	const struct rpt_kernel *kernel = &symbols->kernel;
	uint8_t id[RPT_BUILD_ID_MAX];

	if (!file)
		return NULL;
	if (rpt_elf_has_symtab(file) &&
	    (!is_checked ||
	     rpt_is_same_build_id(kernel->build_id, kernel->build_id_len, id,
				  rpt_elf_build_id(file, id))))
		return file;
	rpt_elf_close(file);
	return NULL;
}

/* The paths at which distributions put vmlinux; %s is the kernel's release. */
static const char *const vmlinux_places[] = {
	"vmlinux",
	"/boot/vmlinux",
	"/boot/vmlinux-%s",
	"/usr/lib/debug/boot/vmlinux-%s",
	"/lib/modules/%s/build/vmlinux",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/boot/vmlinux-%s.debug",
};

#define PLACES_NR (sizeof(vmlinux_places) / sizeof(vmlinux_places[0]))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static struct rpt_elf *find_vmlinux(const struct rpt_symbols *symbols)
{
	const struct rpt_kernel *kernel = &symbols->kernel;
	const char *symfs = symbols->conf.symfs;
	char place[PATH_MAX], path[PATH_MAX];
	struct sup_name name = { .path = path, .user = symbols->cache_user };
	struct rpt_elf *file = NULL;
	struct utsname host;

	if (kernel->build_id_len == 0 || uname(&host) != 0)
		return NULL;
	if (pd_build_id_path(path, PATH_MAX, symbols->home_cache,
			     kernel->build_id, kernel->build_id_len, "vmlinux"))
		file = open_vmlinux(symbols, &name, true);
	name.root_len = strlen(symfs);
	name.user = 0;
	for (size_t i = 0; !file && i < PLACES_NR; i++) {
		snprintf(place, sizeof(place), vmlinux_places[i], host.release);
		if (snprintf(path, sizeof(path), "%s%s", symfs, place) <
		    PATH_MAX)
			file = open_vmlinux(symbols, &name, true);
		/* anybody may have put it into the working directory */
		if (file && !i && !name.root_len && file->user &&
		    file->user != geteuid()) {
			rpt_elf_close(file);
			file = NULL;
		}
	}
	return file;
}
#pragma GCC diagnostic pop

static bool are_modules_there(const struct rpt_symbols *symbols,
			      const char *modules)
{
	char name[256];
	uint64_t addr;

	for (size_t i = 0; i < symbols->dsos_nr; i++) {
		const struct rpt_dso *dso = symbols->dsos[i];

		/* code of KSYMBOL records is not a module */
		if (dso->kind != RPT_DSO_MODULE || !dso->range.end ||
		    dso->names.recorded.nr)
			continue;
		rpt_module_name(dso->name, name, sizeof(name));
		if (!rpt_kcore_module(modules, name, &addr) ||
		    addr != dso->range.start)
			return false;
	}
	return true;
}

/* Return whether the kernel and its modules are where they were recorded. */
static bool is_as_recorded(const struct rpt_symbols *symbols,
			   const char *kallsyms)
{
	const struct rpt_kernel *kernel = &symbols->kernel;
	struct pd_err err = PD_ERR_INIT;
	bool are_there = false;
	char path[PATH_MAX];
	char *modules;
	uint64_t addr;
	size_t len;

	if (kernel->ref_addr &&
	    (!rpt_kallsyms_look_for(kallsyms, kernel->ref_name, &addr) ||
	     addr != kernel->ref_addr))
		return false;
	if (!rpt_kcore_beside(kallsyms, "modules", path))
		return false;
	modules = rpt_whole_file(path, MODULES_MAX_LEN, &len, &err);
	if (modules)
		are_there = are_modules_there(symbols, modules);
	free(modules);
	return are_there;
}

/* Read the kcore beside kallsyms.  Return whether it counts. */
static bool find_kcore(struct rpt_symbols *symbols, const char *kallsyms)
{
	struct rpt_kallsyms_locate *source = &symbols->kernel_names.source;
	char path[PATH_MAX];

	return source->is_kcore_wanted &&
	       rpt_kcore_beside(kallsyms, "kcore", path) &&
	       access(path, R_OK) == 0 && is_as_recorded(symbols, kallsyms) &&
	       rpt_kcore_read(&source->kcore, path);
}

/* Fill path with DIR/[kernel.kcore]/BUILDID of the recorded kernel, or with ""
 * if the cache has none. */
static void kcore_cache(struct rpt_symbols *symbols, char path[PATH_MAX])
{
	const struct rpt_kernel *kernel = &symbols->kernel;
	char hex[PD_BUILD_ID_HEX_LEN];
	uint8_t id[RPT_BUILD_ID_MAX];
	uint8_t len = kernel->build_id_len;

	if (len)
		memcpy(id, kernel->build_id, len);
	else if (rpt_is_kernel_here(symbols))
		len = rpt_running_build_id(id);
	pd_build_id_hex(id, len, hex);
	if (!len ||
	    snprintf(path, PATH_MAX, "%s/" KCORE_CACHE "/%s",
		     symbols->home_cache, hex) >= PATH_MAX ||
	    access(path, R_OK) != 0)
		path[0] = '\0';
}

/* Return the kallsyms of the cache's first copy, by name, whose kcore counts,
 * or NULL. */
static char *find_cached(struct rpt_symbols *symbols)
{
	char folder[PATH_MAX], *path, *found = NULL;
	struct dirent **copies;
	int nr;

	kcore_cache(symbols, folder);
	nr = folder[0] ? scandir(folder, &copies, NULL, alphasort) : -1;
	if (nr < 0)
		return NULL;
	for (int i = 0; i < nr; i++) {
		const char *name = copies[i]->d_name;

		if (!found && name[0] != '.' &&
		    asprintf(&path, "%s/%s/kallsyms", folder, name) > 0) {
			if (find_kcore(symbols, path))
				found = path;
			else
				free(path);
		}
		free(copies[i]);
	}
	free(copies);
	return found;
}

/* Return perf record's copy of the recorded kernel's kallsyms, or NULL. */
static char *find_copied(const struct rpt_symbols *symbols)
{
	const struct rpt_kernel *kernel = &symbols->kernel;
	char path[PATH_MAX];

	if (!pd_build_id_path(path, PATH_MAX, symbols->home_cache,
			      kernel->build_id, kernel->build_id_len,
			      "kallsyms") ||
	    access(path, R_OK) != 0)
		return NULL;
	/* what another recording carried is less than what this one does */
	if (rpt_symbols_carries_kernel(symbols) &&
	    rpt_kallsyms_copy_is_at(path))
		return NULL;
	return strdup(path);
}

static char *find_kallsyms(struct rpt_symbols *symbols)
{
	bool is_running = rpt_is_kernel_here(symbols);
	char *found;

	if (*symbols->conf.symfs)
		return find_copied(symbols);
	if (is_running && find_kcore(symbols, RPT_RUNNING_KALLSYMS))
		return strdup(RPT_RUNNING_KALLSYMS);
	found = find_cached(symbols);
	if (found || is_running)
		return found ? found : strdup(RPT_RUNNING_KALLSYMS);
	return find_copied(symbols);
}

const char *rpt_kallsyms_locate_problem(const struct rpt_symbols *symbols)
{
	if (symbols->conf.vmlinux && !symbols->conf.ignore_vmlinux)
		return "the vmlinux that was named has no symbols";
	if (*symbols->conf.symfs)
		return "no vmlinux or copied kallsyms of it was found below "
		       "--symfs";
	return "another kernel was recorded than runs here, and no vmlinux or "
	       "kallsyms of it was found";
}

void rpt_kallsyms_locate_find(struct rpt_symbols *symbols)
{
	const struct rpt_symbols_conf *conf = &symbols->conf;
	struct rpt_kallsyms_locate *source = &symbols->kernel_names.source;

	if (source->is_known)
		return;
	source->is_known = true;
	if (conf->kallsyms) {
		source->kallsyms = strdup(conf->kallsyms);
		find_kcore(symbols, conf->kallsyms);
	} else if (conf->vmlinux && !conf->ignore_vmlinux) {
		const struct sup_name name = { .path = conf->vmlinux };

		source->vmlinux = open_vmlinux(symbols, &name, false);
	} else {
		if (!conf->ignore_vmlinux)
			source->vmlinux = find_vmlinux(symbols);
		if (!source->vmlinux)
			source->kallsyms = find_kallsyms(symbols);
	}
}

void rpt_kallsyms_locate_pass(struct rpt_symbols *symbols)
{
	struct rpt_kallsyms_locate *source = &symbols->kernel_names.source;

	rpt_elf_close(source->vmlinux);
	source->vmlinux = NULL;
	if (!symbols->conf.vmlinux)
		source->kallsyms = find_kallsyms(symbols);
}

void rpt_kallsyms_locate_release(struct rpt_kallsyms_locate *source)
{
	rpt_elf_close(source->vmlinux);
	free(source->kallsyms);
	rpt_kcore_release(&source->kcore);
}

/* Return whether there may be a kcore that counts; nothing is read. */
static bool may_have_kcore(struct rpt_symbols *symbols)
{
	const struct rpt_symbols_conf *conf = &symbols->conf;
	char path[PATH_MAX];

	if (conf->kallsyms)
		return rpt_kcore_beside(conf->kallsyms, "kcore", path) &&
		       access(path, R_OK) == 0;
	if (*conf->symfs || (conf->vmlinux && !conf->ignore_vmlinux))
		return false;
	kcore_cache(symbols, path);
	return path[0] || access("/proc/kcore", R_OK) == 0;
}

void rpt_symbols_find_kcore(struct rpt_symbols *symbols)
{
	if (!symbols->kernel.ref_name || !may_have_kcore(symbols))
		return;
	symbols->kernel_names.source.is_kcore_wanted = true;
	rpt_kallsyms_locate_find(symbols);
}

const struct rpt_kcore *rpt_symbols_kcore(const struct rpt_symbols *symbols)
{
	return symbols->kernel_names.source.kcore.nr
		       ? &symbols->kernel_names.source.kcore
		       : NULL;
}
