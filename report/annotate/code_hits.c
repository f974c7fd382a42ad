#include "report/annotate/code_hits.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/callchain/stack_frames.h"
#include "report/events/filter.h"

#include <stdlib.h>
#include <string.h>

/* The key of a hit.  It has no padding, since it is hashed. */
struct place {
	struct rpt_dso *dso;
	uint64_t addr;
	uint64_t event_idx;
};

/* A hit with its function. */
struct found {
	struct rpt_dso *dso;
	const struct rpt_symbol *sym;
	struct rpt_code_hit hit;
};

void rpt_code_hits_init(struct rpt_code_hits *hits, uint32_t event_nr)
{
	*hits = (struct rpt_code_hits){
		.event_nr = event_nr,
		.totals = rpt_alloc_zeroed(event_nr + (size_t)1,
					   sizeof(*hits->totals)),
	};
}

void rpt_code_hits_release(struct rpt_code_hits *hits)
{
	rpt_intern_release(&hits->places);
	free(hits->totals);
	free(hits->items);
	free(hits->functions);
	free(hits->counts);
	memset(hits, 0, sizeof(*hits));
}

static void add_count(struct rpt_hit_count *to, uint64_t nr, uint64_t period)
{
	to->nr += nr;
	to->period += period;
}

void rpt_code_hits_add(struct rpt_code_hits *hits, struct rpt_dso *dso,
		       uint64_t addr, uint32_t event_idx, uint64_t nr,
		       uint64_t period)
{
	const struct place place = { dso, addr, event_idx };
	uint32_t known_nr = hits->places.nr;
	int64_t idx;

	add_count(&hits->totals[event_idx], nr, period);
	if (!dso)
		return;
	hits->items = rpt_grow(hits->items, &hits->items_cap, known_nr,
			       sizeof(*hits->items));
	idx = rpt_intern(&hits->places, &place, sizeof(place));
	if (idx < 0) {
		hits->is_cut = true;
		return;
	}
	if (idx == known_nr)
		hits->items[idx] = (struct rpt_code_hit){
			.addr = addr,
			.event_idx = event_idx,
		};
	add_count(&hits->items[idx].count, nr, period);
}

void rpt_code_hits_add_profile(struct rpt_code_hits *hits,
			       const struct rpt_profile *profile,
			       const struct rpt_timeline *timeline)
{
	const struct rpt_frames_conf conf = { .inlines = false };
	const struct rpt_filter *filter = profile->conf.filter;
	struct rpt_frames frames;

	rpt_frames_init(&frames, timeline, &conf);
	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		const struct rpt_stack_key *key = rpt_profile_key(profile, i);
		const struct rpt_stack *stack = &profile->stacks[i];
		struct rpt_frame_scope scope;
		struct rpt_frame_span span;
		const struct rpt_frame *f;
		bool is_in;

		if (!rpt_stack_choice_has_block(&profile->conf.shown,
						key->base->block) ||
		    !rpt_stack_choice_has_mode(&profile->conf.shown,
					       key->cpumode))
			continue;
		rpt_chain_scope(&frames, key, stack, &scope);
		if (rpt_frames_resolve(&frames, &scope, key->cpumode, key->ip,
				       &span)) {
			hits->is_cut = true;
			break;
		}
		f = &frames.items[span.self];
		is_in = !filter ||
			rpt_filter_place(filter, f->dso, rpt_frame_symbol(f),
					 key->ip);
		rpt_code_hits_add(hits, is_in ? f->dso : NULL, f->addr,
				  key->event_idx, stack->nr, stack->period);
	}
	rpt_frames_release(&frames);
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int rc = rpt_compare_u64(rpt_dso_idx(x->dso), rpt_dso_idx(y->dso));

	if (!rc)
		rc = rpt_compare_u64((uintptr_t)x->dso, (uintptr_t)y->dso);
	if (!rc)
		rc = rpt_compare_u64(x->sym->start, y->sym->start);
	if (!rc)
		rc = rpt_compare_u64((uintptr_t)x->sym, (uintptr_t)y->sym);
	if (!rc)
		rc = rpt_compare_u64(x->hit.addr, y->hit.addr);
	return rc ? rc : rpt_compare_u64(x->hit.event_idx, y->hit.event_idx);
}

