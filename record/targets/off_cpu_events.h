/* off_cpu_events.h: the events of --off-cpu: when, where and why threads give
 * up a CPU.
 *
 *	sched:sched_switch	each time that a CPU changes from one thread to
 *				another, with the call chain of the first
 *	sched:sched_waking	who wakes a thread, and when; without call chain
 *
 * Where the kernel does not allow these tracepoints, a user's own threads have
 *
 *	context-switches	each of them (period 1), without the thread's
 *				state and its waker
 *
 * In all cases PERF_RECORD_SWITCH (--switch-events) says when a thread has a
 * CPU again: of single threads the tracepoint shows no more than the way out.
 */
#ifndef REC_OFF_CPU_EVENTS_H
#define REC_OFF_CPU_EVENTS_H

#include "record/event/event_spec.h"

/* Append to list what it does not have yet.  If env->tracefs is NULL, set it,
 * to be freed, to what is found.  is_own: only chosen threads are recorded.
 * *ret_note is set to a line for the user if tracepoints are not allowed; else
 * to NULL.  Return -EACCES if nothing is allowed, or what rec_event_parse()
 * returns. */
int rec_off_cpu_events_add(struct rec_event_list *list,
			   struct rec_event_env *env, bool is_own,
			   const char **ret_note, struct pd_err *err);

#endif
