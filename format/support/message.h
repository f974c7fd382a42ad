/* message.h: what the programs say to the person on stderr.
 *
 * Only main and the commands print; everything below them returns an error.
 *	perfpair: perf.data: at byte 0x1a40: mmap2 record ends too early
 *	perfpair: it was cut short; what stands before that byte was read
 */
#ifndef SUP_MESSAGE_H
#define SUP_MESSAGE_H

#include "format/err.h"

/* "perfpair"; a literal, set once by main. */
void sup_message_program(const char *name);

/* "program: [path: ][at byte 0x..: ]text", and the hint on a line of its own.
 * path may be NULL. */
void sup_message_err(const char *path, const struct pd_err *err);

/* "program: text" */
void sup_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
