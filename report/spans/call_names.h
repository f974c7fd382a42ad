/* call_names.h: names of system calls by their numbers, of the architecture of
 * the recorded machine.
 *
 * They are libseccomp's, which knows those of all architectures of Linux and is
 * loaded if it is there; else, and for calls that are newer than it, a call is
 * "syscall_NUMBER".
 */
#ifndef RPT_CALL_NAMES_H
#define RPT_CALL_NAMES_H

#include "format/base/cursor.h"

#include <stdbool.h>
#include <stdint.h>

#define RPT_CALL_NAME_LEN 64

struct rpt_call_names {
	void *library; /* NULL: none */
	char *(*resolve)(uint32_t arch, int number);
	uint32_t arch; /* as AUDIT_ARCH_* of linux/audit.h; 0: not known */
};

/* Begin; machine is as in uname(2). */
void rpt_call_names_init(struct rpt_call_names *names, struct pd_str machine);
void rpt_call_names_release(struct rpt_call_names *names);

/* Write the name of a call.  Return false if it has none. */
bool rpt_call_names_find(const struct rpt_call_names *names, int64_t number,
			 char ret[RPT_CALL_NAME_LEN]);

#endif
