/* fuzz_proc_maps.c: the line parsers of /proc, the first byte choosing one.
 *
 * Whatever is accepted has its parts inside the line, ends behind its start and
 * fits its types; nothing is read outside the bytes given.
 */
#include "format/symtab/kallsyms_line.h"
#include "record/base/cpu_list.h"
#include "record/snapshot/kernel_map.h"
#include "record/snapshot/proc_maps.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void must_be_inside(struct rec_text_scan part, struct rec_text_scan line)
{
	must(part.at <= part.end);
	if (part.at < part.end)
		must(part.at >= line.at && part.end <= line.end);
}

static void check_map(struct rec_text_scan line)
{
	struct rec_map map;

	if (!rec_map_parse(line, &map))
		return;
	must(map.start < map.end);
	must_be_inside((struct rec_text_scan){ map.name.ptr,
					       map.name.ptr + map.name.len },
		       line);
}

static void check_kallsyms(struct rec_text_scan line)
{
	const struct pd_str text = { line.at, rec_text_scan_left(&line) };
	struct pd_kallsyms_line sym;

	if (!pd_kallsyms_line_read(text, &sym))
		return;
	must(sym.text.len > 0);
	must(sym.text.ptr > line.at && sym.text.ptr + sym.text.len == line.end);
}

static void check_module(struct rec_text_scan line)
{
	struct rec_module module;

	if (!rec_module_parse(line, &module))
		return;
	must(module.start <= module.end);
	must_be_inside(module.name, line);
}

static void check_notes(struct rec_text_scan text)
{
	struct rec_build_id id = { .len = 1 };

	if (rec_note_build_id(text.at, rec_text_scan_left(&text), false, 4,
			      &id))
		must(id.len > 0 && id.len <= PD_BUILD_ID_LEN_MAX);
}

static void check_cpu_list(struct rec_text_scan line)
{
	char text[256] = "";
	struct rec_cpu_list list;

	if (rec_text_scan_left(&line) >= sizeof(text))
		return;
	memcpy(text, line.at, rec_text_scan_left(&line));
	if (!rec_cpu_list_parse(text, &list, NULL))
		rec_cpu_list_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static void (*const checks[])(struct rec_text_scan) = {
		check_map,
		check_kallsyms,
		check_module,
		check_cpu_list,
	};
	struct rec_text_scan all;
	struct rec_text_scan line;

	if (len == 0)
		return 0;
	all.at = (const char *)data + 1;
	all.end = (const char *)data + len;
	if (data[0] % 5 == 4)
		check_notes(all);
	else
		while (rec_text_scan_line(&all, &line))
			checks[data[0] % 5](line);
	return 0;
}
