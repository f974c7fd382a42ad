#include "report/profile/profile_hints.h"

#include "format/file/layout.h"
#include "format/support/message.h"
#include "format/symtab/perf_map_line.h"
#include "report/base/intern.h"
#include "report/profile/stack_roots.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/perf_map.h"

#include <stdlib.h>
#include <string.h>

/* Get the mapping in which the samples of a stack were taken; false if there is
 * none. */
static bool unnamed_samples_map(const struct rpt_profile *profile,
				uint32_t stack_idx, struct rpt_map *ret)
{
	const struct rpt_timeline *timeline = profile->conf.timeline;
	const struct rpt_stack *stack = &profile->stacks[stack_idx];
	const struct rpt_stack_key *key = rpt_profile_key(profile, stack_idx);
	const struct rpt_stack_link *link = NULL;
	struct rpt_task_ref ref;

	if (profile->linked && rpt_stack_key_is_linked(key))
		link = rpt_linked_stacks_at(profile->linked, key->chain[1]);
	if (link && link->part != RPT_LINK_NO_PART) /* the ip is its task's */
		stack = &profile->linked->firsts[link->part];
	rpt_timeline_task(timeline, stack->first_pid, stack->first_tid,
			  stack->first, &ref);
	return rpt_timeline_map(timeline, &ref, key->cpumode, key->ip,
				stack->first, ret);
}

bool rpt_is_for_jit_hint(struct rpt_dso *dso)
{
	const char *name = rpt_dso_recorded_name(dso);
	bool is_perf_map = rpt_is_perf_map(name);
	const struct pd_carried_file *f;

	if (!is_perf_map &&
	    !pd_may_be_jit_file((struct pd_str){ name, strlen(name) }))
		return false;
	f = rpt_dso_carried_file(dso);
	if (!is_perf_map)
		return f && rpt_carried_is_jit_file(f);
	return !f || f->reason == PD_CARRIED_WHOLE ||
	       f->reason == PD_CARRIED_GONE;
}

/* Return true if the file of the mapping could not be named, and the address
 * has no name, for no reason that is reported otherwise. */
static bool is_unnamed(const struct rpt_map *map, uint64_t ip,
		       bool is_unfinished)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(map->dso);
	const struct rpt_symbol *sym;

	if ((!is_unfinished && (!f || f->reason == PD_CARRIED_WHOLE)) ||
	    rpt_is_for_jit_hint(map->dso))
		return false;
	sym = rpt_dso_symbol(map->dso, ip - map->start + map->pgoff);
	return (!sym || sym->is_made_up) && !rpt_dso_problem(map->dso);
}

void rpt_unnamed_samples_count(const struct rpt_profile *profile,
			       bool is_unfinished,
			       struct rpt_unnamed_samples *ret)
{
	struct rpt_symbols *symbols =
		rpt_timeline_symbols(profile->conf.timeline);
	struct rpt_intern files = { .nr = 0 };

	*ret = (struct rpt_unnamed_samples){ .is_unfinished = is_unfinished };
	if (!is_unfinished && !rpt_symbols_lacks_carried(symbols))
		return;
	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		struct rpt_map map;
		int64_t idx;

		ret->all_nr += profile->stacks[i].nr;
		if (!unnamed_samples_map(profile, i, &map) ||
		    !is_unnamed(&map, rpt_profile_key(profile, i)->ip,
				is_unfinished))
			continue;
		ret->nr += profile->stacks[i].nr;
		idx = rpt_intern(&files, &map.dso, sizeof(map.dso));
		if (idx >= 0 && idx < RPT_UNNAMED_SHOWN)
			ret->files[idx] = map.dso;
	}
	ret->file_nr = files.nr;
	rpt_intern_release(&files);
}

/* Fewer stacks say nothing about how programs were built. */
#define STACKS_MIN 50u

/* Some stacks are cut in any recording. */
#define ROOTED_PCT 95.0

#define GO_MIN	   50u
#define GO_PERCENT 5u

#define JIT_MIN	    10u
#define JIT_PERCENT 1u

static double pct_of(uint64_t nr, uint64_t all_nr)
{
	return 100.0 * (double)nr / (double)all_nr;
}

/* Return whether any file is of a kind. */
static bool has_any(const struct rpt_profile *profile,
		    bool (*is_it)(struct rpt_dso *dso))
{
	struct rpt_symbols *symbols =
		rpt_timeline_symbols(profile->conf.timeline);
	struct rpt_dso *dso;

	for (size_t i = 0; (dso = rpt_symbols_dso_at(symbols, i)); i++)
		if (is_it(dso))
			return true;
	return false;
}

static bool is_unnamed_jit(const struct rpt_profile *profile, uint32_t idx)
{
	uint64_t ip = rpt_profile_key(profile, idx)->ip;
	const struct rpt_symbol *sym;
	struct rpt_map map;

	if (!unnamed_samples_map(profile, idx, &map) ||
	    !rpt_is_for_jit_hint(map.dso))
		return false;
	sym = rpt_dso_symbol(map.dso, ip - map.start + map.pgoff);
	return !sym || sym->is_made_up;
}

/* Samples of some kind, of several profiles. */
struct share {
	uint64_t nr, all_nr;
	struct rpt_dso *first; /* that one of them is in */
};

