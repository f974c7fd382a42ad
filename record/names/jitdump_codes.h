/* jitdump_codes.h: the functions of a JIT compiler around addresses that were
 * hit, out of the jitdump that the program itself writes
 * (format/symtab/jit_code.h).
 *
 * Whoever may write the file may put anything there, and does so while it is
 * read: it is read by pread(), up to a limit, and code and source lines in it
 * are passed over.
 */
#ifndef REC_JITDUMP_CODES_H
#define REC_JITDUMP_CODES_H

#include "format/carried/carried_jit.h"
#include "record/names/unnamed_hits.h"

#include <sys/types.h>

struct rec_jit_codes {
	struct pd_carried_jit jit; /* its codes are items, its path no one's */
	struct pd_jit_code *items; /* owned, with their names */
	uint32_t cap;
	bool with_frames; /* with what unwinds them */
	bool is_there;	  /* the dump could be read */
	size_t *budget;	  /* bytes that it and others may still take */
};

/* Return 0 if a process may be believed what stands in the file fd: if it is a
 * regular one of the process's user or of root; of our own user or of root if
 * the process has ended.  Else -EPERM, or what fstat() says. */
int rec_jitdump_judge(int proc_fd, uint32_t pid, int fd);

/* A question to a dump; the hits are the caller's. */
struct rec_jitdump_conf {
	const uint64_t *hits; /* all of its process, ascending */
	size_t hit_nr;
	struct rec_unnamed_hits *unnamed; /* some of them, which are named */
	uint64_t until_ns;		  /* rec_now_ns() */
};

/* Add the records of the dump fd that name hits, in its order.  Return 0;
 * -EBADMSG if it is no jitdump or damaged, -EFBIG if it or its names are too
 * many, -ETIME if the time is over, with what was found until then; or
 * -ENOMEM. */
int rec_jitdump_codes(int fd, const struct rec_jitdump_conf *conf,
		      struct rec_jit_codes *ret);
/* Append a copy of code.  Return 0, -EFBIG or -ENOMEM. */
int rec_jit_codes_add(struct rec_jit_codes *codes,
		      const struct pd_jit_code *code);
/* The budget has back what they took. */
void rec_jit_codes_release(struct rec_jit_codes *codes);

#endif
