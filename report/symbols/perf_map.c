#include "report/symbols/perf_map.h"

#include "report/symbols/dso.h"
#include "report/base/whole_file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERF_MAP_MAX_LEN ((size_t)1 << 30)
#define STATUS_MAX_LEN	 ((size_t)1 << 16)

bool rpt_is_perf_map(const char *name)
{
	unsigned pid;
	int len = 0;

	return sscanf(name, "/tmp/perf-%u.map%n", &pid, &len) == 1 && len > 0 &&
	       name[len] == '\0';
}

static uint32_t pid_of(const char *name)
{
	unsigned pid = 0;

	sscanf(name, "/tmp/perf-%u.map", &pid);
	return pid;
}

/* Find the pid in the innermost namespace, the last number in "NStgid: 4711
 * 12". A process outside of containers has only one. */
static bool find_inner_pid(const char *status, unsigned *ret)
{
	const char *line = strstr(status, "\nNStgid:");
	const char *end = line ? strchr(line + 1, '\n') : NULL;
	const char *last = end;
	unsigned outer, second;

	while (last && last > line && last[-1] != '\t' && last[-1] != ' ')
		last--;
	return last &&
	       sscanf(line, "\nNStgid: %u%*[ \t]%u", &outer, &second) == 2 &&
	       sscanf(last, "%u", ret) == 1;
}

/* Find the process's table inside of its container.  The process may be another
 * one with the recorded pid. */
static bool find_in_container(uint32_t pid, char path[PATH_MAX])
{
	struct pd_err err = PD_ERR_INIT;
	unsigned inner_pid = 0;
	bool is_found;
	char *status;
	size_t len;

	snprintf(path, PATH_MAX, "/proc/%u/status", pid);
	status = rpt_whole_file(path, STATUS_MAX_LEN, &len, &err);
	is_found = status && find_inner_pid(status, &inner_pid);
	free(status);
	snprintf(path, PATH_MAX, "/proc/%u/root/tmp/perf-%u.map", pid,
		 inner_pid);
	return is_found;
}

static void add_line(struct rpt_symbol_table *table, char *line)
{
	struct rpt_symbol sym = { .binding = STB_GLOBAL, .type = STT_FUNC };
	char *rest;

	sym.start = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ')
		return;
	line = rest;
	sym.end = sym.start + strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ' || rest[1] == '\0' ||
	    sym.end < sym.start)
		return;
	sym.name = rest + 1;
	rpt_symbol_table_add(table, &sym);
}

void rpt_perf_map_read(struct rpt_dso *dso)
{
	struct pd_err err = PD_ERR_INIT;
	char path[PATH_MAX], *line, *save;
	size_t text_len;

	if (snprintf(path, sizeof(path), "%s%s", dso->owner->conf.symfs,
		     dso->name) >= PATH_MAX)
		return;
	dso->files.text =
		rpt_whole_file(path, PERF_MAP_MAX_LEN, &text_len, &err);
	if (!dso->files.text && !*dso->owner->conf.symfs &&
	    find_in_container(pid_of(dso->name), path))
		dso->files.text =
			rpt_whole_file(path, PERF_MAP_MAX_LEN, &text_len, &err);
	if (!dso->files.text)
		return;
	for (line = strtok_r(dso->files.text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		add_line(&dso->names.table, line);
	rpt_symbol_table_fix_up(&dso->names.table, RPT_ENDS_ELF);
}
