#include "report/fleet/fleet_notes.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

void rpt_fleet_note(void *notes, const char *text)
{
	struct rpt_fleet_notes *to = notes;

	to->texts = rpt_grow(to->texts, &to->cap, to->nr, sizeof(*to->texts));
	to->texts[to->nr++] = rpt_alloc_text(text, strlen(text));
}

void rpt_fleet_notes_release(struct rpt_fleet_notes *notes)
{
	for (uint32_t i = 0; i < notes->nr; i++)
		free(notes->texts[i]);
	free(notes->texts);
	*notes = (struct rpt_fleet_notes){ 0 };
}
