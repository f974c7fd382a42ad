/* recorded_build_ids.h: build-ids that a recording has by the names of files,
 * in its BUILD_ID section or, if it is a pipe, in HEADER_BUILD_ID records.
 *
 * An id is that of every DSO of this name whose own maps have none.  Of two ids
 * for one name the first holds.
 */
#ifndef RPT_RECORDED_BUILD_IDS_H
#define RPT_RECORDED_BUILD_IDS_H

#include "format/record_body.h"
#include "report/base/intern.h"
#include "report/symbols/symbols.h"

struct rpt_recorded_build_ids {
	struct rpt_dso **dsos; /* owned; by name */
	size_t nr;
	struct rpt_intern seen; /* cpumode and name of those that were set */
};

/* Begin, for all DSOs that there are now. */
void rpt_recorded_build_ids_init(struct rpt_recorded_build_ids *ids,
				 struct rpt_symbols *symbols);
void rpt_recorded_build_ids_release(struct rpt_recorded_build_ids *ids);

/* Set the build-id of the DSOs that the entry is about.  misc is that of its
 * record. */
void rpt_recorded_build_ids_add(struct rpt_recorded_build_ids *ids,
				uint16_t misc,
				const struct pd_header_build_id *entry);

#endif
