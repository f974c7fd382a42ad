/* carried_names.h: names that the recording carries (format/carried/carried.h),
 * for DSOs whose files are not on this machine.  carried_index.h says which
 * file is whose.
 *
 * More may be lent by another file (--carried), of this recording or of another
 * one; of that, only files of the same build-id count.
 */
#ifndef RPT_CARRIED_NAMES_H
#define RPT_CARRIED_NAMES_H

#include "report/elf/symbol_table.h"
#include "report/symbols/dso_bounds.h"
#include "report/symbols/carried_index.h"
#include "report/symbols/carried_texts.h"

struct rpt_dso;
struct rpt_dso_key;
struct rpt_elf;
struct rpt_symbols;

/* The names that the recording carries for a DSO. */
struct rpt_dso_carried {
	const struct pd_carried_file *file; /* in from; or NULL */
	const struct pd_carried *from;	    /* the owner's, or lent to it */
	struct rpt_symbol_table table;
	struct rpt_symbol_table bounds; /* of functions without a symbol; those
					 * of Go programs have a name */
	struct rpt_dso_bounds shown;	/* the same and a local file's */
	bool is_sought;
	bool is_loaded;
	bool has_go; /* a name among bounds */
};

/* Take over the names that the recording carries, before the first look-up. */
void rpt_symbols_set_carried(struct rpt_symbols *symbols,
			     struct pd_carried *carried);

/* Take over the names of another file.  is_own: they are of this recording, as
 * if it carried them. */
void rpt_symbols_set_lent(struct rpt_symbols *symbols,
			  struct pd_carried *carried, bool is_own);

/* Return what is carried of this very recording: its own, or else what is lent
 * and of it. */
const struct pd_carried *
rpt_symbols_own_carried(const struct rpt_symbols *symbols);

/* Set the build-id of key, and its number, of the file that a map's record is
 * of if the recording carries that and knows which it was. */
void rpt_symbols_identify(const struct rpt_symbols *symbols,
			  const struct pd_mmap *mmap, struct rpt_dso_key *key);

/* Return the line to be said if two files that are carried have one build-id
 * and other names, which the caller frees; else NULL. */
char *rpt_symbols_dispute(const struct rpt_symbols *symbols);

/* Return true if the recording tells dso's file from others of its path. */
bool rpt_dso_is_one_of_several(const struct rpt_dso *dso);
/* Return true if the recording has another file of dso's path and build-id, to
 * which what has no more is said to belong. */
bool rpt_dso_is_contested(const struct rpt_dso *dso);
/* Return true if file, which has dso's build-id if that is known, is another
 * one of these. */
bool rpt_dso_is_other(const struct rpt_dso *dso, const struct rpt_elf *file);

/* Return true if anything is carried, or lent. */
bool rpt_symbols_has_carried(const struct rpt_symbols *symbols);

/* Return true if what is carried has names of the recording's kernel. */
bool rpt_symbols_carries_kernel(const struct rpt_symbols *symbols);

/* Return true if names of some file are missing in what is carried. */
bool rpt_symbols_lacks_carried(const struct rpt_symbols *symbols);

/* Return why names of a file are missing, in words; NULL if none are. */
const char *rpt_carried_reason(const struct pd_carried_file *file);

/* Return whether the file was no ELF file, but one of code that its process
 * made. */
bool rpt_carried_is_jit_file(const struct pd_carried_file *file);
/* Return whether what names of the file are missing is to be had nowhere. */
bool rpt_carried_is_lost(const struct pd_carried_file *file);

/* Return the file that is carried for dso, or NULL. */
const struct pd_carried_file *rpt_dso_carried_file(struct rpt_dso *dso);

/* Take that file's build-id if the recording has none: a file of the same path
 * is none if the recording carries another's. */
void rpt_dso_take_carried_build_id(struct rpt_dso *dso);

/* Return true if that has names. */
bool rpt_dso_has_carried(struct rpt_dso *dso);

/* Return the carried symbol at a dso address, or NULL; range is narrowed to
 * addresses with the same answer. */
const struct rpt_symbol *rpt_dso_carried_symbol(struct rpt_dso *dso,
						uint64_t addr,
						struct rpt_addr_range *range);

/* Find the carried bounds of a function without a name around a dso address.
 * Return false if there are none. */
bool rpt_dso_carried_bounds(struct rpt_dso *dso, uint64_t addr,
			    uint64_t *ret_start, uint64_t *ret_end);

#endif
