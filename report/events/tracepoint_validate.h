/* tracepoint_validate.h: what libtraceevent 1.7 may be given of a tracepoint's
 * format and of a record.
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

/* How many of the len bytes of text (a NUL behind them) it may read: all; or
 * those up to the arguments of "print fmt:", without which it prints the fields
 * one by one; or none. */
size_t rpt_tracepoint_validate(const char *text, size_t len);

/* False: what says how many elements of data to print, or how wide, is no plain
 * number, field or length, or too large. */
bool rpt_trace_counts_are_sound(struct tep_event *event, void *data);

#endif
