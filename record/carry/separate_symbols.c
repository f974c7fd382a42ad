#include "record/carry/separate_symbols.h"

#include <fcntl.h>
#include <stdio.h>
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
	int len, fd;

	if (id->len < 2)
		return -1;
	len = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/",
		       id->bytes[0]);
	for (unsigned i = 1; i < id->len; i++)
		len += snprintf(path + len, sizeof(path) - (size_t)len, "%02x",
				id->bytes[i]);
	snprintf(path + len, sizeof(path) - (size_t)len, ".debug");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || has_build_id(fd, id))
		return fd;
	close(fd);
	return -1;
}
