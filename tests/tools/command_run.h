/* command_run.h: one of the reader's commands over a recording of any bytes,
 * and what must hold then: it ends with one of its exit codes, and says why
 * where that is not 0.
 */
#ifndef COMMAND_RUN_H
#define COMMAND_RUN_H

#include "report/commands/commands.h"
#include "report/cli/exit_code.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define COMMAND_ARGS_NR 16

struct command_run {
	int (*command)(int argc, char **argv);
	const char *argv[COMMAND_ARGS_NR]; /* ends with NULL */
};

/* script of all that it can show of the recording at path. */
#define COMMAND_RUN_SCRIPT(path)                                              \
	{                                                                     \
		rpt_cmd_script,                                               \
		{                                                             \
			"script", "--symfs", "/proc/self/task", "--kallsyms", \
				"/dev/null", "--show-task-events",            \
				"--show-mmap-events", "--show-switch-events", \
				"--show-namespace-events",                    \
				"--show-lost-events", "--show-bpf-events",    \
				"-i", path                                    \
		}                                                             \
	}

/* err_fd: the file that stderr is, emptied before.  What is wrong; NULL:
 * nothing. */
static inline const char *command_run(const struct command_run *run, int err_fd)
{
	char *argv[COMMAND_ARGS_NR];
	int argc = 0, rc;

	for (; run->argv[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)run->argv[argc];
	argv[argc] = NULL;
	if (ftruncate(err_fd, 0))
		return "cannot be heard";
	rc = run->command(argc, argv);
	fflush(NULL);
	if (rc != RPT_EXIT_OK && rc != RPT_EXIT_FAILED &&
	    rc != RPT_EXIT_DAMAGED)
		return "ended with another exit code";
	/* check's findings are its answer */
	if (rc != RPT_EXIT_OK && run->command != rpt_cmd_check &&
	    lseek(err_fd, 0, SEEK_END) <= 0)
		return "gave no reason";
	return NULL;
}

#endif
