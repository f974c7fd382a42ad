#include "report/callchain/frame_match.h"

#include "report/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_ASKED, MATCHES, NO_MATCH };

int rpt_frame_match_compile(struct rpt_frame_match *match, const char *option,
			    const char *pattern, struct pd_err *err)
{
	char why[128];
	int rc = regcomp(&match->regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (rc) {
		regerror(rc, &match->regex, why, sizeof(why));
		return pd_err_set(err, -EINVAL, "%s: '%s': %s", option, pattern,
				  why);
	}
	match->is_compiled = true;
	return 0;
}

void rpt_frame_match_release(struct rpt_frame_match *match)
{
	if (match->is_compiled)
		regfree(&match->regex);
	free(match->answers);
	*match = (struct rpt_frame_match){ 0 };
}

bool rpt_frame_match_is(struct rpt_frame_match *match,
			const struct rpt_frames *frames, uint32_t frame)
{
	const struct rpt_frame *f = &frames->items[frame];
	uint32_t nr = frames->nr + frames->nr / 2;
	uint8_t *answer;

	if (frame >= match->answer_nr) {
		match->answers = rpt_realloc_array(match->answers, nr, 1);
		memset(match->answers + match->answer_nr, NOT_ASKED,
		       nr - match->answer_nr);
		match->answer_nr = nr;
	}
	answer = &match->answers[frame];
	if (*answer == NOT_ASKED) {
		*answer = NO_MATCH;
		/* a word has no DSO, but a name */
		if (f->sym && (f->dso || rpt_frame_has_name(f)) &&
		    !regexec(&match->regex, f->sym->name, 0, NULL, 0))
			*answer = MATCHES;
	}
	return *answer == MATCHES;
}

const char *rpt_parent_find(struct rpt_frame_match *parent,
			    const struct rpt_frames *frames,
			    const struct rpt_chain *chain)
{
	for (uint32_t i = 0; i < chain->nr; i++)
		if (rpt_frame_match_is(parent, frames, chain->frames[i]))
			return frames->items[chain->frames[i]].sym->name;
	return NULL;
}
