/* carried_jit.h: the functions of just-in-time compilers that a recording
 * carries, out of the jitdumps of its processes (jit_code.h), with the times at
 * which they were made; and of perf maps the lines that tell of memory which
 * was used for several functions, with the times from which these count.
 * FORMAT.md "Carried JIT code".
 *
 * The codes of one dump are all its records that a reader needs to name the
 * addresses that were hit, and to unwind what they call, as it would with the
 * dump, in the order of the dump.
 * They are a section of the trailer beside those of names (carried.h).
 *
 * The writer sets file.jit of each PD_CARRIED_PERF_MAP file, which is the
 * memory of one process, before pd_carried_write().
 * The reader, after pd_carried_read():
 *	jit = pd_carried_jit_of(&carried, idx)
 *	pd_carried_jit_codes(&carried, jit, codes)
 */
#ifndef PD_CARRIED_JIT_H
#define PD_CARRIED_JIT_H

#include "format/carried/carried.h"
#include "format/symtab/jit_code.h"

/* The code of one process. */
struct pd_carried_jit {
	struct pd_str path; /* of the dump, as in its MMAP record */
	bool has_cpu_times; /* of the codes */
	bool is_perf_map;   /* times are of the recording's clock */
	bool has_frames;    /* the reader's: codes have what unwinds them */
	bool is_cut; /* codes are missing: a limit was reached, or the dump is
		      * damaged */
	const struct pd_jit_code *codes; /* the writer's alone */
	uint32_t code_nr;
	uint32_t file_idx; /* the reader's: in carried.files */
	uint64_t text_off; /* the reader's: of the codes in jit_text */
	uint64_t text_len;
};

/* Return what is carried for files[idx], or NULL. */
const struct pd_carried_jit *pd_carried_jit_of(const struct pd_carried *carried,
					       uint32_t idx);

/* Read the codes into ret[0..code_nr), each as pd_jitdump_next() returns it.
 * Their texts are valid as long as carried is.  Return 0 or -EBADMSG. */
int pd_carried_jit_codes(const struct pd_carried *carried,
			 const struct pd_carried_jit *jit,
			 struct pd_jit_code *ret, struct pd_err *err);

/* Private to the format: the plain text of the section, and its mirror, which
 * takes text over in any case; it is carried's then. */
void pd_carried_jit_write(struct pd_buf *b, const struct pd_carried_file *files,
			  uint32_t file_nr);
int pd_carried_jit_read(struct pd_carried *carried, uint8_t *text, size_t len,
			uint64_t file_off, struct pd_err *err);

#endif
