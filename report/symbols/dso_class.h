/* dso_class.h: the kind of DSO that the file name of an MMAP record stands for,
 * and the name that is shown for it.
 *
 * As in perf 6.1, executable memory without a file belongs to
 * /tmp/perf-PID.map, the table of names that a JIT compiler writes.
 */
#ifndef RPT_DSO_CLASS_H
#define RPT_DSO_CLASS_H

#include "format/records/record_body.h"
#include "report/symbols/symbols.h"

/* PROT_* and MAP_* of every architecture */
#define RPT_PROT_READ	 1u
#define RPT_PROT_WRITE	 2u
#define RPT_PROT_EXEC	 4u
#define RPT_MAP_SHARED	 1u
#define RPT_JIT_NAME_LEN 32

struct rpt_named_map {
	enum rpt_dso_kind kind;
	struct pd_str name;
	bool is_absolute; /* its dso addresses are the addresses themselves */
};

/* Classify a user map.  ret->name is in buf if the record does not have it. */
void rpt_name_map(const struct pd_mmap *mmap, uint32_t prot, uint32_t pid,
		  char buf[RPT_JIT_NAME_LEN], struct rpt_named_map *ret);

/* Make it code that the process pid made, of which a perf map tells. */
void rpt_name_jit_memory(uint32_t pid, char buf[RPT_JIT_NAME_LEN],
			 struct rpt_named_map *ret);

/* Write the name that perf shows in columns: the base name, "[ext4]" for
 * modules, "[JIT] tid 12" for /tmp/perf-12.map, "[unknown]" for NULL.  Write at
 * most len bytes with NUL; return buf. */
const char *rpt_dso_short_name(const struct rpt_dso *dso, char *buf,
			       size_t len);

/* Return whether name is the kernel's, not a module's.  *ret_ref becomes the
 * reference symbol, which follows "[kernel.kallsyms]". */
bool rpt_is_kernel_image(struct pd_str name, struct pd_str *ret_ref);

/* Return whether a map of kernel mode counts: its name is a path or "[name]".
 */
static inline bool rpt_may_be_module(struct pd_str name)
{
	return name.len && (*name.ptr == '/' || *name.ptr == '[');
}

/* Return whether perf takes name for a module's: "[ext4]", or a .ko file,
 * compressed or not. */
bool rpt_is_module_name(struct pd_str name);

/* Write a module's name as in kallsyms: "[snd_hda]" for that and for
 * "/lib/modules/.../snd-hda.ko.xz".  Return false, and write "", if name is not
 * a module's. */
bool rpt_module_name(const char *name, char *buf, size_t len);

/* Return where a DSO's names came from, in perf's letters; after a look-up:
 *
 *	k kallsyms, v a vmlinux	  l what .gnu_debuglink names
 *	B the build-id cache, D its debug file
 *	f /usr/lib/debug/PATH.debug, u /usr/lib/debug/PATH
 *	b /usr/lib/debug/.build-id, o .debug/NAME beside the file
 *	d the mapped file itself, j a perf-PID.map
 *	K a module's, m one's that is packed (.ko.gz, .ko.xz)
 *	! nowhere, or dso is NULL
 */
char rpt_dso_origin(struct rpt_dso *dso);

#endif
