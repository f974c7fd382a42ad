#include "report/profile/stack_roots.h"

#include "format/records/callchain.h"
#include "report/base/memory.h"
#include "report/profile/user_stack.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/stack_entry.h"
#include "report/timeline/address_cache.h"
#include "report/timeline/guest_ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The function and what its caller left in the frame pointer: a longer chain
 * ends for another reason. */
#define BROKEN_NR 2u

/* Files that are named in a text. */
#define SHOWN_NR 3u

/* The last part of a chain that has addresses in one mode. */
struct part {
	uint32_t start, end; /* words; equal: there is none */
	uint8_t mode;
	bool is_unwound;
};

enum verdict { REACHED, ENDS, NOT_JUDGED };

/* The end of a chain. */
struct end {
	enum verdict verdict;
	struct rpt_dso *dso; /* NULL: no frame of its part is in a map */
	bool is_last;	     /* it is the chain's last address */
};

/* If more chains are different, this many samples are drawn evenly, and stand
 * for all: shares are right to 1 % (2 standard errors of a share of 50 %). */
#define JUDGED_NR 10000u

/* Answers of addresses that many stacks end in. */
#define MEMO_NR 1024u

struct memo {
	uint64_t ip;
	uint32_t space_id;
	uint32_t version;
	uint32_t mode; /* + 1; 0: the entry is empty */
	struct end end;
};

struct counter {
	struct rpt_stack_roots *roots;
	const struct rpt_profile *profile;
	struct memo *memos; /* owned; MEMO_NR */
	bool is_drawn;	    /* one sample of each part is judged */
	uint64_t nr;	    /* samples */
	uint64_t passed_nr; /* ... so far */
	uint64_t idx;	    /* the part */
	uint64_t drawn;	    /* its sample */
};

static struct part last_part(const struct rpt_stack_key *key)
{
	const struct pd_u64s words = {
		.raw = (const uint8_t *)key->chain,
		.nr = key->chain_nr,
	};
	struct pd_callchain it = pd_callchain_start(&words);
	struct part part = { .mode = PD_CPUMODE_USER };
	enum pd_callchain_word word;

	while ((word = pd_callchain_next(&it)) != PD_CALLCHAIN_END) {
		uint32_t at = (uint32_t)it.next_idx - 1;

		if (word == PD_CALLCHAIN_ADDRESS) {
			if (!part.end || part.mode != it.cpumode)
				part.start = at;
			part.mode = it.cpumode;
			part.end = at + 1;
		} else if (it.ip == RPT_CONTEXT_UNWOUND) {
			it.has_no_marks = true;
			it.cpumode = PD_CPUMODE_USER;
			part.is_unwound = true;
		} else {
			return (struct part){ .mode = PD_CPUMODE_HYPERVISOR };
		}
	}
	return part;
}

static enum verdict judge(const struct rpt_location *location, uint64_t ip)
{
	switch (rpt_dso_stack_entry(location->map.dso,
				    ip + location->addr_add)) {
	case RPT_ENTRY_YES:
		return REACHED;
	case RPT_ENTRY_UNKNOWN:
		return NOT_JUDGED;
	default:
		return ENDS;
	}
}

static struct end find_end(const struct counter *c, uint32_t stack_idx,
			   const struct part *part)
{
	const struct rpt_timeline *timeline = c->profile->conf.timeline;
	const struct rpt_stack *stack = &c->profile->stacks[stack_idx];
	const struct rpt_stack_key *key =
		rpt_profile_key(c->profile, stack_idx);
	struct rpt_task_ref ref;
	struct rpt_location_query query = {
		.ref = &ref,
		.when = stack->first,
		.cpumode = part->mode,
		.without_symbol = true,
	};
	struct rpt_location location;

	rpt_timeline_task(timeline, stack->first_pid, stack->first_tid,
			  stack->first, &ref);
	for (uint32_t i = part->end; i > part->start; i--) {
		query.ip = key->chain[i - 1];
		rpt_timeline_locate(timeline, &query, &location);
		if (location.map.dso)
			return (struct end){ judge(&location, query.ip),
					     location.map.dso, i == part->end };
	}
	return (struct end){ .verdict = NOT_JUDGED };
}

