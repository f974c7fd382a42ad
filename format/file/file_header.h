/* file_header.h: the first bytes of the file.  FORMAT.md "File header". */
#ifndef PD_FILE_HEADER_H
#define PD_FILE_HEADER_H

#include "format/base/buf.h"
#include "format/base/cursor.h"
#include "format/file/layout.h"

struct pd_section {
	uint64_t off; /* from the start of the file */
	uint64_t len;
};

struct pd_file_header {
	unsigned version; /* 1 PERFFILE, 2 PERFILE2 */
	bool swap;	  /* the file's byte order is not this machine's */
	bool is_pipe;	  /* it has only magic and length; records follow */
	uint64_t header_len;
	uint64_t attr_entry_len; /* attr.size + 16 */
	struct pd_section attrs;
	struct pd_section data;
	struct pd_section event_types;
	uint64_t features[PD_FEATURE_BITS / 64];
};

static inline bool pd_file_header_has(const struct pd_file_header *h,
				      unsigned bit)
{
	return h->features[bit / 64] >> (bit % 64) & 1;
}

static inline bool pd_file_header_has_any(const struct pd_file_header *h)
{
	return h->features[0] || h->features[1] || h->features[2] ||
	       h->features[3];
}

static inline void pd_file_header_add(struct pd_file_header *h, unsigned bit)
{
	h->features[bit / 64] |= PD_BIT(bit % 64);
}

/* Read the header at the start of a file and set c->swap by its magic.  Return
 * -EBADMSG if this is no perf.data file. */
int pd_file_header_read(struct pd_cursor *c, struct pd_file_header *ret);

/* Write 104 bytes, or 16 for a pipe. */
void pd_file_header_write(struct pd_buf *b, const struct pd_file_header *h);

#endif
