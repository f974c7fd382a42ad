/* name_key.h: replaces a name by a short text that tells nothing about it.
 *
 * The text is SipHash-2-4 of the name under a key that nobody else has: equal
 * names have equal texts, and whoever guesses a name cannot check the guess
 * without the key.  The key is drawn anew for each run and forgotten, or made
 * of a file, so that several recordings match.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
 */
#ifndef RPT_NAME_KEY_H
#define RPT_NAME_KEY_H

#include "format/base/buf.h"

struct rpt_name_key {
	uint64_t words[2];
};

/* "x" and 48 bits as hex digits: short enough for the name of a task.  Of a
 * million names two are the same with a probability of 0.2 percent. */
enum { RPT_HIDDEN_LEN = 13 };

int rpt_name_key_draw(struct rpt_name_key *ret, struct pd_err *err);
/* Make the key of a file of 16 bytes to 64 KiB. */
int rpt_name_key_read(struct rpt_name_key *ret, const char *path,
		      struct pd_err *err);
/* Set the key to 16 bytes. */
void rpt_name_key_set(struct rpt_name_key *ret, const uint8_t bytes[16]);

uint64_t rpt_name_key_hash(const struct rpt_name_key *key, const void *data,
			   size_t len);
/* Append the text of a name, without a NUL. */
void rpt_name_key_hide(const struct rpt_name_key *key, struct pd_str name,
		       struct pd_buf *to);

#endif
