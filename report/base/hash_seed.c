#include "report/base/hash_seed.h"

#include <sys/auxv.h>
#include <xxhash.h>

#define KERNEL_RANDOM_LEN 16u

uint64_t rpt_hash_seed[RPT_HASH_SEED_NR];

/* Make the seeds of the random bytes that the kernel gives each process. */
__attribute__((constructor)) static void set_seeds(void)
{
	static const uint8_t none[KERNEL_RANDOM_LEN];
	const void *random = (const void *)getauxval(AT_RANDOM);

	for (uint32_t i = 0; i < RPT_HASH_SEED_NR; i++)
		rpt_hash_seed[i] = XXH3_64bits_withSeed(random ? random : none,
							KERNEL_RANDOM_LEN, i) |
				   1;
}
