#include "report/events/read_values.h"

#include <errno.h>
#include <stdlib.h>

int rpt_read_values_delta(struct rpt_read_values *values, uint64_t id,
			  uint64_t value, uint64_t *ret_delta)
{
	uint32_t known_nr = values->ids.nr;
	int64_t idx;

	if (known_nr == values->cap) {
		uint32_t cap = known_nr ? known_nr * 2 : 16;
		uint64_t *last = realloc(values->last, cap * sizeof(*last));

		if (!last)
			return -ENOMEM;
		values->last = last;
		values->cap = cap;
	}
	idx = rpt_intern(&values->ids, &id, sizeof(id));
	if (idx < 0)
		return (int)idx;
	if (idx == known_nr)
		values->last[idx] = 0;
	*ret_delta = value - values->last[idx];
	values->last[idx] = value;
	return 0;
}

void rpt_read_values_release(struct rpt_read_values *values)
{
	rpt_intern_release(&values->ids);
	free(values->last);
	*values = (struct rpt_read_values){ 0 };
}
