/* event_names.h: the names of hardware, software and cache events.
 *
 * Source: perf-list(1) for the names; perf_event_open(2), attr.config, for the
 * numbers.  Which aliases perf accepts was seen by strace of perf 6.1.
 */
#ifndef REC_EVENT_NAMES_H
#define REC_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tool events, as perf calls them: stat measures them itself.  Their attr is
 * that of a dummy event. */
enum rec_tool {
	REC_TOOL_NONE,
	REC_TOOL_DURATION, /* of the counting */
	REC_TOOL_USER,	   /* CPU time of the command */
	REC_TOOL_SYSTEM,
	REC_TOOL_NR,
};

/* Return the name of a tool event, and the event of a name. */
const char *rec_tool_name(enum rec_tool tool);
enum rec_tool rec_tool_find(const char *name, size_t len);

/* Find name[0..len-1].  Return false if there is no such event. */
bool rec_event_name_find(const char *name, size_t len, uint32_t *ret_type,
			 uint64_t *ret_config);

/* Return the name that perf gives to an event without a name of its own,
 * without modifiers; NULL for types other than hardware and software. */
const char *rec_event_name_of(uint32_t type, uint64_t config);

/* Write name idx of all plain names and the usual cache names to buf, for
 * suggestions.  Return false if idx is past the last. */
bool rec_event_name_at(size_t idx, char *buf, size_t buf_len);

#endif
