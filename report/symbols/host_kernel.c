#include "report/symbols/host_kernel.h"

#include "report/base/whole_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define NOTES_MAX_LEN ((size_t)1 << 20)

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

uint8_t rpt_running_build_id(uint8_t ret[RPT_BUILD_ID_MAX])
{
	struct pd_err err = PD_ERR_INIT;
	size_t len, off = 0;
	char *notes =
		rpt_whole_file("/sys/kernel/notes", NOTES_MAX_LEN, &len, &err);
	uint8_t id_len = 0;
	Elf64_Nhdr note;

	while (notes && len - off >= sizeof(note)) {
		const char *name = notes + off + sizeof(note);
		size_t body_len;

		memcpy(&note, notes + off, sizeof(note));
		body_len = padded(note.n_namesz) + padded(note.n_descsz);
		if (body_len > len - off - sizeof(note))
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0 &&
		    note.n_descsz <= RPT_BUILD_ID_MAX) {
			id_len = (uint8_t)note.n_descsz;
			memcpy(ret, name + 4, id_len);
			break;
		}
		off += sizeof(note) + body_len;
	}
	free(notes);
	return id_len;
}

bool rpt_is_running_release(const struct pd_reader *reader)
{
	struct pd_str release = pd_reader_string(reader, PD_FEATURE_OSRELEASE);
	struct utsname host;

	return release.len && uname(&host) == 0 &&
	       pd_str_eq(release, host.release);
}
