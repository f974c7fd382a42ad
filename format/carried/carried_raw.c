#include "format/carried/carried_raw.h"

/* An entry for a file takes at least so many bytes. */
enum { HEAD_LEN_MIN = 2 };

void pd_carried_raw_write(struct pd_buf *b, const struct pd_carried_file *files,
			  uint32_t file_nr)
{
	uint32_t nr = 0, last = 0;

	for (uint32_t i = 0; i < file_nr; i++)
		nr += files[i].packed.len > 0;
	if (!nr)
		return;
	pd_buf_varint(b, nr);
	for (uint32_t i = 0; i < file_nr; i++) {
		if (!files[i].packed.len)
			continue;
		pd_buf_varint(b, i - last);
		pd_buf_varint(b, files[i].packed.len);
		last = i;
	}
	for (uint32_t i = 0; i < file_nr; i++)
		pd_buf_bytes(b, files[i].packed.ptr, files[i].packed.len);
}

/* Point the files to their bytes, which begin at text: the end of the list is
 * not known yet. */
static int read_list(struct pd_carried *carried, uint64_t nr,
		     struct pd_cursor *c)
{
	const char *text = (const char *)carried->raw_text;
	uint64_t idx = 0, off = 0;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t more = pd_cursor_varint(c), len = pd_cursor_varint(c);

		if (pd_cursor_status(c))
			return pd_cursor_status(c);
		if ((i && !more) || more >= carried->file_nr - idx)
			return pd_cursor_fail(c, -EBADMSG,
					      ".gnu_debugdata of no file");
		if (len > pd_cursor_left(c) || off > pd_cursor_left(c) - len)
			return pd_cursor_short(c);
		idx += more;
		carried->files[idx].packed =
			(struct pd_str){ text + off, (size_t)len };
		off += len;
	}
	return off > pd_cursor_left(c) ? pd_cursor_short(c) : 0;
}

int pd_carried_raw_read(struct pd_carried *carried, uint8_t *text, size_t len,
			uint64_t file_off, struct pd_err *err)
{
	struct pd_cursor c;
	uint64_t nr;
	int rc;

	carried->raw_text = text;
	pd_cursor_init(&c, text, len, file_off, "list of .gnu_debugdata");
	c.err = err;
	nr = pd_cursor_varint(&c);
	if (nr > pd_cursor_left(&c) / HEAD_LEN_MIN)
		pd_cursor_short(&c);
	rc = pd_cursor_status(&c);
	if (!rc)
		rc = read_list(carried, nr, &c);
	for (uint32_t i = 0; i < carried->file_nr; i++) {
		struct pd_str *packed = &carried->files[i].packed;

		if (packed->len && !rc)
			packed->ptr += c.pos;
		else
			*packed = (struct pd_str){ "", 0 };
	}
	return rc;
}
