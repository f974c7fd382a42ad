#include "record/base/read_file.h"

#include "format/support/whole_io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of a user may be of any length, and its tables with it. */
enum { CHUNK_LEN = 64 * 1024, THERE_LEN_MAX = 16 << 20 };

/* Call read() again if a signal interrupted it. */
static ssize_t read_some(int fd, void *p, size_t len)
{
	ssize_t n;

	do
		n = read(fd, p, len);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int rec_read_fd(int fd, size_t max_len, struct pd_buf *buf)
{
	pd_buf_reset(buf);
	for (;;) {
		uint8_t *p = pd_buf_reserve(buf, CHUNK_LEN);
		ssize_t n;

		if (!p)
			return pd_buf_status(buf);
		n = read_some(fd, p, CHUNK_LEN);
		if (n <= 0)
			return (int)n;
		pd_buf_commit(buf, (size_t)n);
		if (buf->len > max_len)
			return -EFBIG;
	}
}

static int read_at(void *ctx, uint64_t off, void *ret, size_t len)
{
	ssize_t got = sup_read_at((int)(intptr_t)ctx, ret, len, off);

	return got < 0 ? (int)got : (size_t)got < len ? -EBADMSG : 0;
}

struct pd_read_at rec_read_at(int fd)
{
	struct stat st;
	uint64_t len = fstat(fd, &st) ? 0 : (uint64_t)st.st_blocks * 512;

	return (struct pd_read_at){
		.read = read_at,
		.ctx = (void *)(intptr_t)fd,
		.there_len = len < THERE_LEN_MAX ? len : THERE_LEN_MAX,
	};
}

int rec_read_file(int dirfd, const char *path, size_t max_len,
		  struct pd_buf *buf)
{
	const int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	int rc;

	pd_buf_reset(buf);
	if (fd < 0)
		return -errno;
	rc = rec_read_fd(fd, max_len, buf);
	close(fd);
	return rc;
}

int rec_read_once(int dirfd, const char *path, size_t max_len,
		  struct pd_buf *buf)
{
	const int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	uint8_t *p;
	ssize_t n;

	pd_buf_reset(buf);
	if (fd < 0)
		return -errno;
	p = pd_buf_reserve(buf, max_len);
	n = p ? read_some(fd, p, max_len) : pd_buf_status(buf);
	if (n > 0)
		pd_buf_commit(buf, (size_t)n);
	close(fd);
	return n < 0 ? (int)n : 0;
}

/* Remove the blanks at both ends. */
static void trim(struct rec_text_scan *line)
{
	size_t len;

	rec_text_scan_blanks(line);
	len = rec_text_scan_left(line);
	while (len > 0 && line->at[len - 1] == ' ')
		len--;
	line->end = line->at + len;
}

int rec_read_line(const char *root, const char *name, char *ret, size_t ret_cap)
{
	char path[512];
	struct pd_buf buf = PD_BUF_INIT;
	struct rec_text_scan all;
	struct rec_text_scan line = { "", "" };
	int rc;

	rc = snprintf(path, sizeof(path), "%s/%s", root, name);
	if (rc < 0 || (size_t)rc >= sizeof(path))
		return -ENAMETOOLONG;
	rc = rec_read_file(AT_FDCWD, path, 1 << 20, &buf);
	if (rc)
		goto out;
	all = rec_text_scan_buf(&buf);
	rec_text_scan_line(&all, &line);
	trim(&line);
	if (rec_text_scan_left(&line) >= ret_cap) {
		rc = -ENAMETOOLONG;
		goto out;
	}
	memcpy(ret, line.at, rec_text_scan_left(&line));
	ret[rec_text_scan_left(&line)] = '\0';
out:
	pd_buf_release(&buf);
	return rc;
}

int rec_read_u64(const char *root, const char *name, uint64_t *ret)
{
	char text[64] = "";
	struct rec_text_scan s;
	uint64_t v;
	int rc;

	rc = rec_read_line(root, name, text, sizeof(text));
	if (rc)
		return rc;
	s.at = text;
	s.end = text + strlen(text);
	if (!rec_text_scan_number(&s, rec_text_scan_text(&s, "0x") ? 16 : 10,
				  &v) ||
	    s.at != s.end)
		return -EINVAL;
	*ret = v;
	return 0;
}
