#include "record/base/cpu_list.h"

#include "record/base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_cpus(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Append the CPUs of "5" or "0-3" and move over it. */
static int append_range(struct rec_cpu_list *list, struct rec_text_scan *text)
{
	uint32_t first, last;
	int *grown;

	if (!rec_text_scan_dec32(text, &first))
		return -EINVAL;
	last = first;
	if (rec_text_scan_char(text, '-') && !rec_text_scan_dec32(text, &last))
		return -EINVAL;
	if (last < first || last > REC_CPU_MAX)
		return -EINVAL;
	grown = reallocarray(list->cpus, list->nr + last - first + 1,
			     sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->cpus = grown;
	for (uint32_t cpu = first; cpu <= last; cpu++)
		grown[list->nr++] = (int)cpu;
	return 0;
}

static void sort_unique(struct rec_cpu_list *list)
{
	size_t kept = 0;

	qsort(list->cpus, list->nr, sizeof(*list->cpus), compare_cpus);
	for (size_t i = 0; i < list->nr; i++)
		if (!kept || list->cpus[kept - 1] != list->cpus[i])
			list->cpus[kept++] = list->cpus[i];
	list->nr = kept;
}

int rec_cpu_list_parse(const char *text, struct rec_cpu_list *ret,
		       struct pd_err *err)
{
	struct rec_text_scan at = { text, text + strcspn(text, "\n") };
	struct rec_cpu_list list = { NULL, 0 };
	int rc;

	do {
		rc = append_range(&list, &at);
	} while (!rc && rec_text_scan_char(&at, ','));
	if (!rc && at.at != at.end)
		rc = -EINVAL;
	if (!rc) {
		sort_unique(&list);
		*ret = list;
		return 0;
	}
	rec_cpu_list_release(&list);
	if (rc == -ENOMEM)
		return pd_err_set(err, rc, "out of memory");
	pd_err_set(err, rc, "'%s' is not a list of CPUs", text);
	pd_err_hint(err, "give numbers and ranges, such as 0-3,8");
	return rc;
}

void rec_cpu_list_release(struct rec_cpu_list *list)
{
	free(list->cpus);
	*list = (struct rec_cpu_list){ NULL, 0 };
}

int rec_cpu_list_read(const char *root, const char *name,
		      struct rec_cpu_list *ret, struct pd_err *err)
{
	char line[REC_CPU_LIST_LEN_MAX];
	int rc = rec_read_line(root, name, line, sizeof(line));

	if (rc)
		return pd_err_set(err, rc, "%s/%s: %s", root, name,
				  strerror(-rc));
	return *line ? rec_cpu_list_parse(line, ret, err) : -ENODATA;
}

int rec_proc_stat_cpus(const char *path, struct rec_cpu_list *ret)
{
	struct rec_cpu_list list = { NULL, 0 };
	struct pd_buf buf = PD_BUF_INIT;
	struct rec_text_scan all, line;
	int rc = rec_read_file(AT_FDCWD, path, 16 << 20, &buf);

	all = rec_text_scan_buf(&buf);
	while (!rc && rec_text_scan_line(&all, &line))
		if (rec_text_scan_text(&line, "cpu") && line.at < line.end &&
		    *line.at != ' ')
			rc = append_range(&list, &line);
	pd_buf_release(&buf);
	if (!rc && !list.nr)
		rc = -ENODATA;
	if (rc) {
		rec_cpu_list_release(&list);
		return rc;
	}
	sort_unique(&list);
	*ret = list;
	return 0;
}

bool rec_cpu_list_has(const struct rec_cpu_list *list, int cpu)
{
	return list->nr &&
	       bsearch(&cpu, list->cpus, list->nr, sizeof(cpu), compare_cpus);
}

bool rec_read_siblings(const char *sysfs, int cpu, const char *name,
		       char ret[REC_CPU_LIST_LEN_MAX])
{
	static const char *const old_names[][2] = {
		{ "core_cpus_list", "thread_siblings_list" },
		{ "package_cpus_list", "core_siblings_list" },
	};
	char path[128];
	int rc;

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/%s",
		 cpu, name);
	rc = rec_read_line(sysfs, path, ret, REC_CPU_LIST_LEN_MAX);
	for (size_t i = 0; rc && i < 2; i++) {
		if (strcmp(name, old_names[i][0]) != 0)
			continue;
		snprintf(path, sizeof(path),
			 "devices/system/cpu/cpu%d/topology/%s", cpu,
			 old_names[i][1]);
		rc = rec_read_line(sysfs, path, ret, REC_CPU_LIST_LEN_MAX);
	}
	return !rc;
}
