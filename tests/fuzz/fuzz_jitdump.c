/* fuzz_jitdump.c: any bytes as a just-in-time compiler's table of functions:
 * what comes out of it lies somewhere, and what unwinds them gives rows. */
#include "report/symbols/jitdump.h"

#include "report/symbols/dso.h"
#include "report/symbols/unwind_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void unwind(const struct pd_jit_code *code)
{
	static const struct rpt_symbols_conf conf = { .symfs = "/nowhere" };
	static const uint64_t offs[] = { 0x80, 0x81, 0x90, 0x7f, 0x4080 };
	const struct rpt_dso_key key = { .name = "a", .name_len = 1 };
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);
	struct rpt_dso *dso = rpt_symbols_dso(symbols, &key);
	struct rpt_unwind_file *file;
	uint64_t addr;

	rpt_dso_set_jitted(dso,
			   &(struct rpt_jitted){ code->machine, 0x80, code->len,
						 code->eh_frame });
	file = rpt_dso_unwind_file(dso);
	for (size_t i = 0; i < 5 && file; i++)
		if (rpt_unwind_file_addr(file, offs[i], &addr) &&
		    addr != offs[i])
			abort();
		else
			rpt_unwind_file_row(file, offs[i], 17);
	if (!rpt_dso_is_generated(dso))
		abort();
	rpt_symbols_free(symbols);
}

static void read_all(struct pd_jitdump *dump)
{
	struct pd_jit_code code;

	while (pd_jitdump_next(dump, &code) > 0) {
		if (!code.len || code.len > UINT32_MAX ||
		    code.addr + code.len < code.addr)
			abort();
		for (size_t i = 0; i < code.name.len; i++)
			if (!code.name.ptr[i])
				abort();
		if (code.eh_frame.len)
			unwind(&code);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_jitdump dump;
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("jitdump", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	if (!rpt_jitdump_open(&dump, path, &err))
		read_all(&dump.dump);
	rpt_jitdump_close(&dump);
	return 0;
}
