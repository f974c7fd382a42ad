#include "record/targets/task_set.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/base/search.h"
#include "format/records/record_body.h"

/* Return the index of tid, or where to insert it. */
static size_t position_of(const struct rec_task_set *set, pid_t tid)
{
	size_t at;

	PD_FIND_FIRST(at, set->nr, set->tids[at] >= tid);
	return at;
}

static int grow(struct rec_task_set *set)
{
	size_t cap = set->cap ? 2 * set->cap : 64;
	pid_t *grown = realloc(set->tids, cap * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	set->tids = grown;
	set->cap = cap;
	return 0;
}

int rec_task_set_add(struct rec_task_set *set, pid_t tid)
{
	size_t at = position_of(set, tid);

	if (at < set->nr && set->tids[at] == tid)
		return 0;
	if (set->nr == set->cap && grow(set))
		return -ENOMEM;
	memmove(set->tids + at + 1, set->tids + at,
		(set->nr - at) * sizeof(*set->tids));
	set->tids[at] = tid;
	set->nr++;
	return 0;
}

static void remove_task(struct rec_task_set *set, pid_t tid)
{
	size_t at = position_of(set, tid);

	if (at == set->nr || set->tids[at] != tid)
		return;
	set->nr--;
	memmove(set->tids + at, set->tids + at + 1,
		(set->nr - at) * sizeof(*set->tids));
}

int rec_task_set_note(struct rec_task_set *set, const struct pd_record *record)
{
	struct pd_body body;

	if (record->type != PD_RECORD_FORK && record->type != PD_RECORD_EXIT)
		return 0;
	if (pd_body_read(record, 0, &body, NULL))
		return 0;
	if (record->type == PD_RECORD_FORK)
		return rec_task_set_add(set, (pid_t)body.u.task.tid);
	remove_task(set, (pid_t)body.u.task.tid);
	return 0;
}

/* Add the numbers of a line, such as a "children" file has. */
static int add_listed(struct rec_task_set *set, const char *path)
{
	FILE *file = fopen(path, "re");
	int rc = 0;
	int tid;

	if (!file)
		return 0;
	while (!rc && fscanf(file, "%d", &tid) == 1)
		rc = rec_task_set_add(set, tid);
	fclose(file);
	return rc;
}

static int add_threads(struct rec_task_set *set, const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int rc = 0;

	while (dir && !rc && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = rec_task_set_add(set, atoi(entry->d_name));
	if (dir)
		closedir(dir);
	return rc;
}

static int add_relatives(struct rec_task_set *set, const char *procfs,
			 pid_t tid)
{
	char path[128];
	int rc;

	snprintf(path, sizeof(path), "%s/%d/task", procfs, tid);
	rc = add_threads(set, path);
	snprintf(path, sizeof(path), "%s/%d/task/%d/children", procfs, tid,
		 tid);
	return rc ? rc : add_listed(set, path);
}

int rec_task_set_add_children(struct rec_task_set *set, const char *procfs)
{
	struct rec_task_set seen = { 0 };
	size_t i = 0;
	int rc = 0;

	/* Adding moves the later entries: start again after each. */
	while (!rc && i < set->nr) {
		pid_t tid = set->tids[i];
		size_t at = position_of(&seen, tid);

		if (at < seen.nr && seen.tids[at] == tid) {
			i++;
			continue;
		}
		rc = rec_task_set_add(&seen, tid);
		if (!rc)
			rc = add_relatives(set, procfs, tid);
		i = 0;
	}
	rec_task_set_release(&seen);
	return rc;
}

void rec_task_set_prune(struct rec_task_set *set, const char *procfs)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->nr; i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%d", procfs, set->tids[i]);
		if (!access(path, F_OK))
			set->tids[kept++] = set->tids[i];
	}
	set->nr = kept;
}

void rec_task_set_release(struct rec_task_set *set)
{
	free(set->tids);
	*set = (struct rec_task_set){ 0 };
}
