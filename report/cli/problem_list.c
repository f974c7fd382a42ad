#include "report/cli/problem_list.h"

#include "report/base/memory.h"

#include "format/support/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct rpt_problem_count {
	uint32_t nr;   /* recordings that have it */
	uint32_t last; /* of them, counted from 1 */
};

void rpt_problem_list_next(struct rpt_problem_list *list)
{
	list->recording_nr++;
}

void rpt_problem_list_add(struct rpt_problem_list *list, const char *text)
{
	uint32_t old_nr = list->texts.nr;
	int64_t idx = rpt_intern(&list->texts, text, strlen(text));
	struct rpt_problem_count *count;

	if (idx < 0)
		return;
	if (idx == old_nr) {
		list->counts = rpt_grow(list->counts, &list->cap, old_nr,
					sizeof(*list->counts));
		list->counts[idx] = (struct rpt_problem_count){ 0 };
	}
	count = &list->counts[idx];
	count->nr += count->last != list->recording_nr;
	count->last = list->recording_nr;
}

void rpt_problem_list_print(const struct rpt_problem_list *list)
{
	for (uint32_t i = 0; i < list->texts.nr; i++) {
		const char *text = rpt_intern_key(&list->texts, i);

		if (list->recording_nr == 1)
			sup_message("%s", text);
		else
			sup_message(
				"%s (in %" PRIu32 " of %" PRIu32 " recordings)",
				text, list->counts[i].nr, list->recording_nr);
	}
}

void rpt_problem_list_release(struct rpt_problem_list *list)
{
	rpt_intern_release(&list->texts);
	free(list->counts);
}
