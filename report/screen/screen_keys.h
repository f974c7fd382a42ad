/* screen_keys.h: the keys that a terminal sends, as bytes.
 *
 *	rpt_key_reader_add(&reader, bytes, len)
 *	while ((key = rpt_key_reader_next(&reader, is_over)) != RPT_KEY_NONE)
 *		...
 *
 * A key that writes text is its byte; letters outside of ASCII are several
 * bytes of UTF-8.  Other keys are sequences that begin with escape, by ECMA-48
 * and the lists of xterm and of the Linux console.
 */
#ifndef RPT_SCREEN_KEYS_H
#define RPT_SCREEN_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rpt_key {
	RPT_KEY_NONE = 0,
	RPT_KEY_TAB = '\t',
	RPT_KEY_ENTER = '\r',
	RPT_KEY_ESC = 0x1b,
	RPT_KEY_DELETE = 0x7f, /* the last letter */
	RPT_KEY_UP = 256,
	RPT_KEY_DOWN,
	RPT_KEY_LEFT,
	RPT_KEY_RIGHT,
	RPT_KEY_PAGE_UP,
	RPT_KEY_PAGE_DOWN,
	RPT_KEY_HOME,
	RPT_KEY_END,
	RPT_KEY_BACK_TAB,
	RPT_KEY_F1,
	RPT_KEY_OTHER, /* a sequence that is none of these */
};

#define RPT_KEY_READER_LEN 256u

/* A zeroed struct has no bytes. */
struct rpt_key_reader {
	uint8_t data[RPT_KEY_READER_LEN];
	uint32_t len;
};

/* Take bytes; what does not fit is dropped. */
void rpt_key_reader_add(struct rpt_key_reader *reader, const uint8_t *data,
			size_t len);

/* Return the next key and remove it; RPT_KEY_NONE if there is none yet.
 * is_over: no more bytes have come for a while, so that an escape that begins
 * no whole sequence is the key of that name. */
int rpt_key_reader_next(struct rpt_key_reader *reader, bool is_over);

#endif
