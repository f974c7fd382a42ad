/* event_pmu.h: events out of sysfs: "pmu/term=1,alias/", bare alias names, and
 * one event per kind of core on hybrid machines.
 *
 * All functions that append return how many events they appended, or a negative
 * errno; the caller then drops those that were already appended.
 */
#ifndef REC_EVENT_PMU_H
#define REC_EVENT_PMU_H

#include "format/support/nearest.h"
#include "record/event/event_spec.h"
#include "record/event/event_text.h"

/* The position of a PMU's type in the config of a generic event. */
enum { REC_PMU_TYPE_SHIFT = 32 };

struct rec_pmu;

/* A name from event_names.h. */
struct rec_plain_event {
	const char *name;
	size_t name_len;
	uint32_t type;
	uint64_t config;
	enum rec_tool tool;
};

/* Append one event named "NAMETAIL"; on a hybrid machine (cpu_core, cpu_atom)
 * one per kind of core, "cpu_core/NAME/TAIL", with the PMU's type in the upper
 * half of config. tail is the rest of the name as typed: "", ":u",
 * "/period=1/u". */
int rec_plain_append(struct rec_event_list *list,
		     const struct rec_plain_event *plain, const char *tail,
		     const struct rec_event_env *env, struct pd_err *err);

/* Append an event for "PMU/TERMS/" per matching PMU ("uncore_imc" and "imc"
 * match uncore_imc_0, uncore_imc_1; "cpu" matches armv8_pmuv3_0; globs too),
 * named name.  Return -ENOENT if there is no such PMU, -EINVAL for a term that
 * it does not have. */
int rec_pmu_append(struct rec_event_list *list, struct rec_text pmu,
		   struct rec_text terms, const char *name,
		   const struct rec_event_env *env, struct pd_err *err);

/* Append the event that a PMU has as alias in events/; return 0 if none has. */
int rec_pmu_alias_append(struct rec_event_list *list, struct rec_text alias,
			 const char *name, const struct rec_event_env *env,
			 struct pd_err *err);

/* Offer the names in events/ of all PMUs. */
void rec_pmu_offer_aliases(struct sup_nearest *near,
			   const struct rec_event_env *env);

/* Copy the settings that a PMU has for all its events to event. */
int rec_pmu_own(struct rec_event *event, const struct rec_pmu *pmu);

#endif
