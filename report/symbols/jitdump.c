#include "report/symbols/jitdump.h"

#include "report/base/whole_file.h"

#include <sys/stat.h>
#include <unistd.h>

static int read_file(void *ctx, uint64_t off, void *ret, size_t len)
{
	const struct rpt_jitdump *file = ctx;

	return rpt_read_at(file->fd, off, ret, len);
}

int rpt_jitdump_open(struct rpt_jitdump *file, const char *path,
		     struct pd_err *err)
{
	const struct pd_read_at from = { .read = read_file, .ctx = file };
	const struct sup_name name = { .path = path, .is_open_to_all = true };
	struct stat st;
	int rc = 0;

	*file = (struct rpt_jitdump){ .fd = rpt_whole_file_open_for(&name) };
	if (file->fd < 0)
		rc = file->fd;
	else if (fstat(file->fd, &st))
		rc = -errno;
	if (!rc) {
		file->file_id[0] = st.st_dev;
		file->file_id[1] = st.st_ino;
		rc = pd_jitdump_open(&file->dump, from, (uint64_t)st.st_size,
				     err);
	}
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

void rpt_jitdump_close(struct rpt_jitdump *file)
{
	pd_jitdump_close(&file->dump);
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
