#include "report/safe_text.h"

/* The bytes of a control character at s; 0: it is none.  U+0080 to U+009F
 * control terminals too. */
static size_t control_len(const char *s, size_t left)
{
	unsigned char c = (unsigned char)s[0];

	if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
		return 1;
	if (c == 0xc2 && left > 1 && (unsigned char)s[1] < 0xa0)
		return 2;
	return 0;
}

void rpt_put_safe(FILE *out, struct pd_str s)
{
	size_t plain = 0;

	for (size_t i = 0; i < s.len;) {
		size_t len = control_len(s.ptr + i, s.len - i);

		if (!len) {
			i++;
			continue;
		}
		fwrite(s.ptr + plain, 1, i - plain, out);
		for (; len; len--, i++)
			fprintf(out, "\\x%02x", (unsigned char)s.ptr[i]);
		plain = i;
	}
	fwrite(s.ptr + plain, 1, s.len - plain, out);
}

void rpt_put_safe_text(FILE *out, const char *text)
{
	rpt_put_safe(out, (struct pd_str){ text, strlen(text) });
}
