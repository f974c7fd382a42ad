#include "report/cache/cache_entry.h"

#include "format/carried/carried_code.h"
#include "format/records/build_id.h"
#include "format/support/whole_io.h"
#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/cache/cache_tree.h"
#include "report/cache/kallsyms_copy.h"
#include "report/elf/elf_file.h"
#include "report/elf/sparse_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The code of a file in a cache, out of several recordings, each of which may
 * carry some: as name_union.h.
 *
 *	code_union_add(&code, run)
 *	code_union_add_elf(&code, file)	of an entry that we wrote
 *	pd_carried_runs_sort(code.items, &code.nr)
 *	code.items[0..code.nr)
 *	code_union_release(&code)
 *
 * Bytes stay the caller's: they have to be valid until then. */

struct code_union {
	struct pd_carried_run *items; /* owned; of one file */
	uint32_t nr;
	uint32_t cap;
};

static void code_union_add(struct code_union *code,
			   const struct pd_carried_run *run)
{
	code->items = rpt_grow(code->items, &code->cap, code->nr,
			       sizeof(*code->items));
	code->items[code->nr] = *run;
	code->items[code->nr++].file_idx = 0;
}

/* Add the code in a sparse file (sparse_elf.h). */
static void code_union_add_elf(struct code_union *code,
			       const struct rpt_elf *file)
{
	struct rpt_elf_section section;

	for (size_t i = 1; rpt_elf_section_at(file, i, &section); i++) {
		const Elf_Data *data =
			section.shdr.sh_type == SHT_PROGBITS && section.name &&
					!strcmp(section.name, ".text")
				? elf_rawdata(section.scn, NULL)
				: NULL;
		struct pd_carried_run run;

		if (!data || !data->d_buf || !data->d_size)
			continue;
		run = (struct pd_carried_run){
			.off = section.shdr.sh_offset,
			.data = data->d_buf,
			.len = data->d_size,
		};
		if (run.len <= UINT64_MAX - run.off)
			code_union_add(code, &run);
	}
}

/* Safe on a zeroed struct. */
static void code_union_release(struct code_union *code)
{
	free(code->items);
	memset(code, 0, sizeof(*code));
}

enum { KALLSYMS_LEN_MAX = 256 << 20, TEMP_LEN = 32 };

struct entry {
	const struct rpt_cache_entry_conf *conf;
	const struct pd_carried_file *file;
	const struct rpt_sparse_code *code;
	char id[PD_BUILD_ID_HEX_LEN];
	char path[PATH_MAX]; /* of its folder, below the cache */
	const char *name;    /* of its file there */
	int folder_fd;
	bool is_linked;
	bool is_there;
	bool is_foreign;
	struct rpt_elf *old_elf; /* of what we wrote before */
	char *old_text;		 /* the same; NUL-terminated */
	size_t old_text_len;
	struct rpt_name_union names;
	struct code_union runs;
};

/* Set path and name.  Return false if the path cannot be below a folder. */
static bool name_entry(struct entry *e)
{
	struct pd_str path = e->file->path;
	bool is_kernel = e->file->kind == PD_CARRIED_KERNEL;
	bool is_vdso = pd_str_eq(path, "[vdso]");

	e->name = is_kernel ? "kallsyms" : is_vdso ? "vdso" : "elf";
	if (is_kernel) {
		path = (struct pd_str){ "[kernel.kallsyms]",
					strlen("[kernel.kallsyms]") };
	} else if (!is_vdso) {
		if (path.len < 2 || *path.ptr != '/')
			return false;
		path.ptr++;
		path.len--;
	}
	if (path.len + 1 >= PATH_MAX - sizeof(e->id) ||
	    memchr(path.ptr, 0, path.len))
		return false;
	memcpy(e->path, path.ptr, path.len);
	e->path[path.len] = '/';
	memcpy(e->path + path.len + 1, e->id, sizeof(e->id));
	return rpt_cache_takes(e->path);
}

/* Open the folder that a link of the cache leads to, by the link's text: it is
 * not followed.  -ENOENT: there is no link. */
static int open_linked(struct entry *e, int ids_fd)
{
	char text[PATH_MAX + 1];
	ssize_t len = readlinkat(ids_fd, e->id + 2, text, PATH_MAX);

	if (len < 0)
		return errno == ENOENT ? -ENOENT : -EEXIST;
	e->is_linked = true;
	text[len] = 0;
	if (memcmp(text, "../../", 6) != 0 || !rpt_cache_takes(text + 6))
		return -EEXIST;
	return rpt_cache_folder(e->conf->dir_fd, text + 6, false);
}

