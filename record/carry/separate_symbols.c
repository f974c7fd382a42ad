#include "record/carry/separate_symbols.h"

#include "format/records/build_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_build_id(int fd, const struct rec_build_id *id)
{
	struct rec_build_id got = { 0 };
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       rec_elf_build_id(fd, &got) && got.len == id->len &&
	       !memcmp(got.bytes, id->bytes, id->len);
}

int rec_separate_symbols_open(const struct rec_build_id *id)
{
	char path[128];
	int fd;

	if (!pd_build_id_path(path, sizeof(path), "/usr/lib/debug", id->bytes,
			      id->len, ".debug"))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || has_build_id(fd, id))
		return fd;
	close(fd);
	return -1;
}

int rec_separate_symbols_packed(const struct pd_elf_image *elf, size_t *budget,
				struct pd_str *ret)
{
	const struct pd_elf_section *s =
		pd_elf_image_find(elf, ".gnu_debugdata");
	char *bytes;
	int rc;

	if (!s || !s->len || s->len > *budget)
		return 0;
	bytes = malloc((size_t)s->len);
	if (!bytes)
		return -ENOMEM;
	rc = pd_elf_image_bytes(elf, s->off, bytes, (size_t)s->len);
	if (rc) {
		free(bytes);
		return rc;
	}
	*budget -= (size_t)s->len;
	*ret = (struct pd_str){ bytes, (size_t)s->len };
	return 0;
}
