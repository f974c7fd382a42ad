/* dso_load.c: finds the files of a DSO, the mapped one and the one with its
 * .symtab, and reads the symbols of a user file. */
#include "report/symbols/dso.h"

#include "report/base/memory.h"
#include "report/symbols/debug_file.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/inline_frames.h"
#include "report/elf/elf_symbols.h"
#include "report/symbols/perf_map.h"
#include "report/elf/sparse_elf.h"
#include "report/base/whole_file.h"

#include "format/records/build_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define VDSO_MAX_LEN ((uint64_t)1 << 20)
#define ROOT_LEN     32 /* of "/proc/12/root" */

/* Set why the file is not used, which does not matter if its names are carried.
 */
static void set_other(struct rpt_dso *dso, const char *text)
{
	if (!rpt_dso_has_carried(dso))
		rpt_dso_set_problem(dso, text);
}

static void note_mismatch(struct rpt_dso *dso, const uint8_t *got,
			  uint8_t got_len)
{
	char have[PD_BUILD_ID_HEX_LEN], want[PD_BUILD_ID_HEX_LEN], text[160];

	pd_build_id_hex(got, got_len, have);
	pd_build_id_hex(dso->build_id, dso->build_id_len, want);
	snprintf(text, sizeof(text),
		 "has build-id %s, recorded was %s: names left out",
		 got_len ? have : "none", want);
	set_other(dso, text);
}

/* Return whether the recording carries names of the file, or bounds. */
static bool carries_some(struct rpt_dso *dso)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);

	return f && f->name_nr;
}

/* Return file if it is the recorded one; else close it, return NULL, and note
 * the reason if is_noted. */
static struct rpt_elf *keep_if_same(struct rpt_dso *dso, struct rpt_elf *file,
				    bool is_noted)
{
	uint8_t id[RPT_BUILD_ID_MAX];
	uint8_t len;

	if (!file)
		return NULL;
	/* what another recording carried is less than what this one does */
	if (rpt_elf_is_sparse(file) && carries_some(dso)) {
		rpt_elf_close(file);
		return NULL;
	}
	if (rpt_dso_is_other(dso, file)) {
		if (is_noted)
			set_other(dso, "is another file than was recorded: "
				       "names left out");
		rpt_elf_close(file);
		return NULL;
	}
	len = rpt_elf_build_id(file, id);
	if (!dso->build_id_len &&
	    !rpt_runs_on_origin(dso->owner, file->ehdr.e_machine)) {
		if (is_noted)
			set_other(dso, "is for another machine than was "
				       "recorded: names left out");
		rpt_elf_close(file);
		return NULL;
	}
	if (!dso->build_id_len ||
	    rpt_is_same_build_id(dso->build_id, dso->build_id_len, id, len)) {
		rpt_dso_find_build_id(dso, id, len);
		return file;
	}
	if (is_noted)
		note_mismatch(dso, id, len);
	rpt_elf_close(file);
	return NULL;
}

/* Open the vdso of this process, which is the recorded one if the build-ids are
 * the same. */