/* The chain's last address decides unless it is in no map: then others do, each
 * time anew. */
static struct end end_of(struct counter *c, uint32_t stack_idx,
			 const struct part *part)
{
	const struct rpt_stack_key *key =
		rpt_profile_key(c->profile, stack_idx);
	const struct rpt_stack_context *base = key->base;
	bool is_user = part->mode == PD_CPUMODE_USER;
	struct memo like = {
		.ip = key->chain[part->end - 1],
		.space_id = is_user ? base->space_id : 0,
		.version = is_user ? base->space_version : base->kernel_version,
		.mode = part->mode + 1u,
	};
	struct memo *memo =
		&c->memos[(like.ip ^ like.ip >> 10 ^ like.space_id) % MEMO_NR];

	if (memo->mode == like.mode && memo->ip == like.ip &&
	    memo->space_id == like.space_id && memo->version == like.version)
		return memo->end;
	like.end = find_end(c, stack_idx, part);
	if (like.end.is_last)
		*memo = like;
	return like.end;
}

static void add_end(struct rpt_stack_roots *roots, const struct rpt_dso *dso,
		    uint64_t nr)
{
	char buf[512];
	const char *name = rpt_dso_short_name(dso, buf, sizeof(buf));
	uint32_t known_nr = roots->ends.nr;
	uint32_t idx = (uint32_t)rpt_intern(&roots->ends, name, strlen(name));

	roots->end_nrs = rpt_grow(roots->end_nrs, &roots->end_cap, idx,
				  sizeof(*roots->end_nrs));
	if (idx == known_nr)
		roots->end_nrs[idx] = 0;
	roots->end_nrs[idx] += nr;
}

/* Return where a part of all samples begins; they have JUDGED_NR parts. */
static uint64_t part_start(const struct counter *c, uint64_t idx)
{
	return idx * c->nr / JUDGED_NR;
}

static void draw(struct counter *c)
{
	uint64_t start = part_start(c, c->idx);
	uint64_t len = part_start(c, c->idx + 1) - start;

	c->drawn = start + XXH3_64bits(&c->idx, sizeof(c->idx)) % len;
}

/* Return how many samples the next nr ones stand for: those of the parts whose
 * drawn sample is among them.  It lies elsewhere in each part, since what a
 * program does may recur. */
static uint64_t weight_of(struct counter *c, uint64_t nr)
{
	uint64_t weight = 0;

	if (!c->is_drawn)
		return nr;
	c->passed_nr += nr;
	for (; c->idx < JUDGED_NR && c->drawn < c->passed_nr; draw(c)) {
		weight -= part_start(c, c->idx++);
		weight += part_start(c, c->idx);
	}
	return weight;
}

static void add_stack(struct counter *c, uint32_t stack_idx)
{
	const struct rpt_stack_key *key =
		rpt_profile_key(c->profile, stack_idx);
	const struct pd_event *event =
		&pd_reader_events(c->profile->conf.reader)
			 ->events[key->event_idx];
	uint64_t nr = weight_of(c, c->profile->stacks[stack_idx].nr);
	struct part part;
	bool is_user;
	struct end end;

	if (!nr)
		return;
	part = last_part(key);
	is_user = part.mode == PD_CPUMODE_USER;
	if (part.start == part.end || rpt_is_of_guest(key->cpumode) ||
	    (!is_user && part.mode != PD_CPUMODE_KERNEL))
		return;
	end = end_of(c, stack_idx, &part);
	/* the program's part was not asked for, or is there no more */
	if (end.verdict == ENDS && !is_user)
		return;
	c->roots->nr += end.verdict == NOT_JUDGED ? 0 : nr;
	c->roots->reached_nr += end.verdict == REACHED ? nr : 0;
	if (end.verdict != ENDS)
		return;
	add_end(c->roots, end.dso, nr);
	if (!part.is_unwound && !event->is_unwound && !key->is_of_branches &&
	    (part.end - part.start <= BROKEN_NR || !end.is_last))
		c->roots->broken_nr += nr;
}

static bool is_of(const struct rpt_profile *profile, uint32_t stack_idx,
		  uint32_t event_idx)
{
	return event_idx == RPT_ALL_EVENTS ||
	       rpt_profile_key(profile, stack_idx)->event_idx == event_idx;
}

