/* hash.h: XXH3-64 of bytes that come in parts; the trailer's checksum. */
#ifndef PD_HASH_H
#define PD_HASH_H

#include <stddef.h>
#include <stdint.h>

struct pd_hash;

/* Of nothing yet.  NULL: no memory. */
struct pd_hash *pd_hash_new(void);
void pd_hash_free(struct pd_hash *hash);

/* Of nothing again. */
void pd_hash_reset(struct pd_hash *hash);
void pd_hash_add(struct pd_hash *hash, const void *data, size_t len);
/* Of all that was added so far; more may follow. */
uint64_t pd_hash_get(const struct pd_hash *hash);

/* Of data[0..len) alone. */
uint64_t pd_hash_of(const void *data, size_t len);

#endif
