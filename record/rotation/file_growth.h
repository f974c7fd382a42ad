/* file_growth.h: how fast a file grows, and when it will reach its limit. */
#ifndef REC_FILE_GROWTH_H
#define REC_FILE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

struct rec_file_growth {
	uint64_t len;	/* at the last measurement */
	uint64_t at_ns; /* 0: never */
	double len_per_ns;
};

/* Update the length.  The rate is that of the last 5 ms or more; a file that
 * became shorter is a new one, with the rate of the previous one. */
void rec_file_growth_see(struct rec_file_growth *growth, uint64_t len,
			 uint64_t now_ns);

/* Return true if it will reach limit_len bytes within that time. */
bool rec_file_growth_reaches(const struct rec_file_growth *growth,
			     uint64_t limit_len, uint64_t within_ns);

#endif