void rpt_stack_roots_add(struct rpt_stack_roots *roots,
			 const struct rpt_profile *profile, uint32_t event_idx)
{
	struct counter c = { .roots = roots, .profile = profile };
	uint32_t stacks_nr = 0;

	/* branches in front of a chain have no modes */
	if (!profile->conf.with_chains || profile->conf.branches.is_asked ||
	    profile->conf.history.is_asked)
		return;
	for (uint32_t i = 0; i < profile->keys.nr; i++)
		if (is_of(profile, i, event_idx)) {
			c.nr += profile->stacks[i].nr;
			stacks_nr++;
		}
	c.is_drawn = stacks_nr > JUDGED_NR && c.nr > JUDGED_NR;
	if (c.is_drawn)
		draw(&c);
	roots->is_drawn |= c.is_drawn;
	c.memos = rpt_alloc_zeroed(MEMO_NR, sizeof(*c.memos));
	for (uint32_t i = 0; i < profile->keys.nr; i++)
		if (is_of(profile, i, event_idx))
			add_stack(&c, i);
	free(c.memos);
}

void rpt_stack_roots_release(struct rpt_stack_roots *roots)
{
	rpt_intern_release(&roots->ends);
	free(roots->end_nrs);
	*roots = (struct rpt_stack_roots){ 0 };
}

struct named_end {
	const char *name;
	uint64_t nr; /* samples */
};

static int compare_ends(const void *a, const void *b)
{
	const struct named_end *x = a, *y = b;

	return x->nr != y->nr ? (x->nr < y->nr) - (x->nr > y->nr)
			      : strcmp(x->name, y->name);
}

/* Return all ends, those with the most samples first; the caller frees them. */
static struct named_end *sorted_ends(const struct rpt_stack_roots *roots)
{
	uint32_t nr = roots->ends.nr;
	struct named_end *ends =
		rpt_alloc_zeroed(nr + (size_t)1, sizeof(*ends));

	for (uint32_t i = 0; i < nr; i++)
		ends[i] = (struct named_end){ rpt_intern_key(&roots->ends, i),
					      roots->end_nrs[i] };
	qsort(ends, nr, sizeof(*ends), compare_ends);
	return ends;
}

static double pct_of(uint64_t nr, uint64_t all_nr)
{
	return 100.0 * (double)nr / (double)all_nr;
}

char *rpt_stack_roots_text(const struct rpt_stack_roots *roots)
{
	struct named_end *ends;
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!roots->nr)
		return NULL;
	ends = sorted_ends(roots);
	out = open_memstream(&text, &len);
	fprintf(out,
		"%s%" PRIu64 " of %" PRIu64 " stacks (%.1f%%) reach the start "
		"of their program, thread or kernel task",
		roots->is_drawn ? "some " : "", roots->reached_nr, roots->nr,
		pct_of(roots->reached_nr, roots->nr));
	for (uint32_t i = 0; i < roots->ends.nr && i < SHOWN_NR; i++)
		fprintf(out, "%s%s (%.1f%%)", i ? ", " : "; the others end in ",
			ends[i].name, pct_of(ends[i].nr, roots->nr));
	fputs(roots->ends.nr > SHOWN_NR ? ", ..." : "", out);
	fclose(out);
	free(ends);
	return text;
}

void rpt_stack_roots_json(const struct rpt_stack_roots *roots,
			  struct rpt_json *json)
{
	struct named_end *ends = sorted_ends(roots);

	rpt_json_open(json, '{');
	rpt_json_member_u64(json, "samples", roots->nr);
	rpt_json_member_u64(json, "rooted", roots->reached_nr);
	rpt_json_key(json, "ends");
	rpt_json_open(json, '[');
	for (uint32_t i = 0; i < roots->ends.nr; i++) {
		rpt_json_open(json, '{');
		rpt_json_member_str(json, "dso", ends[i].name);
		rpt_json_member_u64(json, "samples", ends[i].nr);
		rpt_json_close(json, '}');
	}
	rpt_json_close(json, ']');
	rpt_json_close(json, '}');
	free(ends);
}
