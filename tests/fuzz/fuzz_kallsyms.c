/* fuzz_kallsyms.c: any text as /proc/kallsyms; what comes out is in order, and
 * what a copy of it tells is the same. */
#include "report/symbols/kallsyms.h"
#include "report/symbols/kallsyms_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_table(struct rpt_symbol_table *table)
{
	size_t i;

	for (i = 0; i < table->nr; i++) {
		const struct rpt_symbol *sym = &table->syms[i], *found;

		if (strlen(sym->name) == 0)
			abort();
		if (i && sym[-1].start >= sym->start)
			abort();
		/* perf's end for a name before one of another module lies
		 * a page on: then the look-up may find that one */
		found = rpt_symbol_table_find(table, sym->start);
		if (!found || found->start > sym->start ||
		    (found != sym && found->end <= sym->start))
			abort();
	}
}

static void check_symbol(struct rpt_kallsyms_cache *copy,
			 struct rpt_symbol_table *whole, uint64_t addr)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym, *found;

	if (!rpt_kallsyms_cache_find(copy, addr, &range, &found))
		return;
	sym = rpt_symbol_table_find(whole, addr);
	if (!sym || !found || found->start != sym->start ||
	    found->end != sym->end || strcmp(found->name, sym->name) != 0)
		abort();
}

/* The image's lines alone, before the first with a tab: what is behind them
 * never lies among them in a kernel. */
static void check_copy(const uint8_t *data, size_t len)
{
	const uint8_t *tab = memchr(data, '\t', len);
	size_t image_len = tab ? (size_t)(tab - data) : len;
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct rpt_kallsyms_cache *copy;
	struct rpt_kallsyms kallsyms;
	char path[32], *text;

	while (image_len && data[image_len - 1] != '\n')
		image_len--;
	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	copy = rpt_kallsyms_cache_open(path, path, false);
	close(fd);
	text = copy ? strndup((const char *)data, image_len) : NULL;
	if (text && strlen(text) == image_len) {
		rpt_kallsyms_parse(&kallsyms, text, image_len, false);
		for (size_t i = 0; i < kallsyms.kernel.nr; i++)
			check_symbol(copy, &kallsyms.kernel,
				     kallsyms.kernel.syms[i].start);
		rpt_kallsyms_release(&kallsyms);
	} else {
		free(text);
	}
	rpt_kallsyms_cache_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rpt_kallsyms kallsyms;
	char *text = malloc(len + 1);
	size_t i;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	rpt_kallsyms_parse(&kallsyms, text, len, false);
	check_table(&kallsyms.kernel);
	for (i = 0; i < kallsyms.modules_nr; i++)
		check_table(&kallsyms.modules[i].table);
	rpt_kallsyms_release(&kallsyms);
	check_copy(data, len);
	return 0;
}