static struct rpt_elf *open_own_vdso(struct pd_err *err)
{
	const void *base = (const void *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = base;
	uint64_t len;
	char *image;

	if (!base || ehdr->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	len = ehdr->e_shoff + (uint64_t)ehdr->e_shnum * ehdr->e_shentsize;
	if (len > VDSO_MAX_LEN)
		return NULL;
	image = rpt_alloc((size_t)len);
	memcpy(image, base, (size_t)len);
	return rpt_elf_open_memory(image, (size_t)len, err);
}

static void make_query(const struct rpt_dso *dso, const char *debuglink,
		       struct rpt_debug_query *query)
{
	bool is_vdso = dso->kind == RPT_DSO_VDSO;

	memset(query, 0, sizeof(*query));
	query->symfs =
		dso->files.root ? dso->files.root : dso->owner->conf.symfs;
	query->is_flat = dso->owner->symfs.is_flat;
	query->buildid_dir = dso->owner->home_cache;
	query->name = dso->name;
	query->debuglink = debuglink;
	query->cached_name = is_vdso ? "vdso" : "elf";
	query->build_id = dso->build_id;
	query->build_id_len = dso->build_id_len;
}

/* Return whether dso is of another machine's kernel and has no build-id: no
 * file of this machine is the recorded one then, unless it is below --symfs. */
static bool is_foreign(const struct rpt_dso *dso)
{
	return (dso->kind == RPT_DSO_VDSO || dso->kind == RPT_DSO_MODULE) &&
	       !dso->build_id_len && !*dso->owner->conf.symfs &&
	       !rpt_is_kernel_here(dso->owner);
}

/* Return who chose what stands at a place: the owner of the cache, or of the
 * file that a debug file is of; in a container, the user of the process, who
 * may have mounted it there.  A mapped file elsewhere is named by the
 * recording, so root reads it as the owner of that may read it.  Others see
 * what is theirs, and so does root below --symfs, or of a pipe, which may be
 * his own recorder's. */
static uid_t user_of(const struct rpt_dso *dso,
		     const struct rpt_debug_query *query,
		     enum rpt_debug_place place)
{
	uid_t user = SUP_ANYBODY;

	if (place == RPT_PLACE_CACHE || place == RPT_PLACE_CACHE_DEBUG)
		return dso->owner->cache_user;
	if (dso->files.runtime && place != RPT_PLACE_ITSELF)
		return dso->files.runtime->user;
	if (query->symfs == dso->owner->conf.symfs)
		return *query->symfs || geteuid() ||
				       dso->owner->author == SUP_ANYBODY
			       ? 0
			       : dso->owner->author;
	free(rpt_process_status(dso->mapper.pid, &user));
	return user;
}

static struct rpt_elf *open_place(struct rpt_dso *dso,
				  const struct rpt_debug_query *query,
				  enum rpt_debug_place place)
{
	struct pd_err err = PD_ERR_INIT;
	bool is_itself = place == RPT_PLACE_ITSELF;
	char path[PATH_MAX];
	struct sup_name name = { .path = path,
				 .user = user_of(dso, query, place) };
	struct rpt_elf *file;

	if (!rpt_debug_path(query, place, path))
		return NULL;
	if (place != RPT_PLACE_CACHE && place != RPT_PLACE_CACHE_DEBUG)
		name.root_len = strlen(query->symfs);
	file = dso->kind == RPT_DSO_MODULE ? rpt_elf_open_packed(&name, &err)
					   : rpt_elf_open_for(&name, &err);
	dso->files.is_no_elf |= is_itself && err.code == -EBADMSG;
	/* what is known of the file itself says more than that the root of a
	 * process is closed to this user */
	if (!file && is_itself && !dso->problem && err.code != -ENOENT &&
	    err.code != -EINVAL)
		rpt_dso_set_problem(dso, err.text);
	return keep_if_same(dso, file, is_itself);
}

static bool has_inode(const char *path, uint64_t ino)
{
	int fd = rpt_whole_file_find(path);
	struct stat st;
	bool has;

	if (fd < 0)
		return false;
	has = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == ino;
	close(fd);
	return has;
}

bool rpt_dso_path(const struct rpt_dso *dso, uint32_t pid, uint64_t ino,
		  char path[PATH_MAX])
{
	char root[ROOT_LEN];
	struct rpt_debug_query query = { .symfs = dso->owner->conf.symfs,
					 .is_flat = dso->owner->symfs.is_flat,
					 .name = dso->name };

	if (!rpt_debug_path(&query, RPT_PLACE_ITSELF, path))
		return false;
	if (*query.symfs || !ino || has_inode(path, ino))
		return true;
	snprintf(root, ROOT_LEN, "/proc/%u/root", pid);
	query.symfs = root;
	if (rpt_debug_path(&query, RPT_PLACE_ITSELF, path) &&
	    has_inode(path, ino))
		return true;
	query.symfs = dso->owner->conf.symfs;
	return rpt_debug_path(&query, RPT_PLACE_ITSELF, path);
}

/* Open the file below /proc/PID/root of the process that mapped it, if the
 * build-id or the inode is the same (the pid may be another process's by now).
 * Its debug files are then searched for there, too. */
static void open_in_container(struct rpt_dso *dso)
{
	char root[ROOT_LEN], path[PATH_MAX];
	struct rpt_debug_query query;

	if (!dso->mapper.pid || *dso->owner->conf.symfs)
		return;
	snprintf(root, ROOT_LEN, "/proc/%u/root", dso->mapper.pid);
	make_query(dso, NULL, &query);
	query.symfs = root;
	if (!rpt_debug_path(&query, RPT_PLACE_ITSELF, path) ||
	    (!dso->build_id_len && !has_inode(path, dso->mapper.ino)))
		return;
	dso->files.runtime = open_place(dso, &query, RPT_PLACE_ITSELF);
	if (dso->files.runtime)
		dso->files.root = strdup(root);
}

/* Return false if the file of this name is another one than was mapped, so that
 * a container may have that. */
static bool is_here(const struct rpt_dso *dso)
{
	return dso->build_id_len || !dso->mapper.ino ||
	       has_inode(dso->name, dso->mapper.ino);
}

static void open_runtime(struct rpt_dso *dso)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_debug_query query;

	dso->files.is_opened = true;
	if (is_foreign(dso)) {
		if (dso->kind == RPT_DSO_VDSO)
			set_other(dso, "is of another kernel than runs here: "
				       "names left out");
		return;
	}
	make_query(dso, NULL, &query);
	if (dso->kind == RPT_DSO_VDSO && !*dso->owner->conf.symfs)
		dso->files.runtime =
			keep_if_same(dso, open_own_vdso(&err), true);
	else if (dso->name[0] == '/' && !is_here(dso))
		open_in_container(dso);
	if (!dso->files.runtime && dso->name[0] == '/')
		dso->files.runtime = open_place(dso, &query, RPT_PLACE_ITSELF);
	if (!dso->files.runtime && dso->name[0] == '/')
		open_in_container(dso);
	/* perf record's cache may have a file that was replaced since */
	if (!dso->files.runtime)
		dso->files.runtime = open_place(dso, &query, RPT_PLACE_CACHE);
	if (dso->files.runtime)
		rpt_dso_set_problem(dso, NULL);
}

struct rpt_elf *rpt_dso_runtime(struct rpt_dso *dso)
{
	if (!dso->files.is_opened && !rpt_is_perf_map(dso->name))
		open_runtime(dso);
	return dso->files.runtime;
}

static const char *debuglink_of(const struct rpt_elf *file)
{
	struct rpt_elf_section section;
	Elf_Data *data;

	if (!file || !rpt_elf_section(file, ".gnu_debuglink", &section))
		return NULL;
	data = elf_getdata(section.scn, NULL);
	if (!data || !data->d_buf || !memchr(data->d_buf, '\0', data->d_size))
		return NULL;
	return data->d_buf;
}

static const char origins[RPT_PLACES] = {
	[RPT_PLACE_LINK_BESIDE] = 'l', [RPT_PLACE_LINK_DEBUG] = 'l',
	[RPT_PLACE_LINK_GLOBAL] = 'l', [RPT_PLACE_CACHE] = 'B',
	[RPT_PLACE_CACHE_DEBUG] = 'D', [RPT_PLACE_GLOBAL_SUFFIX] = 'f',
	[RPT_PLACE_GLOBAL] = 'u',      [RPT_PLACE_GLOBAL_ID] = 'b',
	[RPT_PLACE_ITSELF] = 'd',      [RPT_PLACE_BESIDE] = 'o',
};

/* Return the first file with a .symtab, or .gnu_debugdata; or NULL. */
static struct rpt_elf *find_debug(struct rpt_dso *dso)
{
	struct rpt_debug_query query;
	enum rpt_debug_place place;
	struct rpt_elf *file;

