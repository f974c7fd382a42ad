/* damage.h: damage in a file that does not end its analysis. */
#ifndef PD_DAMAGE_H
#define PD_DAMAGE_H

#include "format/base/err.h"

enum pd_damage_kind {
	PD_DAMAGE_UNFINISHED, /* the recording was not closed */
	PD_DAMAGE_CUT,	      /* the file ends inside its data section */
	PD_DAMAGE_FEATURE,    /* a feature section lies outside of the file */
	PD_DAMAGE_TRAILER,    /* the trailer cannot be read */
	PD_DAMAGE_SUM,	      /* a part of the file differs from its checksum */
	PD_DAMAGE_ATTRS,      /* the header is wrong about the attr section */
	PD_DAMAGE_IDS,	      /* the ids of an event are not in the file */
	PD_DAMAGE_DESC,	      /* EVENT_DESC or GROUP_DESC cannot be decoded */
	PD_DAMAGE_HEAD, /* a record at the head of the data cannot be decoded */
	PD_DAMAGE_RECORD, /* bytes that are no record */
	PD_DAMAGE_ZSTD,	  /* a COMPRESSED record that zstd refuses */
	PD_DAMAGE_PLAIN,  /* plain text that is no record */
};

/* Functions that are called while a file is read. */
struct pd_watch {
	/* Called when len bytes were skipped, for the reason in err. */
	void (*damage)(void *ctx, enum pd_damage_kind kind, uint64_t len,
		       const struct pd_err *err);
	void *ctx;
	/* Called when the COMPRESSED record at off became plain_len bytes.
	 * May be NULL. */
	void (*decompressed)(void *ctx, uint64_t off, uint64_t plain_len);
};

struct pd_damage {
	uint64_t skipped_len;	      /* bytes that were skipped */
	uint64_t skipped_nr;	      /* places of damage */
	struct pd_err first;	      /* set if skipped_nr is not 0 */
	uint64_t sample_nr;	      /* all samples that were read */
	const struct pd_watch *watch; /* borrowed; may be NULL */
};

/* Add the counts of from to those of to, and its first error if to has none. */
void pd_damage_merge(struct pd_damage *to, const struct pd_damage *from);

/* Count one more place of damage and call the watch: len bytes were skipped,
 * for the reason in err. */
void pd_damage_add(struct pd_damage *damage, enum pd_damage_kind kind,
		   uint64_t len, const struct pd_err *err);

#endif
