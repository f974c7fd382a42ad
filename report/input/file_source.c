#include "report/input/file_source.h"

#include "format/base/limits.h"
#include "format/support/read_for.h"
#include "format/support/whole_io.h"
#include "report/base/memory.h"
#include "report/base/progress.h"
#include "report/base/temp_file.h"
#include "report/base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_LEN      ((size_t)1 << 18)
#define COMPARE_LEN   65536
#define LONG_FILE_LEN ((uint64_t)64 << 20)
#define PROGRESS_STEP ((uint64_t)16 << 20)

/* Since 6.18 Linux maps all of a large page of the page cache if one byte of it
 * is read. */
#define LARGE_PAGE ((uint64_t)2 << 20)

static int fail(struct pd_err *err, const char *what)
{
	int code = -errno;

	return pd_err_set(err, code, "%s: %s", what, strerror(-code));
}

static bool is_magic(uint64_t magic)
{
	return magic == PD_MAGIC1 || magic == PD_MAGIC2 ||
	       __builtin_bswap64(magic) == PD_MAGIC2;
}

/* Return whether the bytes behind the first copied_len, which begin with magic,
 * are worth to be copied, too: no disk is filled by what is no recording, such
 * as /dev/zero, and no packed file is read that is too long. */
static bool is_worth_more(uint64_t magic, uint64_t copied_len)
{
	return copied_len < sizeof(magic) || is_magic(magic) ||
	       (copied_len <= PD_LIMIT_PACKED_LEN &&
		rpt_is_packed((const uint8_t *)&magic, sizeof(magic)));
}

static int copy_all(int in, int out)
{
	char *buf = rpt_alloc(COPY_LEN);
	uint64_t magic = 0, copied_len = 0;
	ssize_t n;
	int rc = 0;

	while (!rc && is_worth_more(magic, copied_len)) {
		n = read(in, buf, COPY_LEN);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rc = n < 0 ? -errno : 0;
			break;
		}
		for (size_t i = 0;
		     copied_len + i < sizeof(magic) && i < (size_t)n; i++)
			((char *)&magic)[copied_len + i] = buf[i];
		rc = sup_write(out, buf, (size_t)n);
		copied_len += (size_t)n;
	}
	free(buf);
	return rc;
}

/* Replace *fd, a pipe, by a file with the same bytes. */
static int spool(int *fd, struct pd_err *err)
{
	int out = rpt_temp_file_open();
	int rc;

	if (out < 0)
		return fail(err, "no temporary file for the piped bytes");
	rc = copy_all(*fd, out);
	if (rc) {
		close(out);
		return pd_err_set(err, rc, "copying the piped bytes: %s",
				  strerror(-rc));
	}
	if (*fd != STDIN_FILENO)
		close(*fd);
	*fd = out;
	return 0;
}

static int map_fd(struct rpt_file_source *src,
		  const struct rpt_file_map_conf *conf, struct pd_err *err)
{
	int rc = rpt_file_map_open(&src->map, conf);

	if (rc)
		return pd_err_set(err, rc, "the file cannot be mapped: %s",
				  strerror(-rc));
	src->base = rpt_file_map_base(src->map);
	src->len = conf->len;
	return 0;
}

/* Map what a packed file holds, as a temporary file, instead of it. */
static int map_unpacked(struct rpt_file_source *src, struct pd_err *err)
{
	struct rpt_file_map_conf conf = { .fd = -1 };
	char *plain = NULL;
	size_t len;
	int rc = rpt_unpack(src->base, (size_t)src->len, &plain, &len, err);

	rpt_file_map_close(src->map);
	src->map = NULL;
	if (rc == -EFBIG)
		pd_err_hint(err, "'gzip -d', 'xz -d' or 'zstd -d' unpacks it "
				 "for good");
	if (rc)
		return rc;
	conf.fd = rpt_temp_file_open();
	conf.len = len;
	if (conf.fd < 0)
		rc = fail(err, "no temporary file for the plain bytes");
	else if (!len)
		rc = pd_err_set(err, -ENODATA, "the file is empty");
	else
		rc = sup_write(conf.fd, plain, len);
	if (rc)
		pd_err_set(err, rc, "writing the plain bytes: %s",
			   strerror(-rc));
	free(plain);
	if (!rc)
		rc = map_fd(src, &conf, err);
	if (conf.fd >= 0)
		close(conf.fd);
	return rc;
}

