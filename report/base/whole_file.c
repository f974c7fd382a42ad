#include "report/base/whole_file.h"

#include "report/base/memory.h"
#include "report/base/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Read to the end: files of /proc have no length, so that the buffer doubles
 * until a read returns 0. */
static int read_all(int fd, char **buf, size_t max_len, size_t *ret_len)
{
	size_t cap_len = 65536, len = 0;
	ssize_t got;

	*buf = rpt_realloc_array(NULL, cap_len + 1, 1);
	for (;;) {
		got = read(fd, *buf + len, cap_len - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
		if (len > max_len)
			return -EFBIG;
		if (len < cap_len)
			continue;
		/* one byte too many is enough to see */
		cap_len = len <= max_len / 2 ? len * 2 : max_len + 1;
		*buf = rpt_realloc_array(*buf, cap_len + 1, 1);
	}
	(*buf)[len] = '\0';
	*ret_len = len;
	return 0;
}

/* Return the length of the "/proc/12/root" that path lies below; 0 if it lies
 * elsewhere. */
static size_t process_root_len(const char *path)
{
	static const char proc[] = "/proc/", root[] = "/root/";
	size_t len = sizeof(proc) - 1, digits_nr;

	if (strncmp(path, proc, len) != 0)
		return 0;
	digits_nr = strspn(path + len, "0123456789");
	len += digits_nr;
	return digits_nr && !strncmp(path + len, root, sizeof(root) - 1)
		       ? len + sizeof(root) - 2
		       : 0;
}

static int find_in_root(const char *path, size_t root_len)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT,
	};
	char root[PATH_MAX];
	int root_fd, rc;
	long fd;

	if (root_len >= sizeof(root))
		return -ENAMETOOLONG;
	memcpy(root, path, root_len);
	root[root_len] = '\0';
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0)
		return -errno;
	fd = syscall(SYS_openat2, root_fd, path + root_len, &how, sizeof(how));
	rc = fd < 0 ? -errno : (int)fd;
	close(root_fd);
	return rc;
}

static int noted(int rc)
{
	if (rc < 0)
		rpt_shortage_note(-rc);
	return rc;
}

int rpt_whole_file_find(const char *path)
{
	size_t root_len = process_root_len(path);
	int fd;

	if (root_len)
		return noted(find_in_root(path, root_len));
	fd = open(path, O_PATH | O_CLOEXEC);
	return noted(fd < 0 ? -errno : fd);
}

static bool is_file(int fd, bool may_be_empty)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (may_be_empty || st.st_size);
}

int rpt_whole_file_open(const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	int found = rpt_whole_file_find(path);
	char again[32];
	int fd;

	if (found < 0)
		return found;
	if (!is_file(found, !process_root_len(path))) {
		close(found);
		return -EINVAL;
	}
	snprintf(again, sizeof(again), "/proc/self/fd/%d", found);
	fd = open(again, flags);
	if (fd < 0 && errno == ENOENT)
		fd = open(path, flags); /* no /proc is mounted */
	if (fd < 0)
		fd = -errno;
	close(found);
	return noted(fd);
}

char *rpt_whole_file(const char *path, size_t max_len, size_t *ret_len,
		     struct pd_err *err)
{
	int fd = rpt_whole_file_open(path);
	char *buf = NULL;
	int rc = fd < 0 ? fd : 0;

	if (rc == 0)
		rc = noted(read_all(fd, &buf, max_len, ret_len));
	if (fd >= 0)
		close(fd);
	if (rc == 0)
		return buf;
	free(buf);
	pd_err_set(err, rc, "%s", strerror(-rc));
	return NULL;
}

int rpt_read_at(int fd, uint64_t off, void *ret, size_t len)
{
	uint8_t *to = ret;

	while (len) {
		ssize_t got =
			off > INT64_MAX ? 0 : pread(fd, to, len, (off_t)off);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			rpt_shortage_note(errno);
			return -errno;
		}
		if (!got)
			return -EBADMSG;
		to += got;
		off += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}
