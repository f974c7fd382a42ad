/* header_text.h: prints the "# ..." lines of --header.
 *
 * header_text.c has a table with a row for each feature; the wording is that of
 * the perf that the file needs (enum pd_perf).  Lists of the machine's parts
 * are printed only with -I.
 */
#ifndef RPT_HEADER_TEXT_H
#define RPT_HEADER_TEXT_H

#include "format/reader/reader.h"

#include <stdbool.h>
#include <stdio.h>

/* captured_on: seconds since 1970 when the file was changed last; is_full: -I
 */
void rpt_header_print(FILE *out, struct pd_reader *reader, int64_t captured_on,
		      bool is_full);

#endif
