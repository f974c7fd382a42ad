/* fuzz_carried.c: the input as two sections of carried names, the list of files
 * and the names, that are not compressed and have their checksums: the first
 * two bytes say where the list ends.  The names are also what says of which
 * recording they are. */
#include "format/carried/carried_stream.h"

#include <stdlib.h>

#include "format/base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct pd_trailer_section section(uint32_t kind, const uint8_t *data,
					 size_t off, size_t len)
{
	return (struct pd_trailer_section){ .kind = kind,
					    .off = off,
					    .len = len,
					    .plain_len = len,
					    .hash = pd_hash_of(data + off,
							       len) };
}

/* Read the names of each file. */
static void read_names(const struct pd_carried *carried)
{
	for (uint32_t i = 0; i < carried->file_nr; i++) {
		struct pd_carried_name *names =
			calloc(carried->files[i].name_nr + 1, sizeof(*names));

		if (!names)
			abort();
		pd_carried_names(carried, i, names, NULL);
		free(names);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_trailer_section sections[2];
	struct pd_trailer trailer = { .sections = sections, .section_nr = 2 };
	struct pd_carried carried;
	struct pd_carried_stream stream;
	size_t cut;

	if (len < 2)
		return 0;
	cut = 2 + (size_t)(data[0] | data[1] << 8) % (len - 1);
	sections[0] = section(PD_CARRIED_FILES, data, 2, cut - 2);
	sections[1] = section(PD_CARRIED_NAMES, data, cut, len - cut);
	pd_carried_read(data, len, &trailer, &carried, NULL);
	read_names(&carried);
	pd_carried_release(&carried);
	sections[1].kind = PD_CARRIED_STREAM;
	if (!pd_carried_stream_read(data, len, &trailer, &stream, NULL))
		pd_carried_stream_is_of(&stream, data, len);
	return 0;
}
