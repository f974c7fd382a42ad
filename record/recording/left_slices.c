#include "record/recording/left_slices.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/file/layout.h"
#include "record/base/runtime.h"
#include "record/recording/file_features.h"
#include "record/recording/left_file.h"
#include "record/recording/session.h"
#include "record/rotation/slice_command.h"
#include "record/targets/privileges.h"

/* So much longer than it computes the thread waits. */
enum { REST_FACTOR = 20 };

/* The thread and the recorder share it, and the last of them frees it: the
 * thread may wait for a CPU for long. */
struct rec_adoption {
	struct rec_left_knowledge knows;
	char *path;			  /* owned: FILE */
	struct rec_rotated_files limits;  /* without paths */
	struct rec_slice_command *slices; /* borrowed; NULL once it is left */
	FILE *say;			  /* the same */
	uint64_t cpu_ns;		  /* when it rested last */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_left; /* by the recorder */
	bool is_done;
};

/* The files that count as ours. */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_private(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && st.st_nlink == 1 &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
	       (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* Open and lock a file that a recorder of FILE left.  Return a descriptor, or a
 * negative errno: it is another's, or written. */
static int open_left(const char *path, uint64_t name_hash)
{
	struct sup_place place;
	struct rec_slice_mark mark;
	int lock_rc = 0, fd = sup_place_init(&place, path, NULL);

	if (!fd && sup_place_look(&place, NULL) != SUP_THERE_FILE)
		fd = -ENOENT;
	if (!fd)
		fd = rec_output_hold(&place, &lock_rc);
	sup_place_release(&place);
	if (fd < 0)
		return fd;
	if (!lock_rc && is_private(fd) && !rec_left_file_mark(fd, &mark) &&
	    mark.name_hash == name_hash)
		return fd;
	close(fd);
	return -EPERM;
}

void rec_left_slices_take(const struct rec_session *session)
{
	const char *path = rec_session_path(session), *name = name_of(path);
	struct stat st;
	char *left = NULL;
	int fd;

	if (!session->args->switch_output.is_on)
		return;
	fd = open_left(path, pd_hash_of(name, strlen(name)));
	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		(void)!rec_rotated_files_leave(path, &st.st_mtim, &left);
	free(left);
	close(fd);
}

/* The thread. */

/* Return false if the recorder does not wait for it any more. */
static bool rest(void *ctx)
{
	struct rec_adoption *a = ctx;
	uint64_t cpu_ns = rec_thread_cpu_ns(), now_ns = rec_now_ns();
	uint64_t until_ns = now_ns + (cpu_ns - a->cpu_ns) * REST_FACTOR;
	bool is_left;

	a->cpu_ns = cpu_ns;
	pthread_mutex_lock(&a->lock);
	while (!a->is_left && rec_cond_wait(&a->changed, &a->lock, until_ns))
		continue;
	is_left = a->is_left;
	pthread_mutex_unlock(&a->lock);
	return !is_left;
}

/* Give a file that is finished, or cannot be, its name, and tell of it. */
static void name_slice(struct rec_adoption *a, const char *path,
		       const struct rec_left_file *left,
		       const struct pd_err *err)
{
	char *name = NULL;

	pthread_mutex_lock(&a->lock);
	if (!a->is_left &&
	    !rec_rotated_files_adopt(a->path, path, &left->written, &name)) {
		if (a->say)
			fprintf(a->say,
				"[ perfpair-record: %s is what a recorder left "
				"that was killed, %" PRIu64 " samples%s%s ]\n",
				name, left->counts.sample_nr,
				err->code ? "; it stays without an end: " : "",
				err->code ? err->text : "");
		rec_slice_command_add(a->slices, name);
		(void)!rec_rotated_files_bound(&a->limits, a->path, NULL);
	}
	pthread_mutex_unlock(&a->lock);
	free(name);
}

/* Return false if the recorder does not wait for it any more. */
static bool adopt(struct rec_adoption *a, const char *path)
{
	int fd = open_left(path, a->knows.mark.name_hash), rc = 0;
	struct pd_err err = PD_ERR_INIT;
	struct rec_left_file left;
	bool goes_on = true;

	if (fd < 0)
		return true;
	rc = rec_left_file_open(&left, fd, path, &a->knows, &err);
	while (!rc && (rc = rec_left_file_read(&left)) > 0) {
		goes_on = rest(a);
		rc = goes_on ? 0 : -EINTR;
	}
	if (!rc)
		rc = rec_left_file_end(&left, rest, a, &err);
	if (rc)
		pd_err_set(&err, rc, "%s", strerror(-rc));
	/* A file that gets its name has its time, too. */
	rec_left_file_release(&left);
	if (goes_on)
		name_slice(a, path, &left, &err);
	return goes_on;
}

static void free_adoption(struct rec_adoption *a)
{
	for (unsigned bit = 0; bit < PD_FEATURE_NR; bit++)
		pd_buf_release(&a->knows.options[bit]);
	free(a->path);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
}

/* Take no more of the machine than nobody else wants. */
static void become_idle(void)
{
	enum { WHO_PROCESS = 1, CLASS_IDLE = 3, CLASS_SHIFT = 13 };
	const struct sched_param param = { .sched_priority = 0 };

	(void)!setpriority(PRIO_PROCESS, 0, 19); /* of this thread */
	(void)!sched_setscheduler(0, SCHED_IDLE, &param);
	/* ioprio_set(2), linux/ioprio.h */
	(void)!syscall(SYS_ioprio_set, WHO_PROCESS, 0,
		       CLASS_IDLE << CLASS_SHIFT);
}

static void *adoption_main(void *arg)
{
	struct rec_adoption *a = arg;
	char *path = NULL, *last;
	bool goes_on = true;

	become_idle();
	rec_privileges_keep_reading(PD_BIT(CAP_DAC_OVERRIDE) |
				    PD_BIT(CAP_SYSLOG));
	a->cpu_ns = rec_thread_cpu_ns();
	do {
		last = path;
		path = rec_rotated_files_left(a->path, last);
		free(last);
		goes_on = path && adopt(a, path);
	} while (goes_on);
	free(path);
	pthread_mutex_lock(&a->lock);
	a->is_done = true;
	pthread_cond_broadcast(&a->changed);
	goes_on = !a->is_left;
	pthread_mutex_unlock(&a->lock);
	if (!goes_on)
		free_adoption(a);
	return NULL;
}

/* The recorder. */

static int learn(struct rec_left_knowledge *knows,
		 const struct rec_session *session, const char *name)
{
	const struct rec_args *args = session->args;

	knows->carry = session->carry.conf;
	knows->carry.what = session->carry.is_on ? args->carry : 0;
	knows->wants_build_ids = session->build_ids.is_on;
	knows->sync = args->sync;
	for (unsigned bit = 1; bit < PD_FEATURE_NR; bit++) {
		int rc = rec_options_feature_write(session, bit,
						   &knows->options[bit]);

		knows->has_option[bit] =
			!rc && !pd_buf_status(&knows->options[bit]);
	}
	return rec_slice_mark_make(session, name, &knows->mark);
}

static struct rec_adoption *new_adoption(const struct rec_session *session,
					 const struct rec_rotated_files *files,
					 struct rec_slice_command *slices)
{
	const char *path = rec_session_path(session);
	struct rec_adoption *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	rec_cond_init(&a->changed);
	a->limits = *files;
	a->limits.paths = NULL;
	a->slices = slices;
	a->say = session->say;
	a->path = strdup(path);
	if (a->path && !learn(&a->knows, session, name_of(path)))
		return a;
	free_adoption(a);
	return NULL;
}

void rec_left_slices_start(struct rec_left_slices *left,
			   const struct rec_session *session,
			   const struct rec_rotated_files *files,
			   struct rec_slice_command *slices)
{
	char *first = NULL;
	pthread_t thread;

	left->adoption = NULL;
	if (session->args->switch_output.is_on)
		first = rec_rotated_files_left(rec_session_path(session), NULL);
	if (!first)
		return;
	free(first);
	left->adoption = new_adoption(session, files, slices);
	if (!left->adoption)
		return;
	if (rec_thread_start(&thread, "left-slices", adoption_main,
			     left->adoption)) {
		free_adoption(left->adoption);
		left->adoption = NULL;
		return;
	}
	pthread_detach(thread);
}

void rec_left_slices_end(struct rec_left_slices *left, uint64_t wait_ns)
{
	struct rec_adoption *a = left->adoption;
	uint64_t until_ns = rec_now_ns() + wait_ns;
	bool is_done;

	if (!a)
		return;
	left->adoption = NULL;
	pthread_mutex_lock(&a->lock);
	while (!a->is_done && rec_cond_wait(&a->changed, &a->lock, until_ns))
		continue;
	is_done = a->is_done;
	a->is_left = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	if (is_done)
		free_adoption(a);
}
