/* record.h: one record as it lies in the file: its header and its bytes.
 *
 * data points to the 8 byte header in the bytes of the file, in its byte order
 * and alignment.  record_body.h decodes the body, sample.h that of samples.
 */
#ifndef PD_RECORD_H
#define PD_RECORD_H

#include "format/base/buf.h"
#include "format/base/cursor.h"

#define PD_RECORD_HEADER_LEN 8u

struct pd_record {
	uint32_t type; /* PD_RECORD_* */
	uint16_t misc;
	uint16_t len;	     /* "size": header and body */
	uint64_t file_off;   /* of the record; if it was compressed, of the
			      * COMPRESSED record that it came from */
	uint64_t seq;	     /* grows through the file: the order of records
			      * with equal times */
	const uint8_t *data; /* len bytes */
	uint64_t plain_off;  /* its offset in the plain text of the zstd frame;
			      * or PD_RECORD_NOT_COMPRESSED */
	bool swap;
};

#define PD_RECORD_NOT_COMPRESSED UINT64_MAX

#define PD_RECORD_SEQ_IDX_MAX 0xfffffu

/* Return the seq of a record: its file_off, then its place idx among the
 * records that came from the same COMPRESSED record.  It is the same every time
 * that the file is read, in whatever chunks. */
static inline uint64_t pd_record_seq(uint64_t file_off, uint64_t idx)
{
	return file_off << 20 |
	       (idx < PD_RECORD_SEQ_IDX_MAX ? idx : PD_RECORD_SEQ_IDX_MAX);
}

static inline uint64_t pd_record_file_off(uint64_t seq)
{
	return seq >> 20;
}

/* Read the header at data[0..left): set type, misc, len, data and swap of *ret.
 * Return -ENODATA and -EBADMSG as pd_record_read() does, without a text. */
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

/* Read the record at data[0..left).  Return -ENODATA if fewer than 8 bytes or
 * fewer than its len are left, -EBADMSG if len is below 8.  seq and plain_off
 * are not changed. */
int pd_record_read(const uint8_t *data, size_t left, uint64_t file_off,
		   bool swap, struct pd_record *ret, struct pd_err *err);

/* Return the number of 64 bits at off >= 0; 0 if the record ends before it. */
static inline uint64_t pd_record_word(const struct pd_record *rec, int off)
{
	uint64_t v;

	if ((size_t)off + sizeof(v) > rec->len)
		return 0;
	memcpy(&v, rec->data + off, sizeof(v));
	return rec->swap ? __builtin_bswap64(v) : v;
}

/* Return a cursor over the body; what is a literal, for example "mmap2 record".
 */
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

/* Return perf's name of a type ("MMAP2", "FINISHED_ROUND"); NULL if unknown. */
const char *pd_record_type_name(uint32_t type);

/* Start a record: write its header with len 0 and return its offset for
 * pd_record_end(), which pads the record to 8 bytes with zeros and sets len; b
 * fails with -EFBIG if that is more than 65535. */
size_t pd_record_begin(struct pd_buf *b, uint32_t type, uint16_t misc);
void pd_record_end(struct pd_buf *b, size_t start);
/* End a record without padding: COMPRESSED and HEADER_FEATURE, whose length is
 * that of their payload. */
void pd_record_end_unpadded(struct pd_buf *b, size_t start);

#endif
