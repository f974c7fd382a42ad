#include "record/rotation/file_growth.h"

static const uint64_t step_ns = 5000000;

void rec_file_growth_see(struct rec_file_growth *growth, uint64_t len,
			 uint64_t now_ns)
{
	uint64_t since_ns = now_ns - growth->at_ns;
	bool is_new = !growth->at_ns || len < growth->len;

	if (!is_new && since_ns < step_ns)
		return;
	if (!is_new)
		growth->len_per_ns =
			(double)(len - growth->len) / (double)since_ns;
	growth->len = len;
	growth->at_ns = now_ns;
}

bool rec_file_growth_reaches(const struct rec_file_growth *growth,
			     uint64_t limit_len, uint64_t within_ns)
{
	return (double)growth->len + growth->len_per_ns * (double)within_ns >=
	       (double)limit_len;
}
