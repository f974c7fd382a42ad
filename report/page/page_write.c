#include "report/page/page_write.h"

#include "report/base/memory.h"
#include "report/page/page_code_data.h"
#include "report/page/page_data.h"
#include "report/page/page_viewer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* zlib's own default: level 9 takes twice the time for 1 % less. */
#define LEVEL 6

/* Instructions are at most so many bytes, and such a part of a page. */
#define CODE_LEN_MAX (UINT64_C(200) << 10)
#define CODE_PART    8

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

/* Bytes that were deflated, without a header. */
struct deflated {
	uint8_t *bytes; /* owned; NULL: there are too many */
	size_t len;
};

static struct deflated deflated(const void *bytes, size_t len)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)bytes,
		       .avail_in = (uInt)len };
	struct deflated d = { 0 };

	if (len > UINT32_MAX / 2 ||
	    deflateInit2(&z, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return d;
	d.len = deflateBound(&z, len);
	d.bytes = rpt_alloc(d.len);
	z.next_out = d.bytes;
	z.avail_out = (uInt)d.len;
	deflate(&z, Z_FINISH);
	d.len = z.total_out;
	deflateEnd(&z);
	return d;
}

static struct deflated data_of(const struct page *page)
{
	const struct rpt_page_fill *fill = page->fill;
	struct pd_buf b = PD_BUF_INIT;
	struct deflated d = { 0 };

	put_head_text(&b, page);
	rpt_page_data_names(&b, &fill->names);
	for (uint32_t i = 0; i < fill->tree_nr; i++)
		rpt_page_data_tree(&b, &fill->trees[i], &fill->names,
				   fill->periods[i]);
	if (fill->code)
		rpt_page_code_data(&b, fill->code, &fill->names, fill->periods);
	if (!pd_buf_status(&b))
		d = deflated(b.data, b.len);
	pd_buf_release(&b);
	return d;
}

/* Return how many bytes of a page the instructions are. */
static size_t code_len(const struct rpt_page_fill *fill)
{
	struct pd_buf b = PD_BUF_INIT;
	struct deflated d;

	rpt_page_code_data(&b, fill->code, &fill->names, fill->periods);
	d = deflated(b.data, b.len);
	free(d.bytes);
	pd_buf_release(&b);
	return d.bytes ? d.len : SIZE_MAX;
}

/* Leave out the functions with fewest samples until their instructions have
 * room. */
static void fit_code(const struct page *page)
{
	struct rpt_page_code *code = page->fill->code;
	uint64_t room = page->conf->len_max / CODE_PART;

	if (!code)
		return;
	if (room > CODE_LEN_MAX)
		room = CODE_LEN_MAX;
	while (code->shown_nr && code_len(page->fill) > room)
		code->shown_nr -= code->shown_nr / 8 + 1;
}

static uint64_t text_len(const struct deflated *d)
{
	return (d->len + 2) / 3 * 4;
}

/* Print the bytes as base64. */
static void put_text(FILE *out, const struct deflated *d)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";

	for (size_t i = 0; i < d->len; i += 3) {
		size_t nr = d->len - i < 3 ? d->len - i : 3;
		uint32_t word = (uint32_t)d->bytes[i] << 16;

		if (nr > 1)
			word |= (uint32_t)d->bytes[i + 1] << 8;
		if (nr > 2)
			word |= d->bytes[i + 2];
		for (size_t k = 0; k < 4; k++)
			putc_unlocked(
				k <= nr ? digits[word >> (18 - 6 * k) & 63]
					: '=',
				out);
	}
}

/* Return data that fits, by leaving out ever heavier nodes; no bytes: none
 * does. */
static struct deflated fitting_data(const struct page *page,
				    const struct deflated *program)
{
	uint64_t around_len = strlen((const char *)rpt_page_viewer_page) +
			      text_len(program) + 5 * strlen(page->conf->title);
	struct deflated data;

	fit_code(page);
	data = data_of(page);
	for (unsigned bit = 1; bit < 63; bit++) {
		if (data.bytes &&
		    around_len + text_len(&data) <= page->conf->len_max)
			return data;
		rpt_page_fill_prune(page->fill, UINT64_C(1) << bit);
		free(data.bytes);
		data = data_of(page);
	}
	free(data.bytes);
	return (struct deflated){ 0 };
}

/* Put text that may not become markup. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		if (strchr("<>&\"'", *text))
			fprintf(out, "&#%d;", *text);
		else
			fputc(*text, out);
}

/* Put the page, with what goes in place of the words in it. */
static void put_page(FILE *out, const struct page *page,
		     const struct deflated *program,
		     const struct deflated *data)
{
	const char *at = (const char *)rpt_page_viewer_page;
	char word[16];
	int len;

	for (const char *next; (next = strchr(at, '@')); at = next + len) {
		fwrite(at, 1, (size_t)(next - at), out);
		len = 0;
		sscanf(next, "@%9[A-Z]@%n", word, &len);
		if (len && !strcmp(word, "TITLE"))
			put_escaped(out, page->conf->title);
		else if (len && !strcmp(word, "PROGRAM"))
			put_text(out, program);
		else if (len && !strcmp(word, "DATA"))
			put_text(out, data);
		else
			len = fputc('@', out) == '@';
	}
	fputs(at, out);
}

int rpt_page_write(struct rpt_page_fill *fill, const struct rpt_page_conf *conf,
		   rpt_page_put_head *put_head, const void *ctx, FILE *out,
		   struct pd_err *err)
{
	const struct page page = { fill, conf, put_head, ctx };
	struct deflated program =
		deflated(rpt_page_viewer_program,
			 strlen((const char *)rpt_page_viewer_program));
	struct deflated data = fitting_data(&page, &program);
	int rc = 0;

	if (data.bytes) {
		put_page(out, &page, &program, &data);
		if (fflush(out) && errno != EPIPE)
			rc = pd_err_set(err, -errno, "%s", strerror(errno));
	} else {
		rc = pd_err_set(err, -EFBIG,
				"not even its heaviest functions fit into a "
				"page of %" PRIu64 " bytes (--page-size)",
				conf->len_max);
	}
	free(data.bytes);
	free(program.bytes);
	return rc;
}
