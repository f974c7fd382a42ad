#include "report/symbols/perf_map.h"

#include "format/symtab/perf_map_line.h"
#include "report/symbols/dso.h"
#include "report/base/whole_file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERF_MAP_MAX_LEN ((size_t)1 << 30)

bool rpt_is_perf_map(const char *name)
{
	return pd_is_perf_map((struct pd_str){ name, strlen(name) }, NULL);
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

/* Find the process's table inside of its container, for its effective user: he
 * may have mounted anything there.  The process may be another one with the
 * recorded pid. */
static bool find_in_container(uint32_t pid, char path[PATH_MAX], uid_t *ret)
{
	char *status = rpt_process_status(pid, ret);
	unsigned inner_pid = 0;
	bool is_found = status && find_inner_pid(status, &inner_pid);

	free(status);
	snprintf(path, PATH_MAX, "/proc/%u/root/tmp/perf-%u.map", pid,
		 inner_pid);
	return is_found;
}

/* Names are in the text, which is changed. */
static void add_lines(struct rpt_symbol_table *table, char *text, size_t len)
{
	char *end = text + len, *newline;
	struct pd_perf_map_line line;

	for (; (newline = memchr(text, '\n', (size_t)(end - text)));
	     text = newline + 1) {
		const struct pd_str whole = { text, (size_t)(newline - text) };
		struct rpt_symbol sym = {
			.binding = STB_GLOBAL,
			.type = STT_FUNC,
		};

		if (!pd_perf_map_line_read(whole, &line))
			continue;
		sym.start = line.start;
		sym.end = line.start + line.len;
		sym.name = line.name.ptr;
		text[line.name.ptr - text + (ptrdiff_t)line.name.len] = '\0';
		rpt_symbol_table_add(table, &sym);
	}
}

void rpt_perf_map_read(struct rpt_dso *dso)
{
	const struct pd_str name = { dso->name, strlen(dso->name) };
	struct pd_err err = PD_ERR_INIT;
	const char *symfs = dso->owner->conf.symfs;
	char path[PATH_MAX];
	struct sup_name at = { .path = path,
			       .root_len = strlen(symfs),
			       .is_open_to_all = true };
	size_t text_len;
	uint32_t pid;

	if (snprintf(path, sizeof(path), "%s%s", symfs,
		     dso->owner->symfs.is_flat ? strrchr(dso->name, '/')
					       : dso->name) >= PATH_MAX)
		return;
	dso->files.text =
		rpt_whole_file_for(&at, PERF_MAP_MAX_LEN, &text_len, &err);
	if (!dso->files.text && !*symfs && pd_is_perf_map(name, &pid) &&
	    find_in_container(pid, path, &at.user)) {
		at.root_len = rpt_process_root_len(path);
		dso->files.text = rpt_whole_file_for(&at, PERF_MAP_MAX_LEN,
						     &text_len, &err);
	}
	if (!dso->files.text)
		return;
	add_lines(&dso->names.table, dso->files.text, text_len);
	rpt_symbol_table_fix_up(&dso->names.table, RPT_ENDS_PERF_MAP);
}
