#include "report/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files of /proc tell no length: the buffer doubles until a read gives 0. */
static int read_all(int fd, char **buf, size_t max_len, size_t *ret_len)
{
	size_t cap_len = 65536, len = 0;
	ssize_t got;
	char *grown;

	for (;;) {
		grown = realloc(*buf, cap_len + 1);
		if (!grown)
			return -ENOMEM;
		*buf = grown;
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
		if (len == cap_len)
			cap_len *= 2;
	}
	(*buf)[len] = '\0';
	*ret_len = len;
	return 0;
}

int rpt_whole_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

char *rpt_whole_file(const char *path, size_t max_len, size_t *ret_len,
		     struct pd_err *err)
{
	int fd = rpt_whole_file_open(path);
	char *buf = NULL;
	int rc = fd < 0 ? fd : 0;

	if (rc == 0)
		rc = read_all(fd, &buf, max_len, ret_len);
	if (fd >= 0)
		close(fd);
	if (rc == 0)
		return buf;
	free(buf);
	pd_err_set(err, rc, "%s", strerror(-rc));
	return NULL;
}
