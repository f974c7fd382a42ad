#include "report/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files of /proc tell no length: the buffer doubles until a read gives 0. */
static int read_all(int fd, const atomic_bool *is_unwanted, char **buf,
		    size_t max_len, size_t *ret_len)
{
	size_t cap_len = 65536, len = 0;
	ssize_t got;
	char *grown;

	for (;;) {
		if (is_unwanted && atomic_load(is_unwanted))
			return -ECANCELED;
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

char *rpt_whole_file_unless(const atomic_bool *is_unwanted, const char *path,
			    size_t max_len, size_t *ret_len, struct pd_err *err)
{
	/* A name out of a recording can be a fifo or a device. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *buf = NULL;
	struct stat st;
	int rc = fd < 0 ? -errno : 0;

	if (rc == 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)))
		rc = -EINVAL;
	if (rc == 0)
		rc = read_all(fd, is_unwanted, &buf, max_len, ret_len);
	if (fd >= 0)
		close(fd);
	if (rc == 0)
		return buf;
	free(buf);
	pd_err_set(err, rc, "%s", strerror(-rc));
	return NULL;
}

char *rpt_whole_file(const char *path, size_t max_len, size_t *ret_len,
		     struct pd_err *err)
{
	return rpt_whole_file_unless(NULL, path, max_len, ret_len, err);
}
