/* fuzz_carried_cfi.c: the input as the plain text of a section of carried
 * call frame information, of three files. */
#include "format/carried/carried_cfi.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_NR = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void read_pieces(const struct pd_carried *carried, uint32_t idx)
{
	const struct pd_carried_cfi *frames = pd_carried_cfi_of(carried, idx);
	struct pd_carried_piece *pieces;
	uint8_t *room;

	if (!frames)
		return;
	pieces = calloc(frames->piece_nr + (size_t)1, sizeof(*pieces));
	room = malloc((size_t)frames->text_len + 1);
	if (!pieces || !room)
		abort();
	pd_carried_pieces(carried, frames, pieces, room, NULL);
	free(pieces);
	free(room);
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
	carried.files[1].is_big_endian = true;
	if (len)
		memcpy(text, data, len);
	if (!pd_carried_cfi_read(&carried, text, len, 0, NULL))
		for (uint32_t i = 0; i < FILE_NR; i++)
			read_pieces(&carried, i);
	pd_carried_release(&carried);
	return 0;
}
