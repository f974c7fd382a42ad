#include "report/carry/hit_files.h"

#include "report/base/compare.h"
#include "report/base/memory.h"
#include "report/callchain/stack_frames.h"
#include "report/profile/profile_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Files that are open while addresses are looked up. */
struct search {
	struct rpt_profile profile;
	struct rpt_frames frames;
	uint64_t *self_nrs; /* by frame */
	uint32_t self_cap;
};

static struct rpt_unwind *make_unwind(const struct pd_reader *reader)
{
	struct pd_str arch = pd_reader_string(reader, PD_FEATURE_ARCH);

	return pd_event_set_has(pd_reader_events(reader), PD_SAMPLE_STACK_USER)
		       ? rpt_unwind_new(rpt_arch_of(arch.ptr, arch.len))
		       : NULL;
}

static void count_self(struct search *search, uint32_t frame, uint64_t nr)
{
	uint32_t known_nr = search->self_cap;

	if (frame >= known_nr) {
		search->self_cap = frame + frame / 2 + 64;
		search->self_nrs =
			rpt_realloc_array(search->self_nrs, search->self_cap,
					  sizeof(*search->self_nrs));
		memset(search->self_nrs + known_nr, 0,
		       (search->self_cap - known_nr) *
			       sizeof(*search->self_nrs));
	}
	search->self_nrs[frame] += nr;
}

/* Resolve all stacks into search->frames.  Return false if the budget is spent.
 */
static bool resolve(struct search *search)
{
	const struct rpt_stack_frames_conf conf = {
		.chain.max_stack = UINT32_MAX,
	};
	struct rpt_stack_frames at = { .is_cut = false };
	int rc = 0;

	for (uint32_t i = 0; i < search->profile.keys.nr && !rc; i++) {
		rc = rpt_stack_frames_resolve(&at, &search->frames,
					      &search->profile, i, &conf);
		if (!rc)
			count_self(search, at.self,
				   search->profile.stacks[i].nr);
	}
	rpt_stack_frames_release(&at);
	return !rc;
}

static int compare_files(const void *a, const void *b)
{
	const struct rpt_hit_file *x = a, *y = b;

	return rpt_compare_u64(rpt_dso_idx(x->dso), rpt_dso_idx(y->dso));
}

static int compare_hits(const void *a, const void *b)
{
	const struct rpt_hit *x = a, *y = b;

	return rpt_compare_u64(x->addr, y->addr);
}

/* Sort, and merge those of one address. */
void rpt_hit_file_sort(struct rpt_hit_file *f)
{
	uint32_t nr = 0;

	qsort(f->hits, f->hit_nr, sizeof(*f->hits), compare_hits);
	for (uint32_t i = 0; i < f->hit_nr; i++) {
		struct rpt_hit *last = nr ? &f->hits[nr - 1] : NULL;

		if (last && last->addr == f->hits[i].addr) {
			last->self_nr += f->hits[i].self_nr;
			last->is_code &= f->hits[i].is_code;
		} else {
			f->hits[nr++] = f->hits[i];
		}
	}
	f->hit_nr = nr;
	f->code_nr = 0;
	for (uint32_t i = 0; i < nr; i++)
		f->code_nr += f->hits[i].is_code;
}

static void add_hit(struct rpt_hit_file *f, uint64_t addr, uint64_t self_nr)
{
	f->hits = rpt_grow(f->hits, &f->hit_cap, f->hit_nr, sizeof(*f->hits));
	f->hits[f->hit_nr++] = (struct rpt_hit){ addr, self_nr, false };
}

void rpt_hit_file_add_code(struct rpt_hit_file *f, uint64_t addr)
{
	add_hit(f, addr, 0);
	f->hits[f->hit_nr - 1].is_code = true;
}

static void gather(struct rpt_hit_files *hits, const struct search *search)
{
	struct rpt_intern dsos = { .nr = 0 };
	uint32_t cap = 0;

	for (uint32_t i = 0; i < search->frames.nr; i++) {
		const struct rpt_frame *frame = &search->frames.items[i];
		uint32_t known_nr = dsos.nr;
		int64_t idx;

		hits->address_nr++;
		hits->unmapped_nr += !frame->dso;
		if (!frame->dso)
			continue;
		hits->files = rpt_grow(hits->files, &cap, known_nr,
				       sizeof(*hits->files));
		idx = rpt_intern(&dsos, &frame->dso, sizeof(frame->dso));
		if (idx < 0)
			continue;
		if (idx == known_nr)
			hits->files[idx] = (struct rpt_hit_file){
				.dso = frame->dso,
				.carried_idx = UINT32_MAX,
			};
		add_hit(&hits->files[idx], frame->addr,
			i < search->self_cap ? search->self_nrs[i] : 0);
	}
	hits->nr = dsos.nr;
	rpt_intern_release(&dsos);
	for (uint32_t i = 0; i < hits->nr; i++)
		rpt_hit_file_sort(&hits->files[i]);
	if (hits->nr)
		qsort(hits->files, hits->nr, sizeof(*hits->files),
		      compare_files);
}

int rpt_hit_files_find(struct rpt_hit_files *hits, struct pd_reader *reader,
		       const struct rpt_timeline *timeline,
		       struct rpt_file_chunks *chunks, struct pd_err *err)
{
	const struct rpt_frames_conf frames_conf = { .inlines = false };
	struct rpt_unwind *unwind = make_unwind(reader);
	const struct rpt_profile_conf conf = {
		.reader = reader,
		.timeline = timeline,
		.unwind = unwind,
		.with_chains = true,
	};
	struct search search = { .self_cap = 0 };
	int rc;

	memset(hits, 0, sizeof(*hits));
	rpt_profile_init(&search.profile, &conf);
	rpt_frames_init(&search.frames, timeline, &frames_conf);
	rc = rpt_profile_threads_count(&search.profile, chunks, NULL, NULL,
				       err);
	if (!rc) {
		hits->is_cut = !resolve(&search) || search.profile.is_left_out;
		hits->sample_nr = rpt_profile_sample_nr(&search.profile);
		hits->has_leaf = search.profile.samples.has_leaf;
		gather(hits, &search);
	}
	free(search.self_nrs);
	rpt_frames_release(&search.frames);
	rpt_profile_release(&search.profile);
	rpt_unwind_free(unwind);
	return rc;
}

void rpt_hit_files_release(struct rpt_hit_files *hits)
{
	for (uint32_t i = 0; i < hits->nr; i++)
		free(hits->files[i].hits);
	free(hits->files);
	memset(hits, 0, sizeof(*hits));
}
