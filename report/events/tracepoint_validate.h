/* tracepoint_validate.h: checks a tracepoint's format and a record before
 * libtraceevent 1.7 reads them, since it trusts both.
 *
 * It ends the program if __print_flags() or __print_symbolic() names a field
 * that the format does not have, or if a format ends inside of a field; it
 * reads as many elements as an argument of __print_hex(), __print_array() or []
 * says; and it divides by 0.
 */
#ifndef RPT_TRACEPOINT_VALIDATE_H
#define RPT_TRACEPOINT_VALIDATE_H

#include <stdbool.h>
#include <stddef.h>

struct tep_event;

/* Return how many of the len bytes of text (with a NUL behind them)
 * libtraceevent may read: all; or those up to the arguments of "print fmt:", so
 * that it prints the fields one by one; or none. */
size_t rpt_tracepoint_validate(const char *text, size_t len);

/* Return false if an argument of the format says to print too many elements of
 * data, or too wide ones, or if it is no plain number, field or length. */
bool rpt_trace_counts_are_sound(struct tep_event *event, void *data);

#endif
