/* fuzz_commands.c: any bytes as a recording, plain, compressed or piped,
 * through the commands: an answer or an error, and a reason with it. */
#include "tests/tools/command_run.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* libtraceevent loses parts of a format that it gives up on. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}

static char path[64];

static const struct command_run runs[] = {
	{ rpt_cmd_report,
	  { "report", "--header", "-I", "--jobs", "1", "--symfs",
	    "/proc/self/task", "--kallsyms", "/dev/null", "-i", path } },
	{ rpt_cmd_report,
	  { "report", "--off-cpu", "-s", "comm,state,waker", "--symfs",
	    "/proc/self/task", "--kallsyms", "/dev/null", "-i", path } },
	{ rpt_cmd_report,
	  { "report", "--format", "trace", "--symfs", "/proc/self/task",
	    "--kallsyms", "/dev/null", "-i", path } },
	{ rpt_cmd_report,
	  { "report", "--format", "arrow", "--symfs", "/proc/self/task",
	    "--kallsyms", "/dev/null", "-i", path } },
	{ rpt_cmd_report, { "report", "--stats", "-i", path } },
	{ rpt_cmd_report, { "report", "--mmaps", "-i", path } },
	{ rpt_cmd_evlist, { "evlist", "--trace-fields", "-i", path } },
	{ rpt_cmd_data,
	  { "data", "convert", "--force", "--to-json", "/dev/null", "--symfs",
	    "/proc/self/task", "--kallsyms", "/dev/null", "-i", path } },
	COMMAND_RUN_SCRIPT(path),
	{ rpt_cmd_evlist, { "evlist", "-v", "-i", path } },
	{ rpt_cmd_buildid_list, { "buildid-list", "-H", "-i", path } },
	{ rpt_cmd_check, { "check", "-i", path } },
};

/* What commands print goes nowhere; what they complain of into a file. */
static bool redirect(int *ret_fd)
{
	int err_fd = memfd_create("stderr", MFD_CLOEXEC);
	FILE *err = fdopen(err_fd, "w");

	*ret_fd = memfd_create("recording", MFD_CLOEXEC);
	if (!err || *ret_fd < 0 || !freopen("/dev/null", "w", stdout))
		return false;
	fcntl(err_fd, F_SETFL, O_APPEND);
	setlinebuf(err);
	stderr = err; /* glibc lets it be set; the fuzzer writes to its own */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *ret_fd);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;

	if (fd < 0 && !redirect(&fd))
		abort();
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (command_run(&runs[i], fileno(stderr)))
			abort();
	return 0;
}
