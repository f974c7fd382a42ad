#include "report/page/page_names.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/elf/function_stem.h"
#include "report/events/sample_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rpt_page_thread_facts {
	const char *comm;
	const char *process; /* NULL: not known */
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

void rpt_page_order_release(struct rpt_page_order *order)
{
	free(order->items);
	free(order->ranks);
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
	free(names->is_used);
	rpt_page_order_release(&names->text_order);
	rpt_page_order_release(&names->order);
	*names = (struct rpt_page_names){ 0 };
}

static enum rpt_page_kind kind_of(const struct rpt_frame *frame,
				  const char *dso)
{
	if (frame->inline_name)
		return RPT_PAGE_INLINED;
	if (rpt_frame_is_nameless(frame))
		return RPT_PAGE_NAMELESS;
	if (frame->level == 'k')
		return RPT_PAGE_KERNEL;
	if (frame->level != '.')
		return RPT_PAGE_GUEST;
	return dso && rpt_diff_is_jit(dso) ? RPT_PAGE_JIT : RPT_PAGE_USER;
}

#define NAME_LEN 4096

/* Return the function's number by its names without what differs from build to
 * build (function_stem.h). */
static uint32_t stem_function(struct rpt_page_names *names, const char *name,
			      const char *dso, enum rpt_page_kind kind)
{
	char name_buf[NAME_LEN], jit_buf[NAME_LEN], dso_buf[NAME_LEN];

	if (kind == RPT_PAGE_NAMELESS)
		name = dso ? rpt_diff_dso(dso, RPT_NAME_STEM, name_buf,
					  sizeof(name_buf))
			   : name;
	else
		name = rpt_diff_symbol(name, RPT_NAME_STEM, name_buf,
				       sizeof(name_buf));
	if (kind == RPT_PAGE_JIT) {
		name = rpt_diff_jit_symbol(name, jit_buf, sizeof(jit_buf));
		dso = RPT_DIFF_JIT;
	}
	if (dso)
		dso = rpt_diff_dso(dso, RPT_NAME_STEM, dso_buf,
				   sizeof(dso_buf));
	return function(names, name, dso ? text(names, dso) : 0, kind);
}

void rpt_page_names_new_frames(struct rpt_page_names *names)
{
	free(names->of_frame);
	names->of_frame = NULL;
	names->of_frame_cap = 0;
}

uint32_t rpt_page_names_of(struct rpt_page_names *names, const char *name,
			   const char *dso, enum rpt_page_kind kind)
{
	if (names->are_stems)
		return stem_function(names, name, dso, kind);
	return function(names, name, dso ? text(names, dso) : 0, kind);
}

static uint32_t new_of_frame(struct rpt_page_names *names,
			     const struct rpt_frames *frames,
			     const struct rpt_frame *frame)
{
	const char *dso = frame->dso ? rpt_intern_key(&frames->dso_names,
						      frame->dso_place)
				     : NULL;
	const char *name = dso ? dso : "[unknown]";
	char addr[sizeof("0x") + 16];

	if (frame->inline_name) {
		name = frame->inline_name;
	} else if (!rpt_frame_is_nameless(frame)) {
		name = frame->sym->name;
	} else if (frames->key == RPT_FRAME_ADDRESS) {
		snprintf(addr, sizeof(addr), "0x%" PRIx64, frame->addr);
		name = addr;
	}
	return rpt_page_names_of(names, name, dso, kind_of(frame, dso));
}

uint32_t rpt_page_names_of_frame(struct rpt_page_names *names,
				 const struct rpt_frames *frames,
				 uint32_t frame)
{
	uint32_t had = names->of_frame_cap;

	/* the first frame of a further recording has a high number */
	while (frame >= names->of_frame_cap)
		names->of_frame =
			rpt_grow(names->of_frame, &names->of_frame_cap,
				 names->of_frame_cap, sizeof(*names->of_frame));
	if (names->of_frame_cap > had)
		memset(names->of_frame + had, 0,
		       (names->of_frame_cap - had) * sizeof(*names->of_frame));
	if (!names->of_frame[frame])
		names->of_frame[frame] =
			new_of_frame(names, frames, &frames->items[frame]) + 1;
	return names->of_frame[frame] - 1;
}

