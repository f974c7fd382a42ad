#include "report/commands/why_sums.h"

#include "report/base/memory.h"
#include "report/symbols/dso_class.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_WORDS = 8 };

/* A stack: what the task did, whom it waited for, what that did. */
struct told {
	uint32_t place;	 /* its own function */
	uint32_t callee; /* of that; 0: none */
	uint32_t waker;	 /* the last: "[woken by NAME]"; 0: none */
	uint32_t root_place;
	uint32_t root_word; /* 0: it was on a CPU */
	bool is_idle;
};

static void add(struct rpt_why *w, const uint32_t *words, uint32_t nr,
		const struct rpt_stack *stack)
{
	uint32_t key[KEY_WORDS] = { 0 };
	uint32_t known_nr = w->keys.nr;
	int64_t idx;

	memcpy(key, words, nr * sizeof(*key));
	idx = rpt_intern(&w->keys, key, sizeof(key));
	w->sums = rpt_grow(w->sums, &w->sum_cap, known_nr, sizeof(*w->sums));
	if (idx == known_nr)
		w->sums[idx] = (struct rpt_why_sum){ 0 };
	w->sums[idx].ns += stack->period;
	w->sums[idx].nr += stack->nr;
}

#define ADD(w, stack, ...)                                                \
	add((w), (const uint32_t[]){ __VA_ARGS__ },                       \
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
	    (stack))

const uint32_t *rpt_why_most(const struct rpt_why *w, const uint32_t *words,
			     uint32_t nr, struct rpt_why_sum *ret)
{
	const uint32_t *found = NULL;

	*ret = (struct rpt_why_sum){ 0 };
	for (uint32_t i = 0; i < w->keys.nr; i++) {
		const uint32_t *key = rpt_intern_key(&w->keys, i);

		if (memcmp(key, words, nr * sizeof(*key)) != 0 ||
		    w->sums[i].ns <= ret->ns)
			continue;
		*ret = w->sums[i];
		found = key;
	}
	return found;
}

uint64_t rpt_why_state_ns(const struct rpt_why *w, uint32_t state)
{
	struct rpt_why_sum sum;

	RPT_WHY_MOST(w, &sum, RPT_WHY_STATE, state);
	return sum.ns;
}

/* Return the number of the function of a frame, as rows by symbol have it. */
static uint32_t function_of(struct rpt_why *w, uint32_t frame_idx)
{
	const struct rpt_frame *frame = &w->frames->items[frame_idx];
	const uint64_t key[2] = { frame->sym ? frame->place : UINT64_MAX,
				  frame->sym ? 0 : frame->ip };
	uint32_t known_nr = w->functions.nr;
	uint32_t idx = rpt_frames_number(&w->functions, key, sizeof(key)) + 1;

	w->items = rpt_grow(w->items, &w->item_cap, known_nr + 1,
			    sizeof(*w->items));
	if (idx > known_nr)
		w->items[idx] = (struct function){ .frame = frame_idx };
	return idx;
}

static const char *text_of(const struct rpt_frame *frame)
{
	const char *name = rpt_frame_symbol(frame);

	return name ? name : "";
}

static bool is_word(const struct rpt_frame *frame)
{
	return !frame->dso && frame->sym && *text_of(frame) == '[';
}

/* Return whether one of the names, of which the last is NULL, begins a text. */
static bool is_one_of(const char *text, const char *const *starts)
{
	while (*starts && !rpt_why_begins(text, *starts))
		starts++;
	return *starts;
}

/* Return whether a frame is of a program's own code, not of the C library's. */
static bool is_own(const struct rpt_frame *frame)
{
	static const char *const libraries[] = {
		"libc.",     "libc-",	 "libpthread", "ld-",	"librt",
		"libstdc++", "libgcc_s", "ld64",       "[vdso", NULL,
	};
	char buf[512];

	return frame->level == '.' && frame->dso && rpt_frame_has_name(frame) &&
	       strcmp(text_of(frame), "_start") != 0 &&
	       !is_one_of(rpt_dso_short_name(frame->dso, buf, sizeof(buf)),
			  libraries);
}

