/* fuzz_jitdump.c: any bytes as a just-in-time compiler's table of functions:
 * what comes out of it lies somewhere. */
#include "report/symbols/jitdump.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void read_all(struct pd_jitdump *dump)
{
	struct pd_jit_code code;

	while (pd_jitdump_next(dump, &code) > 0) {
		if (!code.len || code.len > UINT32_MAX ||
		    code.addr + code.len < code.addr)
			abort();
		for (size_t i = 0; i < code.name.len; i++)
			if (!code.name.ptr[i])
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_jitdump dump;
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("jitdump", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	if (!rpt_jitdump_open(&dump, path, &err))
		read_all(&dump.dump);
	rpt_jitdump_close(&dump);
	return 0;
}
