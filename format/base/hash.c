#include "format/base/hash.h"

#include <xxhash.h>

static XXH3_state_t *state_of(struct pd_hash *hash)
{
	return (void *)hash;
}

struct pd_hash *pd_hash_new(void)
{
	struct pd_hash *hash = (void *)XXH3_createState();

	if (hash)
		pd_hash_reset(hash);
	return hash;
}

void pd_hash_free(struct pd_hash *hash)
{
	XXH3_freeState(state_of(hash));
}

void pd_hash_reset(struct pd_hash *hash)
{
	XXH3_64bits_reset(state_of(hash));
}

void pd_hash_add(struct pd_hash *hash, const void *data, size_t len)
{
	if (len)
		XXH3_64bits_update(state_of(hash), data, len);
}

uint64_t pd_hash_get(const struct pd_hash *hash)
{
	return XXH3_64bits_digest((const void *)hash);
}

uint64_t pd_hash_of(const void *data, size_t len)
{
	return XXH3_64bits(data, len);
}