/* Return the innermost frame of the program's own code, else of a program, else
 * of all: frames [from, to), callers first. */
static uint32_t own_frame(const struct rpt_why *w, const uint32_t *frames,
			  uint32_t from, uint32_t to)
{
	uint32_t user = to;

	for (uint32_t i = to; i-- > from;) {
		const struct rpt_frame *frame = &w->frames->items[frames[i]];

		if (is_own(frame))
			return i;
		if (user == to && frame->level == '.' &&
		    rpt_frame_has_name(frame))
			user = i;
	}
	return user < to ? user : to - (to > from);
}

/* Functions of Linux in which a task waits until somebody asks for something.
 */
static bool is_idle_function(const struct rpt_frame *frame)
{
	static const char *const names[] = {
		"ep_poll",	   "do_epoll_wait", "do_poll",
		"do_sys_poll",	   "do_select",	    "inet_csk_accept",
		"do_sigtimedwait", "unix_accept",   "n_tty_read",
		"sys_pause",	   "sigsuspend",    NULL,
	};

	return frame->level == 'k' && is_one_of(text_of(frame), names);
}

static void read_stack(struct rpt_why *w, const uint32_t *frames, uint32_t nr,
		       struct told *ret)
{
	uint32_t first_end = nr, start = 0, end = nr, own;

	*ret = (struct told){ 0 };
	for (uint32_t i = nr; i-- > 0;) {
		const struct rpt_frame *frame = &w->frames->items[frames[i]];

		if (!is_word(frame))
			continue;
		first_end = i;
		if (i == nr - 1 &&
		    !rpt_why_begins(text_of(frame), "[woken by ")) {
			ret->root_word = function_of(w, frames[i]);
			end = i;
		} else if (!ret->waker) {
			ret->waker = function_of(w, frames[i]);
			start = i + 1;
		}
	}
	for (uint32_t i = 0; i < first_end && !ret->waker; i++)
		ret->is_idle |= is_idle_function(&w->frames->items[frames[i]]);
	own = own_frame(w, frames, 0, first_end);
	if (own < first_end)
		ret->place = function_of(w, frames[own]);
	if (own + 1 < first_end &&
	    w->frames->items[frames[own + 1]].level == '.')
		ret->callee = function_of(w, frames[own + 1]);
	own = own_frame(w, frames, start, end);
	if (own < end)
		ret->root_place = function_of(w, frames[own]);
}

const char *rpt_why_name(const struct rpt_why *w, uint32_t function)
{
	return function ? text_of(&w->frames->items[w->items[function].frame])
			: "";
}

static uint32_t state_of(const struct rpt_why *w,
			 const struct rpt_stack_key *key)
{
	const struct rpt_sort_keys *keys = &w->report->rows_conf.keys;

	for (uint32_t i = 0; i < keys->value_nr && i < key->value_nr; i++)
		if (keys->values[i] == RPT_VALUE_WAIT_STATE)
			return (uint32_t)rpt_stack_key_values(key)[i] %
			       RPT_WAIT_STATES_NR;
	return RPT_WAIT_OTHER;
}

/* Return the number of the name of a stack's task. */
static uint32_t task_of(struct rpt_why *w, const struct rpt_stack_key *key)
{
	const char *comm = (const char *)(uintptr_t)key->base->comm;

	comm = comm ? comm : "";
	return rpt_frames_number(&w->tasks, comm, strlen(comm));
}

/* Add a stack to the sums of each of its functions, once. */
static void add_within(struct rpt_why *w, uint32_t state, uint32_t frame_idx,
		       uint32_t stack_idx)
{
	uint32_t function = function_of(w, frame_idx);
	const struct rpt_stack *stack = &w->report->profile.stacks[stack_idx];

	if (w->items[function].last_stack == stack_idx + 1)
		return;
	w->items[function].last_stack = stack_idx + 1;
	ADD(w, stack, RPT_WHY_WITHIN, state, function);
	ADD(w, stack, RPT_WHY_WITHIN, RPT_WHY_ANY_STATE, function);
}

