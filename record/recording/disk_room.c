/* disk_room.c: the oldest files give way; whoever writes waits for room. */
#include "record/recording/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "format/support/message.h"
#include "record/base/runtime.h"

/* A file that ends early, to be removed later, is at least so long. */
enum { EARLY_LEN_MIN = 256 * 1024 };

static const uint64_t look_ns = 250000000;
/* Between tries to write; a file system may free what was removed later. */
static const uint64_t try_ns = 100000000;
static const uint64_t freeing_ns = 2000000000;
static const uint64_t quiet_ns = 1000000000;

static bool has_command_ended(const struct rec_recording *rec)
{
	pid_t pid = rec->session.workload.pid;
	siginfo_t info = { .si_pid = 0 };

	return pid &&
	       !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == pid;
}

static bool is_ending(const struct rec_recording *rec, uint64_t now_ns)
{
	const struct rec_session *session = &rec->session;

	return rec_deputy_is_ending(&rec->deputy) ||
	       __atomic_load_n(&session->control.stop_signal,
			       __ATOMIC_RELAXED) ||
	       (rec->end_ns && now_ns >= rec->end_ns) || has_command_ended(rec);
}

/* Tell the manager, for which this is no reason to start it again. */
static void tell_waiting(struct rec_recording *rec, uint64_t now_ns)
{
	struct rec_disk_room *room = &rec->room;
	const struct rec_service *service = &rec->service;

	if (!room->waits_ns) {
		__atomic_store_n(&room->waits_ns, now_ns, __ATOMIC_RELAXED);
		sup_message("%s: no space left on device: it is recorded in "
			    "memory until there is room",
			    rec_session_path(&rec->session));
		rec_service_say(service,
				"READY=1\nSTATUS=no space left on device: "
				"recording in memory until there is room");
	}
	if (service->interval_ns &&
	    now_ns >= room->fed_ns + service->interval_ns) {
		rec_service_say(service, "WATCHDOG=1");
		room->fed_ns = now_ns;
	}
}

/* Remove the oldest file, unless the last one has been of no use yet. */
static bool give_way(struct rec_recording *rec, uint64_t at, uint64_t now_ns)
{
	struct rec_disk_room *room = &rec->room;
	bool is_stuck = at == room->asked_at;

	room->asked_at = at;
	if (is_stuck && now_ns < room->removed_ns + freeing_ns)
		return false;
	if (!rec_rotated_files_give_way(&rec->rotation.files,
					rec_session_path(&rec->session)))
		return false;
	room->removed_ns = now_ns;
	return true;
}

/* Only this file is left: what it has was recorded before what waits.  Return
 * true if it is to end, so that it can go. */
static bool is_alone(const struct rec_recording *rec, uint64_t now_ns)
{
	return rec_rotated_files_room(&rec->rotation.files, rec->file.out.fd) <
		       0 &&
	       rec->room.waits_ns && now_ns > rec->room.waits_ns + freeing_ns &&
	       rec->file.out.len >= EARLY_LEN_MIN;
}

static enum rec_output_answer make_room(void *ctx, uint64_t at)
{
	const struct timespec wait = { .tv_nsec = (long)try_ns };
	struct rec_recording *rec = ctx;
	uint64_t now_ns = rec_now_ns();

	__atomic_store_n(&rec->room.asked_ns, now_ns, __ATOMIC_RELAXED);
	if (give_way(rec, at, now_ns))
		return REC_OUTPUT_TRIES;
	if (is_ending(rec, now_ns))
		return REC_OUTPUT_FAILS;
	if (is_alone(rec, now_ns)) {
		rec->session.wants_next_file = true;
		return REC_OUTPUT_CUTS;
	}
	tell_waiting(rec, now_ns);
	nanosleep(&wait, NULL);
	return REC_OUTPUT_TRIES;
}

/* Say so if nobody has asked for a while. */
static void tell_room(struct rec_recording *rec, uint64_t now_ns)
{
	uint64_t waits_ns =
		__atomic_load_n(&rec->room.waits_ns, __ATOMIC_RELAXED);
	uint64_t asked_ns =
		__atomic_load_n(&rec->room.asked_ns, __ATOMIC_RELAXED);

	if (!waits_ns || now_ns < asked_ns + quiet_ns)
		return;
	sup_message("%s: there is room again, after %.1f s",
		    rec_session_path(&rec->session),
		    (double)(asked_ns - waits_ns) / 1e9);
	rec_service_say(&rec->service, "STATUS=recording");
	__atomic_store_n(&rec->room.waits_ns, 0, __ATOMIC_RELAXED);
}

/* If nothing else is left to be removed, the file that is written has become as
 * long as the last one, and ends: so that can go. */
static void keep_free(struct rec_recording *rec)
{
	const struct rec_rotated_files *files = &rec->rotation.files;
	const struct rec_output *out = &rec->file.out;

	if (rec_rotated_files_room(files, out->fd) >= 0)
		return;
	(void)!rec_rotated_files_bound(files, rec_session_path(&rec->session),
				       NULL);
	if (rec_rotated_files_room(files, out->fd) < 0 &&
	    out->len >= EARLY_LEN_MIN &&
	    out->len >= rec_rotated_files_len(rec_session_path(&rec->session)))
		rec->session.wants_next_file = true;
}

void rec_disk_room_begin(struct rec_recording *rec)
{
	if (!rec->rotation.is_on)
		return;
	(void)!rec_rotated_files_bound(&rec->rotation.files,
				       rec_session_path(&rec->session), NULL);
	rec->file.room =
		(struct rec_output_room){ .make = make_room, .ctx = rec };
}

void rec_disk_room_step(struct rec_recording *rec, uint64_t now_ns)
{
	tell_room(rec, now_ns);
	if (!rec->rotation.is_on || now_ns < rec->room.due_ns)
		return;
	rec->room.due_ns = now_ns + look_ns;
	rec_io_begin();
	keep_free(rec);
	rec_io_end();
}
