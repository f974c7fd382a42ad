#include "record/snapshot/snapshot_put.h"

#include "record/targets/cgroup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum {
	HANDLE_TYPE_KERNFS = 0xfe, /* Linux include/linux/exportfs.h */
};

struct put {
	const struct rec_snapshot_conf *conf;
	struct pd_buf *out;
};

/* Read the id that samples carry (PERF_SAMPLE_CGROUP) from the file handle; on
 * 64 bit machines the inode number is the same. */
static bool group_id(int fd, uint64_t *ret)
{
	struct {
		struct file_handle handle;
		uint64_t id;
	} h = { .handle.handle_bytes = sizeof(uint64_t) };
	struct stat st;
	int mount_id;

	if (name_to_handle_at(fd, "", &h.handle, &mount_id, AT_EMPTY_PATH) ==
		    0 &&
	    h.handle.handle_type == HANDLE_TYPE_KERNFS) {
		memcpy(ret, h.handle.f_handle, sizeof(*ret));
		return true;
	}
	if (fstat(fd, &st) != 0)
		return false;
	*ret = st.st_ino;
	return true;
}

static void put_group(void *ctx, int fd, const char *path)
{
	struct pd_body body = { .type = PD_RECORD_CGROUP };
	const struct put *put = ctx;

	if (!group_id(fd, &body.u.cgroup.cgroup_id))
		return;
	body.u.cgroup.path = (struct pd_str){ path, strlen(path) };
	if (!*path)
		body.u.cgroup.path = (struct pd_str){ "/", 1 };
	rec_put_body(put->out, put->conf->id_len, 0, &body);
}

void rec_put_cgroups(const struct rec_snapshot_conf *conf, struct pd_buf *out)
{
	struct put put = { conf, out };

	/* If none are mounted, nothing is written. */
	(void)!rec_cgroup_walk(conf->roots.proc, put_group, &put);
}
