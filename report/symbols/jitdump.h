/* jitdump.h: reads a file of format/symtab/jit_code.h.
 *
 *	rpt_jitdump_open(&dump, path, &err)
 *	while (rpt_jitdump_next(&dump, &code) > 0)
 *		...
 *	rpt_jitdump_close(&dump)
 */
#ifndef RPT_JITDUMP_H
#define RPT_JITDUMP_H

#include "format/symtab/jit_code.h"

#include <stdio.h>

struct rpt_jitdump {
	FILE *file;
	uint64_t file_len;
	uint64_t file_id[2]; /* device and inode */
	struct pd_jitdump head;
	uint8_t *body; /* owned; of the last record */
};

/* Return 0; -EBADMSG if the file is no jitdump; or another negative errno. */
int rpt_jitdump_open(struct rpt_jitdump *dump, const char *path,
		     struct pd_err *err);
void rpt_jitdump_close(struct rpt_jitdump *dump);

/* Return 1, with a name that stays until the next call; 0 at the end, or if the
 * dump ends inside a record, as that of a running program can; -EBADMSG if
 * lengths are contradictory. */
int rpt_jitdump_next(struct rpt_jitdump *dump, struct pd_jit_code *ret);

#endif
