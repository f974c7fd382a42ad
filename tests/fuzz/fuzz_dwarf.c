/* fuzz_dwarf.c: any bytes as a mapped ELF file: its call frame information
 * (.eh_frame, .debug_frame), functions (.debug_info) and lines (.debug_line),
 * at addresses near its segments; expressions are evaluated. */
#include "report/elf/dwarf_eval.h"
#include "report/elf/elf_file.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/source_line.h"
#include "report/symbols/unwind_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COLUMNS_NR 17
#define STEPS_NR   64
#define STEP_LEN   7

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* elfutils loses some of what it read of a file that is damaged. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libdw\nleak:libelf\n";
}

static bool read_reg(void *ctx, unsigned column, uint64_t *ret)
{
	(void)ctx;
	*ret = column * 8;
	return column < COLUMNS_NR;
}

static bool read_memory(void *ctx, uint64_t addr, uint64_t *ret)
{
	(void)ctx;
	*ret = addr ^ 0x55;
	return addr % 3 != 0;
}

static void evaluate(const struct rpt_cfi_row *row,
		     const struct rpt_cfi_rule *rule)
{
	const struct rpt_eval_context context = { .cfa = 0x1000,
						  .read_reg = read_reg,
						  .read_memory = read_memory };
	uint64_t value;
	bool is_value;

	if (rule->where == RPT_CFI_EXPR)
		(void)rpt_dwarf_eval(rpt_cfi_ops(row) + rule->off, rule->ops_nr,
				     &context, &value, &is_value);
}

static void look_at(struct rpt_dso *dso, uint64_t addr)
{
	const struct rpt_inline_frame *frames;
	struct rpt_unwind_file *unwind_file = rpt_dso_unwind_file(dso);
	const struct rpt_cfi_row *row = NULL;
	size_t nr = rpt_dso_inline_frames(dso, addr, &frames);
	const char *file;
	int line;

	if (rpt_dso_source_line(dso, addr, &file, &line) && !*file && line < 0)
		abort();
	for (size_t i = 0; i < nr; i++) {
		if (frames[i].name && strlen(frames[i].name) > SIZE_MAX / 2)
			abort();
		if (frames[i].call_off &&
		    rpt_dso_call_line(dso, frames[i].call_off, &file, &line) &&
		    line < 0)
			abort();
	}
	if (unwind_file)
		row = rpt_unwind_file_row(unwind_file, addr, COLUMNS_NR);
	if (!row || !row->is_known)
		return;
	if (row->ra_column >= RPT_CFI_COLUMNS)
		abort();
	evaluate(row, &row->cfa);
	for (unsigned i = 0; i < row->rules_nr; i++) {
		if (row->rules[i].column >= COLUMNS_NR)
			abort();
		evaluate(row, &row->rules[i]);
	}
}

/* Half of the lines are found together, the others one by one. */
static void find_lines(struct rpt_dso *dso, uint64_t start)
{
	struct rpt_source_query queries[STEPS_NR / 2];

	for (uint64_t k = 0; k < STEPS_NR / 2; k++)
		queries[k] =
			(struct rpt_source_query){ dso,
						   start + k * 2 * STEP_LEN };
	(void)rpt_source_lines_find(queries, STEPS_NR / 2, 1);
}

static void look_around(struct rpt_dso *dso, const struct rpt_elf *file)
{
	for (size_t i = 0; i < file->loads_nr && i < 4; i++)
		find_lines(dso, file->loads[i].p_vaddr);
	for (size_t i = 0; i < file->loads_nr && i < 4; i++)
		for (uint64_t k = 0; k < STEPS_NR; k++)
			look_at(dso, file->loads[i].p_vaddr + k * STEP_LEN);
	look_at(dso, file->ehdr.e_entry);
}

static void read_dso(const char *path, const struct rpt_elf *file)
{
	const struct rpt_symbols_conf conf = { .buildid_dir = "/nowhere" };
	struct rpt_symbols *symbols = rpt_symbols_new(&conf);
	const struct rpt_dso_key key = { .kind = RPT_DSO_USER,
					 .name = path,
					 .name_len = strlen(path) };

	look_around(rpt_symbols_dso(symbols, &key), file);
	rpt_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static int fd = -1;
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *file;
	char path[64];

	if (fd < 0)
		fd = memfd_create("elf", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = rpt_elf_open_for(&(struct sup_name){ .path = path }, &err);
	if (!file)
		return 0;
	read_dso(path, file);
	rpt_elf_close(file);
	return 0;
}
