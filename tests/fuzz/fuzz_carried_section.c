/* fuzz_carried_section.c: the input as the plain text of a section that
 * perfpair carry writes, of a recording that carries three files: the first
 * byte chooses lines, code or source text. */
#include "format/carried/carried_code.h"
#include "format/carried/carried_lines.h"
#include "format/carried/carried_sources.h"

#include <stdlib.h>

enum { FILE_NR = 3, KIND_NR = 3 };

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static void (*const readers[KIND_NR])(struct pd_carried_text * text) = {
		read_lines, read_code, read_sources
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