static int map_file(struct rpt_file_source *src, int fd, const char *path,
		    struct pd_err *err)
{
	struct rpt_file_map_conf conf = { .fd = fd };
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0)
		return fail(err, "no information on the file");
	if (!st.st_size)
		return pd_err_set(err, -ENODATA, "the file is empty");
	conf.len = (uint64_t)st.st_size;
	conf.name = fd == STDIN_FILENO || src->is_piped ? NULL : path;
	rc = map_fd(src, &conf, err);
	if (rc)
		return rc;
	src->mtime_s = src->is_piped ? 0 : st.st_mtim.tv_sec;
	/* it is mapped, so its length is one of memory */
	return rpt_is_packed(src->base, (size_t)src->len)
		       ? map_unpacked(src, err)
		       : 0;
}

static int open_dir(struct rpt_file_source *src, const char *path,
		    const struct stat *st, struct pd_err *err)
{
	int rc = rpt_dir_source_open(&src->dir, path, err);

	if (rc)
		return rc;
	src->base = src->dir.base;
	src->len = src->dir.files[0].len;
	src->mtime_s = st->st_mtim.tv_sec;
	return 0;
}

/* Return the length of all files, with the gaps between them. */
static uint64_t span_len(const struct rpt_file_source *src)
{
	return src->dir.file_nr ? src->dir.span_len : src->len;
}

/* Unmap the whole pages of a part; they stay in the page cache. */
static void give_back(const struct rpt_file_source *src, uint64_t from,
		      uint64_t to)
{
	uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = (from + page_len - 1) / page_len * page_len;
	uint64_t end = to / page_len * page_len;

	if (start < end)
		madvise((void *)(uintptr_t)(src->base + start),
			(size_t)(end - start), MADV_DONTNEED);
}

static bool is_long(const struct rpt_file_source *src)
{
	return span_len(src) >= LONG_FILE_LEN;
}

static void passed(void *ctx, uint64_t file_off, uint64_t len)
{
	rpt_progress_add(len);
	if (is_long(ctx))
		give_back(ctx, file_off, file_off + len);
}

static void looked(void *ctx, uint64_t file_off)
{
	const struct rpt_file_source *src = ctx;
	uint64_t from = file_off / LARGE_PAGE * LARGE_PAGE;
	uint64_t end = span_len(src);

	if (!is_long(src))
		return;
	if (from >= LARGE_PAGE)
		from -= LARGE_PAGE;
	if (end - from > 3 * LARGE_PAGE)
		end = from + 3 * LARGE_PAGE;
	give_back(src, from, end);
}

int rpt_file_source_open(struct rpt_file_source *ret, const char *path,
			 struct pd_err *err)
{
	struct rpt_file_source src = { 0 };
	bool is_stdin = !strcmp(path, "-");
	int fd = STDIN_FILENO;
	struct stat st;
	int rc = 0;

	if (!is_stdin)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
		return pd_err_set(err, rc, "%s", strerror(-rc));
	}
	if (fstat(fd, &st) < 0) {
		rc = fail(err, "no information on the file");
		goto out;
	}
	src.is_piped = !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	src.user = src.is_piped ? SUP_ANYBODY : st.st_uid;
	if (src.is_piped)
		rc = spool(&fd, err);
	if (!rc && S_ISDIR(st.st_mode))
		rc = open_dir(&src, path, &st, err);
	else if (!rc)
		rc = map_file(&src, fd, path, err);
	if (rc)
		goto out;
	*ret = src;
	ret->progress =
		(struct pd_read_progress){ passed, looked, ret, PROGRESS_STEP };
out:
	if (fd != STDIN_FILENO)
		close(fd);
	return rc;
}

void rpt_file_source_memory(struct rpt_file_source *ret, const uint8_t *base,
			    uint64_t len)
{
	*ret = (struct rpt_file_source){
		.base = base, .len = len, .is_piped = true, .user = SUP_ANYBODY
	};
}

