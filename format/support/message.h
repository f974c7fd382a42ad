/* message.h: what the programs print to the person on stderr.
 *
 * Only main and the commands print; everything below them returns an error.
 *	perfpair: perf.data: at byte 0x1a40: mmap2 record ends too early
 *	perfpair: it was cut short; everything before that byte was read
 */
#ifndef SUP_MESSAGE_H
#define SUP_MESSAGE_H

#include "format/base/err.h"

#include <stdio.h>

/* Names in messages are printed as safe_text.h says: a message is one line. */

/* Set the name of the program, a literal; main does so once. */
void sup_message_program(const char *name);

/* Print "PROGRAM: [PATH: ][at byte 0x..: ]TEXT", and the hint on a line of its
 * own.  path may be NULL. */
void sup_message_err(const char *path, const struct pd_err *err);

/* From now on, give each text of sup_message() and sup_message_err() to listen
 * as well; NULL: to nobody. */
void sup_message_listen(void (*listen)(void *ctx, const char *text), void *ctx);

/* From now on, print messages to out; NULL: to stderr.  Return where they went
 * before. */
FILE *sup_message_to(FILE *out);

/* From now on, call before() in front of each message; NULL: nothing. */
void sup_message_before(void (*before)(void));

/* Print "PROGRAM: TEXT". */
void sup_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
