#include "report/cli/symbol_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_file(const char *option, const char *path, bool is_elf,
		      struct pd_err *err)
{
	char start[4] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t nr;

	if (fd < 0)
		return pd_err_set(err, -EINVAL, "option %s: %s: %s", option,
				  path, strerror(errno));
	nr = read(fd, start, sizeof(start));
	close(fd);
	if (nr < 0)
		return pd_err_set(err, -EINVAL, "option %s: %s: %s", option,
				  path, strerror(errno));
	if (is_elf && memcmp(start, "\177ELF", 4) != 0)
		return pd_err_set(err, -EINVAL, "option %s: %s is no ELF file",
				  option, path);
	return 0;
}

int rpt_symbol_files_check(const struct rpt_symbols_conf *conf,
			   struct pd_err *err)
{
	int rc = 0;

	if (conf->kallsyms)
		rc = check_file("--kallsyms", conf->kallsyms, false, err);
	if (!rc && conf->vmlinux && !conf->ignore_vmlinux)
		rc = check_file("--vmlinux", conf->vmlinux, true, err);
	return rc;
}

int rpt_take_symfs(void *text, const char *arg, bool unset, struct pd_err *err)
{
	bool is_flat;
	char *dir = strndup(arg, rpt_symfs_len(arg, &is_flat));
	struct stat st;
	int rc = 0;

	(void)unset;
	if (!dir)
		return pd_err_set(err, -ENOMEM, "out of memory");
	*(const char **)text = arg;
	if (*dir && stat(dir, &st))
		rc = pd_err_set(err, -EINVAL, "option --symfs: %s: %s", dir,
				strerror(errno));
	else if (*dir && !S_ISDIR(st.st_mode))
		rc = pd_err_set(err, -EINVAL, "option --symfs: %s is no folder",
				dir);
	free(dir);
	return rc;
}
