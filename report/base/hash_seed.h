/* hash_seed.h: numbers that what is hashed of a recording is mixed with.
 *
 * They are other ones in each process, so that nobody can make a file whose
 * keys all lie in one place of a table, where each would be compared with all
 * before it.  Nothing that is shown depends on them.
 */
#ifndef RPT_HASH_SEED_H
#define RPT_HASH_SEED_H

#include <stdint.h>

#define RPT_HASH_SEED_NR 4u

/* Random odd numbers, set before main(); the first is a seed of XXH3. */
extern uint64_t rpt_hash_seed[RPT_HASH_SEED_NR];

#endif
