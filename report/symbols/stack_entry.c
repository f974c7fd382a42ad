#include "report/symbols/stack_entry.h"

#include "report/symbols/carried_names.h"
#include "report/symbols/dso.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/perf_map.h"
#include "report/symbols/unwind_file.h"

#include <string.h>

/* Names in glibc, musl, uClibc, bionic and Go. */
static const char *const user_names[] = {
	"_start",
	"__start",
	"_start_c",
	"_dl_start_user", /* where _start() of ld.so goes on */
	"__libc_start_main",
	"__libc_start_main_impl",
	"__libc_start_call_main",
	"generic_start_main",
	"libc_start_main_stage2",
	"__uClibc_main",
	"start_thread",
	"clone",
	"__clone",
	"clone3",
	"__clone3",
	"thread_start",
	"__thread_start",
	"__start_context",
	"__libc_init",
	"__start_thread",
	"__pthread_start",
	"runtime.goexit",
	"runtime.rt0_go",
	"runtime.mstart",
};

static const char *const kernel_names[] = {
	"ret_from_fork",
	"ret_from_fork_asm",
	"ret_from_fork_kernel",
	"ret_from_fork_kernel_asm",
	"ret_from_fork_user",
	"ret_from_fork_user_asm",
	"ret_from_kernel_thread",
	"ret_from_kernel_user_thread",
	"__ret_from_fork",
	"kthread",
	"kernel_init",
	"secondary_startup_64",
	"secondary_startup_64_no_verify",
	"common_startup_64",
	"startup_32_smp",
	"start_secondary",
	"secondary_start_kernel",
	"secondary_start",
	"smp_start_secondary",
	"__secondary_start",
	"__secondary_switched",
	"__primary_switched",
	"start_kernel",
	"x86_64_start_kernel",
	"x86_64_start_reservations",
	"rest_init",
	"cpu_startup_entry",
	"cpu_bringup_and_idle",
	"asm_cpu_bringup_and_idle",
	"start_here_common",
};

/* The function in front of these calls main(), or the function of a thread. */
static const char *const neighbours[] = {
	"__libc_start_main", "__libc_start_main_impl", "pthread_create",
	"__pthread_create",  "__pthread_create_2_1",
};

#define NR_OF(list) (sizeof(list) / sizeof((list)[0]))

/* Return whether the list has the name, without what compilers, linkers and Go
 * put behind it: "@@GLIBC_2.34", ".isra.0", ".abi0". */
static bool has_name(const char *const *list, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		size_t len = strlen(list[i]);

		if (!strncmp(name, list[i], len) &&
		    (!name[len] || name[len] == '@' || name[len] == '.'))
			return true;
	}
	return false;
}

static bool is_kernel(const struct rpt_dso *dso)
{
	return dso->kind == RPT_DSO_KERNEL || dso->kind == RPT_DSO_MODULE;
}

#define ENTRY_LEN 64u /* of _start(), which is short */

/* Return whether the file says so of an offset in it. */
static bool is_outermost(struct rpt_unwind_file *file, uint64_t off)
{
	uint64_t entry = rpt_unwind_file_entry(file), addr;
	const struct rpt_cfi_row *row;

	if (!rpt_unwind_file_addr(file, off, &addr))
		return false;
	if (entry && addr >= entry && addr - entry < ENTRY_LEN)
		return true;
	row = rpt_unwind_file_row(file, addr, RPT_CFI_COLUMNS);
	for (size_t i = 0; row && row->is_known && i < row->rules_nr; i++)
		if (row->rules[i].column == row->ra_column)
			return row->rules[i].where == RPT_CFI_UNDEFINED;
	return false;
}

#define ALIGNMENT 16u /* of functions, or up to four times that */

static bool is_glibc(const struct rpt_dso *dso)
{
	const char *slash = strrchr(dso->name, '/');

	return slash &&
	       (!strncmp(slash, "/libc.", 6) || !strncmp(slash, "/libc-", 6) ||
		!strncmp(slash, "/libpthread", 11));
}

/* Return whether a function of glibc without a name is such a neighbour. */
static bool is_neighbour(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_elf *file;
	uint64_t start, end;

	if (!is_glibc(dso))
		return false;
	file = rpt_dso_runtime(rpt_dso_shared(dso));
	if (!file ||
	    !pd_eh_frame_bounds(rpt_elf_eh_frame(file), addr, &start, &end))
		return false;
	end = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	for (unsigned i = 0; i < 4; i++) {
		const struct rpt_symbol *next =
			rpt_dso_symbol(dso, end + i * ALIGNMENT);

		if (next && !next->is_made_up)
			return has_name(neighbours, NR_OF(neighbours),
					next->name);
	}
	return false;
}

enum rpt_stack_entry rpt_dso_stack_entry(struct rpt_dso *dso, uint64_t addr)
{
	const struct rpt_symbol *sym = rpt_dso_symbol(dso, addr);
	bool is_named = sym && !sym->is_made_up;
	struct rpt_unwind_file *file = NULL;

	if (is_kernel(dso)) {
		if (!is_named)
			return RPT_ENTRY_UNKNOWN;
		return has_name(kernel_names, NR_OF(kernel_names), sym->name)
			       ? RPT_ENTRY_YES
			       : RPT_ENTRY_NO;
	}
	if (is_named && has_name(user_names, NR_OF(user_names), sym->name))
		return RPT_ENTRY_YES;
	if (dso->kind != RPT_DSO_USER || rpt_is_perf_map(dso->name))
		return RPT_ENTRY_NO;
	file = rpt_dso_unwind_file(rpt_dso_shared(dso));
	if (file && is_outermost(file, addr))
		return RPT_ENTRY_YES;
	if (is_named)
		return RPT_ENTRY_NO;
	if (is_neighbour(dso, addr))
		return RPT_ENTRY_YES;
	return rpt_dso_has_file(dso) ? RPT_ENTRY_NO : RPT_ENTRY_UNKNOWN;
}
