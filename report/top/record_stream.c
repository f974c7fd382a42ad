#include "report/top/record_stream.h"

#include "format/base/limits.h"
#include "format/file/file_header.h"
#include "format/records/record_body.h"
#include "report/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The formats of all tracepoints of a machine are some MiB. */
#define PAYLOAD_MAX ((uint64_t)64 << 20)

void rpt_record_stream_init(struct rpt_record_stream *stream,
			    rpt_record_take *take, void *ctx)
{
	*stream = (struct rpt_record_stream){ .take = take, .ctx = ctx };
}

void rpt_record_stream_release(struct rpt_record_stream *stream)
{
	free(stream->data);
	pd_zstd_decompress_free(stream->zstd);
	stream->data = NULL;
	stream->zstd = NULL;
}

static void append(struct rpt_record_stream *stream, const uint8_t *data,
		   size_t len)
{
	if (stream->len + len > stream->cap) {
		stream->cap = (stream->len + len) * 2;
		stream->data = rpt_realloc_array(stream->data, stream->cap, 1);
	}
	memcpy(stream->data + stream->len, data, len);
	stream->len += len;
}

/* Read the header of the pipe at data.  Return its length, 0 if more bytes are
 * needed, or a negative errno. */
static int read_header(struct rpt_record_stream *stream, struct pd_err *err)
{
	struct pd_file_header header;
	struct pd_cursor c;
	int rc;

	if (stream->len < PD_PIPE_HEADER_LEN)
		return 0;
	pd_cursor_init(&c, stream->data, stream->len, 0, "file header");
	c.err = err;
	rc = pd_file_header_read(&c, &header);
	if (rc == -ENODATA) /* of a file; a pipe's header is all there */
		header.is_pipe = false;
	else if (rc)
		return rc;
	if (!header.is_pipe) {
		err->code = 0;
		pd_err_set(err, -ENOTSUP,
			   "it is a file, not what a recorder "
			   "writes to a pipe (-o -)");
		pd_err_hint(err, "perfpair report shows files");
		return -ENOTSUP;
	}
	stream->swap = header.swap;
	stream->is_open = true;
	return PD_PIPE_HEADER_LEN;
}

static void add_damage(struct rpt_record_stream *stream, uint64_t off,
		       uint64_t len)
{
	struct pd_err why = PD_ERR_INIT;

	pd_err_at(&why, -EBADMSG, off, "no record begins here");
	pd_damage_add(&stream->damage, PD_DAMAGE_RECORD, len, &why);
}

/* Return whether a record may begin at data: its type is known, and its length
 * is one that records have. */
static bool is_plausible(const struct rpt_record_stream *stream,
			 const uint8_t *data, size_t left)
{
	struct pd_record rec = { 0 };

	if (left < PD_RECORD_HEADER_LEN)
		return true;
	if (pd_record_read_header(data, left, stream->swap, &rec) == -EBADMSG)
		return false;
	return pd_record_type_name(rec.type) &&
	       (rec.len % 8 == 0 || rec.type == PD_RECORD_COMPRESSED ||
		rec.type == PD_RECORD_HEADER_FEATURE);
}

static void feed(struct rpt_record_stream *stream, const struct pd_record *rec)
{
	static const struct pd_zstd_decompress_limits limits = {
		PD_LIMIT_ZSTD_RATIO, PD_LIMIT_WINDOW_LEN
	};
	struct pd_zstd_decompress_skip skip;
	struct pd_err why = PD_ERR_INIT;
	struct pd_record plain;
	struct pd_body body;
	int rc;

	if (!stream->zstd)
		stream->zstd = pd_zstd_decompress_new(&limits);
	if (!stream->zstd || pd_body_read(rec, 0, &body, NULL)) {
		add_damage(stream, rec->file_off, rec->len);
		return;
	}
	pd_zstd_decompress_feed(stream->zstd, body.u.compressed.payload,
				body.u.compressed.payload_len, rec->file_off);
	while ((rc = pd_zstd_decompress_next(stream->zstd, stream->swap, &plain,
					     &skip, &why)) != 0) {
		if (rc < 0)
			pd_damage_add(&stream->damage, PD_DAMAGE_ZSTD, skip.len,
				      &why);
		else if (plain.type != PD_RECORD_COMPRESSED &&
			 plain.type != PD_RECORD_COMPRESSED2)
			stream->take(stream->ctx, &plain, NULL, 0);
		why.code = 0;
	}
}

