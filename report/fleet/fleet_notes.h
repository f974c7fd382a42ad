/* fleet_notes.h: texts that a page has to say before its numbers; private to
 * this room. */
#ifndef RPT_FLEET_NOTES_H
#define RPT_FLEET_NOTES_H

#include <stdint.h>

/* A zeroed struct is an empty list. */
struct rpt_fleet_notes {
	char **texts; /* owned, with the texts */
	uint32_t nr;
	uint32_t cap;
};

/* Add a copy of a text.  notes: struct rpt_fleet_notes; for
 * sup_message_listen(). */
void rpt_fleet_note(void *notes, const char *text);
void rpt_fleet_notes_release(struct rpt_fleet_notes *notes);

#endif
