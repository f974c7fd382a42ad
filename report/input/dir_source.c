#include "report/input/dir_source.h"

#include "report/base/file_map.h"
#include "report/base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAIN_NAME "data"

static int add_file(struct rpt_dir_source *dir, int dir_fd, const char *name)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return 0;
	dir->files = rpt_realloc_array(dir->files, dir->file_nr + 1,
				       sizeof(*dir->files));
	dir->files[dir->file_nr++] = (struct rpt_dir_file){
		.name = rpt_alloc_text(name, strlen(name)),
		.len = (uint64_t)st.st_size,
	};
	return 0;
}

static bool is_part_name(const char *name)
{
	return !strcmp(name, MAIN_NAME) ||
	       !strncmp(name, MAIN_NAME ".", strlen(MAIN_NAME "."));
}

static int list_files(struct rpt_dir_source *dir, DIR *stream)
{
	struct dirent *entry;
	int rc = 0;

	while (!rc && (entry = readdir(stream)))
		if (is_part_name(entry->d_name))
			rc = add_file(dir, dirfd(stream), entry->d_name);
	return rc;
}

/* "data" before "data.2" before "data.10" */
static int compare_names(const void *a, const void *b)
{
	const struct rpt_dir_file *x = a, *y = b;
	size_t x_len = strlen(x->name), y_len = strlen(y->name);

	if (x_len != y_len)
		return x_len < y_len ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint64_t padded(uint64_t len)
{
	uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);

	return (len + page_len - 1) / page_len * page_len;
}

static int map_one(const struct rpt_dir_source *dir, int dir_fd,
		   struct rpt_dir_file *file)
{
	struct rpt_file_map_conf conf = {
		.fd = openat(dir_fd, file->name,
			     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
		.len = file->len,
		.at = dir->base + file->off,
	};
	int rc = 0;

	if (conf.fd < 0)
		return -errno;
	if (file->len)
		rc = rpt_file_map_open(&file->map, &conf);
	close(conf.fd);
	return rc;
}

/* Reserve address space for all files first, so that they lie in their order.
 */
static int map_all(struct rpt_dir_source *dir, int dir_fd)
{
	uint64_t len = 0;
	int rc = 0;
	void *base;

	for (size_t i = 0; i < dir->file_nr; i++) {
		dir->files[i].off = len;
		len += padded(dir->files[i].len);
	}
	base = rpt_map_bytes(NULL, len ? len : 1, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (base == MAP_FAILED)
		return -errno;
	dir->base = base;
	dir->span_len = len ? len : 1;
	for (size_t i = 0; i < dir->file_nr && !rc; i++)
		rc = map_one(dir, dir_fd, &dir->files[i]);
	return rc;
}

static char *find_kallsyms(const char *path)
{
	static const char end[] = "/kcore_dir/kallsyms";
	size_t len = strlen(path) + sizeof(end);
	char *kallsyms = rpt_alloc(len);

	snprintf(kallsyms, len, "%s%s", path, end);
	if (access(kallsyms, R_OK) == 0)
		return kallsyms;
	free(kallsyms);
	return NULL;
}

int rpt_dir_source_open(struct rpt_dir_source *ret, const char *path,
			struct pd_err *err)
{
	struct rpt_dir_source dir = { 0 };
	DIR *stream = opendir(path);
	int rc;

	if (!stream)
		return pd_err_set(err, -errno, "%s", strerror(errno));
	rc = list_files(&dir, stream);
	if (!rc && dir.file_nr)
		qsort(dir.files, dir.file_nr, sizeof(*dir.files),
		      compare_names);
	if (!rc &&
	    (!dir.file_nr || strcmp(dir.files[0].name, MAIN_NAME) != 0)) {
		rc = pd_err_set(err, -ENOENT,
				"no recording: the directory has no file '%s'",
				MAIN_NAME);
	} else if (!rc && !dir.files[0].len) {
		rc = pd_err_set(err, -ENODATA, "its file '%s' is empty",
				MAIN_NAME);
	} else {
		if (!rc)
			rc = map_all(&dir, dirfd(stream));
		if (rc)
			pd_err_set(err, rc, "%s",
				   rc == -ELOOP ? "one of its files is a link, "
						  "which may lead out of it"
						: strerror(-rc));
		else
			dir.kallsyms = find_kallsyms(path);
	}
	closedir(stream);
	if (rc)
		rpt_dir_source_close(&dir);
	else
		*ret = dir;
	return rc;
}

void rpt_dir_source_close(struct rpt_dir_source *dir)
{
	for (size_t i = 0; i < dir->file_nr; i++) {
		rpt_file_map_close(dir->files[i].map);
		free(dir->files[i].name);
	}
	if (dir->base)
		munmap(dir->base, (size_t)dir->span_len);
	free(dir->files);
	free(dir->kallsyms);
	*dir = (struct rpt_dir_source){ 0 };
}

const struct rpt_dir_file *rpt_dir_source_at(const struct rpt_dir_source *dir,
					     uint64_t off)
{
	size_t i = dir->file_nr - 1;

	while (i && dir->files[i].off > off)
		i--;
	return &dir->files[i];
}

const char *rpt_dir_source_place(const struct rpt_dir_source *dir,
				 uint64_t *off)
{
	const struct rpt_dir_file *file;

	if (!dir->file_nr)
		return NULL;
	file = rpt_dir_source_at(dir, *off);
	*off -= file->off;
	return file->name;
}
