/* attr_text.h: prints the fields of an attr that are not 0, in perf's order:
 *	type: 1, size: 128, config: 0x2, sample_type: IP|TID, disabled: 1
 */
#ifndef SUP_ATTR_TEXT_H
#define SUP_ATTR_TEXT_H

#include "format/file/feature.h"
#include "format/reader/reader.h"

#include <stdio.h>

/* The style of the text of a recording's attrs. */
struct sup_attr_style {
	enum pd_perf perf;	     /* whose text it is */
	struct pd_pmu_mappings pmus; /* owned; types are named by these */
	const char *first;	     /* what stands in front of all fields */
	const char *sep;	     /* between a name and its value */
};

/* Fill in the style of a recording.  Free it with sup_attr_style_release(). */
void sup_attr_style_init(struct sup_attr_style *style,
			 const struct pd_reader *reader, const char *first,
			 const char *sep);
void sup_attr_style_release(struct sup_attr_style *style);

/* Print the fields with ", " between them.  From perf 6.12 on the names of
 * their constants follow type and config: 6.12 prefers the PMU's name of a
 * type, 7.2 the constant's.  The tracepoint's name for its number is that of
 * event_name.  A name with other bytes than printable ASCII is left
 * out. */
void sup_attr_print(FILE *out, const struct pd_attr *attr,
		    struct pd_str event_name,
		    const struct sup_attr_style *style);

#endif
