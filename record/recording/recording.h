/* recording.h: one recording, from the opened events to the finished file.
 *
 *	rec_recording_init()    events open, rings mapped, command held
 *	rec_recording_start()   the file begins, what runs already is told,
 *	                        events on, command started
 *	rec_recording_loop()    until the command ends, a signal, the duration
 *	rec_recording_finish()  last drain, losses, features, trailer
 *	rec_recording_release()
 *
 * The struct is shared by the files recording.c, record_loop.c,
 * drain_schedule.c, enable_control.c, file_rotation.c, file_start.c and
 * file_end.c and by nobody else.
 */
#ifndef REC_RECORDING_H
#define REC_RECORDING_H

#include "record/control/args.h"
#include "record/recording/build_id_reader.h"
#include "record/control/control.h"
#include "record/control/control_fd.h"
#include "record/control/cpu_limit.h"
#include "record/recording/drain_schedule.h"
#include "record/targets/event_open.h"
#include "record/ring/overwrite_rings.h"
#include "record/recording/loss_table.h"
#include "record/targets/online.h"
#include "record/ring/ring_set.h"
#include "record/recording/metadata_records.h"
#include "record/recording/file_rotation.h"
#include "record/ring/trigger.h"
#include "record/targets/workload.h"

#include <stdio.h>

struct rec_recording {
	struct rec_args *args;
	struct rec_target target;
	struct rec_workload workload;
	bool ended_workload; /* it ran still when we had to stop */
	bool lost_workload;  /* the kernel took the events from it */
	struct rec_control control;
	struct rec_control_fd commands; /* --control */
	bool is_stopped; /* by a command, --max-size, or the last range of -D */
	size_t delay_idx; /* what comes next of args->delay */
	FILE *say;	  /* where perf's lines for the user go; NULL: -q */
	struct rec_open_set open;
	struct rec_ring_set rings;
	struct rec_overwrite_rings flight; /* --overwrite */
	struct rec_output out;
	struct rec_sink sink;
	struct rec_drain drain; /* of the main thread */
	struct rec_rounds rounds;
	struct rec_side_watch watch;
	bool want_maps; /* for build_ids */
	struct rec_file_rotation slices;
	bool is_tail; /* what runs is told at the end of each file */
	struct rec_trigger trigger;		  /* --switch-output-event */
	struct rec_build_id_reader build_ids;	  /* off where MMAP2 has them */
	struct rec_build_id_stats build_id_stats; /* of all files */

	int epoll_fd;
	size_t task_nr; /* descriptors in it that follow a task */
	size_t live_nr; /* those whose task has not ended */

	uint64_t begin_ns;   /* when the program started */
	uint64_t started_ns; /* when events went on */
	uint64_t wakeup_nr;
	struct pd_err bad_ring; /* the first ring that could not be read */

	struct rec_loss_table losses;
	struct rec_cpu_limit cpu_limit;
	struct rec_online online; /* CPUs that go or come */
	uint64_t max_rate_hz; /* kernel.perf_event_max_sample_rate at first */
};

/* Gets lines for the user, as sup_message() does; text is one line. */
typedef void rec_note_fn(const struct pd_err *note);

int rec_recording_init(struct rec_recording *rec, struct rec_args *args,
		       rec_note_fn *note, struct pd_err *err);
int rec_recording_start(struct rec_recording *rec, struct pd_err *err);
int rec_recording_loop(struct rec_recording *rec, struct pd_err *err);
int rec_recording_finish(struct rec_recording *rec, struct pd_err *err);
void rec_recording_release(struct rec_recording *rec);

/* enable_control.c: follows tasks and maps, if an event of its own does that,
 * from before /proc is read: a task that is born meanwhile has its name. */
int rec_switch_follow(struct rec_recording *rec, struct pd_err *err);
/* What is on when the recording starts. */
int rec_switch_start(struct rec_recording *rec, struct pd_err *err);
/* When -D wants something next; UINT64_MAX: nothing more. */
uint64_t rec_switch_due_ns(const struct rec_recording *rec);
int rec_switch_by_clock(struct rec_recording *rec, uint64_t now_ns,
			struct pd_err *err);
/* Does what --control was told since; -EPIPE: nothing will ever come again. */
int rec_obey_commands(struct rec_recording *rec, struct pd_err *err);

/* record_loop.c: epoll over the descriptors. */
int rec_recording_watch(struct rec_recording *rec, struct pd_err *err);

/* file_start.c: header, ids, attrs; side records; what already runs. */
int rec_file_start(struct rec_recording *rec, struct pd_err *err);
/* What is told of what already runs. */
void rec_file_snapshot_conf(const struct rec_recording *rec,
			    struct rec_snapshot_conf *ret);
/* Bytes of the sample_id trailer in the events' records. */
size_t rec_file_id_len(const struct rec_event_list *events);
/* One length for all attrs of the file: the longest. */
uint32_t rec_file_attr_len(const struct rec_event_list *events);
/* file_end.c: losses; features, trailer, final header. */
int rec_file_end(struct rec_recording *rec, struct pd_err *err);

/* Appends a buffer of whole records as they are. */
int rec_append_records(struct rec_recording *rec, const struct pd_buf *b);

#endif
