/* hash_seed.h: random numbers that are mixed into the hashes of what a
 * recording holds.
 *
 * They differ in each process, so that nobody can make a file whose keys all
 * have one hash.  No output depends on them.
 */
#ifndef RPT_HASH_SEED_H
#define RPT_HASH_SEED_H

#include <stdint.h>

#define RPT_HASH_SEED_NR 4u

/* Random odd numbers, set before main(); the first is a seed of XXH3. */
extern uint64_t rpt_hash_seed[RPT_HASH_SEED_NR];

#endif
