#include "report/cache/cache_maps.h"

#include "report/elf/sparse_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static void put_lines(FILE *out, const struct pd_carried_file *file,
		      uint32_t *ret_nr)
{
	for (uint32_t i = 0; i < file->name_nr; i++) {
		const struct pd_carried_name *name = &file->names[i];

		if (!rpt_sparse_elf_takes(name->text))
			continue;
		fprintf(out, "%" PRIx64 " %" PRIx64 " %.*s\n", name->start,
			name->len, (int)name->text.len, name->text.ptr);
		++*ret_nr;
	}
}

int rpt_cache_map_write(int dir_fd, const struct pd_carried_file *file,
			uint32_t *ret_nr)
{
	char name[sizeof("perf-4294967295.map")];
	FILE *out;
	int fd, rc = 0;

	*ret_nr = 0;
	snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", file->pid);
	fd = openat(dir_fd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "w");
	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	put_lines(out, file, ret_nr);
	if (fclose(out))
		rc = -errno;
	if (rc)
		unlinkat(dir_fd, name, 0);
	return rc;
}
