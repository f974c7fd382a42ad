/* record.h: one record as it lies in the file: header and where its bytes are.
 *
 * A struct pd_record is a view: data points at the 8 byte header, which stands
 * there in the file's byte order and alignment.  What the body means is decoded
 * by record_body.h, for samples by sample.h.
 */
#ifndef PD_RECORD_H
#define PD_RECORD_H

#include "format/buf.h"
#include "format/cursor.h"

#define PD_RECORD_HEADER_LEN 8u

struct pd_record {
	uint32_t type; /* PD_RECORD_* */
	uint16_t misc;
	uint16_t len;	     /* "size": header and body */
	uint64_t file_off;   /* of the record; inside compressed data, of the
			      * COMPRESSED record that it came out of */
	uint64_t seq;	     /* counts up through the file: the order of equal
			      * times */
	const uint8_t *data; /* len bytes */
	uint64_t plain_off;  /* inside compressed data: where in the plain text
			      * of the zstd frame; or PD_RECORD_NOT_COMPRESSED */
	bool swap;
};

#define PD_RECORD_NOT_COMPRESSED UINT64_MAX

#define PD_RECORD_SEQ_IDX_MAX 0xfffffu

/* The seq of a record: where its bytes, or those of the COMPRESSED record that
 * it came out of, are; then its place among the records out of that one.  The
 * same in every reading of the file, in whatever pieces. */
static inline uint64_t pd_record_seq(uint64_t file_off, uint64_t idx)
{
	return file_off << 20 |
	       (idx < PD_RECORD_SEQ_IDX_MAX ? idx : PD_RECORD_SEQ_IDX_MAX);
}

static inline uint64_t pd_record_file_off(uint64_t seq)
{
	return seq >> 20;
}

/* The header at data[0..left): type, misc, len, data and swap of *ret.
 * -ENODATA and -EBADMSG as pd_record_read(), without a text. */
static inline int pd_record_read_header(const uint8_t *data, uint64_t left,
					bool swap, struct pd_record *ret)
{
	uint32_t type;
	uint16_t misc, len;

	if (left < PD_RECORD_HEADER_LEN)
		return -ENODATA;
	memcpy(&type, data, sizeof(type));
	memcpy(&misc, data + 4, sizeof(misc));
	memcpy(&len, data + 6, sizeof(len));
	if (swap) {
		type = __builtin_bswap32(type);
		misc = __builtin_bswap16(misc);
		len = __builtin_bswap16(len);
	}
	ret->type = type;
	ret->misc = misc;
	ret->len = len;
	ret->data = data;
	ret->swap = swap;
	if (len < PD_RECORD_HEADER_LEN)
		return -EBADMSG;
	return len > left ? -ENODATA : 0;
}

/* The header at data[0..left).  -ENODATA if fewer than 8 bytes or fewer than
 * the record's len are left, -EBADMSG if len < 8.  seq and plain_off are left
 * alone. */
int pd_record_read(const uint8_t *data, size_t left, uint64_t file_off,
		   bool swap, struct pd_record *ret, struct pd_err *err);

/* The number of 64 bits at off >= 0; 0 where the record ends before. */
static inline uint64_t pd_record_word(const struct pd_record *rec, int off)
{
	uint64_t v;

	if ((size_t)off + sizeof(v) > rec->len)
		return 0;
	memcpy(&v, rec->data + off, sizeof(v));
	return rec->swap ? __builtin_bswap64(v) : v;
}

/* A cursor over the body.  what: "mmap2 record", a literal. */
static inline struct pd_cursor pd_record_body(const struct pd_record *rec,
					      const char *what,
					      struct pd_err *err)
{
	return (struct pd_cursor){
		.data = rec->data + PD_RECORD_HEADER_LEN,
		.len = (size_t)rec->len - PD_RECORD_HEADER_LEN,
		.file_off = rec->file_off + PD_RECORD_HEADER_LEN,
		.what = what,
		.err = err,
		.swap = rec->swap,
	};
}

/* "MMAP2", "FINISHED_ROUND", as perf names it; NULL if unknown. */
const char *pd_record_type_name(uint32_t type);

/* Starts a record in b: writes the header with len 0 and returns its offset
 * for pd_record_end(), which pads the record to 8 bytes with zeros, sets len
 * and latches -EFBIG in b over 65535 bytes. */
size_t pd_record_begin(struct pd_buf *b, uint32_t type, uint16_t misc);
void pd_record_end(struct pd_buf *b, size_t start);
/* Without padding: the length is part of what COMPRESSED and HEADER_FEATURE
 * say. */
void pd_record_end_unpadded(struct pd_buf *b, size_t start);

#endif
