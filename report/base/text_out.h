/* text_out.h: text on its way out, put together by hand: printf's price for
 * every number is what makes printing millions of lines slow.
 */
#ifndef RPT_TEXT_OUT_H
#define RPT_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define RPT_TEXT_LEN (128u << 10)

/* Text that stays in memory */
struct rpt_text_heap {
	char *data; /* owned */
	size_t len;
	size_t cap;
};

/* Room for so much in all; 0 or -ENOMEM. */
int rpt_text_heap_reserve(struct rpt_text_heap *heap, size_t len);
int rpt_text_heap_add(struct rpt_text_heap *heap, const char *data, size_t len);

/* A percentage that was put: most rows of a large table weigh the same. */
struct rpt_text_shown {
	double pct;
	unsigned width;
	uint8_t len; /* 0: none */
	char text[15];
};

struct rpt_text {
	FILE *out;		    /* where full buffers go */
	struct rpt_text_heap *heap; /* or, where not NULL, here */
	size_t len;
	int status;   /* -errno of the first write that failed */
	bool is_safe; /* for a terminal: control characters see safe_text.h */
	bool is_cut_char; /* the last byte written may begin one */
	struct rpt_text_shown shown[2]; /* by rpt_text_percent() */
	unsigned shown_nr;
	char data[RPT_TEXT_LEN];
};

/* is_safe is false. */
void rpt_text_init(struct rpt_text *text, FILE *out);
/* Writes out what is there; status. */
int rpt_text_flush(struct rpt_text *text);

/* More than there is room for */
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

/* Whole lines without control characters (rpt_is_safe()): not looked at again,
 * and where there are many not copied. */
void rpt_text_put_clean(struct rpt_text *text, const char *data, size_t len);

static inline void rpt_text_char(struct rpt_text *text, char c)
{
	if (text->len == RPT_TEXT_LEN)
		rpt_text_flush(text);
	text->data[text->len++] = c;
}

static inline void rpt_text_str(struct rpt_text *text, const char *str)
{
	rpt_text_put(text, str, strlen(str));
}

/* As printf, and as slow; at most 511 bytes. */
void rpt_text_format(struct rpt_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Blanks. */
void rpt_text_pad(struct rpt_text *text, size_t nr);
/* Left-aligned in width columns and cut to them, as "%-16.16s". */
void rpt_text_left(struct rpt_text *text, const char *str, size_t width);
/* "%7.2f%%" */
void rpt_text_percent(struct rpt_text *text, double pct, unsigned width);
/* Right-aligned in width columns, as "%16s". */
void rpt_text_right(struct rpt_text *text, const char *str, size_t width);
/* "%10lu", "%5ld", "%16lx"; with zeros in front: "%06lu" */
void rpt_text_dec(struct rpt_text *text, uint64_t v, unsigned width);
void rpt_text_int(struct rpt_text *text, int64_t v, unsigned width);
void rpt_text_zeros(struct rpt_text *text, uint64_t v, unsigned width);
void rpt_text_hex(struct rpt_text *text, uint64_t v, unsigned width);

/* "%016lx" */
void rpt_text_hex16(struct rpt_text *text, uint64_t v);

/* Strings put together one at a time, each in the place of the one before:
 * put to text, then take.  Large: rpt_text_string_new(). */
struct rpt_text_string {
	struct rpt_text text;
	struct rpt_text_heap heap;
};

/* NULL: out of memory. */
struct rpt_text_string *rpt_text_string_new(void);
void rpt_text_string_free(struct rpt_text_string *string);

/* What was put since the last time, with a NUL behind it, until more is put;
 * *ret_len without that, may be NULL.  NULL: out of memory. */
const char *rpt_text_string_take(struct rpt_text_string *string,
				 size_t *ret_len);

#endif
