/* damage.h: what is wrong with a file without ending its analysis. */
#ifndef PD_DAMAGE_H
#define PD_DAMAGE_H

#include "format/err.h"

enum pd_damage_kind {
	PD_DAMAGE_UNFINISHED, /* the recording was not closed */
	PD_DAMAGE_CUT,	      /* the file ends inside its data section */
	PD_DAMAGE_FEATURE,    /* a feature that is not there */
	PD_DAMAGE_TRAILER,
	PD_DAMAGE_SUM,	  /* a part of the file that has not its checksum */
	PD_DAMAGE_ATTRS,  /* the header is wrong about the attr section */
	PD_DAMAGE_IDS,	  /* those of an event are not in the file */
	PD_DAMAGE_DESC,	  /* EVENT_DESC or GROUP_DESC cannot be decoded */
	PD_DAMAGE_HEAD,	  /* nor a record at the head of the data section */
	PD_DAMAGE_RECORD, /* bytes that are no record */
	PD_DAMAGE_ZSTD,	  /* a COMPRESSED record that zstd does not take */
	PD_DAMAGE_PLAIN,  /* plain text that is no record */
};

/* Who wants to know of each place of damage as it is found: len bytes passed
 * over, for the reason in err.  inflated may be NULL: the COMPRESSED record at
 * off became plain_len bytes. */
struct pd_watch {
	void (*tell)(void *ctx, enum pd_damage_kind kind, uint64_t len,
		     const struct pd_err *err);
	void *ctx;
	void (*inflated)(void *ctx, uint64_t off, uint64_t plain_len);
};

/* What was found wrong without ending the analysis. */
struct pd_damage {
	uint64_t skipped_len;	      /* bytes passed over */
	uint64_t skipped_nr;	      /* places */
	struct pd_err first;	      /* set where skipped_nr is not 0 */
	uint64_t sample_nr;	      /* that were read, sound or not */
	const struct pd_watch *watch; /* borrowed; may be NULL */
};

/* Adds what from counts to what to counts. */
void pd_damage_merge(struct pd_damage *to, const struct pd_damage *from);

/* One more place of damage: len bytes passed over.  err says what. */
void pd_damage_add(struct pd_damage *damage, enum pd_damage_kind kind,
		   uint64_t len, const struct pd_err *err);

#endif
