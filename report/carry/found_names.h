/* found_names.h: the list of carried files with their names: what the recording
 * carries, and what is found on this machine besides.
 *
 *	rpt_found_names_find(&found, symbols, &hits)
 *	found.files[0..found.nr)	for pd_carried_write()
 *	rpt_found_names_release(&found)
 *
 * Files that the recording carries keep their numbers; new ones follow.  A
 * symbol is carried with all others that start where it does, so that readers
 * choose between them as they would in the file, as far as their names are in
 * proportion to the hits.
 */
#ifndef RPT_FOUND_NAMES_H
#define RPT_FOUND_NAMES_H

#include "format/carried/carried.h"
#include "report/base/arena.h"
#include "report/carry/carry_recording.h"
#include "report/carry/hit_files.h"

/* The names of one file. */
struct rpt_found_file {
	struct pd_carried_name *names; /* owned */
	uint32_t nr;
	uint32_t cap;
	bool is_changed;  /* some are new */
	size_t text_left; /* bytes of the names that may still be added */
};

struct rpt_found_names {
	struct pd_carried_file *files; /* owned; their names: lists */
	struct rpt_found_file *lists;  /* owned; as files */
	uint32_t nr;
	uint32_t cap;
	uint32_t lists_cap;
	uint32_t old_nr;	/* that the recording carries */
	struct rpt_arena texts; /* new names and segments */
	bool is_changed;	/* not all is as the recording has it */
};

/* Find the names of all hits, set hits->files[].carried_idx, and count. */
void rpt_found_names_find(struct rpt_found_names *found,
			  const struct rpt_symbols *symbols,
			  struct rpt_hit_files *hits,
			  struct rpt_carry_result *result);
/* Safe on a zeroed struct. */
void rpt_found_names_release(struct rpt_found_names *found);

#endif
