/* tracepoint_validate.h: the checks of a tracepoint's format and of a record
 * before libtraceevent 1.7 reads them.
 *
 * It trusts both.  It ends the program where __print_flags() or
 * __print_symbolic() are about a field that the format does not have, and where
 * a format ends amid a field; and reads as many elements as an argument of
 * __print_hex(), __print_array() or [] says; and divides by 0.
 */
#ifndef RPT_TRACEPOINT_VALIDATE_H
#define RPT_TRACEPOINT_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>

struct tep_event;

/* Return how many of the len bytes of text (a NUL behind them) it may read:
 * all; or those up to the arguments of "print fmt:", without which it prints
 * the fields one by one; or none. */
size_t rpt_tracepoint_validate(const char *text, size_t len);

/* Return false if the format's argument for how many elements of data to print,
 * or how wide, is too large, or is no plain number, field or length. */
bool rpt_trace_counts_are_sound(struct tep_event *event, void *data);

#endif
