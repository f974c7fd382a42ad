#include "record/targets/target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare_thread(const void *a, const void *b)
{
	const struct rec_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int number(const char **text, long max, long *ret)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	*ret = strtol(*text, &end, 10);
	if (errno || *ret > max)
		return -EINVAL;
	*text = end;
	return 0;
}

/* Read sysfs, or /proc/stat in a container without sysfs. */
static int online_cpus(struct rec_cpu_list *ret, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	int rc = rec_cpu_list_read("/sys", REC_ONLINE_CPUS, ret, &why);

	if ((rc == -ENOENT || rc == -EACCES || rc == -ENODATA) &&
	    !rec_proc_stat_cpus("/proc/stat", ret))
		return 0;
	if (!rc)
		return 0;
	pd_err_set(err, rc, "%s", why.text);
	if (rc == -EMFILE)
		pd_err_hint(err, "raise the limit of open files (ulimit -n)");
	return rc;
}

static int check_online(const struct rec_cpu_list *cpus,
			const struct rec_cpu_list *online, struct pd_err *err)
{
	for (size_t i = 0; i < cpus->nr; i++) {
		if (rec_cpu_list_has(online, cpus->cpus[i]))
			continue;
		pd_err_set(err, -ENODEV, "CPU %d is not online", cpus->cpus[i]);
		pd_err_hint(err, "see /sys/" REC_ONLINE_CPUS);
		return -ENODEV;
	}
	return 0;
}

/* The CPUs of the list, which are online; all others are tracked, too. */
static int init_listed_cpus(struct rec_target *target, const char *list,
			    struct pd_err *err)
{
	struct rec_cpu_list cpus, online;
	int rc = rec_cpu_list_parse(list, &cpus, err);

	if (rc)
		return rc;
	target->cpus = cpus.cpus;
	target->cpu_nr = cpus.nr;
	rc = online_cpus(&online, err);
	if (rc)
		return rc;
	rc = check_online(&cpus, &online, err);
	if (!rc && target->system_wide && online.nr > cpus.nr)
		target->tracking = online;
	else
		rec_cpu_list_release(&online);
	return rc;
}

static int init_cpus(struct rec_target *target,
		     const struct rec_target_spec *spec, struct pd_err *err)
{
	struct rec_cpu_list cpus;
	int rc;

	if (spec->per_thread) {
		target->any_cpu = true;
		target->cpus = malloc(sizeof(*target->cpus));
		if (!target->cpus)
			return -ENOMEM;
		target->cpus[0] = -1;
		target->cpu_nr = 1;
		return 0;
	}
	if (spec->cpu_list)
		return init_listed_cpus(target, spec->cpu_list, err);
	rc = online_cpus(&cpus, err);
	if (rc)
		return rc;
	target->cpus = cpus.cpus;
	target->cpu_nr = cpus.nr;
	return 0;
}

static void read_comm(struct rec_thread *thread)
{
	char path[64];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/comm", thread->tid);
	file = fopen(path, "re");
	if (!file)
		return;
	len = fread(thread->comm, 1, sizeof(thread->comm), file);
	fclose(file);
	for (size_t i = 0; i < sizeof(thread->comm); i++)
		if (i >= len || thread->comm[i] == '\n')
			thread->comm[i] = '\0';
}

