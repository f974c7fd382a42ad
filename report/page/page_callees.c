#include "report/page/page_callees.h"

#include "report/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define PLT "@plt"

static const struct rpt_page_function *
function_at(const struct rpt_page_names *names, uint32_t function)
{
	return rpt_intern_key(&names->functions, function);
}

void rpt_page_callees_init(struct rpt_page_callees *callees,
			   const struct rpt_page_names *names)
{
	*callees = (struct rpt_page_callees){
		.names = names,
		.first = rpt_alloc_zeroed(names->texts.nr + (size_t)1,
					  sizeof(uint32_t)),
		.next = rpt_alloc_zeroed(names->functions.nr + (size_t)1,
					 sizeof(uint32_t)),
	};
	for (uint32_t i = 1; i < names->functions.nr; i++) {
		const struct rpt_page_function *f = function_at(names, i);

		if (f->kind == RPT_PAGE_INLINED || f->kind > RPT_PAGE_GUEST)
			continue;
		callees->next[i] = callees->first[f->name];
		callees->first[f->name] = i + 1;
	}
}

void rpt_page_callees_release(struct rpt_page_callees *callees)
{
	free(callees->first);
	free(callees->next);
}

/* Return the function + 1 of that name; of several, that of the file dso. */
static uint32_t find(const struct rpt_page_callees *callees, const char *name,
		     size_t len, uint32_t dso)
{
	int64_t text = rpt_intern_find(&callees->names->texts, name, len);
	uint32_t found = text < 0 ? 0 : callees->first[text];

	for (uint32_t at = found; at; at = callees->next[at - 1])
		if (function_at(callees->names, at - 1)->dso == dso)
			return at;
	return found;
}

uint32_t rpt_page_callees_find(const struct rpt_page_callees *callees,
			       const char *name, uint32_t caller)
{
	uint32_t dso = function_at(callees->names, caller)->dso;
	size_t len = strlen(name), plt_len = strlen(PLT);
	uint32_t found = find(callees, name, len, dso);

	if (!found && len > plt_len && !strcmp(name + len - plt_len, PLT))
		found = find(callees, name, len - plt_len, dso);
	return found;
}
