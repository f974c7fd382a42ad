#include "report/page/page_names.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/elf/function_stem.h"
#include "report/events/sample_value.h"

#include <stdlib.h>
#include <string.h>

struct rpt_page_thread_facts {
	const char *comm;
	uint64_t sample_nr;
};

static uint32_t text(struct rpt_page_names *names, const char *str)
{
	return (uint32_t)rpt_intern(&names->texts, str, strlen(str));
}

static uint32_t function(struct rpt_page_names *names, const char *name,
			 uint32_t dso, enum rpt_page_kind kind)
{
	const struct rpt_page_function f = { text(names, name), dso, kind };

	return (uint32_t)rpt_intern(&names->functions, &f, sizeof(f));
}

void rpt_page_names_init(struct rpt_page_names *names)
{
	*names = (struct rpt_page_names){ .functions.is_bytes = true,
					  .threads.is_bytes = true,
					  .cpus.is_bytes = true };
	function(names, "", 0, RPT_PAGE_USER);
}

void rpt_page_names_release(struct rpt_page_names *names)
{
	rpt_intern_release(&names->texts);
	rpt_intern_release(&names->functions);
	rpt_intern_release(&names->threads);
	rpt_intern_release(&names->cpus);
	free(names->of_frame);
	free(names->thread_facts);
	free(names->lane_of);
	free(names->lanes);
	free(names->text_ranks);
	free(names->text_order);
	free(names->ranks);
	free(names->order);
	*names = (struct rpt_page_names){ 0 };
}

static enum rpt_page_kind kind_of(const struct rpt_frame *frame,
				  const char *dso)
{
	if (frame->inline_name)
		return RPT_PAGE_INLINED;
	if (!frame->sym)
		return RPT_PAGE_NAMELESS;
	if (frame->level == 'k')
		return RPT_PAGE_KERNEL;
	if (frame->level != '.')
		return RPT_PAGE_GUEST;
	return dso && rpt_diff_is_jit(dso) ? RPT_PAGE_JIT : RPT_PAGE_USER;
}

static uint32_t new_of_frame(struct rpt_page_names *names,
			     const struct rpt_frames *frames,
			     const struct rpt_frame *frame)
{
	const char *dso = frame->dso ? rpt_intern_key(&frames->dso_names,
						      frame->dso_place)
				     : NULL;
	const char *name = dso ? dso : "[unknown]";

	if (frame->inline_name)
		name = frame->inline_name;
	else if (frame->sym)
		name = frame->sym->name;
	return function(names, name, dso ? text(names, dso) : 0,
			kind_of(frame, dso));
}

uint32_t rpt_page_names_of_frame(struct rpt_page_names *names,
				 const struct rpt_frames *frames,
				 uint32_t frame)
{
	uint32_t had = names->of_frame_cap;

	if (frame >= had) {
		names->of_frame = rpt_grow(names->of_frame,
					   &names->of_frame_cap, frame,
					   sizeof(*names->of_frame));
		memset(names->of_frame + had, 0,
		       (names->of_frame_cap - had) * sizeof(*names->of_frame));
	}
	if (!names->of_frame[frame])
		names->of_frame[frame] =
			new_of_frame(names, frames, &frames->items[frame]) + 1;
	return names->of_frame[frame] - 1;
}

uint32_t rpt_page_names_of_task(struct rpt_page_names *names, const char *comm)
{
	return function(names, comm, 0, RPT_PAGE_TASK);
}

uint32_t rpt_page_names_rest(struct rpt_page_names *names)
{
	return function(names, "[rest]", 0, RPT_PAGE_REST);
}

