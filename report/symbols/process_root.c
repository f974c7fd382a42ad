#include "report/symbols/process_root.h"

#include "report/base/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATUS_MAX_LEN ((size_t)1 << 16)

void rpt_process_root(uint32_t pid, char ret[RPT_PROCESS_ROOT_LEN])
{
	snprintf(ret, RPT_PROCESS_ROOT_LEN, "/proc/%u/root", pid);
}

bool rpt_has_inode(const char *path, uint64_t ino)
{
	int fd = rpt_whole_file_find(path);
	struct stat st;
	bool has;

	if (fd < 0)
		return false;
	has = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == ino;
	close(fd);
	return has;
}

/* The last number in "NStgid: 4711 12" is that in the innermost namespace; one
 * alone is that of a process in no container. */
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

bool rpt_process_perf_map(uint32_t pid, char path[PATH_MAX])
{
	struct pd_err err = PD_ERR_INIT;
	char root[RPT_PROCESS_ROOT_LEN], *status;
	unsigned inner = 0;
	bool is_found;
	size_t len;

	snprintf(path, PATH_MAX, "/proc/%u/status", pid);
	status = rpt_whole_file(path, STATUS_MAX_LEN, &len, &err);
	is_found = status && find_inner_pid(status, &inner);
	free(status);
	rpt_process_root(pid, root);
	if (is_found)
		snprintf(path, PATH_MAX, "%s/tmp/perf-%u.map", root, inner);
	return is_found;
}
