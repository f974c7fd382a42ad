/* record_stream.h: the records of a recording that is still being written to a
 * pipe, as its bytes come.
 *
 *	rpt_record_stream_init(&stream, take, ctx);
 *	while ((n = read(fd, buf, sizeof(buf))) > 0)
 *		rpt_record_stream_add(&stream, buf, n, &err);
 *	rpt_record_stream_end(&stream);
 *	rpt_record_stream_release(&stream);
 *
 * COMPRESSED records are given as what they contain.  Bytes that are no record
 * are skipped and counted: reading goes on where records seem to begin again.
 */
#ifndef RPT_RECORD_STREAM_H
#define RPT_RECORD_STREAM_H

#include "format/base/damage.h"
#include "format/records/record.h"
#include "format/records/zstd_decompress.h"

/* A record, which is valid during the call.  The payload is what stands behind
 * a record of TRACING_DATA in a pipe; else its length is 0. */
typedef void rpt_record_take(void *ctx, const struct pd_record *rec,
			     const uint8_t *payload, size_t payload_len);

struct rpt_record_stream {
	rpt_record_take *take;
	void *ctx;
	uint8_t *data; /* owned: bytes that were not yet taken */
	size_t len;
	size_t cap;
	uint64_t file_off;  /* of data in the pipe */
	uint64_t skip_len;  /* payload that comes next, and is not looked at */
	uint64_t lost_from; /* where bytes that are no record began ... */
	bool is_lost;	    /* ... if they did */
	bool is_open;	    /* the header of the pipe was read */
	bool swap;
	struct pd_zstd_decompress *zstd; /* NULL: nothing was compressed */
	struct pd_damage damage;
};

void rpt_record_stream_init(struct rpt_record_stream *stream,
			    rpt_record_take *take, void *ctx);
void rpt_record_stream_release(struct rpt_record_stream *stream);

/* Add the next bytes of the pipe, and give the records that are whole by then.
 * Return 0; -EBADMSG if the pipe does not begin as a recording does; -ENOTSUP
 * if it begins as a file, not as a pipe. */
int rpt_record_stream_add(struct rpt_record_stream *stream, const uint8_t *data,
			  size_t len, struct pd_err *err);

/* Say that no bytes follow: what is left of a record counts as damage.  Return
 * -ENODATA if nothing came at all. */
int rpt_record_stream_end(struct rpt_record_stream *stream, struct pd_err *err);

#endif