/* Count the samples whose text was moved. */
static void count_moved(const struct rpt_profile *profile, struct share *ret)
{
	bool has_any_moved =
		rpt_timeline_has_moved_text(profile->conf.timeline);
	struct rpt_map map;

	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		ret->all_nr += profile->stacks[i].nr;
		if (!has_any_moved || !unnamed_samples_map(profile, i, &map) ||
		    !map.is_moved)
			continue;
		ret->nr += profile->stacks[i].nr;
		ret->first = ret->first ? ret->first : map.dso;
	}
}

/* Count the samples of Go programs, and those in functions without a frame. */
static void count_go(const struct rpt_profile *profile, struct share *ret)
{
	if (!profile->conf.with_chains || profile->conf.unwind ||
	    !has_any(profile, rpt_dso_is_go))
		return;
	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		const struct rpt_stack_key *key = rpt_profile_key(profile, i);
		uint64_t nr = profile->stacks[i].nr;
		struct rpt_map map;

		if (key->cpumode != PD_CPUMODE_USER || key->is_of_branches ||
		    !unnamed_samples_map(profile, i, &map) ||
		    !rpt_dso_is_go(map.dso))
			continue;
		ret->all_nr += nr;
		if (rpt_dso_is_frameless(map.dso,
					 key->ip - map.start + map.pgoff))
			ret->nr += nr;
	}
}

/* Count the samples in generated code without a name.  It is looked up only if
 * there is any. */
static void count_jit(const struct rpt_profile *profile, struct share *ret)
{
	bool has_any_jit = has_any(profile, rpt_is_for_jit_hint);

	for (uint32_t i = 0; i < profile->keys.nr; i++) {
		const struct rpt_stack_key *key = rpt_profile_key(profile, i);

		ret->all_nr += profile->stacks[i].nr;
		if (has_any_jit && key->cpumode == PD_CPUMODE_USER &&
		    is_unnamed_jit(profile, i))
			ret->nr += profile->stacks[i].nr;
	}
}

static struct share share_of(const struct rpt_profile_list *profiles,
			     void (*count)(const struct rpt_profile *profile,
					   struct share *ret))
{
	struct share share = { 0 };

	for (size_t i = 0; i < profiles->nr; i++)
		count(profiles->at[i], &share);
	return share;
}

/* Say which samples are named by what the program was before it moved. */
static void warn_moved(const struct rpt_profile_list *profiles)
{
	struct share moved = share_of(profiles, count_moved);

	if (moved.first)
		sup_message("%s: %.1f%% of the samples are in memory to which "
			    "the text of %s was moved: named by what had been "
			    "mapped there",
			    profiles->name, pct_of(moved.nr, moved.all_nr),
			    rpt_dso_name(moved.first));
}

/* Say how many functions of Go programs have no frame: what a chain of frame
 * pointers begins with then is not their caller, but the caller of that. */
static void warn_go(const struct rpt_profile_list *profiles)
{
	struct share go = share_of(profiles, count_go);

	if (go.all_nr >= GO_MIN && go.nr > go.all_nr * GO_PERCENT / 100)
		sup_message("%s: %.0f%% of the samples of Go programs lack the "
			    "function's caller, since it has no frame; "
			    "perfpair-record --call-graph dwarf finds it",
			    profiles->name, pct_of(go.nr, go.all_nr));
}

/* Say which samples are in generated code without a name. */
static void warn_jit(const struct rpt_profile_list *profiles)
{
	struct share jit = share_of(profiles, count_jit);

	if (jit.nr >= JIT_MIN && jit.nr > jit.all_nr * JIT_PERCENT / 100)
		sup_message("%s: %.1f%% of the samples are in code that a JIT "
			    "compiler or a packed program made and gave no "
			    "names; these do: node "
			    "--perf-basic-prof, java "
			    "-XX:+UnlockDiagnosticVMOptions "
			    "-XX:+DumpPerfMapAtExit, "
			    "python3 -X perf, DOTNET_PerfMapEnabled=1",
			    profiles->name, pct_of(jit.nr, jit.all_nr));
}

/* Say how many stacks are whole.  Chains that end for want of a frame pointer
 * can be had otherwise. */
static void warn_roots(const struct rpt_profile_list *profiles)
{
	struct rpt_stack_roots roots = { 0 };
	uint64_t left_nr;
	char *text;

	for (size_t i = 0; i < profiles->nr; i++)
		rpt_stack_roots_add(&roots, profiles->at[i], RPT_ALL_EVENTS);
	left_nr = roots.nr - roots.reached_nr;
	if (roots.nr >= STACKS_MIN &&
	    pct_of(roots.reached_nr, roots.nr) < ROOTED_PCT) {
		text = rpt_stack_roots_text(&roots);
		sup_message("%s: %s%s", profiles->name, text,
			    roots.broken_nr > left_nr / 2
				    ? ": the code keeps no frame pointers; "
				      "perfpair-record --call-graph dwarf "
				      "shows who called it"
				    : "");
		free(text);
	}
	rpt_stack_roots_release(&roots);
}

void rpt_profile_hints_warn(const struct rpt_profile_list *profiles,
			    bool has_names)
{
	if (has_names)
		warn_roots(profiles);
	warn_jit(profiles);
	warn_moved(profiles);
	warn_go(profiles);
}
