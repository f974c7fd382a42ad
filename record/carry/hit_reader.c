#include "record/carry/hit_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/base/buf.h"
#include "format/base/limits.h"
#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "format/records/zstd_decompress.h"
#include "record/base/runtime.h"

enum {
	/* A record fits.  Longer reads would hold the file's lock for longer,
	 * and this thread may lose its CPU meanwhile. */
	WINDOW_LEN = 64 << 10,
	WAIT_SHARE = 8, /* of the memory: each of two rounds that wait */
	HEAD_LEN_MAX = 16 << 20,
};

/* The addresses that are taken. */
enum { MAPS = 1, SAMPLES = 2 };

struct rec_hit_reader {
	struct rec_hits hits;
	int fd;			/* owned */
	struct pd_reader *head; /* owned; the file's start, for its events */
	uint8_t *head_bytes;	/* owned */
	const struct pd_event_set *events;
	uint64_t data_off;
	uint64_t pos;	 /* of the next record */
	uint8_t *window; /* owned; the bytes from window_off on */
	uint64_t window_off;
	size_t window_len;
	struct pd_zstd_decompress *zstd; /* owned */
	/* Samples that were read behind the last marker, and those between it
	 * and the one before. */
	struct pd_buf round;
	struct pd_buf before;
	size_t wait_len;   /* the most that each of them may have */
	size_t peeked_len; /* of round */
	unsigned takes;
	uint64_t cpu_ns;
};

