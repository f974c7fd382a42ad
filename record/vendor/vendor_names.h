/* vendor_names.h: the events that the CPU's vendor names, out of libpfm4.
 *
 *	L1D:REPLACEMENT    libpfm's spelling, EVENT:UMASK:MODIFIER=VALUE
 *	l1d.replacement    perf list's
 *
 * The library is loaded when a name is asked for that nothing else knows, so
 * that the recorder does without it.  It finds the CPU by itself; its own
 * variable LIBPFM_FORCE_PMU chooses another model.  Not for several threads at
 * a time.
 */
#ifndef REC_VENDOR_NAMES_H
#define REC_VENDOR_NAMES_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_vendor_event {
	uint32_t type; /* PERF_TYPE_RAW, or that of a PMU outside the cores */
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel; /* by its modifiers u and k */
};

/* An event as rec_vendor_walk() shows it; valid during the call. */
struct rec_vendor_row {
	const char *pmu;  /* the library's name of the model: "icx" */
	const char *name; /* "l1d.replacement" */
	const char *text; /* the vendor's description, one line or more */
};

enum { REC_VENDOR_NAME_LEN = 160 };

/* Return true if the library is there. */
bool rec_vendor_is_there(void);

/* Return why there are no vendor's names in a few words, for a hint. */
const char *rec_vendor_missing(void);

/* Find an event.  Return 0, -ENOENT if there is none of that name (err is not
 * set), or -EINVAL and set err if it lacks a unit mask or has a wrong one. */
int rec_vendor_find(const char *text, size_t len, struct rec_vendor_event *ret,
		    struct pd_err *err);

/* Call visit for each event of this CPU, with each of its unit masks. */
void rec_vendor_walk(void (*visit)(void *ctx, const struct rec_vendor_row *row),
		     void *ctx);

#endif
