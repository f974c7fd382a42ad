#include "record/count/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int rec_counts_init(struct rec_counts *ret, size_t event_nr, size_t place_nr,
		    size_t thread_nr)
{
	size_t nr;

	memset(ret, 0, sizeof(*ret));
	if (__builtin_mul_overflow(event_nr, place_nr, &nr) ||
	    __builtin_mul_overflow(nr, thread_nr, &nr))
		return -ENOMEM;
	ret->at = calloc(nr ? nr : 1, sizeof(*ret->at));
	if (!ret->at)
		return -ENOMEM;
	ret->event_nr = event_nr;
	ret->place_nr = place_nr;
	ret->thread_nr = thread_nr;
	return 0;
}

void rec_counts_release(struct rec_counts *counts)
{
	free(counts->at);
	memset(counts, 0, sizeof(*counts));
}

static size_t count_nr(const struct rec_counts *counts)
{
	return counts->event_nr * counts->place_nr * counts->thread_nr;
}

void rec_counts_subtract(struct rec_counts *ret, const struct rec_counts *after,
			 const struct rec_counts *before)
{
	for (size_t i = 0; i < count_nr(ret); i++) {
		const struct rec_count a = after->at[i], b = before->at[i];

		ret->at[i] = (struct rec_count){
			.value = a.value - b.value,
			.enabled_ns = a.enabled_ns - b.enabled_ns,
			.running_ns = a.running_ns - b.running_ns,
			.is_open = a.is_open,
		};
	}
}

void rec_counts_copy(struct rec_counts *ret, const struct rec_counts *from)
{
	memcpy(ret->at, from->at, count_nr(ret) * sizeof(*ret->at));
}

double rec_count_scaled(const struct rec_count *count)
{
	double value = (double)count->value;

	if (!count->running_ns || count->running_ns >= count->enabled_ns)
		return value;
	return value * ((double)count->enabled_ns / (double)count->running_ns);
}
