/* perfpair view: shows a recording in the browser. */
#include "report/commands/commands.h"

#include "report/base/memory.h"
#include "report/cli/command_options.h"
#include "report/cli/exit_code.h"
#include "report/table/report_args.h"

#include "format/support/message.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define OPENER "xdg-open"

const struct sup_command rpt_view_command = {
	.name = "perfpair view",
	.usage = "[OPTION]... [FILE...]",
	.summary = "Look at a recording in the browser: report --format html, "
		   "in a folder of its own.",
	.opts = rpt_report_opts,
};

static bool has_display(void)
{
	const char *const names[] = { "DISPLAY", "WAYLAND_DISPLAY" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return true;
	}
	return false;
}

/* Open the page in the browser of the desktop.  Return whether that went well.
 */
static bool open_page(char *path)
{
	char *argv[] = { (char[]){ OPENER }, path, NULL };
	pid_t pid;
	int status;

	if (posix_spawnp(&pid, OPENER, NULL, NULL, argv, environ))
		return false;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

/* Return the path of the page, in a new folder that nobody else can read; NULL
 * with errno set. */
static char *new_path(void)
{
	const char *tmp = getenv("TMPDIR");
	char *folder = NULL, *path = NULL;

	if (asprintf(&folder, "%s/perfpair-XXXXXX",
		     tmp && *tmp ? tmp : "/tmp") < 0)
		return NULL;
	if (mkdtemp(folder) && asprintf(&path, "%s/page.html", folder) < 0)
		path = NULL;
	free(folder);
	return path;
}

/* Run "report ARGUMENT... --format html -o PATH". */
static int make_page(int argc, char **argv, char *path)
{
	char **words = rpt_alloc_zeroed((size_t)argc + 4, sizeof(*words));
	char format[] = "--format=html", output[] = "-o";
	int nr = 0, exit_code;

	words[nr++] = argv[0];
	words[nr++] = format;
	words[nr++] = output;
	words[nr++] = path;
	for (int i = 1; i < argc; i++)
		words[nr++] = argv[i];
	exit_code = rpt_cmd_report(nr, words);
	free(words);
	return exit_code;
}

/* Remove the folder of a page that was not made. */
static void remove_folder(char *path)
{
	*strrchr(path, '/') = 0;
	rmdir(path);
}

/* Return whether the command line is good, as it was not a request for help. */
static bool check_args(int argc, char **argv, int *ret_exit)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_report_args args;
	int rc = rpt_report_args_parse(&args, argc, argv, &err);

	if (!rc && args.out.path)
		rc = pd_err_set(&err, -EINVAL,
				"the page goes into a folder of its own; "
				"report --format html -o names a file");
	rpt_report_args_release(&args);
	return rpt_options_are_good(rc, &rpt_view_command, &err, ret_exit);
}

int rpt_cmd_view(int argc, char **argv)
{
	int exit_code;
	char *path;

	if (!check_args(argc, argv, &exit_code))
		return exit_code;
	path = new_path();
	if (!path) {
		sup_message("no folder for the page: %s", strerror(errno));
		return RPT_EXIT_FAILED;
	}
	exit_code = make_page(argc, argv, path);
	if (access(path, F_OK)) {
		remove_folder(path);
	} else {
		printf("%s\n", path);
		if (has_display() && !open_page(path))
			sup_message("%s did not open it", OPENER);
	}
	free(path);
	return exit_code;
}
