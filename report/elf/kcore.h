/* kcore.h: the kernel's address ranges, from /proc/kcore or a copy of it.
 *
 * perf record --kcore leaves three files in kcore_dir, perf buildid-cache -k in
 * DIR/[kernel.kcore]/BUILDID/TIME; the running kernel has them in /proc:
 *
 *	kallsyms	names, those of modules and of trampolines too
 *	modules		what was loaded where
 *	kcore		ELF: one program header for each range of the kernel's
 *			addresses that holds something
 *
 * As in perf 6.1, a kcore is used if the other two files have the reference
 * symbol and all modules at their recorded addresses.  Its ranges then replace
 * the recorded maps of the kernel and of its modules: code between modules
 * (trampolines) has names, and all of it is shown as the kernel's.
 */
#ifndef RPT_KCORE_H
#define RPT_KCORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_kcore_part {
	uint64_t start;
	uint64_t end; /* one past the last byte */
};

struct rpt_kcore {
	struct rpt_kcore_part *parts; /* in the order of the file; owned */
	size_t nr;
};

/* Fill path with a file beside one that is called "kallsyms".  Return false if
 * that has another name, or the path is too long. */
bool rpt_kcore_beside(const char *kallsyms, const char *name,
		      char path[PATH_MAX]);

/* Read the ranges.  Return false if the file cannot be read, or has none. */
bool rpt_kcore_read(struct rpt_kcore *ret, const char *path);
void rpt_kcore_release(struct rpt_kcore *kcore);

/* Return the smallest range that holds addr, or NULL. */
const struct rpt_kcore_part *rpt_kcore_at(const struct rpt_kcore *kcore,
					  uint64_t addr);

/* Find the address of a module, "[ext4]", in the text of a file like
 * /proc/modules.  Return false if it is not there. */
bool rpt_kcore_module(const char *modules, const char *name,
		      uint64_t *ret_addr);

#endif
