/* fuzz_perf_map.c: any text as a JIT compiler's perf-PID.map: every symbol is
 * found where it begins. */
#include "report/symbols/dso.h"
#include "report/symbols/perf_map.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(struct rpt_dso *dso)
{
	for (size_t i = 0; i < dso->names.table.nr; i++) {
		const struct rpt_symbol *sym = rpt_symbol_table_find(
			&dso->names.table, dso->names.table.syms[i].start);

		if (sym && (!sym->name || sym->start > sym->end))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct rpt_symbols_conf conf = { .buildid_dir = "/nowhere" };
	struct rpt_dso_key key = { .kind = RPT_DSO_USER };
	static char path[64];
	static int fd = -1;
	struct rpt_symbols *symbols;
	struct rpt_dso *dso;

	if (fd < 0) {
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
		fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0)
			abort();
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	key.name = path;
	key.name_len = strlen(path);
	symbols = rpt_symbols_new(&conf);
	dso = rpt_symbols_dso(symbols, &key);
	rpt_perf_map_read(dso);
	check(dso);
	rpt_symbols_free(symbols);
	return 0;
}