uint32_t rpt_page_names_of_symbol(struct rpt_page_names *names,
				  const struct rpt_frames *frames,
				  const struct rpt_frame *frame)
{
	struct rpt_frame plain = *frame;

	plain.inline_name = NULL;
	return new_of_frame(names, frames, &plain);
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
	uint32_t idx =
		(uint32_t)rpt_intern(&names->threads, thread, sizeof(*thread));

	names->thread_facts = rpt_grow(names->thread_facts, &names->thread_cap,
				       known_nr, sizeof(*names->thread_facts));
	if (idx == known_nr)
		names->thread_facts[idx] =
			(struct rpt_page_thread_facts){ .comm = comm };
	names->thread_facts[idx].sample_nr += sample_nr;
	if (comm) /* the last name is the one it is known by */
		names->thread_facts[idx].comm = comm;
	return idx;
}

void rpt_page_names_set_process(struct rpt_page_names *names, uint32_t thread,
				const char *comm)
{
	names->thread_facts[thread].process = comm;
}

uint32_t rpt_page_names_cpu(struct rpt_page_names *names, uint32_t cpu)
{
	if (cpu == RPT_NO_KEY)
		cpu = UINT32_MAX;
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
	int order = rpt_compare_u64(names->text_order.ranks[x->name],
				    names->text_order.ranks[y->name]);

	if (!order)
		order = rpt_compare_u64(names->text_order.ranks[x->dso],
					names->text_order.ranks[y->dso]);
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

/* Fill order with the used ones of nr numbers, sorted; 0 stays the first. */
static void make_order(struct rpt_page_order *order, uint32_t nr,
		       const bool *is_used,
		       int (*compare)(const void *, const void *, void *),
		       void *ctx)
{
	rpt_page_order_release(order);
	order->items = rpt_alloc_zeroed(nr + (size_t)1, sizeof(uint32_t));
	order->ranks = rpt_alloc_zeroed(nr + (size_t)1, sizeof(uint32_t));
	order->nr = 1;
	for (uint32_t i = 1; i < nr; i++)
		if (is_used[i])
			order->items[order->nr++] = i;
	qsort_r(order->items + 1, order->nr - 1, sizeof(uint32_t), compare,
		ctx);
	for (uint32_t i = 0; i < order->nr; i++)
		order->ranks[order->items[i]] = i;
}

void rpt_page_order_texts(struct rpt_page_order *order,
			  const struct rpt_intern *texts, const bool *is_used)
{
	make_order(order, texts->nr, is_used, compare_texts,
		   (void *)(uintptr_t)texts);
}

void rpt_page_names_make_lanes(struct rpt_page_names *names, uint32_t lane_max)
{
	uint32_t nr = names->threads.nr;
	uint32_t *order = rpt_alloc_zeroed(nr + (size_t)1, sizeof(*order));

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	if (names->are_stems)
		lane_max = nr ? nr : 1;
	else
		qsort_r(order, nr, sizeof(*order), compare_threads, names);
	names->lane_of =
		rpt_alloc_zeroed(nr + (size_t)1, sizeof(*names->lane_of));
	names->lane_nr = nr < lane_max ? nr : lane_max;
	names->lanes = rpt_alloc_zeroed(names->lane_nr + (size_t)1,
					sizeof(*names->lanes));
	for (uint32_t i = 0; i < nr; i++) {
		const struct rpt_page_thread *thread =
			rpt_intern_key(&names->threads, order[i]);
		bool is_shared = nr > lane_max && i >= lane_max - 1;
		uint32_t lane = is_shared ? lane_max - 1 : i;

		names->lane_of[order[i]] = lane;
		names->lanes[lane] = (struct rpt_page_lane){
			is_shared ? NULL : names->thread_facts[order[i]].comm,
			is_shared ? NULL
				  : names->thread_facts[order[i]].process,
			is_shared ? -1 : (int32_t)thread->pid,
			is_shared ? -1 : (int32_t)thread->tid,
		};
	}
	free(order);
}

void rpt_page_names_use_none(struct rpt_page_names *names)
{
	free(names->is_used);
	names->is_used =
		rpt_alloc_zeroed(names->functions.nr, sizeof(*names->is_used));
}

void rpt_page_names_use(struct rpt_page_names *names, uint32_t function)
{
	names->is_used[function] = true;
}

void rpt_page_names_sort(struct rpt_page_names *names)
{
	bool *has_text = rpt_alloc_zeroed(names->texts.nr, sizeof(*has_text));

	for (uint32_t i = 0; i < names->functions.nr; i++) {
		const struct rpt_page_function *f =
			rpt_intern_key(&names->functions, i);

		has_text[f->name] |= names->is_used[i];
		has_text[f->dso] |= names->is_used[i];
	}
	rpt_page_order_texts(&names->text_order, &names->texts, has_text);
	make_order(&names->order, names->functions.nr, names->is_used,
		   compare_functions, names);
	free(has_text);
}
