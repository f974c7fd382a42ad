/* fuzz_jitdump_codes.c: any bytes as the jitdump of a process that is recorded:
 * what is taken of it covers what was hit, or names that. */
#include "record/names/jitdump_codes.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint64_t hits[] = { 0x1010, 0x401234, UINT64_MAX - 1 };
	struct rec_unnamed_hits unnamed;
	const struct rec_jitdump_conf conf = { hits, 3, &unnamed, UINT64_MAX };
	size_t budget = 1 << 16;
	struct rec_jit_codes codes = { .budget = &budget };
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("jitdump", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len ||
	    rec_unnamed_hits_init(&unnamed, hits, 3))
		abort();
	rec_jitdump_codes(fd, &conf, &codes);
	for (uint32_t i = 0; i < codes.jit.code_nr; i++)
		if (!codes.items[i].name.len &&
		    !rec_unnamed_hits_cover(&unnamed, codes.items[i].addr,
					    codes.items[i].len))
			abort();
	if (unnamed.named_nr > 3)
		abort();
	rec_jit_codes_release(&codes);
	rec_unnamed_hits_release(&unnamed);
	return 0;
}
