/* jit_code.h: the records of jit-PID.dump, in which a just-in-time compiler
 * lists the functions that it makes.  It maps the file once, so that recorders
 * see its path.
 *
 *	pd_jitdump_open(&dump, from, file_len, &err)
 *	while (pd_jitdump_next(&dump, &code) > 0)
 *		...
 *	pd_jitdump_rewind(&dump), to read it again
 *	pd_jitdump_close(&dump)
 *
 * Whoever may write the file may put anything there, and does so while it is
 * read.
 *
 * Format: Linux v6.12 tools/perf/Documentation/jitdump-specification.txt. Code
 * and source lines are skipped.
 */
#ifndef PD_JIT_CODE_H
#define PD_JIT_CODE_H

#include "format/base/buf.h"
#include "format/symtab/read_at.h"

/* A function that is at an address from a time on. */
struct pd_jit_code {
	uint64_t time_ns;
	uint64_t addr;
	uint64_t len;		/* 1..UINT32_MAX; addr + len does not wrap */
	uint64_t idx;		/* of the function, unique in the dump */
	struct pd_str name;	/* empty if it was moved; long ones are cut */
	struct pd_str eh_frame; /* what unwinds it; empty: nothing is told */
	uint16_t machine;	/* EM_*; 0: not known */
};

struct pd_jitdump {
	struct pd_read_at from;
	uint64_t file_len;
	bool has_cpu_times; /* times are a CPU's own counter */
	bool swap;
	uint16_t machine;
	uint32_t head_len;
	uint64_t off;	/* of the next record */
	uint8_t *block; /* owned; what stands from block_off on */
	uint64_t block_off;
	size_t block_len;
	struct pd_buf eh_frame; /* of the function that is told of next */
	bool is_frame_taken;	/* or of the last one */
};

/* Return whether name is like ".../jit-12.dump". */
bool pd_is_jitdump(struct pd_str name);

/* Return whether addr and len are as they have to be. */
bool pd_jit_code_is_sound(const struct pd_jit_code *code);

/* Read the header of a file of file_len bytes.  Return 0, -EBADMSG with err set
 * if it is no jitdump, -ENOMEM, or what the reading says.  pd_jitdump_close()
 * is due in any case. */
int pd_jitdump_open(struct pd_jitdump *dump, struct pd_read_at from,
		    uint64_t file_len, struct pd_err *err);
void pd_jitdump_rewind(struct pd_jitdump *dump);
void pd_jitdump_close(struct pd_jitdump *dump);

/* Return 1, with texts that stay until the next call; 0 at the end, or if the
 * dump ends inside a record, as that of a running program can; -EBADMSG if
 * lengths are contradictory; or what the reading says. */
int pd_jitdump_next(struct pd_jitdump *dump, struct pd_jit_code *ret);

#endif
