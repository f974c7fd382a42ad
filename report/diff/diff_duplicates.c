#include "report/diff/diff_load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_LEN 65536

/* Of a directory the file with the samples. */
static const char *data_of(const char *path, char buf[PATH_MAX])
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode) ||
	    snprintf(buf, PATH_MAX, "%s/data", path) >= PATH_MAX)
		return path;
	return buf;
}

/* From where both stand to their ends. */
static bool have_same_rest(int a, int b)
{
	char x[CHUNK_LEN], y[CHUNK_LEN];

	for (;;) {
		ssize_t x_len = read(a, x, sizeof(x));
		ssize_t y_len = read(b, y, sizeof(y));

		if (x_len < 0 || x_len != y_len ||
		    memcmp(x, y, (size_t)x_len) != 0)
			return false;
		if (!x_len)
			return true;
	}
}

static bool have_same_bytes(const char *a, const char *b)
{
	int x = open(a, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int y = open(b, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_same = x >= 0 && y >= 0 && have_same_rest(x, y);

	if (x >= 0)
		close(x);
	if (y >= 0)
		close(y);
	return is_same;
}

static bool is_same_recording(const char *a, const char *b)
{
	char x_path[PATH_MAX], y_path[PATH_MAX];
	struct stat x, y;

	a = data_of(a, x_path);
	b = data_of(b, y_path);
	if (stat(a, &x) || stat(b, &y) || !S_ISREG(x.st_mode) ||
	    !S_ISREG(y.st_mode) || x.st_size != y.st_size)
		return false;
	return (x.st_dev == y.st_dev && x.st_ino == y.st_ino) ||
	       have_same_bytes(a, b);
}

/* Whether both files are asked for the same times. */
static bool is_same_part(const struct rpt_diff_args *args, size_t a, size_t b)
{
	char *x = NULL, *y = NULL;
	struct pd_err ignored = PD_ERR_INIT;
	bool is_same = !rpt_run_times_of(args, a, &x, &ignored) &&
		       !rpt_run_times_of(args, b, &y, &ignored) &&
		       ((!x && !y) || (x && y && !strcmp(x, y)));

	free(x);
	free(y);
	return is_same;
}

static int refuse(const struct rpt_diff_args *args, size_t a, size_t b,
		  struct pd_err *err)
{
	pd_err_set(err, -EINVAL, "%s and %s are the same recording",
		   args->paths[a], args->paths[b]);
	pd_err_hint(err, "each of several runs has to be one of its own");
	return -EINVAL;
}

int rpt_diff_check_duplicates(const struct rpt_diff_args *args,
			      struct pd_err *err)
{
	if (args->old_nr < 2 && args->new_nr < 2)
		return 0;
	for (size_t b = 1; b < args->path_nr; b++) {
		for (size_t a = 0; a < b; a++) {
			if (is_same_part(args, a, b) &&
			    is_same_recording(args->paths[a], args->paths[b]))
				return refuse(args, a, b, err);
		}
	}
	return 0;
}
