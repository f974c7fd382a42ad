/* fuzz_carried_raw.c: the input as the plain text of a section of carried
 * .gnu_debugdata, of three files. */
#include "format/carried/carried_raw.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_NR = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_carried carried = {
		.files = calloc(FILE_NR, sizeof(*carried.files)),
		.file_nr = FILE_NR,
	};
	uint8_t *text = malloc(len + 1);
	static volatile unsigned sum;

	if (!carried.files || !text)
		abort();
	if (len)
		memcpy(text, data, len);
	(void)!pd_carried_raw_read(&carried, text, len, 0, NULL);
	for (uint32_t i = 0; i < FILE_NR; i++)
		for (size_t k = 0; k < carried.files[i].packed.len; k++)
			sum += (uint8_t)carried.files[i].packed.ptr[k];
	(void)sum;
	pd_carried_release(&carried);
	return 0;
}
