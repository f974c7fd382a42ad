#include "report/timeline/cgroup_ns.h"

#include "report/timeline/timeline_impl.h"

#include "format/base/search.h"

#include <stdlib.h>

/* The index of the cgroup namespace in the record. */
#define CGROUP_LINK 6

void rpt_cgroup_nses_add(struct rpt_cgroup_nses *all, struct rpt_budget *budget,
			 struct rpt_timestamp when,
			 const struct pd_namespaces *record)
{
	if (record->links.nr < 2 * (CGROUP_LINK + 1))
		return;
	all->stays = rpt_grow_within(budget, all->stays, &all->cap, all->nr,
				     sizeof(*all->stays));
	all->stays[all->nr++] = (struct rpt_cgroup_stay){
		.when = when,
		.ns = { pd_u64s_at(&record->links, 2 * CGROUP_LINK),
			pd_u64s_at(&record->links, 2 * CGROUP_LINK + 1) },
		.tid = record->tid,
	};
}

static int compare_ns(const struct rpt_cgroup_ns *a,
		      const struct rpt_cgroup_ns *b)
{
	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	return (a->ino > b->ino) - (a->ino < b->ino);
}

static int compare_by_ns(const void *a, const void *b)
{
	const struct rpt_cgroup_stay *p = a, *q = b;

	return compare_ns(&p->ns, &q->ns);
}

static int compare_by_task(const void *a, const void *b)
{
	const struct rpt_cgroup_stay *p = a, *q = b;

	if (p->tid != q->tid)
		return p->tid < q->tid ? -1 : 1;
	return rpt_timestamp_before(q->when, p->when) -
	       rpt_timestamp_before(p->when, q->when);
}

void rpt_cgroup_nses_sort(struct rpt_cgroup_nses *all)
{
	uint32_t number = 0;

	all->numbered =
		rpt_alloc_zeroed((size_t)all->nr + 1, sizeof(*all->numbered));
	if (!all->nr)
		return;
	qsort(all->stays, all->nr, sizeof(*all->stays), compare_by_ns);
	for (uint32_t i = 0; i < all->nr; i++) {
		number += !i || compare_ns(&all->stays[i - 1].ns,
					   &all->stays[i].ns) != 0;
		all->stays[i].number = number;
		all->numbered[number] = all->stays[i].ns;
	}
	all->numbered_nr = number + 1;
	qsort(all->stays, all->nr, sizeof(*all->stays), compare_by_task);
}

void rpt_cgroup_nses_release(struct rpt_cgroup_nses *all)
{
	free(all->stays);
	free(all->numbered);
	*all = (struct rpt_cgroup_nses){ 0 };
}

/* Return the index behind the last stay of tid that began until when. */
static uint32_t first_behind(const struct rpt_cgroup_nses *all, uint32_t tid,
			     struct rpt_timestamp when)
{
	const struct rpt_cgroup_stay *stays = all->stays;
	uint32_t at;

	PD_FIND_FIRST(at, all->nr,
		      stays[at].tid > tid ||
			      (stays[at].tid == tid &&
			       rpt_timestamp_before(when, stays[at].when)));
	return at;
}

uint32_t rpt_cgroup_ns_number(const struct rpt_timeline *tl, uint32_t tid,
			      struct rpt_timestamp when)
{
	uint32_t at = first_behind(&tl->cgroup_nses, tid, when);

	if (!at || tl->cgroup_nses.stays[at - 1].tid != tid)
		return 0;
	return tl->cgroup_nses.stays[at - 1].number;
}

struct rpt_cgroup_ns rpt_cgroup_ns_of(const struct rpt_timeline *tl,
				      uint32_t number)
{
	const struct rpt_cgroup_nses *all = &tl->cgroup_nses;

	return number < all->numbered_nr ? all->numbered[number]
					 : (struct rpt_cgroup_ns){ 0, 0 };
}
