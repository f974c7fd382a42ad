#include "report/input/digests.h"

#include <errno.h>
#include <stdlib.h>

int rpt_digests_init(struct rpt_digests *digests, size_t nr,
		     uint64_t kept_limit)
{
	uint64_t left = kept_limit / RPT_DIGESTS_SHARE;
	uint64_t texts_left = kept_limit / RPT_KEPT_TEXT_SHARE;

	if (texts_left > RPT_KEPT_TEXT_LEN_MAX)
		texts_left = RPT_KEPT_TEXT_LEN_MAX;
	if (left > RPT_DIGESTS_LEN_MAX)
		left = RPT_DIGESTS_LEN_MAX;
	/* of too many, tiny pieces there are none */
	if (nr > left / 2 / sizeof(*digests->items))
		nr = 0;
	*digests = (struct rpt_digests){
		.items = calloc(nr + 1, sizeof(*digests->items)),
		.budget.left = left - nr * sizeof(*digests->items),
		.texts.left = texts_left,
	};
	if (!digests->items)
		return -ENOMEM;
	digests->nr = nr;
	return 0;
}

void rpt_digests_release(struct rpt_digests *digests)
{
	for (size_t i = 0; i < digests->nr; i++)
		rpt_digest_release(&digests->items[i]);
	free(digests->items);
	*digests = (struct rpt_digests){ 0 };
}
