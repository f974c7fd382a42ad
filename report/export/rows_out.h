/* rows_out.h: writes rows of a table as ClickHouse reads them ("Formats" of its
 * documentation): TabSeparated, or RowBinary.
 *
 * In TabSeparated a backslash, tab, newline and other control characters in a
 * text are a backslash and a letter; in RowBinary numbers are little-endian and
 * a text stands behind its length as LEB128.  Texts are bytes, whatever they
 * hold.
 */
#ifndef RPT_ROWS_OUT_H
#define RPT_ROWS_OUT_H

#include "report/base/text_out.h"
#include "report/export/export_args.h"

struct rpt_rows_out {
	struct rpt_text *text; /* the caller's */
	enum rpt_rows_form form;
	bool is_inside; /* the row has a column already */
};

void rpt_rows_out_u8(struct rpt_rows_out *out, uint8_t v);
void rpt_rows_out_u32(struct rpt_rows_out *out, uint32_t v);
void rpt_rows_out_u64(struct rpt_rows_out *out, uint64_t v);
void rpt_rows_out_text(struct rpt_rows_out *out, const char *text, size_t len);
void rpt_rows_out_str(struct rpt_rows_out *out, const char *text);
/* End the row. */
void rpt_rows_out_end(struct rpt_rows_out *out);

#endif