static int pread_all(int fd, void *ret, size_t len, uint64_t off)
{
	uint8_t *at = ret;

	while (len) {
		ssize_t n = pread(fd, at, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		at += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* The file's start. */

static int read_header(int fd, uint64_t len, struct pd_file_header *ret,
		       struct pd_err *err)
{
	uint8_t bytes[PD_FILE_HEADER_LEN];
	size_t head_len = len < sizeof(bytes) ? (size_t)len : sizeof(bytes);
	struct pd_cursor c;
	int rc = pread_all(fd, bytes, head_len, 0);

	if (rc)
		return pd_err_set(err, rc, "reading it back: %s",
				  strerror(-rc));
	pd_cursor_init(&c, bytes, head_len, 0, "file header");
	c.err = err;
	return pd_file_header_read(&c, ret);
}

/* Return how much of a file is needed for its events; a pipe has them in its
 * records. */
static uint64_t head_len_of(const struct pd_file_header *header, uint64_t len)
{
	uint64_t end = header->attrs.off + header->attrs.len;

	if (header->is_pipe || end < header->attrs.off || end > len)
		end = len;
	return end < HEAD_LEN_MAX ? end : HEAD_LEN_MAX;
}

static int read_head(struct rec_hit_reader *r, uint64_t len, struct pd_err *err)
{
	struct pd_file_header header = { .version = 0 };
	int rc = read_header(r->fd, len, &header, err);
	uint64_t head_len;

	if (rc)
		return rc;
	head_len = head_len_of(&header, len);
	r->data_off = header.is_pipe ? PD_PIPE_HEADER_LEN : header.data.off;
	r->head_bytes = malloc((size_t)head_len + 1);
	if (!r->head_bytes)
		return pd_err_set(err, -ENOMEM, "out of memory");
	rc = pread_all(r->fd, r->head_bytes, (size_t)head_len, 0);
	if (rc)
		return pd_err_set(err, rc, "reading it back: %s",
				  strerror(-rc));
	rc = pd_reader_open(&r->head, r->head_bytes, head_len, NULL, err);
	if (!rc)
		r->events = pd_reader_events(r->head);
	return rc;
}

uint64_t rec_hit_reader_data_end(int fd, uint64_t len)
{
	struct pd_file_header header = { .version = 0 };
	uint64_t end;

	if (read_header(fd, len, &header, NULL) || header.is_pipe)
		return len;
	end = header.data.off + header.data.len;
	return end >= header.data.off && end < len ? end : len;
}

int rec_hit_reader_new(struct rec_hit_reader **ret, int fd, uint64_t len,
		       size_t memory_len, struct pd_err *err)
{
	static const struct pd_zstd_decompress_limits limits = {
		PD_LIMIT_ZSTD_RATIO, PD_LIMIT_WINDOW_LEN
	};
	struct rec_hit_reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return pd_err_set(err, -ENOMEM, "out of memory");
	r->takes = MAPS | SAMPLES;
	r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	rc = r->fd < 0 ? pd_err_set(err, -errno, "reading it back: %s",
				    strerror(errno))
		       : read_head(r, len, err);
	r->pos = r->data_off;
	r->wait_len = memory_len / WAIT_SHARE;
	r->window = malloc(WINDOW_LEN);
	r->zstd = pd_zstd_decompress_new(&limits);
	if (!rc && (rec_hits_init(&r->hits, memory_len - 2 * r->wait_len) ||
		    !r->window || !r->zstd))
		rc = pd_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		rec_hit_reader_free(r);
	else
		*ret = r;
	return rc;
}

void rec_hit_reader_free(struct rec_hit_reader *r)
{
	if (!r)
		return;
	rec_hits_release(&r->hits);
	pd_zstd_decompress_free(r->zstd);
	pd_buf_release(&r->round);
	pd_buf_release(&r->before);
	pd_reader_close(r->head);
	free(r->head_bytes);
	free(r->window);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

/* Samples that wait. */

/* Take the samples of the round before; those of this round are then that. */
static void end_round(struct rec_hit_reader *r)
{
	struct pd_buf taken = r->before;
	struct pd_record rec = { 0 };

	for (size_t at = 0; at < taken.len; at += rec.len) {
		if (pd_record_read(taken.data + at, taken.len - at, 0, false,
				   &rec, NULL))
			break;
		rec_hits_see_sample(&r->hits, r->events, &rec);
	}
	pd_buf_reset(&taken);
	r->before = r->round;
	r->round = taken;
	r->peeked_len = 0;
	rec_address_spaces_round(&r->hits.spaces);
}

void rec_hit_reader_peek(struct rec_hit_reader *r)
{
	struct pd_record rec = { 0 };
	size_t at = r->peeked_len;

	for (; at < r->round.len; at += rec.len) {
		if (pd_record_read(r->round.data + at, r->round.len - at, 0,
				   false, &rec, NULL))
			break;
		rec_hits_peek(&r->hits, r->events, &rec);
	}
	r->peeked_len = r->round.len;
}

void rec_hit_reader_end(struct rec_hit_reader *r)
{
	end_round(r);
	end_round(r);
}

static void take(struct rec_hit_reader *r, const struct pd_record *rec)
{
	if (rec->type == PD_RECORD_FINISHED_ROUND)
		end_round(r);
	else if (rec->type != PD_RECORD_SAMPLE && r->takes & MAPS)
		rec_hits_see_other(&r->hits, r->events, rec);
	else if (rec->type == PD_RECORD_SAMPLE && r->takes == SAMPLES)
		rec_hits_see_sample(&r->hits, r->events, rec);
	else if (rec->type == PD_RECORD_SAMPLE && r->takes & SAMPLES) {
		if (r->round.len + rec->len > r->wait_len)
			end_round(r);
		pd_buf_bytes(&r->round, rec->data, rec->len);
	}
}

/* Records. */

static void take_compressed(struct rec_hit_reader *r,
			    const struct pd_record *rec)
{
	struct pd_zstd_decompress_skip skip;
	struct pd_record plain;
	struct pd_body body;
	int rc;

	if (pd_body_read(rec, 0, &body, NULL))
		return;
	pd_zstd_decompress_feed(r->zstd, body.u.compressed.payload,
				body.u.compressed.payload_len, rec->file_off);
	/* A damaged record has no names. */
	while ((rc = pd_zstd_decompress_next(r->zstd, false, &plain, &skip,
					     NULL)))
		if (rc > 0)
			take(r, &plain);
}

/* Return how many bytes follow a record without being one. */
static uint64_t payload_after(const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec, "record", NULL);

	if (rec->type == PD_RECORD_AUXTRACE)
		return pd_cursor_u64(&c);
	if (rec->type == PD_RECORD_HEADER_TRACING_DATA)
		return ((uint64_t)pd_cursor_u32(&c) + 7) / 8 * 8;
	return 0;
}

/* Read the bytes from pos on, at most up to byte len. */
static int fill_window(struct rec_hit_reader *r, uint64_t len)
{
	uint64_t left = len - r->pos;
	int rc;

	r->window_off = r->pos;
	r->window_len = left < WINDOW_LEN ? (size_t)left : WINDOW_LEN;
	rc = pread_all(r->fd, r->window, r->window_len, r->pos);
	if (rc)
		r->window_len = 0;
	return rc;
}

/* Take the records that are whole in the window. */
static int read_window(struct rec_hit_reader *r)
{
	uint64_t end = r->window_off + r->window_len;
	struct pd_record rec = { 0 };
	int rc = 0;

	while (r->pos < end) {
		rc = pd_record_read(r->window + (r->pos - r->window_off),
				    (size_t)(end - r->pos), r->pos, false, &rec,
				    NULL);
		if (rc)
			break;
		if (payload_after(&rec) > INT64_MAX - r->pos - rec.len) {
			rc = -EBADMSG;
			break;
		}
		r->pos += rec.len + payload_after(&rec);
		if (rec.type == PD_RECORD_COMPRESSED ||
		    rec.type == PD_RECORD_COMPRESSED2)
			take_compressed(r, &rec);
		else
			take(r, &rec);
	}
	/* the rest is not whole, in the window or at all */
	return rc == -ENODATA ? 0 : rc;
}

int rec_hit_reader_read(struct rec_hit_reader *r, uint64_t len)
{
	uint64_t cpu_ns = rec_thread_cpu_ns();
	uint64_t pos = r->pos;
	int rc = 0;

	if (pos < len)
		rc = fill_window(r, len);
	if (!rc && pos < len)
		rc = read_window(r);
	r->cpu_ns += rec_thread_cpu_ns() - cpu_ns;
	return rc ? rc : r->pos < len && r->pos != pos;
}

void rec_hit_reader_take_maps(struct rec_hit_reader *r)
{
	r->takes = MAPS;
}

void rec_hit_reader_take_samples(struct rec_hit_reader *r)
{
	r->takes = SAMPLES;
	r->pos = r->data_off;
}

struct rec_hits *rec_hit_reader_hits(struct rec_hit_reader *r)
{
	return &r->hits;
}

uint64_t rec_hit_reader_cpu_ns(const struct rec_hit_reader *r)
{
	return r->cpu_ns;
}
