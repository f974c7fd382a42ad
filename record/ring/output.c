#include "record/ring/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/records/record.h"
#include "record/base/runtime.h"

enum {
	PART_MAX = 8,
	DATA_LEN_OFF = 48,  /* of data.size; FORMAT.md "File header" */
	RECORD_LEN_OFF = 6, /* of a record's own length in its header */
	ENTRY_LEN = 16,	    /* of the feature table */
};

static int latch(struct rec_output *out, int rc, const char *what)
{
	const uint64_t whole_len = out->is_pipe ? out->len : out->covered;

	if (out->err.code)
		return out->err.code;
	pd_err_set(&out->err, rc, "%s: %s", what, strerror(-rc));
	if (rc == -ENOSPC || rc == -EDQUOT)
		pd_err_hint(&out->err,
			    "%" PRIu64 " bytes are whole and readable; make "
			    "room, or record elsewhere with -o",
			    whole_len);
	else if (rc == -EFBIG)
		pd_err_hint(&out->err,
			    "%" PRIu64 " bytes are whole and readable; raise "
			    "the limit of a file's length (ulimit -f), or "
			    "bound the recording (--max-size)",
			    whole_len);
	else if (rc == -EPIPE)
		pd_err_hint(&out->err, "the reader of the pipe has ended");
	return rc;
}

static void advance(struct iovec *parts, int part_nr, size_t done)
{
	for (int i = 0; i < part_nr && done; i++) {
		size_t n = done < parts[i].iov_len ? done : parts[i].iov_len;

		parts[i].iov_base = (uint8_t *)parts[i].iov_base + n;
		parts[i].iov_len -= n;
		done -= n;
	}
}

/* Return whether to write again after the error errno; done: bytes of this
 * piece that are written. */
static bool may_try_again(struct rec_output *out, uint64_t done)
{
	enum rec_output_answer answer = REC_OUTPUT_FAILS;
	const int rc = errno;

	if (rc == EINTR)
		return true;
	if (out->room && !out->is_cut && (rc == ENOSPC || rc == EDQUOT))
		answer = out->room->make(out->room->ctx, out->len + done);
	out->is_cut |= answer == REC_OUTPUT_CUTS;
	errno = rc;
	return answer == REC_OUTPUT_TRIES;
}

static int write_all(struct rec_output *out, struct iovec *parts, int part_nr)
{
	size_t left = 0, done = 0;

	for (int i = 0; i < part_nr; i++)
		left += parts[i].iov_len;
	while (left) {
		ssize_t n;

		rec_io_begin();
		n = writev(out->fd, parts, part_nr);
		rec_io_end();
		if (n < 0 && may_try_again(out, done))
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		left -= (size_t)n;
		done += (size_t)n;
		advance(parts, part_nr, (size_t)n);
	}
	return 0;
}

