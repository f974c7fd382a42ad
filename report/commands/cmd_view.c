/* perfpair view: shows a recording in the browser. */
#include "report/commands/commands.h"
#include "report/commands/outputs.h"

#include "report/base/memory.h"
#include "report/cli/exit_code.h"
#include "report/columns/columns.h"
#include "report/input/file_source.h"
#include "report/page/page.h"

#include "format/support/message.h"
#include "format/support/out_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define OPENER "xdg-open"
/* A folder is this and six characters of mkdtemp(). */
#define FOLDER_PREFIX "perfpair-"
#define PAGE_NAME     "page.html"

static const struct rpt_output *const outputs[] = { &rpt_output_html, NULL };

static const struct sup_opt own_opts[] = {
	RPT_OPT_TEXT('o', "output", offsetof(struct rpt_report_args, out.path),
		     "FILE",
		     "write the page to FILE, replacing it (page.html in a new "
		     "folder)"),
	{ 0 },
};

static const struct sup_opt *more_opts(size_t idx)
{
	return rpt_outputs_opts(outputs, idx);
}

static const struct sup_absent absent[] = {
	{ "format", "a page is always shown; perfpair report --format and "
		    "perfpair export write other forms" },
	{ 0 },
};

const struct sup_command rpt_view_command = {
	.name = "perfpair view",
	.usage =
		"[OPTION]... [FILE | OLD NEW... | --old FILE... --new FILE...]",
	.summary = "Look at a recording in the browser (report --format html), "
		   "or at a comparison of several (diff --format html, with "
		   "the options of diff).",
	.opts = own_opts,
	.more_opts = more_opts,
	.absent = absent,
	.more = rpt_columns_print_names,
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
static bool open_page(const char *path)
{
	char *argv[] = { (char[]){ OPENER }, (char *)(uintptr_t)path, NULL };
	pid_t pid;
	int status;

	if (posix_spawnp(&pid, OPENER, NULL, NULL, argv, environ))
		return false;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

static const char *tmp_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

/* Return the path of the page, in a new folder that nobody else can read; NULL
 * with errno set. */
static char *new_path(void)
{
	char *folder = NULL, *path = NULL;

	if (asprintf(&folder, "%s/" FOLDER_PREFIX "XXXXXX", tmp_folder()) < 0)
		return NULL;
	if (mkdtemp(folder) && asprintf(&path, "%s/" PAGE_NAME, folder) < 0)
		path = NULL;
	free(folder);
	return path;
}

/* Say what fetches the page to a machine that has a browser. */
static void say_how_to_fetch(const char *path)
{
	char host[HOST_NAME_MAX + 1] = "", *whole = realpath(path, NULL);

	gethostname(host, sizeof(host) - 1);
	if (whole && sup_is_plain_word(whole))
		sup_message("no browser here; elsewhere: ssh %s cat %s > "
			    "page.html",
			    *host ? host : "HOST", whole);
	free(whole);
}

/* Remove the page of a folder that was made for it, if it is ours and older
 * than a day. */
static void remove_old(int tmp_fd, const char *name)
{
	enum { DAY_S = 86400 };
	struct stat folder, page;
	int fd = openat(tmp_fd, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!fstat(fd, &folder) && folder.st_uid == geteuid() &&
	    !(folder.st_mode & 077) &&
	    !fstatat(fd, PAGE_NAME, &page, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(page.st_mode) && page.st_mtime < time(NULL) - DAY_S &&
	    !unlinkat(fd, PAGE_NAME, 0))
		(void)!unlinkat(tmp_fd, name, AT_REMOVEDIR); /* if empty */
	close(fd);
}

static void remove_old_pages(void)
{
	DIR *dir = opendir(tmp_folder());
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, FOLDER_PREFIX,
			     strlen(FOLDER_PREFIX)) &&
		    strlen(entry->d_name) == strlen(FOLDER_PREFIX "XXXXXX"))
			remove_old(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
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

/* Return whether several recordings are named without -i. */
static bool names_several(int argc, char **argv)
{
	int nr = 0;

	for (int i = 1; i < argc; i++)
		nr += rpt_is_recording(argv[i]) &&
		      strcmp(argv[i - 1], "-i") != 0 &&
		      strcmp(argv[i - 1], "--input") != 0;
	return nr > 1;
}

/* Return whether a comparison is asked for: several files are named.  Set
 * *ret_rc to what parsing them as arguments of diff returned. */
static bool is_comparison(struct rpt_diff_args *args, int argc, char **argv,
			  int *ret_rc, struct pd_err *err)
{
	char **words = rpt_alloc_zeroed((size_t)argc + 1, sizeof(*words));

	memcpy(words, argv, (size_t)argc * sizeof(*words)); /* it permutes */
	*ret_rc = rpt_diff_args_parse(args, RPT_DIFF_HTML, argc, words, err);
	free(words);
	if (has_word(argc, argv, "--old") || has_word(argc, argv, "--new"))
		return true;
	if (*ret_rc && names_several(argc, argv)) {
		err->hint[0] = '\0'; /* about an option of view */
		pd_err_hint(err,
			    "several files are compared, by perfpair diff; "
			    "-i A -i B shows them as one run");
		return true;
	}
	return !*ret_rc && has_word(argc, argv, args->paths[0]);
}

/* Make a page where the arguments say, or else in a new folder, whose path they
 * get; print the path and open it. */
static int show(const char **path, int (*make)(void *args), void *args)
{
	char *made = *path ? NULL : new_path();
	bool is_shown;
	int exit_code;

	remove_old_pages();
	if (!*path && !made) {
		sup_message("no folder for the page: %s", strerror(errno));
		return RPT_EXIT_FAILED;
	}
	if (made)
		*path = made;
	exit_code = make(args);
	is_shown = exit_code != RPT_EXIT_FAILED && exit_code != RPT_EXIT_USAGE;
	if (!is_shown && made) {
		remove_folder(made);
	} else if (is_shown && !sup_place_is_stdout(*path)) {
		printf("%s\n", *path);
		if (!has_display() || !open_page(*path))
			say_how_to_fetch(*path);
	}
	free(made);
	return exit_code;
}

static int make_comparison(void *args)
{
	return rpt_diff_run(args);
}

static int make_report(void *args)
{
	return rpt_report_run(args);
}

static int view_comparison(struct rpt_diff_args *args, int rc,
			   struct pd_err *err)
{
	int exit_code;

	if (!rc && args->format != RPT_DIFF_HTML)
		rc = pd_err_set(err, -EINVAL,
				"a page is shown: --format is for diff");
	if (!rpt_options_are_good(rc, &rpt_diff_command, err, &exit_code))
		return exit_code;
	return show(&args->report.out.path, make_comparison, args);
}

static int view_report(int argc, char **argv)
{
	struct rpt_report_args args = rpt_report_args_default;
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc;

	args.out.outputs = outputs;
	args.out.output = &rpt_output_html;
	rc = rpt_report_args_parse(&args, &rpt_view_command, argc, argv, &err);
	if (rpt_options_are_good(rc, &rpt_view_command, &err, &exit_code))
		exit_code = show(&args.out.path, make_report, &args);
	rpt_report_args_release(&args);
	return exit_code;
}

int rpt_cmd_view(int argc, char **argv)
{
	char *help[] = { argv[0], (char[]){ "--help" }, NULL };
	struct rpt_diff_args args;
	struct pd_err err = PD_ERR_INIT;
	int exit_code;
	int rc;

	if (has_word(argc, argv, help[1]))
		return view_report(2, help);
	if (is_comparison(&args, argc, argv, &rc, &err))
		exit_code = view_comparison(&args, rc, &err);
	else
		exit_code = view_report(argc, argv);
	rpt_diff_args_release(&args);
	return exit_code;
}
