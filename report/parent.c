#include "report/parent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_ASKED, IS_PARENT, IS_NONE };

int rpt_parent_compile(struct rpt_parent *parent, const char *pattern,
		       struct pd_err *err)
{
	char why[128];
	int rc = regcomp(&parent->regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &parent->regex, why, sizeof(why));
		return pd_err_set(err, -EINVAL, "--parent: '%s': %s", pattern,
				  why);
	}
	parent->is_compiled = true;
	return 0;
}

void rpt_parent_release(struct rpt_parent *parent)
{
	if (parent->is_compiled)
		regfree(&parent->regex);
	free(parent->answers);
	*parent = (struct rpt_parent){ 0 };
}

/* Room for all frames that there are. */
static int grow(struct rpt_parent *parent, uint32_t nr)
{
	uint8_t *answers;

	if (nr <= parent->answer_nr)
		return 0;
	nr += nr / 2;
	answers = realloc(parent->answers, nr);
	if (!answers)
		return -ENOMEM;
	memset(answers + parent->answer_nr, NOT_ASKED, nr - parent->answer_nr);
	parent->answers = answers;
	parent->answer_nr = nr;
	return 0;
}

static bool is_parent(struct rpt_parent *parent,
		      const struct rpt_frames *frames, uint32_t idx)
{
	const struct rpt_symbol *sym = frames->items[idx].sym;
	uint8_t *answer = &parent->answers[idx];

	if (*answer == NOT_ASKED)
		*answer = sym && !regexec(&parent->regex, sym->name, 0, NULL, 0)
				  ? IS_PARENT
				  : IS_NONE;
	return *answer == IS_PARENT;
}

int rpt_parent_find(struct rpt_parent *parent, const struct rpt_frames *frames,
		    const struct rpt_chain *chain, const char **ret)
{
	*ret = NULL;
	if (grow(parent, frames->nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < chain->nr; i++) {
		if (!is_parent(parent, frames, chain->frames[i]))
			continue;
		*ret = frames->items[chain->frames[i]].sym->name;
		break;
	}
	return 0;
}