static void look_at_text(struct entry *e, int fd, size_t len)
{
	char *text = rpt_alloc(len + 1);
	ssize_t n = pread(fd, text, len, 0);

	e->old_text_len = n > 0 ? (size_t)n : 0;
	text[e->old_text_len] = 0;
	e->old_text = text;
	e->is_foreign = !rpt_kallsyms_copy_is_own(text, e->old_text_len);
}

/* Look at what stands in the entry's folder. */
static void look(struct entry *e)
{
	int fd = openat(e->folder_fd, e->name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct pd_err err = PD_ERR_INIT;
	struct stat st;

	e->is_there = fd >= 0 || errno != ENOENT;
	if (!e->is_there)
		return;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		e->is_foreign = true;
	} else if (e->file->kind == PD_CARRIED_KERNEL) {
		if (st.st_size > KALLSYMS_LEN_MAX)
			e->is_foreign = true;
		else
			look_at_text(e, fd, (size_t)st.st_size);
	} else {
		e->old_elf = rpt_elf_open_fd(fd, &err);
		fd = -1;
		e->is_foreign = !e->old_elf || !rpt_elf_is_sparse(e->old_elf);
	}
	if (fd >= 0)
		close(fd);
}

static uint64_t text_start(const struct rpt_name_union *names)
{
	for (uint32_t i = 0; i < names->nr; i++)
		if (pd_str_eq(names->items[i].text, "_text"))
			return names->items[i].start;
	return 0;
}

/* Add what a copy of kallsyms has of the kernel itself, which may have been
 * elsewhere then (KASLR).  Modules are anywhere in each boot. */
static void add_old_text(struct entry *e)
{
	struct rpt_name_union old = { 0 };
	uint64_t moved_by;

	rpt_kallsyms_copy_read(&old, e->old_text, e->old_text_len);
	moved_by = text_start(&e->names) - text_start(&old);
	for (uint32_t i = 0; i < old.nr && text_start(&old); i++) {
		struct pd_carried_name *name = &old.items[i];

		name->start += moved_by;
		if (!memchr(name->text.ptr, '\t', name->text.len))
			rpt_name_union_add(&e->names, name);
	}
	rpt_name_union_release(&old);
}

static void collect(struct entry *e)
{
	for (uint32_t i = 0; i < e->file->name_nr; i++)
		rpt_name_union_add(&e->names, &e->file->names[i]);
	if (!e->conf->replace && e->old_elf)
		rpt_name_union_add_elf(&e->names, e->old_elf);
	else if (!e->conf->replace && e->old_text)
		add_old_text(e);
	rpt_name_union_sort(&e->names);
	for (uint32_t i = 0; i < e->code->nr; i++)
		code_union_add(&e->runs, &e->code->runs[i]);
	if (!e->conf->replace && e->old_elf)
		code_union_add_elf(&e->runs, e->old_elf);
	pd_carried_runs_sort(e->runs.items, &e->runs.nr);
}

static int write_text(struct entry *e, int fd, uint32_t *ret_nr)
{
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	rpt_kallsyms_copy_write(&b, &e->names, ret_nr);
	rc = pd_buf_status(&b);
	rc = rc ? rc : sup_write(fd, b.data, b.len);
	pd_buf_release(&b);
	return rc;
}

static int write_names(struct entry *e, int fd, uint32_t *ret_nr,
		       struct pd_err *err)
{
	const struct rpt_sparse_code code = { e->runs.items, e->runs.nr };
	struct pd_carried_file file = *e->file;

	if (file.kind == PD_CARRIED_KERNEL)
		return write_text(e, fd, ret_nr);
	file.names = e->names.items;
	file.name_nr = e->names.nr;
	return rpt_sparse_elf_write(fd, &file, &code, ret_nr, err);
}

/* Put a finished file in its place: what we wrote before goes, nothing else
 * does. */
static int put_in_place(struct entry *e, const char *temp)
{
	int rc;

	if (e->is_there)
		return renameat(e->folder_fd, temp, e->folder_fd, e->name)
			       ? -errno
			       : 0;
	rc = linkat(e->folder_fd, temp, e->folder_fd, e->name, 0) ? -errno : 0;
	unlinkat(e->folder_fd, temp, 0);
	return rc;
}

static int write_file(struct entry *e, uint32_t *ret_nr, struct pd_err *err)
{
	char temp[TEMP_LEN];
	int fd, rc;

	snprintf(temp, sizeof(temp), ".perfpair-%d", (int)getpid());
	fd = openat(e->folder_fd, temp,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	rc = write_names(e, fd, ret_nr, err);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && (*ret_nr || e->file->frames))
		return put_in_place(e, temp);
	unlinkat(e->folder_fd, temp, 0);
	return rc;
}

