#include "record/base/elf_note.h"

#include "format/symtab/build_id_note.h"
#include "record/base/read_file.h"

_Static_assert(PD_BUILD_ID_LEN_MAX == PD_NOTE_BUILD_ID_LEN,
	       "one length of build-ids");

bool rec_note_build_id(const void *notes, size_t len, bool swap, size_t align,
		       struct rec_build_id *ret)
{
	ret->len = pd_note_build_id(notes, len, swap, align, ret->bytes);
	return ret->len;
}

bool rec_elf_build_id(int fd, struct rec_build_id *ret)
{
	struct pd_elf_image elf;

	if (pd_elf_image_read_segments(rec_read_at(fd), &elf))
		return false;
	ret->len = pd_elf_build_id(&elf, ret->bytes);
	return ret->len;
}
