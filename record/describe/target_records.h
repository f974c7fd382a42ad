/* target_records.h: records that say what was recorded or counted: units of
 * events, threads, CPUs.  FORMAT.md "Records".
 */
#ifndef REC_TARGET_RECORDS_H
#define REC_TARGET_RECORDS_H

#include "format/base/buf.h"
#include "record/targets/event_open.h"

/* Append EVENT_UPDATE records of the events that are open: unit, scale, CPUs;
 * in a pipe, which has no EVENT_DESC, also names. */
void rec_event_updates_write(struct pd_buf *b,
			     const struct rec_event_list *events,
			     const struct rec_open_set *open, bool is_pipe);
/* The most threads of one THREAD_MAP: a record holds 64 KiB. */
enum { REC_THREAD_MAP_MAX = 2700 };

/* Append THREAD_MAP; of more threads the first ones. */
void rec_thread_map_write(struct pd_buf *b, const struct rec_target *target);
/* Append CPU_MAP. */
void rec_cpu_map_write(struct pd_buf *b, const struct rec_target *target);

#endif