static int write_at(struct rec_output *out, const void *data, size_t len,
		    off_t off)
{
	const uint8_t *at = data;

	while (len) {
		ssize_t n;

		rec_io_begin();
		n = pwrite(out->fd, at, len, off);
		rec_io_end();
		if (n < 0 && may_try_again(out, 0))
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		off += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Remove the torn piece after a failure. */
static void cut_back(struct rec_output *out)
{
	if (out->is_pipe)
		return;
	if (ftruncate(out->fd, (off_t)out->len))
		return; /* data.size ends before the torn piece anyway */
	lseek(out->fd, (off_t)out->len, SEEK_SET);
}

static int write_data_len(struct rec_output *out, uint64_t end)
{
	uint64_t data_len = end - out->data_off;

	return write_at(out, &data_len, sizeof(data_len), DATA_LEN_OFF);
}

static int write_mark_len(struct rec_output *out, uint16_t len)
{
	return write_at(out, &len, sizeof(len),
			(off_t)out->mark_off + RECORD_LEN_OFF);
}

/* Return the length of the feature table at a checkpoint; 0: there is none. */
static uint16_t table_len(const struct rec_output *out)
{
	int nr = (out->formats.len != 0) + (out->compressed.len != 0);

	if (nr && out->hostname.len)
		nr++;
	return (uint16_t)(nr * ENTRY_LEN);
}

/* Enlarge the record before the last checkpoint's table to cover it. */
static int cover_table(struct rec_output *out)
{
	if (!out->mark_off)
		return 0;
	return write_mark_len(
		out, (uint16_t)(PD_RECORD_HEADER_LEN + table_len(out)));
}

/* Restore the last checkpoint: the header could not be written. */
static void uncover_table(struct rec_output *out)
{
	if (out->mark_off)
		(void)!write_mark_len(out, PD_RECORD_HEADER_LEN);
}

/* --sync: sync the data before the header that covers it is written. */
static int sync_data(const struct rec_output *out)
{
	int rc = 0;

	if (!out->sync)
		return 0;
	rec_io_begin();
	if (fdatasync(out->fd) && errno != EINVAL)
		rc = -errno; /* EINVAL: a device that has nothing to sync */
	rec_io_end();
	return rc;
}

static int append_whole(struct rec_output *out, struct iovec *parts,
			int part_nr)
{
	uint64_t len = 0;
	int rc;

	for (int i = 0; i < part_nr; i++)
		len += parts[i].iov_len;
	rc = write_all(out, parts, part_nr);
	if (rc)
		cut_back(out);
	else
		__atomic_store_n(&out->len, out->len + len, __ATOMIC_RELAXED);
	return rc;
}

/* Append the end of the data section, and the feature table. */
static void put_mark(const struct rec_output *out, struct pd_buf *b)
{
	pd_record_end(b, pd_record_begin(b, PD_RECORD_FINISHED_INIT, 0));
	if (out->formats.len) {
		pd_buf_u64(b, out->formats.off);
		pd_buf_u64(b, out->formats.len);
	}
	if (rec_output_has_table(out) && out->hostname.len) {
		pd_buf_u64(b, out->data_off + out->hostname.off);
		pd_buf_u64(b, out->hostname.len);
	}
	if (out->compressed.len) {
		pd_buf_u64(b, out->data_off + out->compressed.off);
		pd_buf_u64(b, out->compressed.len);
	}
}

/* Add the mark and table at the end of b to the checksum, as once covered. */
static void sum_mark(struct rec_output *out, struct pd_buf *b)
{
	const size_t len = PD_RECORD_HEADER_LEN + table_len(out);
	size_t at = b->len - len;

	pd_buf_patch_u16(b, at + RECORD_LEN_OFF, (uint16_t)len);
	pd_hash_add(out->rest, b->data + at, len);
}

/* Write a new mark and table at the end, then cover the old one, then write the
 * header: if we are killed before the second step, the file ends at the old
 * mark. */
static int mark_end(struct rec_output *out)
{
	struct pd_buf b = PD_BUF_INIT;
	uint64_t at = out->len;
	struct iovec part;
	int rc;

	put_mark(out, &b);
	part = (struct iovec){ b.data, b.len };
	rc = pd_buf_status(&b);
	if (!rc)
		rc = append_whole(out, &part, 1);
	if (!rc)
		rc = sync_data(out);
	if (!rc)
		rc = cover_table(out);
	if (!rc)
		rc = write_data_len(out, at + PD_RECORD_HEADER_LEN);
	if (rc) {
		uncover_table(out);
	} else {
		out->mark_off = at;
		sum_mark(out, &b);
	}
	pd_buf_release(&b);
	return rc;
}

static int checkpoint(struct rec_output *out)
{
	int rc = 0;

	if (out->len == out->covered)
		return 0;
	if (table_len(out))
		rc = mark_end(out);
	else
		rc = sync_data(out);
	if (!rc && !table_len(out))
		rc = write_data_len(out, out->len);
	if (rc)
		return rc;
	out->covered = out->len;
	/* the mark becomes longer */
	__atomic_store_n(&out->whole_len,
			 table_len(out) ? out->mark_off : out->len,
			 __ATOMIC_RELAXED);
	return 0;
}

int rec_output_append(struct rec_output *out, const struct iovec *parts,
		      int part_nr)
{
	struct iovec left[PART_MAX];
	int rc;

	if (out->err.code || out->is_cut)
		return out->err.code;
	memcpy(left, parts, (size_t)part_nr * sizeof(*parts));
	rc = append_whole(out, left, part_nr);
	if (!rc && out->copy)
		rec_output_copy_add(out->copy, parts, part_nr);
	if (!rc)
		return 0;
	/* If this fails too, the previous checkpoint stays valid. */
	if (out->is_started && !out->is_pipe)
		checkpoint(out);
	return out->is_cut ? 0 : latch(out, rc, "writing");
}

/* Build header, prefix and the first records, with the first checkpoint. */
static int make_start(struct rec_output *out, const struct pd_buf *prefix,
		      const struct pd_buf *records, struct pd_buf *b)
{
	bool has_mark = !out->is_pipe && table_len(out);

	out->header.data.len =
		records->len + (has_mark ? PD_RECORD_HEADER_LEN : 0);
	pd_file_header_write(b, &out->header);
	if (!out->is_pipe)
		pd_buf_bytes(b, prefix->data, prefix->len);
	pd_buf_bytes(b, records->data, records->len);
	if (has_mark) {
		out->mark_off = out->data_off + records->len;
		put_mark(out, b);
	}
	if (pd_buf_status(prefix))
		return pd_buf_status(prefix);
	return pd_buf_status(records) ? pd_buf_status(records)
				      : pd_buf_status(b);
}

int rec_output_append_loose(struct rec_output *out, const struct iovec *parts,
			    int part_nr)
{
	int rc = rec_output_append(out, parts, part_nr);

	for (int i = 0; i < part_nr && !rc; i++)
		pd_hash_add(out->rest, parts[i].iov_base, parts[i].iov_len);
	return rc;
}

/* Checksum what make_start() built: [ids][attrs][formats][records][mark]. */
static void sum_start(struct rec_output *out, const struct pd_buf *prefix,
		      const struct pd_buf *records, struct pd_buf *all)
{
	const struct pd_section *attrs = &out->header.attrs;
	uint64_t off = PD_FILE_HEADER_LEN;
	uint64_t attrs_end = attrs->off + attrs->len;

	out->sums.nr = 0;
	pd_hash_reset(out->rest);
	pd_hash_add(out->rest, records->data, records->len);
	if (out->mark_off)
		sum_mark(out, all);
	if (!prefix->len)
		return;
	pd_file_sums_add(&out->sums, PD_PART_IDS, off, prefix->data,
			 attrs->off - off);
	pd_file_sums_add(&out->sums, PD_PART_ATTRS, attrs->off,
			 prefix->data + (attrs->off - off), attrs->len);
	pd_file_sums_add(&out->sums, PD_FEATURE_TRACING_DATA, attrs_end,
			 prefix->data + (attrs_end - off),
			 out->data_off - attrs_end);
}

int rec_output_start(struct rec_output *out,
		     const struct pd_file_header *header,
		     const struct pd_buf *prefix, const struct pd_buf *records)
{
	struct pd_buf first = PD_BUF_INIT;
	struct iovec part;
	int rc;

	out->header = *header;
	out->header.header_len =
		out->is_pipe ? PD_PIPE_HEADER_LEN : PD_FILE_HEADER_LEN;
	out->header.is_pipe = out->is_pipe;
	out->header.data.off = PD_FILE_HEADER_LEN + prefix->len;
	out->data_off =
		out->is_pipe ? PD_PIPE_HEADER_LEN : out->header.data.off;
	rc = make_start(out, prefix, records, &first);
	part = (struct iovec){ first.data, first.len };
	if (rc)
		latch(out, rc, "the file's start");
	else
		rc = rec_output_append(out, &part, 1);
	if (!rc && !out->is_pipe)
		sum_start(out, prefix, records, &first);
	out->is_started = !rc;
	out->covered = out->len;
	pd_buf_release(&first);
	return rc;
}

int rec_output_checkpoint(struct rec_output *out)
{
	int rc;

	if (out->is_pipe || out->err.code || out->is_cut)
		return out->err.code;
	rc = checkpoint(out);
	return rc && !out->is_cut ? latch(out, rc, "writing") : 0;
}

/* Write the header with the feature bits and the full data length. */
static int write_last_header(struct rec_output *out, const uint64_t *features,
			     uint64_t data_len)
{
	struct pd_file_header header = out->header;
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	header.data.len = data_len;
	memcpy(header.features, features, sizeof(header.features));
	pd_file_header_write(&b, &header);
	rc = pd_buf_status(&b);
	if (!rc)
		rc = cover_table(out);
	if (!rc)
		rc = write_at(out, b.data, b.len, 0);
	if (rc)
		uncover_table(out);
	pd_buf_release(&b);
	return rc;
}

void rec_output_sum(const struct rec_output *out, const uint64_t *features,
		    const struct pd_buf *tail, struct pd_file_sums *ret)
{
	struct pd_file_header header = out->header;
	struct pd_buf first = PD_BUF_INIT;

	header.data.len = rec_output_data_len(out);
	memcpy(header.features, features, sizeof(header.features));
	pd_file_header_write(&first, &header);
	ret->nr = 0;
	pd_file_sums_add(ret, PD_PART_HEADER, 0, first.data, first.len);
	for (size_t i = 0; i < out->sums.nr; i++)
		ret->items[ret->nr++] = out->sums.items[i];
	if (!pd_buf_status(tail))
		pd_file_sums_add_tail(ret, &header, tail->data, tail->len,
				      out->len);
	pd_buf_release(&first);
}

int rec_output_finish(struct rec_output *out, const uint64_t *features,
		      const struct pd_buf *tail)
{
	struct iovec part = { tail->data, tail->len };
	uint64_t end = out->len;
	int rc;

	if (out->is_pipe || out->err.code)
		return out->err.code;
	if (pd_buf_status(tail))
		return latch(out, pd_buf_status(tail), "the file's end");
	rc = rec_output_append(out, &part, 1);
	if (rc || out->is_cut)
		return rc;
	rc = sync_data(out);
	if (!rc)
		rc = write_last_header(out, features, end - out->data_off);
	if (!rc)
		rc = sync_data(out);
	if (!rc) {
		out->covered = out->len;
		return 0;
	}
	out->len = end;
	cut_back(out);
	return latch(out, rc, "writing the header");
}

int rec_output_append_end(struct rec_output *out, const struct pd_buf *end)
{
	struct iovec part = { end->data, end->len };
	int rc = pd_buf_status(end);

	if (!rc)
		rc = rec_output_append(out, &part, 1);
	return rc ? rc : sync_data(out);
}

/* True if the file was removed, so that nobody can read it. */
static bool is_removed(const struct rec_output *out)
{
	struct stat st;

	return !fstat(out->fd, &st) && S_ISREG(st.st_mode) && !st.st_nlink;
}

/* --sync: sync the folder, for the file's name. */
static void sync_name(struct rec_output *out)
{
	int fd = out->place.path ? openat(out->place.dir_fd, ".",
					  O_RDONLY | O_DIRECTORY | O_CLOEXEC)
				 : -1;

	if (fd < 0)
		return;
	if (fsync(fd) && errno != EINVAL)
		latch(out, -errno, "the folder");
	close(fd);
}

int rec_output_close(struct rec_output *out, struct pd_err *err)
{
	rec_io_begin();
	out->is_gone = out->fd >= 0 && out->place.path && is_removed(out);
	if (out->is_gone && !out->err.code)
		pd_err_set(&out->err, -ENOENT,
			   "was removed, or its folder was, while it was "
			   "written: nothing is left of it");
	if (!out->err.code && out->sync)
		sync_name(out);
	if (out->fd >= 0 && close(out->fd) && !out->err.code)
		latch(out, -errno, "closing");
	rec_io_end();
	if (err && out->err.code && !err->code)
		*err = out->err;
	out->fd = -1;
	return out->err.code;
}

void rec_output_release(struct rec_output *out)
{
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	pd_hash_free(out->rest);
	out->rest = NULL;
	sup_place_release(&out->place);
	free(out->path);
	out->path = NULL;
}

/* Create the output file, and rename a previous one. */

enum { TRIES = 100 };

/* Lock a file as long as the descriptor is open, whatever ends the process.  A
 * lock of F_RDLCK needs no right to write, and excludes recorders, too. */
static int lock(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

int rec_output_hold(const struct sup_place *place, int *ret_lock_rc)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(place->dir_fd, place->name, O_RDWR | flags);
	bool may_write = fd >= 0;
	struct stat st, named;

	if (fd < 0)
		fd = openat(place->dir_fd, place->name, O_RDONLY | flags);
	if (fd < 0)
		return -errno;
	*ret_lock_rc = lock(fd, may_write ? F_WRLCK : F_RDLCK);
	if (*ret_lock_rc != -EBUSY && !fstat(fd, &st) &&
	    !fstatat(place->dir_fd, place->name, &named, AT_SYMLINK_NOFOLLOW) &&
	    st.st_ino == named.st_ino && st.st_dev == named.st_dev)
		return fd;
	close(fd);
	return *ret_lock_rc == -EBUSY ? -EBUSY : -ESTALE;
}

static int hint_other(struct pd_err *err, int rc)
{
	pd_err_hint(err, "give a file that can be written with -o");
	return rc;
}

static int move_aside(struct rec_output *out, struct pd_err *err)
{
	const struct sup_place *place = &out->place;
	char *old;
	int rc = 0;

	if (asprintf(&old, "%s.old", place->name) < 0)
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (renameat(place->dir_fd, place->name, place->dir_fd, old)) {
		rc = pd_err_set(err, -errno, "cannot be renamed to %s: %s", old,
				strerror(errno));
		pd_err_hint(err, "give another file with -o");
	}
	out->has_old = !rc;
	free(old);
	return rc;
}

/* True if that is an empty file, of a mktemp or of a container, which nobody
 * else can read, and which has no other name. */
static bool is_for_us(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_size &&
	       st.st_uid == geteuid() && st.st_nlink == 1 &&
	       !(st.st_mode & (S_IRWXG | S_IRWXO)) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* An empty file needs no FILE.old. */
static int free_name(struct rec_output *out, struct pd_err *err)
{
	const struct sup_place *place = &out->place;

	if (!S_ISREG(place->seen.st_mode) || place->seen.st_size)
		return move_aside(out, err);
	if (!unlinkat(place->dir_fd, place->name, 0))
		return 0;
	return hint_other(err, pd_err_set(err, -errno, "%s", strerror(errno)));
}

/* Rename or remove a file that no recorder writes, or a link.  Return a
 * descriptor, or -EEXIST if the name is free now. */
static int take_over(struct rec_output *out, struct pd_err *err)
{
	bool is_file = S_ISREG(out->place.seen.st_mode);
	int fd = -1, rc;

	/* A file that we may not open is none of ours. */
	if (is_file)
		fd = rec_output_hold(&out->place, &rc);
	if (fd == -EBUSY || fd == -ESTALE)
		return fd == -ESTALE ? -EEXIST : fd;
	if (fd >= 0 && is_for_us(fd))
		return fd;
	rc = free_name(out, err);
	if (fd >= 0)
		close(fd);
	return rc == -ENOENT || !rc ? -EEXIST : rc;
}

/* Open a free name or a stream. */
static int open_once(struct rec_output *out, struct pd_err *err)
{
	int kind = sup_place_look(&out->place, err), fd = -EEXIST;

	if (kind == SUP_THERE_STREAM)
		return sup_place_open_stream(&out->place, err);
	if (kind < 0 || kind == SUP_THERE_STDOUT)
		return kind < 0 ? kind : -EEXIST;
	if (kind != SUP_THERE_NOTHING)
		fd = take_over(out, err);
	return fd == -EEXIST ? sup_place_create(&out->place, 0600) : fd;
}

static bool is_fifo(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

/* Open a file or a stream, and lock a file.  Limit the tries: others may create
 * the name again and again. */
static int open_locked(struct rec_output *out, struct pd_err *err)
{
	int fd = -EEXIST;
	struct stat st;

	for (int i = 0; fd == -EEXIST && i < TRIES; i++)
		fd = open_once(out, err);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return fd;
	out->lock_rc = lock(fd, F_WRLCK);
	if (out->lock_rc != -EBUSY)
		return fd;
	close(fd);
	return -EBUSY;
}

static int open_file(struct rec_output *out, const char *path,
		     struct pd_err *err)
{
	int fd = sup_place_init(&out->place, path, err);

	if (!fd)
		fd = open_locked(out, err);
	if (fd == -EBUSY)
		return pd_err_set(err, fd, "another recorder writes it");
	if (fd < 0)
		return hint_other(err,
				  pd_err_set(err, fd, "%s", strerror(-fd)));
	out->fd = fd;
	/* The events were configured for that kind. */
	if (is_fifo(fd) != out->is_pipe)
		return pd_err_set(err, -EAGAIN,
				  "has become another kind of file");
	return 0;
}

bool rec_output_is_pipe(const char *path)
{
	struct stat st;

	if (path)
		return !strcmp(path, "-") || sup_place_is_stdout(path) ||
		       (!stat(path, &st) && S_ISFIFO(st.st_mode));
	return is_fifo(STDOUT_FILENO);
}

static int open_stdout(struct rec_output *out, struct pd_err *err)
{
	if (isatty(STDOUT_FILENO)) {
		pd_err_set(err, -EINVAL, "a terminal takes no recording");
		pd_err_hint(err, "give a file with -o, or pipe it to another "
				 "program");
		return -EINVAL;
	}
	out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (out->fd < 0)
		return pd_err_set(err, -errno, "stdout: %s", strerror(errno));
	return 0;
}

/* Fill out; path becomes NULL for stdout. */
static int begin(struct rec_output *out, const char **path)
{
	memset(out, 0, sizeof(*out));
	out->fd = out->place.dir_fd = out->place.seen_fd = -1;
	out->is_pipe = rec_output_is_pipe(*path);
	if (!*path)
		*path = out->is_pipe ? "-" : "perf.data";
	out->path = strdup(*path);
	out->rest = pd_hash_new();
	if (!strcmp(*path, "-") || sup_place_is_stdout(*path))
		*path = NULL;
	return out->path && out->rest
		       ? 0
		       : pd_err_set(&out->err, -ENOMEM, "out of memory");
}

/* Give the caller the error that out has. */
static int end(const struct rec_output *out, int rc, struct pd_err *err)
{
	if (rc && err && !err->code)
		*err = out->err;
	return rc;
}

int rec_output_open(struct rec_output *out, const char *path,
		    struct pd_err *err)
{
	int rc = begin(out, &path);

	rec_io_begin();
	if (!rc)
		rc = path ? open_file(out, path, &out->err)
			  : open_stdout(out, &out->err);
	rec_io_end();
	return end(out, rc, err);
}

/* Return whether the sticky bit of the folder keeps us from renaming the file
 * in it, as far as CAP_FOWNER does not allow it. */
static bool is_anothers(const struct sup_place *place)
{
	struct stat folder;

	return geteuid() && place->seen.st_uid != geteuid() &&
	       !fstat(place->dir_fd, &folder) && (folder.st_mode & S_ISVTX) &&
	       folder.st_uid != geteuid();
}

static int check_stream(const struct sup_place *place)
{
	int mode = is_fifo(place->seen_fd) ? W_OK : R_OK | W_OK;
	char again[64];

	snprintf(again, sizeof(again), "/proc/self/fd/%d", place->seen_fd);
	return faccessat(AT_FDCWD, again, mode, AT_EACCESS) ? -errno : 0;
}

static int check_file(struct rec_output *out, const char *path,
		      struct pd_err *err)
{
	const struct sup_place *place = &out->place;
	int rc = sup_place_init(&out->place, path, err);

	if (!rc)
		rc = sup_place_look(&out->place, err);
	if (rc == SUP_THERE_STREAM)
		rc = check_stream(place);
	else if (rc >= 0 &&
		 faccessat(place->dir_fd, ".", W_OK | X_OK, AT_EACCESS))
		rc = -errno;
	else if (rc == SUP_THERE_FILE || rc == SUP_THERE_LINK)
		rc = is_anothers(place) ? -EPERM : 0;
	if (rc >= 0)
		return 0;
	return hint_other(err, pd_err_set(err, rc, "%s", strerror(-rc)));
}

int rec_output_check(struct rec_output *out, const char *path,
		     struct pd_err *err)
{
	int rc = begin(out, &path);

	if (!rc)
		rc = path ? check_file(out, path, &out->err)
			  : open_stdout(out, &out->err);
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	return end(out, rc, err);
}

/* Instead of what was promised to be whole in the file. */
static void take_back_hint(struct pd_err *err)
{
	if (!err || (err->code != -ENOSPC && err->code != -EDQUOT))
		return;
	err->hint[0] = '\0';
	pd_err_hint(err, "nothing was recorded; make room, or record elsewhere "
			 "with -o");
}

int rec_output_resume(struct rec_output *out, int fd, const char *path,
		      const struct pd_file_header *header)
{
	*out = (struct rec_output){
		.fd = fd,
		.is_started = true,
		.place = { .dir_fd = -1, .seen_fd = -1 },
		.path = strdup(path),
		.data_off = header->data.off,
		.header = *header,
		.rest = pd_hash_new(),
	};
	return out->path && out->rest ? 0 : -ENOMEM;
}

int rec_output_cut(struct rec_output *out, uint64_t len)
{
	out->len = out->covered = len;
	if (ftruncate(out->fd, (off_t)len) ||
	    lseek(out->fd, (off_t)len, SEEK_SET) < 0)
		return latch(out, -errno, "cutting it");
	return 0;
}

void rec_output_abandon(struct rec_output *out, struct pd_err *err)
{
	const struct sup_place *place = &out->place;
	struct stat st, named;
	char *old;

	/* Do not remove a device that was named with -o, nor another file that
	 * has replaced ours. */
	if (!place->path || out->fd < 0 || fstat(out->fd, &st) ||
	    !S_ISREG(st.st_mode) ||
	    fstatat(place->dir_fd, place->name, &named, AT_SYMLINK_NOFOLLOW) ||
	    st.st_ino != named.st_ino || st.st_dev != named.st_dev)
		return;
	unlinkat(place->dir_fd, place->name, 0);
	take_back_hint(err);
	if (!out->has_old || asprintf(&old, "%s.old", place->name) < 0)
		return;
	/* The name is free now; if this fails, FILE.old is still there. */
	(void)!renameat(place->dir_fd, old, place->dir_fd, place->name);
	free(old);
}

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
	rec_io_begin();
	do
		done = pwritev(copy->fd, parts, part_nr, (off_t)copy->len);
	while (done < 0 && errno == EINTR);
	rec_io_end();
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
