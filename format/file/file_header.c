#include "format/file/file_header.h"

/* Return 1 or 2; 0 if this is no magic in this byte order. */
static unsigned version_of(uint64_t magic)
{
	if (magic == PD_MAGIC2)
		return 2;
	return magic == PD_MAGIC1 ? 1 : 0;
}

static struct pd_section read_section(struct pd_cursor *c)
{
	struct pd_section s;

	s.off = pd_cursor_u64(c);
	s.len = pd_cursor_u64(c);
	return s;
}

/* Exchange the halves of each u64 of the bitmap if a 32-bit producer of the
 * other byte order wrote it as u32s.  HOSTNAME, which is in every file, shows
 * it: it is not set, but would be with the halves exchanged. */
static void mend_bitmap(struct pd_file_header *h)
{
	uint64_t exchanged = h->features[0] >> 32 | h->features[0] << 32;

	if (!h->swap || pd_file_header_has(h, PD_FEATURE_HOSTNAME) ||
	    !(exchanged & PD_BIT(PD_FEATURE_HOSTNAME)))
		return;
	for (unsigned i = 0; i < PD_FEATURE_BITS / 64; i++)
		h->features[i] = h->features[i] >> 32 | h->features[i] << 32;
}

/* Find the byte order of version 1, whose magic is the same in both: the length
 * of the header is a small number in the right one. */
static void guess_order(struct pd_cursor *c, struct pd_file_header *h)
{
	struct pd_cursor look = *c;
	uint64_t header_len = pd_cursor_u64(&look);

	if (pd_cursor_status(&look) || header_len >> 32 == 0)
		return;
	c->swap = h->swap = true;
}

static void read_magic(struct pd_cursor *c, struct pd_file_header *h)
{
	uint64_t magic = pd_cursor_u64(c);

	if (pd_cursor_status(c))
		return;
	h->version = version_of(magic);
	if (!h->version) {
		h->version = version_of(__builtin_bswap64(magic));
		c->swap = h->swap = true;
	}
	if (!h->version) {
		c->pos = 0;
		pd_cursor_fail(c, -EBADMSG, "this is not a perf.data file");
	} else if (h->version == 1) {
		/* The magic is written as characters, which have no byte
		 * order. */
		c->swap = h->swap = false;
		guess_order(c, h);
	}
}

static void read_rest(struct pd_cursor *c, struct pd_file_header *h)
{
	h->attr_entry_len = pd_cursor_u64(c);
	h->attrs = read_section(c);
	h->data = read_section(c);
	h->event_types = read_section(c);
	if (h->header_len == PD_FILE_HEADER_LEN_OLD)
		return;
	for (unsigned i = 0; i < PD_FEATURE_BITS / 64; i++)
		h->features[i] = pd_cursor_u64(c);
	mend_bitmap(h);
}

int pd_file_header_read(struct pd_cursor *c, struct pd_file_header *ret)
{
	struct pd_file_header h = { 0 };

	read_magic(c, &h);
	h.header_len = pd_cursor_u64(c);
	if (pd_cursor_status(c))
		return pd_cursor_status(c);
	if (h.header_len == PD_PIPE_HEADER_LEN)
		h.is_pipe = true;
	else if (h.header_len == PD_FILE_HEADER_LEN ||
		 h.header_len == PD_FILE_HEADER_LEN_OLD)
		read_rest(c, &h);
	else
		pd_cursor_fail(c, -EBADMSG,
			       "a file header of %llu bytes is not known",
			       (unsigned long long)h.header_len);
	if (pd_cursor_status(c))
		return pd_cursor_status(c);
	*ret = h;
	return 0;
}

static void write_section(struct pd_buf *b, const struct pd_section *s)
{
	pd_buf_u64(b, s->off);
	pd_buf_u64(b, s->len);
}

void pd_file_header_write(struct pd_buf *b, const struct pd_file_header *h)
{
	pd_buf_u64(b, PD_MAGIC2);
	pd_buf_u64(b, h->is_pipe ? PD_PIPE_HEADER_LEN : PD_FILE_HEADER_LEN);
	if (h->is_pipe)
		return;
	pd_buf_u64(b, h->attr_entry_len);
	write_section(b, &h->attrs);
	write_section(b, &h->data);
	write_section(b, &h->event_types);
	for (unsigned i = 0; i < PD_FEATURE_BITS / 64; i++)
		pd_buf_u64(b, h->features[i]);
}
