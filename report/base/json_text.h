/* json_text.h: the parts of JSON that need care, for whoever writes some. */
#ifndef RPT_JSON_TEXT_H
#define RPT_JSON_TEXT_H

#include "report/base/text_out.h"

/* A string in quotes: control characters and quotes are escaped, what is no
 * UTF-8 becomes U+FFFD. */
void rpt_json_text(struct rpt_text *text, const char *str, size_t len);

/* all of a count, ten digits of another number; null where it is none */
void rpt_json_number(struct rpt_text *text, double v);

/* A field of CSV, in quotes (RFC 4180). */
void rpt_csv_text(struct rpt_text *text, const char *str);

#endif
