#include "report/input/sample_rle_set.h"

#include <errno.h>
#include <stdlib.h>

int rpt_sample_rle_set_init(struct rpt_sample_rle_set *digests, size_t nr,
			    uint64_t kept_limit)
{
	uint64_t left = kept_limit / RPT_SAMPLE_RLE_SET_SHARE;
	uint64_t texts_left = kept_limit / RPT_INFLATED_CACHE_SHARE;

	if (texts_left > RPT_INFLATED_CACHE_LEN_MAX)
		texts_left = RPT_INFLATED_CACHE_LEN_MAX;
	if (left > RPT_SAMPLE_RLE_SET_LEN_MAX)
		left = RPT_SAMPLE_RLE_SET_LEN_MAX;
	/* of too many, tiny pieces there are none */
	if (nr > left / 2 / sizeof(*digests->items))
		nr = 0;
	*digests = (struct rpt_sample_rle_set){
		.items = calloc(nr + 1, sizeof(*digests->items)),
		.budget.left = (int64_t)(left - nr * sizeof(*digests->items)),
		.texts.left = (int64_t)texts_left,
	};
	if (!digests->items)
		return -ENOMEM;
	digests->nr = nr;
	return 0;
}

void rpt_sample_rle_set_release(struct rpt_sample_rle_set *digests)
{
	for (size_t i = 0; i < digests->nr; i++)
		rpt_sample_rle_release(&digests->items[i]);
	free(digests->items);
	*digests = (struct rpt_sample_rle_set){ 0 };
}
