/* cpu_list.h: lists of CPUs as the kernel and users write them: "0-3,8". */
#ifndef REC_CPU_LIST_H
#define REC_CPU_LIST_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* The highest CPU, and room for the text of a list. */
enum { REC_CPU_MAX = 1 << 16, REC_CPU_LIST_LEN_MAX = 4096 };

struct rec_cpu_list {
	int *cpus; /* owned, ascending, each once */
	size_t nr;
};

/* Fill *ret, which rec_cpu_list_release() frees.  Return -EINVAL if malformed.
 */
int rec_cpu_list_parse(const char *text, struct rec_cpu_list *ret,
		       struct pd_err *err);
void rec_cpu_list_release(struct rec_cpu_list *list);

/* Do the same for the file ROOT/NAME.  Return the error of reading it, or
 * -ENODATA if it is empty. */
int rec_cpu_list_read(const char *root, const char *name,
		      struct rec_cpu_list *ret, struct pd_err *err);

/* Do the same for /proc/stat, which has a line "cpu0 ..." for each CPU that is
 * online.  Return -ENODATA if it has none. */
int rec_proc_stat_cpus(const char *path, struct rec_cpu_list *ret);

bool rec_cpu_list_has(const struct rec_cpu_list *list, int cpu);

/* Read a list of the CPU's topology below sysfs ("/sys"): core_cpus_list,
 * package_cpus_list or die_cpus_list, under the names of older kernels too. */
bool rec_read_siblings(const char *sysfs, int cpu, const char *name,
		       char ret[REC_CPU_LIST_LEN_MAX]);

#endif