void rpt_file_source_close(struct rpt_file_source *src)
{
	if (src->dir.file_nr)
		rpt_dir_source_close(&src->dir);
	rpt_file_map_close(src->map);
	src->map = NULL;
	src->base = NULL;
	src->len = 0;
}

/* Files that hold a recording but are none, and how to get at it. */
static const struct {
	const char *magic;
	size_t off;
	const char *hint;
} others[] = {
	{ "ustar", 257,
	  "it is a tar: 'tar xf FILE' unpacks it; of perf archive, '--symfs DIR' "
	  "reads what is in .debug" },
	{ "BZh", 0, "it is packed by bzip2: 'bunzip2 FILE' unpacks it" },
};

static void hint_other(const struct rpt_file_source *src, struct pd_err *err)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t len = strlen(others[i].magic);

		if (others[i].off + len <= src->len &&
		    !memcmp(src->base + others[i].off, others[i].magic, len))
			pd_err_hint(err, "%s", others[i].hint);
	}
}

int rpt_file_source_reader(const struct rpt_file_source *src,
			   const struct pd_watch *watch, struct pd_reader **ret,
			   struct pd_err *err)
{
	struct pd_reader *reader = NULL;
	int rc = pd_reader_open(&reader, src->base, src->len, watch, err);

	for (size_t i = 1; i < src->dir.file_nr && !rc; i++) {
		struct pd_section part = { src->dir.files[i].off,
					   src->dir.files[i].len };

		rc = pd_reader_add_part(reader, &part);
		if (rc)
			pd_err_set(err, rc, "out of memory");
	}
	if (rc) {
		hint_other(src, err);
		pd_reader_close(reader);
		return rc;
	}
	rpt_progress_total(span_len(src));
	if (src->progress.passed) /* not of memory */
		pd_reader_set_progress(reader, &src->progress);
	*ret = reader;
	return 0;
}

bool rpt_file_source_holds(const struct rpt_file_source *src,
			   const uint8_t *data)
{
	return data >= src->base && data < src->base + span_len(src);
}

/* Return whether a file begins as recordings do, plain or packed. */
static bool has_magic(int fd)
{
	uint64_t magic = 0;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
	       (is_magic(magic) ||
		rpt_is_packed((const uint8_t *)&magic, sizeof(magic)));
}

bool rpt_is_recording(const char *path)
{
	int dir_fd = -1;
	struct stat st;
	bool is_so;
	int fd;

	/* Opening and closing a pipe would end its writer. */
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		dir_fd = fd;
		fd = openat(dir_fd, "data", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	is_so = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		has_magic(fd);
	if (fd >= 0)
		close(fd);
	if (dir_fd >= 0)
		close(dir_fd);
	return is_so;
}

/* Return the file with the samples if path is a directory. */
static const char *data_of(const char *path, char buf[PATH_MAX])
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode) ||
	    snprintf(buf, PATH_MAX, "%s/data", path) >= PATH_MAX)
		return path;
	return buf;
}

/* Compare two files from their offsets to their ends. */
static bool have_same_rest(int a, int b)
{
	char x[COMPARE_LEN], y[COMPARE_LEN];

	for (;;) {
		ssize_t x_len = read(a, x, sizeof(x));
		ssize_t y_len = read(b, y, sizeof(y));

		if (x_len < 0 || x_len != y_len ||
		    memcmp(x, y, (size_t)x_len) != 0)
			return false;
		if (!x_len)
			return true;
	}
}

static bool have_same_bytes(const char *a, const char *b)
{
	int x = open(a, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int y = open(b, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_same = x >= 0 && y >= 0 && have_same_rest(x, y);

	if (x >= 0)
		close(x);
	if (y >= 0)
		close(y);
	return is_same;
}

bool rpt_is_same_recording(const char *a, const char *b)
{
	char x_path[PATH_MAX], y_path[PATH_MAX];
	struct stat x, y;

	a = data_of(a, x_path);
	b = data_of(b, y_path);
	if (stat(a, &x) || stat(b, &y) || !S_ISREG(x.st_mode) ||
	    !S_ISREG(y.st_mode) || x.st_size != y.st_size)
		return false;
	return (x.st_dev == y.st_dev && x.st_ino == y.st_ino) ||
	       have_same_bytes(a, b);
}