	make_query(dso, debuglink_of(dso->files.runtime), &query);
	for (place = 0; place < RPT_PLACES; place++) {
		if (place == RPT_PLACE_ITSELF) {
			if (dso->files.runtime &&
			    rpt_elf_has_symtab(dso->files.runtime))
				return NULL;
			continue;
		}
		file = open_place(dso, &query, place);
		dso->files.debug_origin = origins[place];
		if (file && rpt_elf_has_symtab(file))
			return file;
		rpt_elf_close(file);
	}
	file = dso->files.runtime ? rpt_elf_open_minidebug(dso->files.runtime)
				  : NULL;
	dso->files.is_mini = file;
	return file;
}

static void open_files(struct rpt_dso *dso)
{
	if (dso->files.is_debug_searched)
		return;
	dso->files.is_debug_searched = true;
	rpt_dso_runtime(dso);
	if (dso->kind == RPT_DSO_VDSO || dso->name[0] == '/')
		dso->files.debug = find_debug(dso);
}

bool rpt_dso_lacks_debug(struct rpt_dso *dso, bool are_lines_wanted)
{
	bool has_carried = rpt_dso_has_carried_lines(dso);

	dso = rpt_dso_shared(dso);
	if (dso->kind != RPT_DSO_USER || dso->is_loaded ||
	    dso->files.is_debug_unserved || dso->name[0] != '/' ||
	    rpt_is_perf_map(dso->name))
		return false;
	open_files(dso);
	if (!dso->build_id_len)
		return false;
	if (are_lines_wanted)
		return !has_carried && !rpt_dso_debug_file(dso) &&
		       !rpt_dso_has_go(dso);
	return dso->files.is_mini ||
	       (!dso->files.debug && !(dso->files.runtime &&
				       rpt_elf_has_symtab(dso->files.runtime)));
}

void rpt_dso_note_unserved(struct rpt_dso *dso)
{
	rpt_dso_shared(dso)->files.is_debug_unserved = true;
}

bool rpt_dso_take_debug(struct rpt_dso *dso, int fd)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *file;

