#include "report/profile/stack_key.h"

#include <pthread.h>
#include <stdlib.h>

#include "report/base/intern.h"
#include "report/base/memory.h"

struct rpt_stack_bases {
	struct rpt_intern table;
	pthread_mutex_t lock;
};

struct rpt_stack_bases *rpt_stack_bases_new(void)
{
	struct rpt_stack_bases *bases = rpt_alloc_zeroed(1, sizeof(*bases));

	bases->table.is_bytes = true;
	pthread_mutex_init(&bases->lock, NULL);
	return bases;
}

void rpt_stack_bases_free(struct rpt_stack_bases *bases)
{
	if (!bases)
		return;
	rpt_intern_release(&bases->table);
	pthread_mutex_destroy(&bases->lock);
	free(bases);
}

const struct rpt_stack_context *
rpt_stack_bases_get(struct rpt_stack_bases *bases,
		    const struct rpt_stack_context *like, bool *ret_is_new)
{
	const struct rpt_stack_context *base = NULL;
	uint32_t known_nr;
	int64_t idx;

	pthread_mutex_lock(&bases->lock);
	known_nr = bases->table.nr;
	idx = rpt_intern(&bases->table, like, sizeof(*like));
	if (idx >= 0)
		base = rpt_intern_key(&bases->table, (uint32_t)idx);
	pthread_mutex_unlock(&bases->lock);
	*ret_is_new = idx == known_nr;
	return base;
}

const struct rpt_stack_context *
rpt_stack_bases_find(struct rpt_stack_bases *bases,
		     const struct rpt_stack_context *like)
{
	const struct rpt_stack_context *base = NULL;
	int64_t idx;

	pthread_mutex_lock(&bases->lock);
	idx = rpt_intern_find(&bases->table, like, sizeof(*like));
	if (idx >= 0)
		base = rpt_intern_key(&bases->table, (uint32_t)idx);
	pthread_mutex_unlock(&bases->lock);
	return base;
}
