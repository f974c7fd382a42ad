/* fuzz_kallsyms.c: any text as /proc/kallsyms; what comes out is in order. */
#include "report/kallsyms.h"

#include <stdlib.h>
#include <string.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rpt_kallsyms kallsyms;
	char *text = malloc(len + 1);
	size_t i;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	if (rpt_kallsyms_parse(&kallsyms, text, len, false) != 0) {
		free(text);
		return 0;
	}
	free(text);
	check_table(&kallsyms.kernel);
	for (i = 0; i < kallsyms.modules_nr; i++)
		check_table(&kallsyms.modules[i].table);
	rpt_kallsyms_release(&kallsyms);
	return 0;
}
