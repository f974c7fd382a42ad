#include "record/ring/output_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

/* For file systems without O_TMPFILE: the name is free again at once. */
static int open_named(int dir_fd)
{
	char name[64];
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		snprintf(name, sizeof(name), ".perfpair-copy-%d-%d", getpid(),
			 i);
		fd = openat(dir_fd, name,
			    O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC,
			    0600);
		if (fd < 0 && errno != EEXIST)
			return -errno;
	}
	if (fd >= 0)
		unlinkat(dir_fd, name, 0);
	return fd < 0 ? -EEXIST : fd;
}

int rec_output_copy_open(struct rec_output_copy *copy, int dir_fd,
			 uint64_t len_max)
{
	int fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	*copy = (struct rec_output_copy){ .len_max = len_max };
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = open_named(dir_fd);
	else if (fd < 0)
		fd = -errno;
	if (fd < 0)
		return fd;
	copy->fd = fd;
	return 0;
}

void rec_output_copy_add(struct rec_output_copy *copy,
			 const struct iovec *parts, int part_nr)
{
	uint64_t len = 0;
	ssize_t done = 0;

	for (int i = 0; i < part_nr; i++)
		len += parts[i].iov_len;
	if (copy->is_cut)
		return;
	copy->is_cut = len > copy->len_max - copy->len;
	if (copy->is_cut)
		return;
	do
		done = pwritev(copy->fd, parts, part_nr, (off_t)copy->len);
	while (done < 0 && errno == EINTR);
	if (done >= 0 && (uint64_t)done == len) {
		__atomic_store_n(&copy->len, copy->len + len, __ATOMIC_RELAXED);
		return;
	}
	copy->is_cut = true;
	(void)!ftruncate(copy->fd, (off_t)copy->len);
}

void rec_output_copy_close(struct rec_output_copy *copy)
{
	if (copy->fd > 0)
		close(copy->fd);
	*copy = (struct rec_output_copy){ 0 };
}
