#include "report/export/rows_out.h"

static void put_bytes(struct rpt_rows_out *out, uint64_t v, size_t len)
{
	for (size_t i = 0; i < len; i++)
		rpt_text_char(out->text, (char)(v >> (8 * i)));
}

static void put_number(struct rpt_rows_out *out, uint64_t v, size_t len)
{
	if (out->form == RPT_ROWS_ROWBINARY) {
		put_bytes(out, v, len);
		return;
	}
	if (out->is_inside)
		rpt_text_char(out->text, '\t');
	rpt_text_dec(out->text, v, 0);
	out->is_inside = true;
}

void rpt_rows_out_u8(struct rpt_rows_out *out, uint8_t v)
{
	put_number(out, v, sizeof(v));
}

void rpt_rows_out_u32(struct rpt_rows_out *out, uint32_t v)
{
	put_number(out, v, sizeof(v));
}

void rpt_rows_out_u64(struct rpt_rows_out *out, uint64_t v)
{
	put_number(out, v, sizeof(v));
}

/* Return the letter behind the backslash; 0: the byte stands as it is. */
static char escape_of(char c)
{
	switch (c) {
	case '\\':
		return '\\';
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\0':
		return '0';
	default:
		return 0;
	}
}

static void put_escaped(struct rpt_text *text, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char letter = escape_of(s[i]);

		if (letter)
			rpt_text_char(text, '\\');
		rpt_text_char(text, letter ? letter : s[i]);
	}
}

void rpt_rows_out_text(struct rpt_rows_out *out, const char *text, size_t len)
{
	uint64_t left = len;

	if (out->form == RPT_ROWS_TSV) {
		if (out->is_inside)
			rpt_text_char(out->text, '\t');
		put_escaped(out->text, text, len);
		out->is_inside = true;
		return;
	}
	for (; left >= 0x80; left >>= 7)
		rpt_text_char(out->text, (char)(left | 0x80));
	rpt_text_char(out->text, (char)left);
	rpt_text_put(out->text, text, len);
}

void rpt_rows_out_str(struct rpt_rows_out *out, const char *text)
{
	rpt_rows_out_text(out, text, strlen(text));
}

void rpt_rows_out_end(struct rpt_rows_out *out)
{
	if (out->form == RPT_ROWS_TSV)
		rpt_text_char(out->text, '\n');
	out->is_inside = false;
}
