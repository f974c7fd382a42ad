#include "format/support/whole_io.h"

#include <errno.h>
#include <unistd.h>

ssize_t sup_read_at(int fd, void *ret, size_t len, uint64_t off)
{
	size_t done = 0;

	while (done < len && off <= (uint64_t)INT64_MAX - done) {
		ssize_t n = pread(fd, (char *)ret + done, len - done,
				  (off_t)(off + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)done;
}

int sup_write(int fd, const void *data, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, (const char *)data + done, len - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int sup_write_at(int fd, const void *data, size_t len, uint64_t off)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(fd, (const char *)data + done, len - done,
				   (off_t)(off + done));

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}
