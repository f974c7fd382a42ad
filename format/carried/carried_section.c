#include "format/carried/carried_section.h"

#include "format/carried/carried_code.h"
#include "format/carried/carried_lines.h"
#include "format/carried/carried_sources.h"

#include <stdlib.h>

static int check_lines(struct pd_carried_text *text, uint32_t file_nr,
		       struct pd_err *err)
{
	struct pd_carried_lines lines;
	int rc = pd_carried_lines_read(text, file_nr, &lines, err);

	if (!rc)
		pd_carried_lines_release(&lines);
	return rc;
}

static int check_code(struct pd_carried_text *text, uint32_t file_nr,
		      struct pd_err *err)
{
	struct pd_carried_code code;
	int rc = pd_carried_code_read(text, file_nr, &code, err);

	if (!rc)
		pd_carried_code_release(&code);
	return rc;
}

static int check_sources(struct pd_carried_text *text, struct pd_err *err)
{
	struct pd_carried_sources sources;
	int rc = pd_carried_sources_read(text, &sources, err);

	if (!rc)
		pd_carried_sources_release(&sources);
	return rc;
}

int pd_carried_text_check(const uint8_t *base, uint64_t len,
			  const struct pd_trailer *trailer, uint32_t kind,
			  uint32_t file_nr, struct pd_err *err)
{
	struct pd_carried_text text;
	int rc = pd_carried_text_read(base, len, trailer, kind, &text, err);

	if (rc)
		return rc;
	switch (kind) {
	case PD_CARRIED_LINES:
		return check_lines(&text, file_nr, err);
	case PD_CARRIED_BYTES:
		return check_code(&text, file_nr, err);
	case PD_CARRIED_SOURCES:
		return check_sources(&text, err);
	default:
		free(text.data);
		return 0;
	}
}

void *pd_carried_list(struct pd_cursor *c, size_t len_min, size_t item_len,
		      uint64_t *ret_nr)
{
	uint64_t nr = pd_cursor_varint(c);
	void *items = NULL;

	if (nr > pd_cursor_left(c) / len_min || nr >= UINT32_MAX)
		pd_cursor_short(c);
	if (!pd_cursor_status(c)) {
		items = calloc((size_t)nr + 1, item_len);
		if (!items)
			pd_cursor_fail(c, -ENOMEM, "out of memory");
	}
	*ret_nr = items ? nr : 0;
	return items;
}
