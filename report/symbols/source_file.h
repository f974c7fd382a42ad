/* source_file.h: lines out of source files, as they lie on this machine.
 *
 * Names come out of debug information: only regular files are opened, and of
 * long ones nothing is shown.  A few files are kept.
 */
#ifndef RPT_SOURCE_FILE_H
#define RPT_SOURCE_FILE_H

#include "format/cursor.h"

#include <stdbool.h>

#define RPT_SOURCE_FILES_NR 16u
#define RPT_SOURCE_FILE_LEN ((size_t)16 << 20)

struct rpt_source_file {
	char *path; /* owned, as is what follows; NULL: this place is free */
	char *text; /* NULL: it cannot be read */
	size_t text_len;
	int line;	 /* that starts ... */
	size_t line_off; /* ... here: lines behind it are found from there */
};

/* A zeroed struct is an empty one. */
struct rpt_source_texts {
	struct rpt_source_file files[RPT_SOURCE_FILES_NR];
	uint32_t next; /* to be given up for another */
};

/* Line number line, from 1, without what ends it; it is good until the next
 * call.  False: there is no such file, or line. */
bool rpt_source_file_line(struct rpt_source_texts *texts, const char *path,
			  int line, struct pd_str *ret);
void rpt_source_texts_release(struct rpt_source_texts *texts);

#endif
