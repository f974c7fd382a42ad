#include "report/page/page_write.h"

#include "report/base/memory.h"
#include "report/page/page_data.h"
#include "report/page/page_viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* zlib's own default: level 9 takes twice the time for 1 % less. */
#define LEVEL 6

struct page {
	struct rpt_page_fill *fill;
	const struct rpt_page_conf *conf;
	rpt_page_put_head *put_head;
	const void *ctx; /* for put_head */
};

static void put_head_text(struct pd_buf *b, const struct page *page)
{
	struct rpt_text_string *string = rpt_text_string_new();
	struct rpt_json json = RPT_JSON_INIT(&string->text, "");
	const char *text;
	size_t len;

	page->put_head(&json, page->ctx, page->fill, page->conf);
	text = rpt_text_string_take(string, &len);
	pd_buf_varint(b, len);
	pd_buf_bytes(b, text, len);
	rpt_text_string_free(string);
}

/* Deflate b without a header.  Return the bytes, which the caller frees. */
static uint8_t *deflated(const struct pd_buf *b, size_t *ret_len)
{
	z_stream z = { .next_in = b->data, .avail_in = (uInt)b->len };
	uint8_t *bytes;

	if (b->len > UINT32_MAX / 2 ||
	    deflateInit2(&z, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	*ret_len = deflateBound(&z, b->len);
	bytes = rpt_alloc(*ret_len);
	z.next_out = bytes;
	z.avail_out = (uInt)*ret_len;
	deflate(&z, Z_FINISH);
	*ret_len = z.total_out;
	deflateEnd(&z);
	return bytes;
}

/* Return the data of the page; NULL: it is too much. */
static uint8_t *data_of(const struct page *page, size_t *ret_len)
{
	const struct rpt_page_fill *fill = page->fill;
	struct pd_buf b = PD_BUF_INIT;
	uint8_t *bytes = NULL;

	put_head_text(&b, page);
	rpt_page_data_names(&b, &fill->names);
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_data_tree(&b, &fill->trees[i], &fill->names,
				   fill->periods[i]);
	if (!pd_buf_status(&b))
		bytes = deflated(&b, ret_len);
	pd_buf_release(&b);
	return bytes;
}

static void put_base64(FILE *out, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t word = (uint32_t)bytes[i] << 16 |
				(left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				(left > 2 ? bytes[i + 2] : 0);
		char text[4] = { digits[word >> 18], digits[word >> 12 & 63],
				 left > 1 ? digits[word >> 6 & 63] : '=',
				 left > 2 ? digits[word & 63] : '=' };

		fwrite(text, 1, sizeof(text), out);
	}
}

/* Return whether a page with so many bytes of data may be. */
static bool fits(size_t len, const struct rpt_page_conf *conf)
{
	return strlen(rpt_page_viewer_start) + strlen(rpt_page_viewer_end) +
		       ((uint64_t)len + 2) / 3 * 4 <=
	       conf->len_max;
}

/* Return data that fits, by leaving out ever heavier nodes; NULL: none does. */
static uint8_t *fitting_data(const struct page *page, size_t *ret_len)
{
	uint8_t *bytes = data_of(page, ret_len);

	for (unsigned bit = 1; bit < 63; bit++) {
		if (bytes && fits(*ret_len, page->conf))
			return bytes;
		rpt_page_fill_prune(page->fill, UINT64_C(1) << bit);
		free(bytes);
		bytes = data_of(page, ret_len);
	}
	free(bytes);
	return NULL;
}

int rpt_page_write(struct rpt_page_fill *fill, const struct rpt_page_conf *conf,
		   rpt_page_put_head *put_head, const void *ctx, FILE *out,
		   struct pd_err *err)
{
	const struct page page = { fill, conf, put_head, ctx };
	size_t len = 0;
	uint8_t *bytes = fitting_data(&page, &len);

	if (!bytes)
		return pd_err_set(err, -EFBIG,
				  "not even its heaviest functions fit into a "
				  "page of %" PRIu64 " bytes (--page-size)",
				  conf->len_max);
	fputs(rpt_page_viewer_start, out);
	put_base64(out, bytes, len);
	fputs(rpt_page_viewer_end, out);
	free(bytes);
	if (fflush(out) && errno != EPIPE)
		return pd_err_set(err, -errno, "%s", strerror(errno));
	return 0;
}
