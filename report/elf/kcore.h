/* kcore.h: where the kernel's code lay, as a copy of /proc/kcore tells.
 *
 * perf record --kcore leaves three files in kcore_dir, perf buildid-cache -k in
 * DIR/[kernel.kcore]/BUILDID/TIME; the running kernel has them in /proc:
 *
 *	kallsyms	names, those of modules and of trampolines too
 *	modules		what was loaded where
 *	kcore		ELF: one program header for each range of the kernel's
 *			addresses that holds something
 *
 * By the rules of perf 6.1 a kcore counts where the reference symbol and all
 * modules are at their recorded addresses in the two others.  Then its ranges
 * are the kernel's maps instead of the recorded ones, modules' among them: what
 * is between modules (trampolines) has names, and all of it is shown as the
 * kernel's.
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

/* The path of a file beside one that is called "kallsyms"; false: that is
 * called otherwise, or it is too long. */
bool rpt_kcore_beside(const char *kallsyms, const char *name,
		      char path[PATH_MAX]);

/* False: there is none, it cannot be read, or has no ranges. */
bool rpt_kcore_read(struct rpt_kcore *ret, const char *path);
void rpt_kcore_release(struct rpt_kcore *kcore);

/* The smallest range that holds addr; NULL: none. */
const struct rpt_kcore_part *rpt_kcore_at(const struct rpt_kcore *kcore,
					  uint64_t addr);

/* Where the text of a file like /proc/modules has "[ext4]"; false: it is not
 * there. */
bool rpt_kcore_module(const char *modules, const char *name,
		      uint64_t *ret_addr);

#endif
