#include "report/cli/output_options.h"

#include "format/support/out_place.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LEVEL_MAX = 22 };

int rpt_parse_zstd_level(void *conf, const char *arg, bool unset,
			 struct pd_err *err)
{
	uint64_t level = 1;

	(void)unset;
	if (arg && (sup_parse_u64(arg, &level) || level > LEVEL_MAX))
		return pd_err_set(err, -EINVAL,
				  "option --compression-level: '%s' is not 0 "
				  "to %d",
				  arg, LEVEL_MAX);
	*(int *)conf = (int)level;
	return 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Return whether path is the input, or a file in the folder that it is. */
static bool is_of_input(const char *path, const char *input)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";
	struct stat in, out;

	if (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in))
		return false;
	if (S_ISREG(in.st_mode))
		return !stat(path, &out) && is_same(&in, &out);
	if (!S_ISDIR(in.st_mode))
		return false;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s",
			 (int)(slash - path + 1), path);
	return !stat(folder, &out) && is_same(&in, &out);
}

int rpt_output_refuse_input(const char *path, const char *input,
			    struct pd_err *err)
{
	if (!path || !input || !is_of_input(path, input))
		return 0;
	pd_err_set(err, -EINVAL,
		   "the output is the input, which is never overwritten");
	pd_err_hint(err, "give another name than %s", path);
	return -EINVAL;
}

int rpt_output_refuse_inputs(const char *path, const char *const *inputs,
			     size_t nr, struct pd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++)
		rc = rpt_output_refuse_input(path, inputs[i], err);
	return rc;
}

int rpt_output_check(const struct rpt_output_args *args, const char *input,
		     struct pd_err *err)
{
	if (!args->path)
		return pd_err_set(err, -EINVAL,
				  "where to? -o names the file to make");
	if (!strcmp(args->path, "-"))
		return pd_err_set(err, -EINVAL,
				  "option --output: the header is written "
				  "last, which a pipe does not allow");
	return rpt_output_refuse_input(args->path, input, err);
}

bool rpt_output_keeps_text_apart(const struct rpt_output_args *args)
{
	return !sup_place_is_stdout(args->path) ||
	       dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
}
