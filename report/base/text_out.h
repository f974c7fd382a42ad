/* text_out.h: a buffer of text for a file or for memory.
 *
 * It formats numbers itself, as printf() is too slow for millions of lines.
 */
#ifndef RPT_TEXT_OUT_H
#define RPT_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RPT_TEXT_LEN (128u << 10)

/* Text that stays in memory. */
struct rpt_text_heap {
	char *data; /* owned */
	size_t len;
	size_t cap;
};

/* Make room for len bytes in all. */
void rpt_text_heap_reserve(struct rpt_text_heap *heap, size_t len);
/* Append len bytes. */
void rpt_text_heap_add(struct rpt_text_heap *heap, const char *data,
		       size_t len);

struct rpt_text {
	FILE *out;		    /* where full buffers go */
	struct rpt_text_heap *heap; /* if not NULL: where they go instead */
	size_t len;
	int status;   /* -errno of the first write that failed */
	bool is_safe; /* escape what is not safe in lines (safe_text.h) */
	char data[RPT_TEXT_LEN];
};

/* Initialise an empty text that goes to out, with is_safe false. */
void rpt_text_init(struct rpt_text *text, FILE *out);
/* Write out what is in the buffer.  Return text->status. */
int rpt_text_flush(struct rpt_text *text);

/* Write out a full buffer, but for the first bytes of a character at its end.
 */
void rpt_text_spill(struct rpt_text *text);

/* Append data that does not fit into the buffer; for rpt_text_put(). */
void rpt_text_put_long(struct rpt_text *text, const char *data, size_t len);

static inline void rpt_text_put(struct rpt_text *text, const char *data,
				size_t len)
{
	if (len > RPT_TEXT_LEN - text->len) {
		rpt_text_put_long(text, data, len);
		return;
	}
	memcpy(text->data + text->len, data, len);
	text->len += len;
}

static inline void rpt_text_char(struct rpt_text *text, char c)
{
	if (text->len == RPT_TEXT_LEN)
		rpt_text_spill(text);
	text->data[text->len++] = c;
}

/* Return the character that stands for c in a name of a folded stack: names are
 * separated by ';'. */
static inline char rpt_folded_char(char c)
{
	return c == ';' ? ':' : c;
}

static inline void rpt_text_str(struct rpt_text *text, const char *str)
{
	rpt_text_put(text, str, strlen(str));
}

/* Append at most 511 bytes formatted as by printf(), and as slowly. */
void rpt_text_format(struct rpt_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append a name in one line, as safe_text.h says. */
void rpt_text_name(struct rpt_text *text, const char *name, size_t len);

/* Append an escape sequence of ours, as it is even if is_safe. */
void rpt_text_escape(struct rpt_text *text, const char *sequence);

/* Return a stream that appends to text what is printed to it; the caller closes
 * it.  Before anything else is appended, it has to be flushed. */
FILE *rpt_text_stream(struct rpt_text *text);

/* Append nr blanks. */
void rpt_text_pad(struct rpt_text *text, size_t nr);
/* Append str left-aligned in width columns and cut to them, as "%-16.16s". */
void rpt_text_left(struct rpt_text *text, const char *str, size_t width);
/* Append a percentage as "%7.2f%%". */
void rpt_text_percent(struct rpt_text *text, double pct, unsigned width);
/* Append str right-aligned in width columns, as "%16s". */
void rpt_text_right(struct rpt_text *text, const char *str, size_t width);
/* Append a number as "%10lu", "%5ld", "%06lu" or "%16lx". */
void rpt_text_dec(struct rpt_text *text, uint64_t v, unsigned width);
void rpt_text_int(struct rpt_text *text, int64_t v, unsigned width);
void rpt_text_zeros(struct rpt_text *text, uint64_t v, unsigned width);
void rpt_text_hex(struct rpt_text *text, uint64_t v, unsigned width);

/* Append v as "%016lx". */
void rpt_text_hex16(struct rpt_text *text, uint64_t v);

/* Strings in memory, built one at a time: append to text, then take the string.
 * It is too large for the stack. */
struct rpt_text_string {
	struct rpt_text text;
	struct rpt_text_heap heap;
};

struct rpt_text_string *rpt_text_string_new(void);
/* Safe on NULL. */
void rpt_text_string_free(struct rpt_text_string *string);

/* Return what was appended since the last call, with a NUL behind it; valid
 * until more is appended.  *ret_len, which may be NULL, is without the NUL. */
const char *rpt_text_string_take(struct rpt_text_string *string,
				 size_t *ret_len);

#endif
