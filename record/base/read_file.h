/* read_file.h: read small files of /proc and /sys into a reused buffer. */
#ifndef REC_READ_FILE_H
#define REC_READ_FILE_H

#include "format/base/buf.h"
#include "format/symtab/read_at.h"
#include "record/base/text_scan.h"

/* The directories where the kernel's file systems are mounted.  Everything that
 * reads /proc or /sys takes its paths from here, so that a test can put a
 * copied tree of another machine in their place. */
struct rec_sysroots {
	const char *proc;    /* "/proc" */
	const char *sys;     /* "/sys" */
	const char *modules; /* "/lib/modules" */
};

/* clang-format off */
#define REC_SYSROOTS_REAL \
	{ .proc = "/proc", .sys = "/sys", .modules = "/lib/modules" }
/* clang-format on */

/* Replace the contents of buf by the file's bytes. dirfd may be AT_FDCWD.
 * Return a negative errno on failure, -EFBIG over max_len bytes. */
int rec_read_file(int dirfd, const char *path, size_t max_len,
		  struct pd_buf *buf);

/* Do the same for an open file, from its position; the file stays open. */
int rec_read_fd(int fd, size_t max_len, struct pd_buf *buf);

/* Do the same with one read() of at most max_len bytes, which is enough for a
 * file that the kernel makes in one piece (stat, comm). */
int rec_read_once(int dirfd, const char *path, size_t max_len,
		  struct pd_buf *buf);

/* Return a scan of all that buf holds. */
static inline struct rec_text_scan rec_text_scan_buf(const struct pd_buf *buf)
{
	const char *text = buf->data ? (const char *)buf->data : "";

	return (struct rec_text_scan){ text, text + buf->len };
}

/* Return what reads the file fd, which is borrowed, by pread(). */
struct pd_read_at rec_read_at(int fd);

/* Read the first line of ROOT/NAME without newline and without blanks around
 * it, NUL terminated.  Return -ENAMETOOLONG if it does not fit ret. */
int rec_read_line(const char *root, const char *name, char *ret,
		  size_t ret_cap);

/* Read a number, decimal or with 0x, alone on the first line.  Return -EINVAL
 * if it is none. */
int rec_read_u64(const char *root, const char *name, uint64_t *ret);

#endif
