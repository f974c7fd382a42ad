#include "report/cli/recorder_program.h"

#include "report/cli/exit_code.h"

#include "format/support/message.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int rpt_recorder_exec(char **words)
{
	char self[PATH_MAX], path[PATH_MAX + sizeof(RPT_RECORDER_NAME)];
	static char name[] = RPT_RECORDER_NAME;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	words[0] = name;
	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash) {
			slash[1] = '\0';
			snprintf(path, sizeof(path), "%s%s", self, name);
			words[0] = path; /* by which a reload starts it */
			execv(path, words);
			words[0] = name;
		}
	}
	execvp(name, words);
	return -errno;
}

int rpt_recorder_run(char **words)
{
	int error = -rpt_recorder_exec(words);

	sup_message("%s: %s", RPT_RECORDER_NAME, strerror(error));
	if (error == ENOENT)
		sup_message("it is neither beside perfpair nor in PATH");
	return RPT_EXIT_FAILED;
}
