/* recording.h: one recording, from the opened events to the finished file.
 *
 *	rec_recording_init()	events are open, rings mapped, the command held
 *	rec_recording_check()	--dry-run: what would keep it from starting; the
 *				release is next
 *	rec_recording_start()	the file begins with what runs already, events
 *				are on, the command runs
 *	rec_recording_loop()	until the command ends, a signal, the duration
 *	rec_recording_finish()	last drain, losses, features, trailer
 *	rec_recording_release()
 *
 * The parts use each other only through these objects:
 *
 *	session		what is recorded
 *	file		the current file
 *	schedule	when rings are drained, and by which thread
 *	rotation	when one file ends and the next begins
 */
#ifndef REC_RECORDING_H
#define REC_RECORDING_H

#include "record/recording/deputy.h"
#include "record/recording/drain_schedule.h"
#include "record/recording/fast_events.h"
#include "record/recording/file.h"
#include "record/recording/file_rotation.h"
#include "record/recording/left_slices.h"
#include "record/recording/piped_names.h"
#include "record/recording/session.h"
#include "record/ring/bell.h"
#include "record/ring/trigger.h"
#include "record/rotation/slice_command.h"
#include "record/service/metrics_file.h"
#include "record/service/reload.h"
#include "record/service/reload_trial.h"
#include "record/service/service.h"
#include "record/targets/online.h"

/* disk_room.c: what happens if the disk of the files becomes full. */
struct rec_disk_room {
	/* The writing thread's; several write in turns. */
	uint64_t asked_at;   /* how far it was when it last asked */
	uint64_t asked_ns;   /* atomic: when that was */
	uint64_t removed_ns; /* when a file was last removed for it */
	uint64_t fed_ns;     /* the service manager's watchdog */
	uint64_t waits_ns;   /* atomic: since when it waits; 0: it does not */
	/* The main thread's. */
	uint64_t due_ns; /* of the next look at what is free */
};

/* vitals.c: how the recording does, for a service manager and --metrics. */
struct rec_vitals {
	struct rec_metrics_file file;
	bool has_listener;
	bool has_told; /* that the file cannot be written */
	uint64_t told_ns;
	double start_s, file_s; /* since 1970; the last file's end, or 0 */
	size_t file_nr;		/* finished when it was told last */
	uint64_t change_nr;	/* of the budget, then */
	/* Since when the CPU's share is told, and from when next. */
	uint64_t from_ns, from_cpu_ns;
	uint64_t next_ns, next_cpu_ns;
	char refused[200]; /* why the last reload was; "": it was not */
};

struct rec_recording {
	struct rec_session session;
	struct rec_file file;
	struct rec_piped_names names; /* --carry-file */
	struct rec_drain_schedule schedule;
	struct rec_deputy deputy; /* while the main thread waits */
	struct rec_file_rotation rotation;
	struct rec_disk_room room;
	struct rec_fast_events fast; /* --tracepoint-rate */
	struct rec_vitals vitals;
	struct rec_side_watch watch;
	struct rec_trigger trigger;	 /* --switch-output-event */
	struct rec_bell bell;		 /* programs that start */
	struct rec_online online;	 /* CPUs that go or come */
	struct rec_slice_command slices; /* --on-slice */
	struct rec_left_slices left;	 /* of recorders that were killed */
	struct rec_service service;	 /* as which it was started */
	struct rec_start_state start;
	struct rec_reload_trial trial; /* SIGHUP */
	uint64_t end_ns; /* when --duration ends it; UINT64_MAX: never */
	int epoll_fd;
	bool is_early;	 /* nothing is to be drained at this turn */
	bool is_resting; /* a sample is to wake it */
	size_t task_nr;	 /* descriptors in it that follow a task */
	size_t live_nr;	 /* those whose task still runs */
};

int rec_recording_init(struct rec_recording *rec, struct rec_args *args,
		       rec_note_fn *note, struct pd_err *err);
int rec_recording_check(struct rec_recording *rec, struct pd_err *err);
int rec_recording_start(struct rec_recording *rec, struct pd_err *err);
int rec_recording_loop(struct rec_recording *rec, struct pd_err *err);
int rec_recording_finish(struct rec_recording *rec, struct pd_err *err);
void rec_recording_release(struct rec_recording *rec);

/* limits.c: --duration and other limits.  Begin counting, once the recording
 * has started; return whether a limit is reached, and say so. */
void rec_limits_begin(struct rec_recording *rec);
bool rec_limits_are_reached(struct rec_recording *rec, uint64_t now_ns);

/* disk_room.c: --keep-free, and a full disk.
 *
 * With --switch-output a full disk does not end the recording: the oldest files
 * go, if there is a limit for them, and then whoever writes waits until others
 * have made room, while records are kept in spare memory (deputy.h), also at
 * the start.  What ends a recording, ends that: then the output has failed.
 * Without
 * --switch-output it has at once.
 *
 * Prepare it before the first file is opened; step at each turn of the loop. */
void rec_disk_room_begin(struct rec_recording *rec);
void rec_disk_room_step(struct rec_recording *rec, uint64_t now_ns);

/* vitals.c: STATUS= and --metrics, every ten seconds at most, three if a file
 * is finished or a rate was changed, and only at wake-ups that come anyway.
 * Nothing is waited for: neither the manager, nor the metrics' disk, nor
 * whoever writes the recording.  Begin fails if the file cannot be written. */
int rec_vitals_begin(struct rec_recording *rec, struct pd_err *err);
void rec_vitals_step(struct rec_recording *rec, uint64_t now_ns);
void rec_vitals_end(struct rec_recording *rec);

#endif