	dso = rpt_dso_shared(dso);
	file = keep_if_same(dso, rpt_elf_open_fd(fd, &err), false);
	if (!file || !rpt_elf_has_symtab(file)) {
		rpt_elf_close(file);
		return false;
	}
	file->user = SUP_ANYBODY; /* a server made it */
	rpt_elf_close(dso->files.debug);
	dso->files.debug = file;
	dso->files.is_mini = false;
	return true;
}

/* Return false with err filled if a table cannot be read. */
static bool read_tables(struct rpt_dso *dso, struct pd_err *err)
{
	const struct rpt_dso_files *files = &dso->files;
	const struct rpt_symbol_windows_conf conf = {
		.sources = { files->debug ? files->debug : files->runtime,
			     files->is_mini ? files->runtime : NULL },
		.runtime = files->runtime ? files->runtime : files->debug,
		.raw_names = dso->names.table.raw_names,
		.with_parameters = dso->names.table.with_parameters,
	};

	if (!conf.runtime)
		return true;
	dso->names.file = rpt_symbol_windows_new(&conf, err);
	return dso->names.file;
}

/* Return the mapped file's letter: perf opens that of the cache before it. */
static char runtime_origin(struct rpt_dso *dso)
{
	struct rpt_debug_query query;
	struct rpt_elf *cached;

	make_query(dso, NULL, &query);
	cached = open_place(dso, &query, RPT_PLACE_CACHE);
	rpt_elf_close(cached);
	return origins[cached ? RPT_PLACE_CACHE : RPT_PLACE_ITSELF];
}

/* Return a module's letter: perf has one of its own for what it unpacks. */
static char module_origin(const struct rpt_dso *dso)
{
	const char *ending = strrchr(dso->name, '.');
	bool is_packed =
		ending && (!strcmp(ending, ".gz") || !strcmp(ending, ".xz"));

	return is_packed ? 'm' : 'K';
}

static char kernel_origin(const struct rpt_dso *dso)
{
	const struct rpt_symbols *symbols = dso->owner;

	if (dso->kind == RPT_DSO_MODULE && dso->files.runtime)
		return module_origin(dso);
	if (symbols->kernel_names.source.vmlinux)
		return 'v';
	if (symbols->kernel_names.copy ||
	    symbols->kernel_names.kallsyms.kernel.nr)
		return 'k';
	/* not found: as perf */
	return dso->kind == RPT_DSO_MODULE ? module_origin(dso) : '!';
}

static char find_origin(struct rpt_dso *dso)
{
	if (dso->kind == RPT_DSO_KERNEL || dso->kind == RPT_DSO_MODULE)
		return kernel_origin(dso);
	if (dso->files.text)
		return 'j';
	if (dso->files.debug && !dso->files.is_mini)
		return dso->files.debug_origin;
	return dso->files.runtime ? runtime_origin(dso) : '!';
}

char rpt_dso_origin(struct rpt_dso *dso)
{
	dso = dso ? rpt_dso_shared(dso) : NULL;
	if (!dso || !dso->is_loaded)
		return dso && dso->kind == RPT_DSO_MODULE ? module_origin(dso)
							  : '!';
	if (!dso->origin)
		dso->origin = find_origin(dso);
	return dso->origin;
}

void rpt_dso_load(struct rpt_dso *dso)
{
	struct pd_err err = PD_ERR_INIT;

	if (rpt_is_perf_map(dso->name)) {
		if (!dso->source) /* else it has lines of it, with times */
			rpt_perf_map_read(dso);
		return;
	}
	open_files(dso);
	if (!read_tables(dso, &err))
		rpt_dso_set_problem(dso, err.text);
}