static int make_link(struct entry *e, int ids_fd)
{
	char text[PATH_MAX + 8];

	if (e->is_linked)
		return 0;
	snprintf(text, sizeof(text), "../../%s", e->path);
	return symlinkat(text, ids_fd, e->id + 2) ? -errno : 0;
}

/* Open the entry's folder, and look at what is there. */
static int open_entry(struct entry *e, int ids_fd)
{
	e->folder_fd = open_linked(e, ids_fd);
	if (e->folder_fd == -ENOENT && !e->is_linked)
		e->folder_fd = rpt_cache_folder(e->conf->dir_fd, e->path, true);
	if (e->folder_fd < 0)
		return e->is_linked ? -EEXIST : e->folder_fd;
	look(e);
	/* perf may know the build-id by something else than this file */
	return e->is_foreign || (e->is_linked && !e->is_there) ? -EEXIST : 0;
}

static enum rpt_cache_outcome write_entry(struct entry *e, uint32_t *ret_nr,
					  struct pd_err *err)
{
	char folder[sizeof(".build-id/xx")];
	int ids_fd, rc;

	snprintf(folder, sizeof(folder), ".build-id/%.2s", e->id);
	ids_fd = rpt_cache_folder(e->conf->dir_fd, folder, true);
	rc = ids_fd < 0 ? ids_fd : open_entry(e, ids_fd);
	if (!rc) {
		collect(e);
		rc = write_file(e, ret_nr, err);
	}
	if (!rc && (*ret_nr || e->file->frames))
		rc = make_link(e, ids_fd);
	if (ids_fd >= 0)
		close(ids_fd);
	if (rc == -EEXIST)
		return RPT_CACHE_FOREIGN;
	if (rc) {
		pd_err_set(err, rc, "%s", strerror(-rc));
		return RPT_CACHE_FAILED;
	}
	if (!*ret_nr && !e->file->frames)
		return RPT_CACHE_NO_NAMES;
	return !e->is_there	  ? RPT_CACHE_MADE
	       : e->conf->replace ? RPT_CACHE_REPLACED
				  : RPT_CACHE_ADDED;
}

enum rpt_cache_outcome
rpt_cache_entry_write(const struct rpt_cache_entry_conf *conf,
		      const struct pd_carried_file *file,
		      const struct rpt_sparse_code *code, uint32_t *ret_nr,
		      struct pd_err *err)
{
	struct entry *e;
	enum rpt_cache_outcome outcome;

	*ret_nr = 0;
	if (!file->name_nr && !file->frames)
		return RPT_CACHE_NO_NAMES;
	if (file->kind == PD_CARRIED_PERF_MAP)
		return RPT_CACHE_NO_ENTRY;
	if (file->build_id_len < 2)
		return RPT_CACHE_NO_ID;
	e = rpt_alloc_zeroed(1, sizeof(*e));
	*e = (struct entry){
		.conf = conf, .file = file, .code = code, .folder_fd = -1
	};
	pd_build_id_hex(file->build_id, file->build_id_len, e->id);
	outcome = name_entry(e) ? write_entry(e, ret_nr, err)
				: RPT_CACHE_BAD_PATH;
	if (e->folder_fd >= 0)
		close(e->folder_fd);
	rpt_name_union_release(&e->names);
	code_union_release(&e->runs);
	rpt_elf_close(e->old_elf);
	free(e->old_text);
	free(e);
	return outcome;
}

static void put_lines(FILE *out, const struct pd_carried_file *file,
		      uint32_t *ret_nr)
{
	for (uint32_t i = 0; i < file->name_nr; i++) {
		const struct pd_carried_name *name = &file->names[i];

		if (!rpt_sparse_elf_takes(name->text))
			continue;
		fprintf(out, "%" PRIx64 " %" PRIx64 " %.*s\n", name->start,
			name->len, (int)name->text.len, name->text.ptr);
		++*ret_nr;
	}
}

int rpt_cache_map_write(int dir_fd, const struct pd_carried_file *file,
			uint32_t *ret_nr)
{
	char name[sizeof("perf-4294967295.map")];
	FILE *out;
	int fd, rc = 0;

	*ret_nr = 0;
	snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", file->pid);
	fd = openat(dir_fd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	put_lines(out, file, ret_nr);
	if (fclose(out))
		rc = -errno;
	if (rc)
		unlinkat(dir_fd, name, 0);
	return rc;
}
