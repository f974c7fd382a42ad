/* file_growth.h: how fast a file grows, and whether it will soon be as long as
 * it may be.
 */
#ifndef REC_FILE_GROWTH_H
#define REC_FILE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

struct rec_file_growth {
	uint64_t len;	/* when it was measured last */
	uint64_t at_ns; /* 0: never */
	double len_per_ns;
};

/* How long it is now.  The rate is that of the last 5 ms or more; a file that
 * became shorter is another one, at the rate of the one before. */
void rec_file_growth_see(struct rec_file_growth *growth, uint64_t len,
			 uint64_t now_ns);

/* Return whether it has limit_len bytes within that time, if it goes on so. */
bool rec_file_growth_reaches(const struct rec_file_growth *growth,
			     uint64_t limit_len, uint64_t within_ns);

#endif