static int append_thread(struct rec_target *target, pid_t tid)
{
	struct rec_thread *grown = realloc(
		target->threads, (target->thread_nr + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	target->threads = grown;
	grown = &grown[target->thread_nr++];
	memset(grown, 0, sizeof(*grown));
	grown->tid = tid;
	if (tid > 0)
		read_comm(grown);
	return 0;
}

static pid_t entry_pid(const struct dirent *entry)
{
	const char *text = entry->d_name;
	long pid;

	if (number(&text, INT_MAX, &pid) || *text)
		return 0;
	return (pid_t)pid;
}

/* Append every current thread of the process.  Return -ESRCH if it is gone. */
static int append_process(struct rec_target *target, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (!rc && (entry = readdir(dir))) {
		pid_t tid = entry_pid(entry);

		if (tid)
			rc = append_thread(target, tid);
	}
	closedir(dir);
	return rc;
}

static int append_thread_checked(struct rec_target *target, pid_t tid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (stat(path, &st))
		return -ESRCH;
	return append_thread(target, tid);
}

static int bad_list(const char *list, const char *what, struct pd_err *err)
{
	pd_err_set(err, -EINVAL, "'%s' is not a list of %s ids", list, what);
	pd_err_hint(err, "give numbers, such as 1234,1240 or $(pidof NAME)");
	return -EINVAL;
}

/* Call append() for each number of the list. */
static int append_list(struct rec_target *target, const char *list,
		       const char *what,
		       int (*append)(struct rec_target *, pid_t),
		       struct pd_err *err)
{
	const char *at = list;

	do {
		long id;
		int rc;

		if (number(&at, INT_MAX, &id))
			return bad_list(list, what, err);
		rc = append(target, (pid_t)id);
		if (rc == -ESRCH) {
			pd_err_set(err, rc, "no %s has the id %ld", what, id);
			pd_err_hint(err, "it may have ended; look with ps -eL");
		}
		if (rc)
			return rc;
	} while (*at == ',' && at++);
	return *at ? bad_list(list, what, err) : 0;
}

static bool is_of_user(pid_t pid, uid_t uid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &st) && st.st_uid == uid;
}

/* Append all processes; uid: only those of that user, NULL for any. */
static int append_running(struct rec_target *target, const uid_t *uid,
			  struct pd_err *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return pd_err_set(err, -errno, "/proc: %s", strerror(errno));
	while (!rc && (entry = readdir(dir))) {
		pid_t pid = entry_pid(entry);

		if (pid && (!uid || is_of_user(pid, *uid)))
			rc = append_process(target, pid);
		if (rc == -ESRCH)
			rc = 0; /* ended since readdir() */
	}
	closedir(dir);
	return rc;
}

static int append_user(struct rec_target *target, const char *user,
		       struct pd_err *err)
{
	uid_t uid = 0;
	int rc = rec_user_id("/etc/passwd", user, &uid);

	if (rc) {
		pd_err_set(err, rc, "there is no user '%s'", user);
		pd_err_hint(err, "give a name of /etc/passwd or a number");
		return rc;
	}
	rc = append_running(target, &uid, err);
	if (!rc && !target->thread_nr) {
		rc = pd_err_set(err, -ESRCH, "user '%s' runs nothing", user);
		pd_err_hint(err, "start it first, or record all with -a");
	}
	return rc;
}

int rec_user_id(const char *passwd_path, const char *user, uid_t *ret)
{
	size_t len = strlen(user);
	const char *at = user;
	char line[1024];
	FILE *file;
	long uid;
	int rc = -ENOENT;

	if (!number(&at, INT_MAX, &uid) && !*at) {
		*ret = (uid_t)uid;
		return 0;
	}
	file = fopen(passwd_path, "re");
	if (!file)
		return -errno;
	while (rc && fgets(line, sizeof(line), file)) {
		/* name:password:uid:... */
		if (strncmp(line, user, len) != 0 || line[len] != ':')
			continue;
		at = strchr(line + len + 1, ':');
		if (!at++ || number(&at, INT_MAX, &uid) || *at != ':')
			continue;
		*ret = (uid_t)uid;
		rc = 0;
	}
	fclose(file);
	return rc;
}

static void unique_threads(struct rec_target *target)
{
	struct rec_thread *t = target->threads;
	size_t kept = 0;

	qsort(t, target->thread_nr, sizeof(*t), compare_thread);
	for (size_t i = 0; i < target->thread_nr; i++)
		if (!kept || t[kept - 1].tid != t[i].tid)
			t[kept++] = t[i];
	target->thread_nr = kept;
}

static int init_threads(struct rec_target *target,
			const struct rec_target_spec *spec, struct pd_err *err)
{
	int rc = 0;

	if (target->system_wide)
		return append_thread(target, -1);
	if (spec->pid_list)
		rc = append_list(target, spec->pid_list, "process",
				 append_process, err);
	if (!rc && spec->tid_list)
		rc = append_list(target, spec->tid_list, "thread",
				 append_thread_checked, err);
	if (!rc && spec->user)
		rc = append_user(target, spec->user, err);
	if (!rc && spec->all_threads)
		rc = append_running(target, NULL, err);
	if (!rc && !target->thread_nr)
		rc = append_thread(target, 0);
	if (!rc)
		unique_threads(target);
	return rc;
}

int rec_target_init(struct rec_target *ret, const struct rec_target_spec *spec,
		    struct pd_err *err)
{
	int rc;

	memset(ret, 0, sizeof(*ret));
	ret->system_wide =
		spec->system_wide || (spec->cpu_list && !spec->pid_list &&
				      !spec->tid_list && !spec->user);
	rc = init_cpus(ret, spec, err);
	if (!rc)
		rc = init_threads(ret, spec, err);
	if (rc) {
		pd_err_set(err, rc, "targets: %s", strerror(-rc));
		rec_target_release(ret);
	}
	return rc;
}

void rec_target_release(struct rec_target *target)
{
	free(target->cpus);
	rec_cpu_list_release(&target->tracking);
	free(target->threads);
	memset(target, 0, sizeof(*target));
}

void rec_target_set_workload(struct rec_target *target, pid_t pid)
{
	for (size_t i = 0; i < target->thread_nr; i++)
		if (!target->threads[i].tid)
			target->threads[i].tid = pid;
}
