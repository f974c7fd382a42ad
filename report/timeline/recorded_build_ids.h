/* recorded_build_ids.h: build-ids that a recording tells by the names of files.
 *
 * The BUILD_ID section does, and in a pipe HEADER_BUILD_ID records do.  An id
 * is that of every DSO of this name whose own maps tell none; of two for one
 * name the first holds.
 */
#ifndef RPT_RECORDED_BUILD_IDS_H
#define RPT_RECORDED_BUILD_IDS_H

#include "format/record_body.h"
#include "report/base/intern.h"
#include "report/symbols/symbols.h"

struct rpt_recorded_build_ids {
	struct rpt_dso **dsos; /* owned; by name */
	size_t nr;
	struct rpt_intern seen; /* cpumode and name of those that were told */
};

/* Of all DSOs that there are now.  -ENOMEM. */
int rpt_recorded_build_ids_init(struct rpt_recorded_build_ids *ids,
				struct rpt_symbols *symbols);
void rpt_recorded_build_ids_release(struct rpt_recorded_build_ids *ids);

/* misc: of the record.  -ENOMEM. */
int rpt_recorded_build_ids_tell(struct rpt_recorded_build_ids *ids,
				uint16_t misc,
				const struct pd_header_build_id *told);

#endif
