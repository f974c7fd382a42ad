/* kernel_map.h: the addresses of the kernel and its modules.
 *
 * The kernel's map goes from _text (or _stext) to _edata (or _etext, if
 * /proc/kallsyms has no data symbols).  The kernel generates that file line by
 * line, some 0.3 us each, so it is read once, with large reads, and no further
 * than needed.  If /proc/iomem gives the kernel's length (x86, root), reading
 * ends at _text: one of the first lines, while _edata is line 100,000 or later.
 */
#ifndef REC_KERNEL_MAP_H
#define REC_KERNEL_MAP_H

#include "record/base/elf_note.h"
#include "record/base/read_file.h"
#include "record/base/text_scan.h"

struct rec_kernel_map {
	uint64_t start;
	uint64_t end;
	const char *symbol; /* "_text" or "_stext": the symbol at start */
	struct rec_build_id build_id;
};

/* Return -EACCES if addresses are hidden from us (kptr_restrict), -ENOENT if
 * there is no kallsyms or it lacks those symbols. */
int rec_kernel_map_read(const struct rec_sysroots *roots,
			struct rec_kernel_map *ret);

struct rec_module {
	uint64_t start;
	uint64_t end;
	struct rec_text_scan name; /* in the text of /proc/modules */
};

/* Parse one line of /proc/modules without its newline. */
bool rec_module_parse(struct rec_text_scan line, struct rec_module *ret);

/* Called per module, by address; path is that of its .ko file below
 * roots->modules/RELEASE, or "[name]" if it is not found there. */
typedef int rec_module_visit(void *ctx, const struct rec_module *module,
			     const char *path, const struct rec_build_id *id);

/* Visit all modules, if any.  Return -EACCES if addresses are hidden. */
int rec_modules_walk(const struct rec_sysroots *roots, rec_module_visit *visit,
		     void *ctx);

/* Return a number that changes with the names and addresses of modules, whose
 * use counts change all the time; fd: of /proc/modules, or -1. */
uint64_t rec_modules_hash(int fd);

#endif