/* Return the hits that have a function, sorted; the caller frees them. */
static struct found *find(const struct rpt_code_hits *hits, uint32_t *ret_nr)
{
	struct found *found =
		rpt_alloc_zeroed(hits->places.nr + (size_t)1, sizeof(*found));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < hits->places.nr; i++) {
		const struct place *place = rpt_intern_key(&hits->places, i);
		const struct rpt_symbol *sym =
			rpt_dso_symbol(place->dso, place->addr);

		if (sym)
			found[nr++] = (struct found){ place->dso, sym,
						      hits->items[i] };
	}
	if (nr)
		qsort(found, nr, sizeof(*found), compare_found);
	*ret_nr = nr;
	return found;
}

/* Begin a function, and return it. */
static struct rpt_code_function *begin(struct rpt_code_hits *hits,
				       uint32_t *cap, const struct found *found,
				       uint32_t idx)
{
	struct rpt_code_function *f;

	hits->functions = rpt_grow(hits->functions, cap, hits->function_nr,
				   sizeof(*hits->functions));
	f = &hits->functions[hits->function_nr++];
	*f = (struct rpt_code_function){
		.dso = found->dso,
		.sym = found->sym,
		.hit_start = idx,
	};
	return f;
}

static void count_functions(struct rpt_code_hits *hits)
{
	hits->counts =
		rpt_alloc_zeroed((size_t)hits->function_nr * hits->event_nr + 1,
				 sizeof(*hits->counts));
	for (uint32_t i = 0; i < hits->function_nr; i++) {
		const struct rpt_code_function *f = &hits->functions[i];

		for (uint32_t j = 0; j < f->hit_nr; j++) {
			const struct rpt_code_hit *hit =
				&hits->items[f->hit_start + j];
			size_t at = (size_t)i * hits->event_nr + hit->event_idx;

			add_count(&hits->counts[at], hit->count.nr,
				  hit->count.period);
		}
	}
}

void rpt_code_hits_close(struct rpt_code_hits *hits)
{
	struct rpt_code_function *f = NULL;
	uint32_t nr, cap = 0;
	struct found *found = find(hits, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		if (!f || f->dso != found[i].dso || f->sym != found[i].sym)
			f = begin(hits, &cap, &found[i], i);
		hits->items[i] = found[i].hit;
		f->hit_nr++;
	}
	free(found);
	rpt_intern_release(&hits->places);
	count_functions(hits);
}

/* A function while they are sorted. */
struct weight {
	uint64_t weight;
	uint32_t function;
};

static int compare_weights(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;
	int rc = rpt_compare_u64(y->weight, x->weight);

	return rc ? rc : rpt_compare_u64(x->function, y->function);
}

uint32_t *rpt_code_hits_order(const struct rpt_code_hits *hits,
			      uint32_t event_idx, bool is_by_nr,
			      uint32_t *ret_nr)
{
	struct weight *weights = rpt_alloc_zeroed(hits->function_nr + (size_t)1,
						  sizeof(*weights));
	uint32_t *order =
		rpt_alloc_zeroed(hits->function_nr + (size_t)1, sizeof(*order));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < hits->function_nr; i++) {
		struct rpt_hit_count count =
			rpt_code_hits_of(hits, i, event_idx);

		if (count.nr)
			weights[nr++] = (struct weight){
				is_by_nr ? count.nr : count.period, i
			};
	}
	if (nr)
		qsort(weights, nr, sizeof(*weights), compare_weights);
	for (uint32_t i = 0; i < nr; i++)
		order[i] = weights[i].function;
	free(weights);
	*ret_nr = nr;
	return order;
}
