#include "report/cache/cache_tree.h"

#include "format/records/build_id.h"
#include "format/support/safe_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	/* what stands behind a path: a build-id, a file */
	TAIL_LEN = 64,
};

int rpt_cache_open(const char *dir, bool make, struct pd_err *err)
{
	int fd;

	if (make && mkdir(dir, 0755) && errno != EEXIST)
		return pd_err_set(err, -errno, "%s", strerror(errno));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pd_err_set(err, -errno, "%s", strerror(errno));
	return fd;
}

/* Return true if the part of a path, of len bytes, names something in its
 * folder. */
static bool is_name(const char *part, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)part[i] < ' ' || part[i] == 0x7f)
			return false;
	return len > 0 && len <= NAME_MAX && !(len == 1 && *part == '.') &&
	       !(len == 2 && !memcmp(part, "..", 2));
}

bool rpt_cache_takes(const char *path)
{
	size_t len = strcspn(path, "/");

	if (strlen(path) >= PATH_MAX - TAIL_LEN ||
	    (len == 9 && !memcmp(path, ".build-id", len)))
		return false;
	while (is_name(path, len)) {
		path += len;
		if (!*path)
			return true;
		path++;
		len = strcspn(path, "/");
	}
	return false;
}

static int open_part(int dir_fd, const char *part, size_t len, bool make)
{
	char name[NAME_MAX + 1];
	int fd;

	if (!is_name(part, len))
		return -EINVAL;
	memcpy(name, part, len);
	name[len] = 0;
	if (make && mkdirat(dir_fd, name, 0755) && errno != EEXIST)
		return -errno;
	fd = openat(dir_fd, name, FOLDER);
	return fd < 0 ? -errno : fd;
}

int rpt_cache_folder(int dir_fd, const char *path, bool make)
{
	int fd = dir_fd;

	for (;;) {
		size_t len = strcspn(path, "/");
		int next = open_part(fd, path, len, make);

		if (fd != dir_fd)
			close(fd);
		if (next < 0 || !path[len])
			return next;
		path += len + 1;
		fd = next;
	}
}

static bool is_hex(const char *text, size_t min, size_t max)
{
	size_t len = strspn(text, "0123456789abcdef");

	return !text[len] && len >= min && len <= max;
}

/* Print the entry if the link is one. */
static void print_link(int folder_fd, const char *first, const char *rest,
		       FILE *out)
{
	char path[PATH_MAX + 1];
	ssize_t len = readlinkat(folder_fd, rest, path, PATH_MAX);
	struct stat st;
	char *slash;

	if (len <= 6 || memcmp(path, "../../", 6) != 0 ||
	    fstatat(folder_fd, rest, &st, 0))
		return;
	path[len] = 0;
	slash = strrchr(path + 6, '/');
	if (!slash)
		return;
	*slash = 0;
	/* [kernel.kallsyms] and [vdso] are no paths */
	fprintf(out, "%s%s %s", first, rest, path[6] == '[' ? "" : "/");
	sup_put_safe_text(out, path + 6);
	putc('\n', out);
}

/* Return how many entries a folder has, in their order. */
static int scan(int fd, struct dirent ***ret)
{
#ifdef __GLIBC__
	return scandirat(fd, ".", ret, NULL, alphasort);
#else
	char path[sizeof("/proc/self/fd/") + 10];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return scandir(path, ret, NULL, alphasort);
#endif
}

/* Call print_link() for what is in a folder of DIR/.build-id. */
static void list_folder(int ids_fd, const char *first, FILE *out)
{
	int fd = openat(ids_fd, first, FOLDER);
	struct dirent **found = NULL;
	int nr = fd < 0 ? 0 : scan(fd, &found);

	for (int i = 0; i < nr; i++) {
		if (is_hex(found[i]->d_name, 2, PD_BUILD_ID_HEX_LEN - 3))
			print_link(fd, first, found[i]->d_name, out);
		free(found[i]);
	}
	free(found);
	if (fd >= 0)
		close(fd);
}

int rpt_cache_list(int dir_fd, FILE *out)
{
	int fd = openat(dir_fd, ".build-id", FOLDER);
	struct dirent **found = NULL;
	int nr;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	nr = scan(fd, &found);
	for (int i = 0; i < nr; i++) {
		if (is_hex(found[i]->d_name, 2, 2))
			list_folder(fd, found[i]->d_name, out);
		free(found[i]);
	}
	free(found);
	close(fd);
	return nr < 0 ? -ENOMEM : 0;
}
