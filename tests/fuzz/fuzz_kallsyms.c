/* fuzz_kallsyms.c: any text as /proc/kallsyms; what comes out is in order, and
 * what a copy of it tells is the same, and what a recorder carries of it. */
#include "format/symtab/kallsyms_line.h"
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

/* Offer each line to the hits, as the recorder does. */
static void search_lines(struct pd_symbol_search *search, const char *text,
			 size_t len)
{
	const char *end = text + len;
	struct pd_kallsyms_line line;

	for (const char *next; text < end; text = next + 1) {
		struct pd_symbol_start symbol;

		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next : end;
		if (!pd_kallsyms_line_read(
			    (struct pd_str){ text, (size_t)(next - text) },
			    &line) ||
		    !pd_kallsyms_line_counts(&line))
			continue;
		symbol = pd_kallsyms_symbol(&line);
		if (pd_symbol_search_see(search, &symbol))
			abort();
	}
}

static int take(void *ctx, const struct pd_symbol_start *symbol, uint64_t len)
{
	const struct rpt_symbol *const *sym = ctx;

	if (!*sym || symbol->start != (*sym)->start ||
	    symbol->start + len != (*sym)->end ||
	    strncmp((*sym)->name, symbol->name.ptr, strlen((*sym)->name)) != 0)
		abort();
	return 0;
}

/* Whoever knows only that an address in sym was hit finds the same. */
static void check_search(const struct rpt_symbol *sym, const char *text,
			 size_t len)
{
	uint64_t hit = sym->start, named_nr;
	struct pd_symbol_search search;

	if (pd_symbol_search_init(&search, &hit, 1))
		abort();
	search_lines(&search, text, len);
	if (pd_symbol_search_each(&search, take, &sym, &named_nr) ||
	    named_nr != 1)
		abort();
	pd_symbol_search_release(&search);
}

static void check_searches(const struct rpt_symbol_table *table,
			   const char *text, size_t len)
{
	for (size_t i = 0; i < table->nr && i < 8; i++)
		check_search(&table->syms[i], text, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rpt_kallsyms kallsyms;
	char *text = malloc(len + 1);
	size_t i, plain_len;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	rpt_kallsyms_parse(&kallsyms, text, len, false);
	plain_len = strnlen((const char *)data, len);
	check_searches(&kallsyms.kernel, (const char *)data, plain_len);
	for (i = 0; i < kallsyms.modules_nr; i++)
		check_searches(&kallsyms.modules[i].table, (const char *)data,
			       plain_len);
	check_table(&kallsyms.kernel);
	for (i = 0; i < kallsyms.modules_nr; i++)
		check_table(&kallsyms.modules[i].table);
	rpt_kallsyms_release(&kallsyms);
	check_copy(data, len);
	return 0;
}
