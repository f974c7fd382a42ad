/* kallsyms_copy.h: a kallsyms file with the names of some functions alone.
 *
 * Lines of kallsyms have no lengths: a symbol ends where the next one starts.
 * What lies between carried functions is therefore called
 * RPT_KALLSYMS_BETWEEN, so that nothing there gets another function's name.
 */
#ifndef RPT_KALLSYMS_COPY_H
#define RPT_KALLSYMS_COPY_H

#include "format/base/buf.h"
#include "report/cache/name_union.h"

#define RPT_KALLSYMS_BETWEEN "not_carried_by_the_recording"

/* Append the text of names, which are sorted.  *ret_nr is how many are there;
 * those with control characters are left out. */
void rpt_kallsyms_copy_write(struct pd_buf *b,
			     const struct rpt_name_union *names,
			     uint32_t *ret_nr);

/* Return true if we wrote the text. */
bool rpt_kallsyms_copy_is_own(const char *text, size_t len);

/* The same for a file. */
bool rpt_kallsyms_copy_is_at(const char *path);

/* Add the names of a text that we wrote. */
void rpt_kallsyms_copy_read(struct rpt_name_union *names, const char *text,
			    size_t len);

#endif