uint32_t rpt_page_names_thread(struct rpt_page_names *names,
			       const struct rpt_page_thread *thread,
			       const char *comm, uint64_t sample_nr)
{
	uint32_t known_nr = names->threads.nr;
	uint32_t idx = (uint32_t)rpt_intern(&names->threads, thread,
					    sizeof(*thread));

	names->thread_facts = rpt_grow(names->thread_facts, &names->thread_cap,
				       known_nr, sizeof(*names->thread_facts));
	if (idx == known_nr)
		names->thread_facts[idx] =
			(struct rpt_page_thread_facts){ comm, 0 };
	names->thread_facts[idx].sample_nr += sample_nr;
	if (comm) /* the last name is the one it is known by */
		names->thread_facts[idx].comm = comm;
	return idx;
}

uint32_t rpt_page_names_cpu(struct rpt_page_names *names, uint32_t cpu)
{
	return (uint32_t)rpt_intern(&names->cpus, &cpu, sizeof(cpu));
}

static int compare_texts(const void *a, const void *b, void *ctx)
{
	const struct rpt_intern *texts = ctx;

	return strcmp(rpt_intern_key(texts, *(const uint32_t *)a),
		      rpt_intern_key(texts, *(const uint32_t *)b));
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const struct rpt_page_names *names = ctx;
	const struct rpt_page_function *x =
		rpt_intern_key(&names->functions, *(const uint32_t *)a);
	const struct rpt_page_function *y =
		rpt_intern_key(&names->functions, *(const uint32_t *)b);
	int order = rpt_compare_u64(names->text_ranks[x->name],
				    names->text_ranks[y->name]);

	if (!order)
		order = rpt_compare_u64(names->text_ranks[x->dso],
					names->text_ranks[y->dso]);
	return order ? order : rpt_compare_u64(x->kind, y->kind);
}

static int compare_threads(const void *a, const void *b, void *ctx)
{
	const struct rpt_page_names *names = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = rpt_compare_u64(names->thread_facts[y].sample_nr,
				    names->thread_facts[x].sample_nr);

	return order ? order : rpt_compare_u64(x, y);
}

/* Return the numbers 0 .. nr - 1, sorted; the first `fixed` ones stay. */
static uint32_t *sorted(uint32_t nr, uint32_t fixed,
			int (*compare)(const void *, const void *, void *),
			void *ctx)
{
	uint32_t *order = rpt_alloc_zeroed(nr + 1, sizeof(*order));

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	if (nr > fixed)
		qsort_r(order + fixed, nr - fixed, sizeof(*order), compare,
			ctx);
	return order;
}

static uint32_t *ranks_of(const uint32_t *order, uint32_t nr)
{
	uint32_t *ranks = rpt_alloc_zeroed(nr + 1, sizeof(*ranks));

	for (uint32_t i = 0; i < nr; i++)
		ranks[order[i]] = i;
	return ranks;
}

static void make_lanes(struct rpt_page_names *names, uint32_t lane_max)
{
	uint32_t nr = names->threads.nr;
	uint32_t *order = sorted(nr, 0, compare_threads, names);

	names->lane_of = rpt_alloc_zeroed(nr + 1, sizeof(*names->lane_of));
	names->lane_nr = nr < lane_max ? nr : lane_max;
	names->lanes =
		rpt_alloc_zeroed(names->lane_nr + 1, sizeof(*names->lanes));
	for (uint32_t i = 0; i < nr; i++) {
		const struct rpt_page_thread *thread =
			rpt_intern_key(&names->threads, order[i]);
		uint32_t lane = i < lane_max ? i : lane_max - 1;

		names->lane_of[order[i]] = lane;
		names->lanes[lane] =
			i < lane_max ? (struct rpt_page_lane){
				names->thread_facts[order[i]].comm,
				thread->pid, thread->tid }
				     : (struct rpt_page_lane){ NULL, -1, -1 };
	}
	free(order);
}

void rpt_page_names_sort(struct rpt_page_names *names, uint32_t lane_max)
{
	names->text_order = sorted(names->texts.nr, 1, compare_texts,
				   &names->texts);
	names->text_ranks = ranks_of(names->text_order, names->texts.nr);
	names->order =
		sorted(names->functions.nr, 1, compare_functions, names);
	names->ranks = ranks_of(names->order, names->functions.nr);
	make_lanes(names, lane_max);
}
