/* perfpair view: shows a recording in the browser. */
#include "report/commands/commands.h"

#include "report/base/memory.h"
#include "report/cli/exit_code.h"
#include "report/diff/diff_args.h"
#include "report/report/report_args.h"

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
	.usage =
		"[OPTION]... [FILE | OLD NEW... | --old FILE... --new FILE...]",
	.summary = "Look at a recording in the browser (report --format html), "
		   "or at a comparison of several (diff --format html).",
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

/* Run "COMMAND --format=html --output=PATH ARGUMENT...". */
static int make_page(int (*command)(int argc, char **argv), int argc,
		     char **argv, const char *path)
{
	char **words = rpt_alloc_zeroed((size_t)argc + 3, sizeof(*words));
	char format[] = "--format=html";
	char *output = NULL;
	int nr = 0, exit_code = RPT_EXIT_FAILED;

	if (asprintf(&output, "--output=%s", path) >= 0) {
		words[nr++] = argv[0];
		words[nr++] = format;
		words[nr++] = output;
		for (int i = 1; i < argc; i++)
			words[nr++] = argv[i];
		exit_code = command(nr, words);
	}
	free(output);
	free(words);
	return exit_code;
}

/* Remove the folder of a page that was not made. */
static void remove_folder(char *path)
{
	*strrchr(path, '/') = 0;
	rmdir(path);
}

static bool has_word(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], word))
			return true;
	return false;
}

/* Return what makes the page: diff, if several files are named (of one it takes
 * another as the old one); report for all else, and for wrong options, which it
 * explains. */
static int (*command_for(int argc, char **argv))(int argc, char **argv)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_diff_args args;
	char **words;
	bool is_diff;

	if (has_word(argc, argv, "--old") || has_word(argc, argv, "--new"))
		return rpt_cmd_diff;
	words = rpt_alloc_zeroed((size_t)argc + 1, sizeof(*words));
	memcpy(words, argv, (size_t)argc * sizeof(*words)); /* it permutes */
	is_diff = !rpt_diff_args_parse(&args, argc, words, &err) &&
		  has_word(argc, argv, args.paths[0]);
	rpt_diff_args_release(&args);
	free(words);
	return is_diff ? rpt_cmd_diff : rpt_cmd_report;
}

int rpt_cmd_view(int argc, char **argv)
{
	char *path;
	int exit_code;

	if (has_word(argc, argv, "--help")) {
		sup_help(&rpt_view_command, stdout);
		return RPT_EXIT_OK;
	}
	path = new_path();
	if (!path) {
		sup_message("no folder for the page: %s", strerror(errno));
		return RPT_EXIT_FAILED;
	}
	exit_code = make_page(command_for(argc, argv), argc, argv, path);
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
