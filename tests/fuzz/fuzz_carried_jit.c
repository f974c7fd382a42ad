/* fuzz_carried_jit.c: the input as the plain text of a section of carried JIT
 * code, of three files. */
#include "format/carried/carried_jit.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_NR = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void read_codes(const struct pd_carried *carried, uint32_t idx)
{
	const struct pd_carried_jit *jit = pd_carried_jit_of(carried, idx);
	struct pd_jit_code *codes;

	if (!jit)
		return;
	codes = calloc(jit->code_nr + (size_t)1, sizeof(*codes));
	if (!codes)
		abort();
	if (!pd_carried_jit_codes(carried, jit, codes, NULL))
		for (uint32_t i = 0; i < jit->code_nr; i++)
			if (codes[i].addr + codes[i].len <= codes[i].addr)
				abort();
	free(codes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_carried carried = {
		.files = calloc(FILE_NR, sizeof(*carried.files)),
		.file_nr = FILE_NR,
	};
	uint8_t *text = malloc(len + 1);

	if (!carried.files || !text)
		abort();
	carried.files[1].kind = carried.files[2].kind = PD_CARRIED_PERF_MAP;
	if (len)
		memcpy(text, data, len);
	if (!pd_carried_jit_read(&carried, text, len, 0, NULL))
		for (uint32_t i = 0; i < FILE_NR; i++)
			read_codes(&carried, i);
	pd_carried_release(&carried);
	return 0;
}
