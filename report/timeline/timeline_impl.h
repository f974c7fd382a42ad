/* timeline_impl.h: the members of a timeline, for the files of this room. */
#ifndef RPT_TIMELINE_IMPL_H
#define RPT_TIMELINE_IMPL_H

#include "report/timeline/cgroup_ns.h"
#include "report/timeline/deferred.h"
#include "report/timeline/guest_ids.h"
#include "report/timeline/lbr_stitch.h"
#include "report/timeline/sideband.h"
#include "report/timeline/address_space.h"
#include "report/timeline/tasks.h"
#include "report/timeline/timeline_jit.h"
#include "report/timeline/timeline.h"

struct rpt_timeline {
	struct rpt_symbols *symbols;
	struct rpt_sideband sideband;
	struct rpt_tasks tasks;
	struct rpt_address_space kernel; /* the host's */
	struct rpt_guest_ids guests;
	const struct pd_event_set *events; /* of sideband; NULL: no guests */
	struct rpt_map kernel_image;	   /* dso NULL: no record has it */
	struct pd_header_build_id recorded_kernel; /* name NULL: none */
	struct rpt_intern cgroup_ids;		   /* u64 keys */
	struct rpt_intern cgroup_names;
	uint32_t *cgroup_name_idx; /* by number of the id; owned */
	uint32_t cgroup_cap;
	struct rpt_intern build_ids; /* cpumode and name of each entry */
	struct rpt_cgroup_nses cgroup_nses;
	struct rpt_deferred deferred;
	struct rpt_lbr_stitch *stitch; /* NULL: not asked for; owned */
	struct pd_damage damage;
	struct pd_damage passed;
	struct rpt_budget *budget; /* owned */
	bool is_plain;		   /* the file has no compressed records */
	bool has_monotonic_times;  /* CLOCK_MONOTONIC's, as jitdumps have */
	struct rpt_jit_places jit;
};

/* rpt_symbols_dso(), charged to the timeline's budget.  Never NULL. */
struct rpt_dso *rpt_timeline_dso(struct rpt_timeline *tl,
				 const struct rpt_dso_key *key);

/* Set the build-id of each DSO of the entry's name that has none from its own
 * maps.  Of two entries for one name the first holds.  misc is that of the
 * entry or its record. */
void rpt_timeline_set_build_id(struct rpt_timeline *tl, uint16_t misc,
			       const struct pd_header_build_id *entry);

#endif
