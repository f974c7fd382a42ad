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

/* Return the path's last part. */
static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Look up the folder that a path is in, which need not be there itself. */
static bool stat_folder(const char *path, struct stat *ret)
{
	char folder[PATH_MAX] = ".";
	int len = (int)(name_in(path) - path);

	if (len)
		snprintf(folder, sizeof(folder), "%.*s", len, path);
	return !stat(folder, ret);
}

/* Return whether path is the input, or a file in the folder that it is. */
static bool is_of_input(const char *path, const char *input)
{
	struct stat in, out;

	if (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in))
		return false;
	if (S_ISREG(in.st_mode))
		return !stat(path, &out) && is_same(&in, &out);
	return S_ISDIR(in.st_mode) && stat_folder(path, &out) &&
	       is_same(&in, &out);
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

/* Return whether both are one file, which need not be there yet. */
static bool are_one_place(const char *a, const char *b)
{
	struct stat in_a, in_b;

	if (!stat(a, &in_a) && !stat(b, &in_b))
		return S_ISREG(in_a.st_mode) && is_same(&in_a, &in_b);
	return stat_folder(a, &in_a) && stat_folder(b, &in_b) &&
	       is_same(&in_a, &in_b) && !strcmp(name_in(a), name_in(b));
}

int rpt_output_refuse_output(const char *option, const char *path,
			     const char *other, struct pd_err *err)
{
	if (!path || !other || !are_one_place(path, other))
		return 0;
	return pd_err_set(err, -EINVAL,
			  "option %s: %s is the file of another output", option,
			  path);
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
