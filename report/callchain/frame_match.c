#include "report/callchain/frame_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_ASKED, MATCHES, MATCHES_NOT };

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

int rpt_frame_match_reserve(struct rpt_frame_match *match,
			    const struct rpt_frames *frames)
{
	uint32_t nr = frames->nr;
	uint8_t *answers;

	if (nr <= match->answer_nr)
		return 0;
	nr += nr / 2;
	answers = realloc(match->answers, nr);
	if (!answers)
		return -ENOMEM;
	memset(answers + match->answer_nr, NOT_ASKED, nr - match->answer_nr);
	match->answers = answers;
	match->answer_nr = nr;
	return 0;
}

bool rpt_frame_match_is(struct rpt_frame_match *match,
			const struct rpt_frames *frames, uint32_t frame)
{
	const struct rpt_symbol *sym = frames->items[frame].sym;
	uint8_t *answer = &match->answers[frame];

	if (*answer == NOT_ASKED)
		*answer = sym && !regexec(&match->regex, sym->name, 0, NULL, 0)
				  ? MATCHES
				  : MATCHES_NOT;
	return *answer == MATCHES;
}
