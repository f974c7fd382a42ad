/* known_names.h: names that many machines have, so that they tell nothing. */
#ifndef RPT_KNOWN_NAMES_H
#define RPT_KNOWN_NAMES_H

#include "format/base/cursor.h"

/* Lists of words with a space between them. */
extern const char rpt_known_folders[];	/* parts of paths */
extern const char rpt_known_maps[];	/* "[vdso]" */
extern const char rpt_known_comms[];	/* programs, kernel threads */
extern const char rpt_numbered_comms[]; /* "ksoftirqd/", of each CPU */
extern const char rpt_known_slices[];	/* of cgroups */
extern const char rpt_known_systems[];	/* of tracepoints */
extern const char rpt_known_events[];	/* perf's, and terms of PMUs */

/* Return true if the name is a word of the list. */
bool rpt_is_known(const char *list, struct pd_str name);

/* Return the length of the entry that name starts with; 0: none. */
size_t rpt_known_start(const char *list, struct pd_str name);

#endif
