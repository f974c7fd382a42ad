/* source_file.h: reads lines of source files on this machine.
 *
 * Names are from debug information, so files are opened with the rights of the
 * one whose information it is (read_for.h), and long ones are not read.  A few
 * files stay in memory.
 */
#ifndef RPT_SOURCE_FILE_H
#define RPT_SOURCE_FILE_H

#include "format/base/cursor.h"
#include "format/support/read_for.h"

#include <stdbool.h>

#define RPT_SOURCE_FILES_NR 64u
#define RPT_SOURCE_FILE_LEN ((size_t)16 << 20)
#define RPT_SOURCE_TEXT_LEN ((size_t)256 << 20) /* of all that stay */

struct rpt_source_file {
	char *path; /* owned; NULL: this slot is free */
	uid_t user; /* for whom it was read */
	char *text; /* owned; NULL: the file cannot be read */
	size_t text_len;
	int line;	 /* found last */
	size_t line_off; /* its offset: the next search starts there */
};

/* A zeroed struct is empty. */
struct rpt_source_texts {
	struct rpt_source_file files[RPT_SOURCE_FILES_NR];
	uint32_t next; /* slot to reuse next */
	uint32_t last; /* slot that was asked for last */
	size_t text_len;
};

/* Set *ret to a line, counted from 1, without its newline; valid until the next
 * call.  Return false if there is no such file, or line. */
bool rpt_source_file_line(struct rpt_source_texts *texts,
			  const struct sup_name *name, int line,
			  struct pd_str *ret);
void rpt_source_texts_release(struct rpt_source_texts *texts);

#endif
