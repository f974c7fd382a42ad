/* fuzz_carried_section.c: the input as the plain text of a section of a
 * recording that carries three files: the first byte chooses lines, code,
 * source text or the identity of the files. */
#include "format/carried/carried_code.h"
#include "format/carried/carried_identity.h"
#include "format/carried/carried_lines.h"
#include "format/carried/carried_sources.h"

#include <stdlib.h>

#include "format/base/limits.h"

enum { FILE_NR = 3, KIND_NR = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void read_lines(struct pd_carried_text *text)
{
	struct pd_carried_lines lines;

	if (pd_carried_lines_read(text, FILE_NR, &lines, NULL))
		return;
	for (uint32_t i = 0; i < lines.file_nr; i++)
		for (uint32_t j = 0; j < lines.files[i].place_nr; j++) {
			const struct pd_carried_place *place =
				&lines.places[lines.files[i].place_start + j];

			if (pd_carried_lines_at(&lines, lines.files[i].file_idx,
						place->addr) != place)
				abort();
			if (place->function_start + place->function_nr >
			    lines.function_nr)
				abort();
		}
	pd_carried_lines_release(&lines);
}

static void read_code(struct pd_carried_text *text)
{
	struct pd_carried_code code;
	uint8_t sum = 0;

	if (pd_carried_code_read(text, FILE_NR, &code, NULL))
		return;
	for (uint32_t i = 0; i < code.run_nr; i++)
		sum ^= code.runs[i].data[code.runs[i].len - 1];
	(void)sum;
	pd_carried_code_release(&code);
}

static void read_sources(struct pd_carried_text *text)
{
	struct pd_carried_sources sources;
	struct pd_str line;

	if (pd_carried_sources_read(text, &sources, NULL))
		return;
	for (uint32_t i = 0; i < sources.run_nr; i++) {
		const struct pd_carried_lines_run *run = &sources.runs[i];

		if (!pd_carried_sources_line(&sources, run->path,
					     run->line + run->line_nr - 1,
					     &line))
			abort();
	}
	pd_carried_sources_release(&sources);
}

/* What was read is written, and read again. */
static void read_identity(struct pd_carried_text *text)
{
	struct pd_carried carried = {
		.files = calloc(FILE_NR, sizeof(*carried.files)),
		.file_nr = FILE_NR,
	};
	struct pd_buf b = PD_BUF_INIT;
	uint32_t key_nr = 0;

	if (!carried.files)
		abort();
	if (!pd_carried_identity_read(&carried, text->data, text->len, 0,
				      NULL)) {
		for (uint32_t i = 0; i < FILE_NR; i++)
			key_nr += carried.files[i].key_nr;
		if (key_nr > PD_LIMIT_CARRIED_KEYS)
			abort();
		pd_carried_identity_write(&b, carried.files, FILE_NR);
		if (pd_buf_status(&b))
			abort();
	}
	pd_carried_release(&carried);
	carried = (struct pd_carried){
		.files = calloc(FILE_NR, sizeof(*carried.files)),
		.file_nr = FILE_NR,
	};
	if (!carried.files)
		abort();
	if (b.len && pd_carried_identity_read(&carried, b.data, b.len, 0, NULL))
		abort();
	if (!b.len)
		pd_buf_release(&b);
	pd_carried_release(&carried);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static void (*const readers[KIND_NR])(struct pd_carried_text * text) = {
		read_lines, read_code, read_sources, read_identity
	};
	struct pd_carried_text text;

	if (!len)
		return 0;
	text = (struct pd_carried_text){ .data = malloc(len), .len = len - 1 };
	if (!text.data)
		abort();
	memcpy(text.data, data + 1, len - 1);
	text.data[len - 1] = 0;
	readers[data[0] % KIND_NR](&text);
	return 0;
}
