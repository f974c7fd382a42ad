/* event_modifier.h: the letters behind an event, "cycles:uppS".
 *
 *	u k h  user, kernel, hypervisor only      H G  host, guest only
 *	p P    precise, as precise as possible    I    not while idle
 *	S      the leader samples, all are read   D    pinned
 *	e      exclusive                          W    group may be split
 *
 * Source: perf-list(1), "EVENT MODIFIERS"; the attr that each combination
 * gives was seen by strace of perf 6.1.
 */
#ifndef REC_EVENT_MODIFIER_H
#define REC_EVENT_MODIFIER_H

#include "record/event/event_spec.h"

/* Return true if text is nothing but modifier letters. */
bool rec_modifier_is(const char *text, size_t len);

/* Replace the modifiers that an event has.  Return -EINVAL if a letter is
 * unknown or given too often; the event is then of no use. */
int rec_modifier_apply(struct rec_event *event, const char *text, size_t len,
		       struct pd_err *err);

/* Add the letters of a group to those of one of its members. */
int rec_modifier_add_group(struct rec_event *event, bool is_leader,
			   const char *text, size_t len, struct pd_err *err);

#endif
