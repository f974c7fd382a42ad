/* target.h: the threads and CPUs to record.
 *
 * An event is opened once for each cpu of cpus[] and each tid of tids[].  A
 * cpu of -1 means "wherever the thread runs", a tid of -1 "whoever runs on the
 * CPU"; never both.
 *
 *	command line          cpus              tids
 *	-a, or nothing        all online        -1
 *	-C LIST               LIST              -1
 *	COMMAND               all online        the command
 *	-p, -t, -u            all online        theirs
 *	... --per-thread, -i  -1                theirs
 *
 * With a cpu for each thread, as in perf, all events on a CPU share one ring,
 * and children that inherit the event write to it too.
 *
 * With -C LIST the dummy event that follows tasks and maps (attr_config.h) is
 * opened on all online CPUs, as perf does since 6.6: what a task maps while it
 * runs on another CPU names its code on those of LIST.
 */
#ifndef REC_TARGET_H
#define REC_TARGET_H

#include "record/base/cpu_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rec_thread {
	pid_t tid;     /* -1: any */
	char comm[16]; /* may fill all 16 bytes, without NUL; "": unknown */
};

struct rec_target {
	int *cpus; /* owned, ascending */
	size_t cpu_nr;
	struct rec_cpu_list tracking; /* where tasks and maps are followed;
					 empty: on cpus */
	struct rec_thread *threads;   /* owned */
	size_t thread_nr;
	bool system_wide; /* -a or -C */
	bool any_cpu;	  /* cpus is one -1 */
};

/* The target on the command line; strings are borrowed, NULL if not given. */
struct rec_target_spec {
	bool system_wide;
	const char *cpu_list; /* "0-2,5" */
	const char *pid_list; /* "12,13" */
	const char *tid_list;
	const char *user; /* a name or a number */
	bool all_threads; /* those that run now, instead of whole CPUs */
	bool per_thread;
	bool inherit;
	bool has_workload;
};

/* Fill ret.  With has_workload and no other threads named, threads is one entry
 * of tid 0 that rec_target_set_workload() fills in.  Return -ESRCH if a pid
 * does not exist, -EINVAL for a malformed list, -ENODEV if a CPU is not online.
 */
int rec_target_init(struct rec_target *ret, const struct rec_target_spec *spec,
		    struct pd_err *err);
void rec_target_release(struct rec_target *target);

void rec_target_set_workload(struct rec_target *target, pid_t pid);

/* The file of online CPUs, below sysfs. */
#define REC_ONLINE_CPUS "devices/system/cpu/online"

/* Return the uid of a number or of a name in /etc/passwd, which is read without
 * the name service, as that cannot be linked statically.  Return -ENOENT if it
 * is unknown. */
int rec_user_id(const char *passwd_path, const char *user, uid_t *ret);

#endif
