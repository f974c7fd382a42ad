#include "report/cache/kallsyms_copy.h"

#include "format/symtab/kallsyms_line.h"
#include "report/base/whole_file.h"
#include "report/elf/sparse_elf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of a type that nobody counts as a symbol. */
#define FIRST_LINE "0000000000000000 a written_by_perfpair_buildid_cache\n"

static void put_line(struct pd_buf *b, uint64_t addr, char type,
		     struct pd_str text)
{
	char head[32];
	int len =
		snprintf(head, sizeof(head), "%016" PRIx64 " %c ", addr, type);

	pd_buf_bytes(b, head, (size_t)len);
	pd_buf_bytes(b, text.ptr, text.len);
	pd_buf_u8(b, '\n');
}

/* "name", or "name\t[module]". */
static bool is_line(struct pd_str text)
{
	const char *tab = memchr(text.ptr, '\t', text.len);
	size_t len = tab ? (size_t)(tab - text.ptr) : text.len;
	struct pd_str module = { text.ptr + len + 1, text.len - len - 1 };

	return rpt_sparse_elf_takes((struct pd_str){ text.ptr, len }) &&
	       (!tab || (rpt_sparse_elf_takes(module) && *module.ptr == '['));
}

/* Say where a function ends, if nothing starts there. */
static void put_end(struct pd_buf *b, uint64_t addr, struct pd_str text)
{
	const char *tab = memchr(text.ptr, '\t', text.len);
	char name[512] = RPT_KALLSYMS_BETWEEN;
	size_t len = strlen(name);
	size_t module_len = tab ? text.len - (size_t)(tab - text.ptr) : 0;

	if (module_len > sizeof(name) - len)
		return;
	memcpy(name + len, tab ? tab : "", module_len);
	put_line(b, addr, 't', (struct pd_str){ name, len + module_len });
}

void rpt_kallsyms_copy_write(struct pd_buf *b,
			     const struct rpt_name_union *names,
			     uint32_t *ret_nr)
{
	uint64_t end = 0;

	*ret_nr = 0;
	pd_buf_bytes(b, FIRST_LINE, strlen(FIRST_LINE));
	for (uint32_t i = 0; i < names->nr; i++) {
		const struct pd_carried_name *name = &names->items[i];
		bool is_last = i + 1 == names->nr;
		uint64_t len = name->len ? name->len : 1;

		if (!is_line(name->text) ||
		    !pd_kallsyms_type_counts((char)name->info) ||
		    name->start + len < name->start)
			continue;
		put_line(b, name->start, (char)name->info, name->text);
		++*ret_nr;
		if (end < name->start + len)
			end = name->start + len;
		if (is_last || (names->items[i + 1].start != name->start &&
				names->items[i + 1].start > end))
			put_end(b, end, name->text);
	}
}

bool rpt_kallsyms_copy_is_own(const char *text, size_t len)
{
	return len >= strlen(FIRST_LINE) &&
	       !memcmp(text, FIRST_LINE, strlen(FIRST_LINE));
}

bool rpt_kallsyms_copy_is_at(const char *path)
{
	char head[sizeof(FIRST_LINE)];
	int fd = rpt_whole_file_open(path);
	ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return n > 0 && rpt_kallsyms_copy_is_own(head, (size_t)n);
}

static bool is_between(struct pd_str text)
{
	size_t len = strlen(RPT_KALLSYMS_BETWEEN);

	return text.len >= len && !memcmp(text.ptr, RPT_KALLSYMS_BETWEEN, len);
}

/* Give those that end at addr, items[first..], their length. */
static void end_before(struct rpt_name_union *names, uint32_t first,
		       uint64_t addr)
{
	for (uint32_t i = names->nr; i > first; i--) {
		struct pd_carried_name *name = &names->items[i - 1];

		if (name->len)
			return;
		if (name->start < addr)
			name->len = addr - name->start;
	}
}

void rpt_kallsyms_copy_read(struct rpt_name_union *names, const char *text,
			    size_t len)
{
	const char *end = text + len, *newline;
	struct pd_kallsyms_line line;
	uint32_t first = names->nr;
	uint64_t last = 0;

	text += strlen(FIRST_LINE);
	for (; (newline = memchr(text, '\n', (size_t)(end - text)));
	     text = newline + 1) {
		const struct pd_str whole = { text, (size_t)(newline - text) };

		if (!pd_kallsyms_line_read(whole, &line))
			continue;
		if (line.addr != last)
			end_before(names, first, line.addr);
		last = line.addr;
		if (!is_between(line.text))
			rpt_name_union_add(names,
					   &(struct pd_carried_name){
						   .start = line.addr,
						   .source = PD_CARRIED_LINE,
						   .info = (uint8_t)line.type,
						   .text = line.text,
					   });
	}
}