static int add_stack(struct rpt_why *w, uint32_t idx)
{
	static const char *const unmoved[] = {
		"[waits for a CPU", "[waker not", "[goes on",
		"[not followed",    "[on a CPU",  NULL
	};
	const struct rpt_profile *profile = &w->report->profile;
	const struct rpt_stack_frames_conf conf = {
		.chain = { .is_caller_first = true,
			   .max_stack = w->report->rows_conf.max_stack },
	};
	const struct rpt_stack *stack = &profile->stacks[idx];
	uint32_t state = state_of(w, rpt_profile_key(profile, idx));
	const uint32_t *frames;
	struct told told;
	uint32_t nr, self, task;
	int rc = rpt_stack_frames_resolve(&w->at, w->frames, profile, idx,
					  &conf);

	if (rc)
		return rc;
	frames = w->at.chain.nr ? w->at.chain.frames : &w->at.self;
	nr = w->at.chain.nr ? w->at.chain.nr : 1;
	read_stack(w, frames, nr, &told);
	self = function_of(w, w->at.self);
	task = task_of(w, rpt_profile_key(profile, idx));
	for (uint32_t i = 0; i < nr; i++)
		add_within(w, state, frames[i], idx);
	add_within(w, state, w->at.self, idx);
	w->all_ns += stack->period;
	w->run_ns +=
		idx < profile->seconds.nr ? profile->seconds.items[idx] : 0;
	ADD(w, stack, RPT_WHY_STATE, state);
	ADD(w, stack, RPT_WHY_SELF, state, self);
	ADD(w, stack, RPT_WHY_PLACE, state, told.place);
	ADD(w, stack, RPT_WHY_LEAF, state, told.place, self);
	ADD(w, stack, RPT_WHY_WAIT, state, told.place, task, told.callee,
	    told.waker, told.root_place, told.root_word);
	ADD(w, stack, RPT_WHY_WORD, told.root_word);
	if (told.is_idle)
		ADD(w, stack, RPT_WHY_IDLE, state, told.place);
	else if (!is_one_of(rpt_why_name(w, told.root_word), unmoved))
		ADD(w, stack, RPT_WHY_ROOT, told.root_place, task, told.waker);
	return 0;
}

/* Sentences: made in memory, then broken into lines. */

uint64_t rpt_why_sum_states(const struct rpt_why *w, const uint32_t *states,
			    size_t nr, uint32_t *ret_most)
{
	uint64_t ns = 0;

	*ret_most = states[0];
	for (size_t i = 0; i < nr; i++) {
		ns += rpt_why_state_ns(w, states[i]);
		if (rpt_why_state_ns(w, states[i]) >
		    rpt_why_state_ns(w, *ret_most))
			*ret_most = states[i];
	}
	return ns;
}

const uint32_t *rpt_why_most_place(const struct rpt_why *w,
				   const uint32_t *states, size_t nr,
				   struct rpt_why_sum *ret)
{
	const uint32_t *found = NULL;

	*ret = (struct rpt_why_sum){ 0 };
	for (uint32_t i = 0; i < w->keys.nr; i++) {
		const uint32_t *key = rpt_intern_key(&w->keys, i);

		for (size_t s = 0; key[0] == RPT_WHY_PLACE && s < nr; s++) {
			if (key[1] != states[s] || !key[2] ||
			    w->sums[i].ns <= ret->ns)
				continue;
			*ret = w->sums[i];
			found = key;
		}
	}
	return found;
}

uint64_t rpt_why_word_ns(const struct rpt_why *w, const char *start)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < w->keys.nr; i++) {
		const uint32_t *key = rpt_intern_key(&w->keys, i);

		if (key[0] == RPT_WHY_WORD &&
		    rpt_why_begins(rpt_why_name(w, key[1]), start))
			ns += w->sums[i].ns;
	}
	return ns;
}

int rpt_why_add_stacks(struct rpt_why *w)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->report->profile.keys.nr && !rc; i++)
		rc = add_stack(w, i);
	return rc;
}

void rpt_why_release(struct rpt_why *w)
{
	rpt_stack_frames_release(&w->at);
	rpt_intern_release(&w->functions);
	rpt_intern_release(&w->tasks);
	rpt_intern_release(&w->keys);
	free(w->items);
	free(w->sums);
	free(w->choice);
}