/* Return how many bytes behind rec belong to it; UINT64_MAX if these are more
 * than there can be. */
static uint64_t payload_len(const struct pd_record *rec)
{
	struct pd_cursor c = pd_record_body(rec, "record", NULL);
	uint64_t len;

	if (rec->type == PD_RECORD_AUXTRACE)
		return pd_cursor_u64(&c);
	if (rec->type != PD_RECORD_HEADER_TRACING_DATA)
		return 0;
	len = pd_cursor_u32(&c);
	return len <= PAYLOAD_MAX ? (len + 7) / 8 * 8 : UINT64_MAX;
}

/* Take the record at data.  Return its length with what belongs to it, 0 if
 * more bytes are needed, or -EBADMSG if there is none. */
static int64_t take_record(struct rpt_record_stream *stream,
			   const uint8_t *data, size_t left, uint64_t off)
{
	struct pd_record rec = { .file_off = off,
				 .plain_off = PD_RECORD_NOT_COMPRESSED };
	int rc = pd_record_read_header(data, left, stream->swap, &rec);
	uint64_t more_len;

	if (rc == -EBADMSG ||
	    (stream->is_lost &&
	     (!is_plausible(stream, data, left) ||
	      (!rc && !is_plausible(stream, data + rec.len, left - rec.len)))))
		return -EBADMSG;
	if (rc)
		return 0;
	more_len = payload_len(&rec);
	if (more_len == UINT64_MAX)
		return -EBADMSG;
	if (rec.type == PD_RECORD_AUXTRACE) {
		stream->skip_len = more_len;
		return rec.len;
	}
	if (left - rec.len < more_len)
		return 0;
	if (rec.type == PD_RECORD_COMPRESSED ||
	    rec.type == PD_RECORD_COMPRESSED2)
		feed(stream, &rec);
	else
		stream->take(stream->ctx, &rec, data + rec.len,
			     (size_t)more_len);
	return (int64_t)(rec.len + more_len);
}

static void end_lost(struct rpt_record_stream *stream, uint64_t off)
{
	if (!stream->is_lost)
		return;
	add_damage(stream, stream->lost_from, off - stream->lost_from);
	stream->is_lost = false;
}

/* Skip the next byte, which is of no record. */
static void lose(struct rpt_record_stream *stream, uint64_t off)
{
	if (!stream->is_lost)
		stream->lost_from = off;
	stream->is_lost = true;
}

/* Take all whole records of data.  Return how many bytes that were. */
static size_t take_all(struct rpt_record_stream *stream, size_t pos)
{
	while (pos < stream->len) {
		uint64_t off = stream->file_off + pos;
		int64_t len;

		if (stream->skip_len) {
			size_t skip = stream->len - pos;

			if (skip > stream->skip_len)
				skip = (size_t)stream->skip_len;
			stream->skip_len -= skip;
			pos += skip;
			continue;
		}
		len = take_record(stream, stream->data + pos, stream->len - pos,
				  off);
		if (!len)
			break;
		if (len < 0) {
			lose(stream, off);
			pos++;
			continue;
		}
		end_lost(stream, off);
		pos += (size_t)len;
	}
	return pos;
}

int rpt_record_stream_add(struct rpt_record_stream *stream, const uint8_t *data,
			  size_t len, struct pd_err *err)
{
	size_t pos = 0;

	append(stream, data, len);
	if (!stream->is_open) {
		int rc = read_header(stream, err);

		if (rc <= 0)
			return rc;
		pos = (size_t)rc;
	}
	pos = take_all(stream, pos);
	memmove(stream->data, stream->data + pos, stream->len - pos);
	stream->len -= pos;
	stream->file_off += pos;
	return 0;
}

int rpt_record_stream_end(struct rpt_record_stream *stream, struct pd_err *err)
{
	uint64_t end = stream->file_off + stream->len;

	if (!end)
		return pd_err_set(err, -ENODATA, "the pipe is empty");
	if (!stream->is_open)
		return pd_err_set(err, -EBADMSG,
				  "the pipe ends inside of its header");
	if (!stream->is_lost && stream->len)
		lose(stream, stream->file_off);
	end_lost(stream, end);
	return 0;
}
