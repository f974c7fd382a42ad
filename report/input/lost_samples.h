/* lost_samples.h: how many events were lost, of the two that tell it.
 *
 * Recorders on Linux 6.0 and later write LOST_SAMPLES at the end, by event, of
 * what the kernel told of by LOST records, by ring, before.
 */
#ifndef RPT_LOST_SAMPLES_H
#define RPT_LOST_SAMPLES_H

#include <stdint.h>

/* Of the sums of all LOST and of all LOST_SAMPLES records. */
static inline uint64_t rpt_lost_samples(uint64_t lost_nr,
					uint64_t lost_samples_nr)
{
	return lost_nr > lost_samples_nr ? lost_nr : lost_samples_nr;
}

#endif
