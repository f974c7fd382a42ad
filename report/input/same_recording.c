#include "report/input/same_recording.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_LEN 65536

/* Return the file with the samples if path is a directory. */
static const char *data_of(const char *path, char buf[PATH_MAX])
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode) ||
	    snprintf(buf, PATH_MAX, "%s/data", path) >= PATH_MAX)
		return path;
	return buf;
}

/* Compare two files from their offsets to their ends. */
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

bool rpt_is_same_recording(const char *a, const char *b)
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
