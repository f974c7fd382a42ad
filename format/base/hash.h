/* hash.h: XXH3-64, the checksum of the trailer, of bytes that come in parts. */
#ifndef PD_HASH_H
#define PD_HASH_H

#include <stddef.h>
#include <stdint.h>

struct pd_hash;

/* Return a hash of no bytes yet; NULL if there is no memory. */
struct pd_hash *pd_hash_new(void);
void pd_hash_free(struct pd_hash *hash);

/* Start again with no bytes. */
void pd_hash_reset(struct pd_hash *hash);
void pd_hash_add(struct pd_hash *hash, const void *data, size_t len);
/* Return the hash of all bytes so far; more may be added. */
uint64_t pd_hash_get(const struct pd_hash *hash);

/* Return the hash of data[0..len) alone. */
uint64_t pd_hash_of(const void *data, size_t len);

#endif
