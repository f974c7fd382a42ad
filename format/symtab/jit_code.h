/* jit_code.h: the records of jit-PID.dump, in which a just-in-time compiler
 * lists the functions that it makes.  It maps the file once, so that recorders
 * see its path.
 *
 *	pd_jitdump_head(&dump, data, file_len, &err)
 *	off = dump.head_len
 *	for each record: pd_jitdump_record() of its first bytes,
 *		pd_jitdump_code() of up to PD_JITDUMP_BODY_LEN_MAX of them
 *		off += record.len
 *
 * Format: Linux v6.12 tools/perf/Documentation/jitdump-specification.txt. Code,
 * source lines and unwinding tables are skipped.
 */
#ifndef PD_JIT_CODE_H
#define PD_JIT_CODE_H

#include "format/base/cursor.h"

enum {
	PD_JITDUMP_HEAD_LEN = 40,
	PD_JITDUMP_RECORD_LEN = 16, /* of a record's head */
	/* What is read of a record, without its code; cuts long names. */
	PD_JITDUMP_BODY_LEN_MAX = 8192,
};

enum pd_jitdump_kind {
	PD_JITDUMP_LOAD = 0,
	PD_JITDUMP_MOVE = 1,
	PD_JITDUMP_CLOSE = 3, /* nothing follows */
};

struct pd_jitdump {
	bool swap;
	bool has_cpu_times; /* times are a CPU's own counter */
	uint32_t head_len;
};

struct pd_jitdump_record {
	uint32_t kind; /* enum pd_jitdump_kind, or another */
	uint32_t len;  /* at least PD_JITDUMP_RECORD_LEN */
};

/* A function that is at an address from a time on. */
struct pd_jit_code {
	uint64_t time_ns;
	uint64_t addr;
	uint64_t len;	    /* 1..UINT32_MAX; addr + len does not wrap */
	uint64_t idx;	    /* of the function, unique in the dump */
	struct pd_str name; /* empty if it was moved */
};

/* Return whether name is like ".../jit-12.dump". */
bool pd_is_jitdump(struct pd_str name);

/* Read the header of a file of file_len bytes; data has PD_JITDUMP_HEAD_LEN of
 * them.  Return 0, or -EBADMSG if it is no jitdump. */
int pd_jitdump_head(struct pd_jitdump *ret, const uint8_t *data,
		    uint64_t file_len, struct pd_err *err);

/* Read a record's head, of PD_JITDUMP_RECORD_LEN bytes.  Return 0, or -EBADMSG
 * if its length is contradictory. */
int pd_jitdump_record(const struct pd_jitdump *dump, const uint8_t *data,
		      struct pd_jitdump_record *ret);

/* Return how many bytes of a record pd_jitdump_code() reads. */
size_t pd_jitdump_body_len(const struct pd_jitdump_record *record);

/* Read so many bytes of a record, its head among them; the name stays in them.
 * Return 1; 0 if it tells of no code; or -EBADMSG if it is too short. */
int pd_jitdump_code(const struct pd_jitdump *dump, const uint8_t *data,
		    const struct pd_jitdump_record *record,
		    struct pd_jit_code *ret);

#endif
