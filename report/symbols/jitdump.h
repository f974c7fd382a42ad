/* jitdump.h: the file of a dump (format/symtab/jit_code.h). */
#ifndef RPT_JITDUMP_H
#define RPT_JITDUMP_H

#include "format/symtab/jit_code.h"

struct rpt_jitdump {
	struct pd_jitdump dump; /* pd_jitdump_next() */
	int fd;			/* owned */
	uint64_t file_id[2];	/* device and inode */
};

/* Return 0; -EBADMSG if the file is no jitdump; or another negative errno.
 * rpt_jitdump_close() is due in any case. */
int rpt_jitdump_open(struct rpt_jitdump *file, const char *path,
		     struct pd_err *err);
void rpt_jitdump_close(struct rpt_jitdump *file);

#endif
