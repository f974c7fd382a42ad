/* pmu.h: one PMU as sysfs describes it.
 *
 *	SYSFS/bus/event_source/devices/NAME/
 *		type              the number for attr.type
 *		cpumask or cpus   the CPUs to open it on
 *		format/TERM       "config:0-7,32-35": the bits that TERM fills
 *		events/ALIAS      "event=0x3c,umask=0x1"
 *		events/ALIAS.scale, ALIAS.unit
 *
 * Source: Linux Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-format and -events.
 */
#ifndef REC_PMU_H
#define REC_PMU_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REC_PMU_CONFIG_NR = 4 }; /* config, config1, config2, config3 */

/* The bits of a config word that a term fills, lowest value bit first. */
struct rec_pmu_format {
	char *name; /* owned */
	unsigned config_idx;
	uint64_t bits; /* mask in that word */
};

struct rec_pmu_alias {
	char *name;   /* owned */
	char *terms;  /* owned: "event=0x3c" */
	char *unit;   /* owned; NULL: none */
	double scale; /* 1: none */
};

struct rec_pmu {
	char *name; /* owned */
	uint32_t type;
	char *cpus;			/* owned; "0,18"; NULL: all CPUs */
	struct rec_pmu_format *formats; /* owned */
	size_t format_nr;
	struct rec_pmu_alias *aliases; /* owned; sorted by name */
	size_t alias_nr;
};

/* Read one PMU; -ENOENT: none has that name.  Nothing to release on error. */
int rec_pmu_open(struct rec_pmu *pmu, const char *sysfs, const char *name,
		 struct pd_err *err);
void rec_pmu_release(struct rec_pmu *pmu);

/* List the names of all PMUs, sorted; free them with rec_pmu_names_free().
 * There are none if the directory does not exist. */
int rec_pmu_names(const char *sysfs, char ***ret, size_t *ret_nr);
void rec_pmu_names_free(char **names, size_t nr);

/* Return true for a PMU of CPU cores; on Arm it is named after the core or the
 * architecture. */
bool rec_pmu_is_core(const char *name);
/* Return the name of the first of them, to be freed; NULL: there is none. */
char *rec_pmu_first_core(const char *sysfs);
/* Return true for an event of Arm's cores by a number that their PMU does not
 * list: it lists what its cores have of the common events, and one that they
 * lack counts 0.  type and config are an attr's. */
bool rec_pmu_is_unlisted(const char *sysfs, uint32_t type, uint64_t config);

/* Return the format or alias named name[0..len-1]; NULL if there is none. */
const struct rec_pmu_format *rec_pmu_format_find(const struct rec_pmu *pmu,
						 const char *name, size_t len);
const struct rec_pmu_alias *rec_pmu_alias_find(const struct rec_pmu *pmu,
					       const char *name, size_t len);

/* Spread value over the bits of format.  Return -ERANGE if it has more bits
 * than the format. */
int rec_pmu_format_put(const struct rec_pmu_format *format, uint64_t value,
		       uint64_t *config);

/* Parse "config1:0-7,32-35"; return -EINVAL if it is malformed. */
int rec_pmu_format_parse(const char *text, struct rec_pmu_format *ret);

#endif
