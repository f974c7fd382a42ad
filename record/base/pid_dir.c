#include "record/base/pid_dir.h"

#include "record/base/text_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void rec_pid_list_release(struct rec_pid_list *list)
{
	if (!list)
		return;
	free(list->pids);
	*list = (struct rec_pid_list)REC_PID_LIST_INIT;
}

static int append(struct rec_pid_list *list, pid_t pid)
{
	if (list->nr == list->cap) {
		const size_t cap = list->cap ? list->cap * 2 : 256;
		pid_t *more = reallocarray(list->pids, cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		list->pids = more;
		list->cap = cap;
	}
	list->pids[list->nr++] = pid;
	return 0;
}

static int append_name(struct rec_pid_list *list, const char *name)
{
	struct rec_text_scan s = { name, name + strlen(name) };
	uint64_t v;

	if (!rec_text_scan_dec(&s, &v) || s.at != s.end || v == 0 ||
	    v > INT_MAX)
		return 0;
	return append(list, (pid_t)v);
}

static int append_entries(struct rec_pid_list *list, const char *buf,
			  size_t len)
{
	size_t at = 0;
	int rc = 0;

	while (at < len && !rc) {
		const struct dirent *d =
			(const struct dirent *)(const void *)(buf + at);

		rc = append_name(list, d->d_name);
		at += d->d_reclen;
	}
	return rc;
}

int rec_pid_dir_read(int dirfd, const char *path, struct rec_pid_list *list)
{
	_Alignas(struct dirent) char buf[32 * 1024];
	const int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;
	int rc = 0;

	list->nr = 0;
	if (fd < 0)
		return -errno;
	while (!rc && (n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) != 0)
		rc = n < 0 ? -errno : append_entries(list, buf, (size_t)n);
	close(fd);
	return rc;
}
