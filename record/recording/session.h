/* session.h: what is recorded: the target, its open events and their rings, the
 * command, and the sources of control commands.
 *
 *	rec_session_init()	events are open, rings mapped, the command held
 *	rec_session_follow()	tasks and maps are followed
 *	rec_session_start()	the other events are on
 *	rec_session_release()
 *
 * drain_schedule.h drains the rings, file.h writes.
 */
#ifndef REC_SESSION_H
#define REC_SESSION_H

#include "record/carry/carry.h"
#include "record/cmdline/args.h"
#include "record/host/host_facts.h"
#include "record/service/control.h"
#include "record/service/control_fd.h"
#include "record/recording/budget.h"
#include "record/recording/build_id_reader.h"
#include "record/ring/overwrite_rings.h"
#include "record/snapshot/snapshot.h"
#include "record/targets/workload.h"

#include <stdio.h>

enum rec_workload_end {
	REC_WORKLOAD_BY_ITSELF,
	REC_WORKLOAD_ENDED, /* it still ran when the recording ended */
	REC_WORKLOAD_LOST,  /* the kernel removed the events from it */
};

struct rec_session {
	struct rec_args *args; /* borrowed */
	struct rec_target target;
	struct rec_open_set open;
	struct rec_ring_set rings;
	struct rec_overwrite_rings overwrite_rings; /* --overwrite */
	struct rec_budget budget;
	struct rec_build_id_reader
		build_ids;	/* off if MMAP2 records have them */
	struct rec_carry carry; /* off with --carry none, and for pipes */
	struct rec_workload workload;
	enum rec_workload_end workload_end;

	struct rec_control control;	/* signals */
	struct rec_control_fd commands; /* --control */
	size_t delay_idx;		/* the next of args->delay */
	bool is_stopped; /* by a command, --max-size, the last range of -D or a
			  * reload */
	bool is_reloading;
	bool wants_next_file;
	unsigned ack_nr; /* commands to acknowledge once the next file begins */

	bool is_tail; /* tasks that run are recorded at the end of each file */
	FILE *say;    /* perf's lines for the user; NULL with -q */
	uint64_t begin_ns;   /* when the program started */
	uint64_t started_ns; /* when events were enabled */
	uint64_t wakeup_nr;
	struct rec_host_facts facts; /* of the last file */
	uint64_t facts_ns;	     /* when all of them were read; 0: never */
	uint64_t max_rate_hz;	     /* kernel.perf_event_max_sample_rate at the
				      * start */
};

/* Prints a line for the user, as sup_message() does. */
typedef void rec_note_fn(const struct pd_err *note);

int rec_session_init(struct rec_session *session, struct rec_args *args,
		     rec_note_fn *note, struct pd_err *err);
void rec_session_release(struct rec_session *session);

/* Return the path of the output file, as given or by default. */
const char *rec_session_path(const struct rec_session *session);

/* Return what a snapshot of the running tasks must contain. */
void rec_session_snapshot_conf(const struct rec_session *session,
			       struct rec_snapshot_conf *ret);
/* Return whether the kernel tells of all tasks: then what runs at the end of a
 * file is known without reading /proc. */
bool rec_session_sees_all(const struct rec_session *session);
/* Return the length of the sample_id trailer of the first event's records. */
size_t rec_session_id_len(const struct rec_session *session);

/* Enable the dummy event that follows tasks and maps, if there is one: before
 * /proc is read, so that a task that starts meanwhile has a name. */
int rec_session_follow(struct rec_session *session, struct pd_err *err);
/* Enable the events that are on when the recording starts. */
int rec_session_start(struct rec_session *session, struct pd_err *err);
/* Return the time of the next switch of -D, UINT64_MAX if none. */
uint64_t rec_session_due_ns(const struct rec_session *session);
int rec_session_switch_by_clock(struct rec_session *session, uint64_t now_ns,
				struct pd_err *err);
/* Run the commands received with --control; -EPIPE: nothing can come again. */
int rec_session_obey(struct rec_session *session, struct pd_err *err);

#endif
