#include "report/commands/why.h"

#include "report/base/memory.h"
#include "report/callchain/stack_frames.h"
#include "report/cli/recording_input.h"
#include "report/report/report.h"
#include "report/report/report_warnings.h"
#include "report/symbols/dso_class.h"

#include "format/support/safe_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The things that sums are of: the first word of a key.  The others are numbers
 * of functions (0: none), but for the state and the task's name. */
enum sum_of {
	OF_STATE,  /* state */
	OF_WITHIN, /* state, function: with all that it calls and waits for */
	OF_SELF,   /* state, innermost function or word */
	OF_PLACE,  /* state, innermost own function */
	OF_LEAF,   /* state, innermost own function, innermost function */
	OF_WAIT,   /* state, own function, task, callee, waker, root's own
		    * function, root's word */
	OF_IDLE,   /* state, own function: nothing was asked of it */
	OF_ROOT,   /* root's own function, task, waker */
	OF_WORD,   /* root's word */
};

/* Stands for the sum of all states. */
#define ANY_STATE RPT_WAIT_STATES_NR

enum { KEY_WORDS = 8 };

struct sum {
	uint64_t ns;
	uint64_t nr; /* of parts */
};

struct why {
	struct rpt_report *report;
	struct rpt_frames *frames;
	struct rpt_stack_frames at;  /* of the stack that is added */
	struct rpt_intern functions; /* rows: place, or address */
	struct function {
		uint32_t frame;
		uint32_t last_stack; /* + 1, that counted for it */
	} * items;		     /* owned; by number of the function */
	uint32_t item_cap;
	struct rpt_intern tasks; /* names */
	struct rpt_intern keys;
	struct sum *sums; /* owned; by number of the key */
	uint32_t sum_cap;
	uint64_t all_ns;
	uint64_t run_ns;     /* on CPUs, of all threads */
	const char *process; /* its name; NULL: several, or none */
	char *choice;	     /* options that choose the same; owned */
};

/* A stack: what the task did, whom it waited for, what that did. */
struct told {
	uint32_t place;	 /* its own function */
	uint32_t callee; /* of that; 0: none */
	uint32_t waker;	 /* the last: "[woken by NAME]"; 0: none */
	uint32_t root_place;
	uint32_t root_word; /* 0: it was on a CPU */
	bool is_idle;
};

static void add(struct why *w, const uint32_t *words, uint32_t nr,
		const struct rpt_stack *stack)
{
	uint32_t key[KEY_WORDS] = { 0 };
	uint32_t known_nr = w->keys.nr;
	int64_t idx;

	memcpy(key, words, nr * sizeof(*key));
	idx = rpt_intern(&w->keys, key, sizeof(key));
	w->sums = rpt_grow(w->sums, &w->sum_cap, known_nr, sizeof(*w->sums));
	if (idx == known_nr)
		w->sums[idx] = (struct sum){ 0 };
	w->sums[idx].ns += stack->period;
	w->sums[idx].nr += stack->nr;
}

#define ADD(w, stack, ...)                                                \
	add((w), (const uint32_t[]){ __VA_ARGS__ },                       \
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
	    (stack))

/* Return the key with the most time of those that begin with these words; NULL:
 * there is none.  *ret gets its sum. */
static const uint32_t *most(const struct why *w, const uint32_t *words,
			    uint32_t nr, struct sum *ret)
{
	const uint32_t *found = NULL;

	*ret = (struct sum){ 0 };
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

#define MOST(w, ret, ...)                                                  \
	most((w), (const uint32_t[]){ __VA_ARGS__ },                       \
	     sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
	     (ret))

static uint64_t state_ns(const struct why *w, uint32_t state)
{
	struct sum sum;

	MOST(w, &sum, OF_STATE, state);
	return sum.ns;
}

/* Return the number of the function of a frame, as rows by symbol have it. */
static uint32_t function_of(struct why *w, uint32_t frame_idx)
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

static bool begins(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Return whether one of the names, of which the last is NULL, begins a text. */
static bool is_one_of(const char *text, const char *const *starts)
{
	while (*starts && !begins(text, *starts))
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
static uint32_t own_frame(const struct why *w, const uint32_t *frames,
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

static void read_stack(struct why *w, const uint32_t *frames, uint32_t nr,
		       struct told *ret)
{
	uint32_t first_end = nr, start = 0, end = nr, own;

	*ret = (struct told){ 0 };
	for (uint32_t i = nr; i-- > 0;) {
		const struct rpt_frame *frame = &w->frames->items[frames[i]];

		if (!is_word(frame))
			continue;
		first_end = i;
		if (i == nr - 1 && !begins(text_of(frame), "[woken by ")) {
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

static const char *name_of(const struct why *w, uint32_t function)
{
	return function ? text_of(&w->frames->items[w->items[function].frame])
			: "";
}

static uint32_t state_of(const struct why *w, const struct rpt_stack_key *key)
{
	const struct rpt_sort_keys *keys = &w->report->rows_conf.keys;

	for (uint32_t i = 0; i < keys->value_nr && i < key->value_nr; i++)
		if (keys->values[i] == RPT_VALUE_WAIT_STATE)
			return (uint32_t)rpt_stack_key_values(key)[i] %
			       RPT_WAIT_STATES_NR;
	return RPT_WAIT_OTHER;
}

/* Return the number of the name of a stack's task. */
static uint32_t task_of(struct why *w, const struct rpt_stack_key *key)
{
	const char *comm = (const char *)(uintptr_t)key->base->comm;

	comm = comm ? comm : "";
	return rpt_frames_number(&w->tasks, comm, strlen(comm));
}

/* Add a stack to the sums of each of its functions, once. */
static void add_within(struct why *w, uint32_t state, uint32_t frame_idx,
		       uint32_t stack_idx)
{
	uint32_t function = function_of(w, frame_idx);
	const struct rpt_stack *stack = &w->report->profile.stacks[stack_idx];

	if (w->items[function].last_stack == stack_idx + 1)
		return;
	w->items[function].last_stack = stack_idx + 1;
	ADD(w, stack, OF_WITHIN, state, function);
	ADD(w, stack, OF_WITHIN, ANY_STATE, function);
}

static int add_stack(struct why *w, uint32_t idx)
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
	ADD(w, stack, OF_STATE, state);
	ADD(w, stack, OF_SELF, state, self);
	ADD(w, stack, OF_PLACE, state, told.place);
	ADD(w, stack, OF_LEAF, state, told.place, self);
	ADD(w, stack, OF_WAIT, state, told.place, task, told.callee, told.waker,
	    told.root_place, told.root_word);
	ADD(w, stack, OF_WORD, told.root_word);
	if (told.is_idle)
		ADD(w, stack, OF_IDLE, state, told.place);
	else if (!is_one_of(name_of(w, told.root_word), unmoved))
		ADD(w, stack, OF_ROOT, told.root_place, task, told.waker);
	return 0;
}

/* Sentences: made in memory, then broken into lines. */

static double pct(const struct why *w, uint64_t ns)
{
	return 100.0 * (double)ns / (double)w->all_ns;
}

#define NAME_LEN 44

/* Put a name, shortened: without parameters and versions. */
static void put_name(FILE *out, const char *name)
{
	size_t len = strcspn(name, "@");
	const char *params = strchr(name, '(');

	if (params > name && params[1] != ')' && params[1] != 'a' &&
	    (size_t)(params - name) < len)
		len = (size_t)(params - name);
	sup_put_safe(out,
		     (struct pd_str){ name, len < NAME_LEN ? len : NAME_LEN });
	if (len > NAME_LEN)
		fputs("...", out);
	else if (!len)
		fputs("[unknown]", out);
}

static void put_function(FILE *out, const struct why *w, uint32_t function)
{
	put_name(out, name_of(w, function));
}

/* Put " of NAME" if a task is named otherwise than its process. */
static void put_task(FILE *out, const struct why *w, uint32_t task)
{
	const char *name = rpt_intern_key(&w->tasks, task);

	if (!*name || (w->process && !strcmp(name, w->process)))
		return;
	fputs(" of ", out);
	sup_put_safe_text(out, name);
}

/* Put the name in a word, "[woken by NAME]", behind that start. */
static void put_inner(FILE *out, const struct why *w, uint32_t word,
		      const char *start)
{
	const char *name = name_of(w, word);
	size_t len = strlen(name), from = strlen(start);

	if (len > from + 1)
		sup_put_safe(out,
			     (struct pd_str){ name + from, len - from - 1 });
}

/* Print a text as lines of 80 columns: the first begins with a number. */
static void print_lines(FILE *out, unsigned number, char *text)
{
	size_t column = 3;
	char *save = NULL;

	fprintf(out, "\n%u. ", number);
	for (char *word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		size_t len = strlen(word);

		if (column > 3 && column + 1 + len > 80) {
			fputs("\n   ", out);
			column = 3;
		}
		column += (size_t)fprintf(out, "%s%s", column > 3 ? " " : "",
					  word);
	}
	fputc('\n', out);
}

/* Print the command that prints the numbers. */
static void print_command(FILE *out, const struct why *w, const char *words)
{
	fprintf(out, "     perfpair report --latency --waits%s -g none %s\n",
		w->choice, words);
}

static const uint32_t blocked_states[] = {
	RPT_WAIT_SLEEPING, RPT_WAIT_DISK, RPT_WAIT_STOPPED, RPT_WAIT_TRACED,
	RPT_WAIT_PARKED,   RPT_WAIT_IDLE, RPT_WAIT_BLOCKED, RPT_WAIT_OTHER,
};
static const uint32_t ready_states[] = { RPT_WAIT_WOKEN, RPT_WAIT_RUNNABLE,
					 RPT_WAIT_PREEMPTED };

#define NR(list) (sizeof(list) / sizeof((list)[0]))

/* Return the sum of some states; *ret_most is that with the most. */
static uint64_t sum_states(const struct why *w, const uint32_t *states,
			   size_t nr, uint32_t *ret_most)
{
	uint64_t ns = 0;

	*ret_most = states[0];
	for (size_t i = 0; i < nr; i++) {
		ns += state_ns(w, states[i]);
		if (state_ns(w, states[i]) > state_ns(w, *ret_most))
			*ret_most = states[i];
	}
	return ns;
}

/* Put the sum, and if there are several their parts: less than what is printed
 * counts for nothing. */
static void put_states(FILE *out, const struct why *w, const uint32_t *states,
		       size_t nr)
{
	const char *before = " (";
	uint32_t first;
	uint64_t sum_ns = sum_states(w, states, nr, &first);

	if (pct(w, sum_ns - state_ns(w, first)) < .005) {
		fprintf(out, "%.2f%% of the time", pct(w, state_ns(w, first)));
		return;
	}
	fprintf(out, "%.2f%% of the time", pct(w, sum_ns));
	for (size_t i = 0; i < nr; i++) {
		uint64_t ns = state_ns(w, states[i]);

		if (pct(w, ns) < .005)
			continue;
		fprintf(out, "%s%s %.2f%%", before,
			rpt_wait_state_text(states[i]), pct(w, ns));
		before = ", ";
	}
	fputc(')', out);
}

/* Return the function that has the most time of its own in these states, as a
 * key of OF_PLACE; NULL: there is none. */
static const uint32_t *most_place(const struct why *w, const uint32_t *states,
				  size_t nr, struct sum *ret)
{
	const uint32_t *found = NULL;

	*ret = (struct sum){ 0 };
	for (uint32_t i = 0; i < w->keys.nr; i++) {
		const uint32_t *key = rpt_intern_key(&w->keys, i);

		for (size_t s = 0; key[0] == OF_PLACE && s < nr; s++) {
			if (key[1] != states[s] || !key[2] ||
			    w->sums[i].ns <= ret->ns)
				continue;
			*ret = w->sums[i];
			found = key;
		}
	}
	return found;
}

static void put_within(FILE *out, const struct why *w, uint32_t state,
		       uint32_t function)
{
	struct sum sum;

	MOST(w, &sum, OF_WITHIN, state, function);
	fprintf(out, "%.2f%%", pct(w, sum.ns));
}

static const char *say_run(struct why *w, FILE *out)
{
	uint64_t ns = state_ns(w, RPT_WAIT_NONE);
	const uint32_t *place, *leaf;
	struct sum sum;

	place = most_place(w, (const uint32_t[]){ RPT_WAIT_NONE }, 1, &sum);
	if (!ns) {
		fputs("It was on a CPU for 0.00% of the time.", out);
		return NULL;
	}
	fprintf(out, "It was on a CPU for %.2f%% of the time", pct(w, ns));
	if (w->run_ns / 100 > ns / 100 * 105 / 100)
		fprintf(out, ", by %.1f threads at a time",
			(double)w->run_ns / (double)ns);
	if (!place) {
		fputs("; where is not known, since no sample was taken.", out);
		return NULL;
	}
	fputs(": for ", out);
	put_within(out, w, RPT_WAIT_NONE, place[2]);
	fputs(" in ", out);
	put_function(out, w, place[2]);
	leaf = MOST(w, &sum, OF_LEAF, RPT_WAIT_NONE, place[2]);
	if (leaf && leaf[3] != place[2]) {
		fputs(" with what it calls, mostly ", out);
		put_function(out, w, leaf[3]);
	}
	fputc('.', out);
	return "-s state,sym";
}

/* Texts for the root of a wait: of what the waker did, and of the task's own.
 */
static const struct root_text {
	const char *word; /* begins so */
	const char *waker_did;
	const char *own;
} root_texts[] = {
	{ "[timer]", "slept", "asleep until a timer" },
	{ "[disk]", "waited for the disk", "for the disk" },
	{ "[network]", "waited for the network", "for the network" },
	{ "[input]", "waited for input", "for a terminal's input" },
	{ "[waits for a CPU", "waited for a CPU", "for a CPU" },
	{ "[waker not known]", "waited for what is not known",
	  "until somebody who is not known woke it" },
	{ "[goes on at the end]", "waited, as it still does",
	  "as it still is at the end" },
	{ "[interrupt]", "waited for an interrupt", "until an interrupt" },
	{ "[", "was not followed", "what for was not followed" },
	{ "", "ran", "" },
};

#define BEHIND "[waits for a CPU behind "

/* Put what the root of a wait was. */
static void put_root(FILE *out, const struct why *w, uint32_t waker,
		     uint32_t place, uint32_t word)
{
	const char *name = name_of(w, word);
	const struct root_text *text = root_texts;

	while (!begins(name, text->word))
		text++;
	if (!waker) {
		fputs(text->own, out);
		return;
	}
	fputs("until ", out);
	put_inner(out, w, waker, "[woken by ");
	fprintf(out, " woke it, which %s", text->waker_did);
	if (begins(name, BEHIND)) {
		fputs(" behind ", out);
		put_inner(out, w, word, BEHIND);
	}
	if (place) {
		fputs(*text->word ? " in " : " ", out);
		put_function(out, w, place);
	}
}

static const char *say_blocked(struct why *w, FILE *out)
{
	uint32_t state;
	uint64_t ns = sum_states(w, blocked_states, NR(blocked_states), &state);
	const uint32_t *place, *wait;
	struct sum sum, part;

	fputs("It was blocked for ", out);
	put_states(out, w, blocked_states, NR(blocked_states));
	place = most_place(w, blocked_states, NR(blocked_states), &sum);
	if (!place) {
		fputs(ns ? ", until somebody who is not known woke it." : ".",
		      out);
		return NULL;
	}
	wait = MOST(w, &part, OF_WAIT, place[1], place[2]);
	fputs(": for ", out);
	put_within(out, w, place[1], place[2]);
	fputs(" in ", out);
	put_function(out, w, place[2]);
	if (wait[4]) {
		fputs(" (", out);
		put_function(out, w, wait[4]);
		fputc(')', out);
	}
	put_task(out, w, wait[3]);
	fputs(part.ns < sum.ns / 10 * 9 ? ", mostly " : ", ", out);
	put_root(out, w, wait[5], wait[6], wait[7]);
	fputc('.', out);
	return "-s state,sym";
}

static const char *say_ready(struct why *w, FILE *out)
{
	uint32_t state;
	uint64_t ns = sum_states(w, ready_states, NR(ready_states), &state);
	const uint32_t *behind = NULL;
	struct sum sum = { 0 };

	fputs("It could run, but had no CPU, for ", out);
	put_states(out, w, ready_states, NR(ready_states));
	for (uint32_t i = 0; i < w->keys.nr; i++) {
		const uint32_t *key = rpt_intern_key(&w->keys, i);

		if (key[0] == OF_SELF && key[1] == state &&
		    begins(name_of(w, key[2]), BEHIND) &&
		    w->sums[i].ns > sum.ns) {
			behind = key;
			sum = w->sums[i];
		}
	}
	if (behind) {
		fprintf(out, ": for %.2f%% behind ", pct(w, sum.ns));
		put_inner(out, w, behind[2], BEHIND);
	} else if (ns) {
		fputs("; behind whom is not known", out);
	}
	fputc('.', out);
	return behind ? "--no-children -s state,sym" : NULL;
}

static void put_shorter(FILE *out, const struct why *w, double ns)
{
	fprintf(out, "the %.2f s would be %.2f s shorter",
		(double)w->all_ns / 1e9, ns / 1e9);
}

/* Return the time whose root has that word. */
static uint64_t word_ns(const struct why *w, const char *start)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < w->keys.nr; i++) {
		const uint32_t *key = rpt_intern_key(&w->keys, i);

		if (key[0] == OF_WORD && begins(name_of(w, key[1]), start))
			ns += w->sums[i].ns;
	}
	return ns;
}

static void put_shorten(FILE *out, const struct why *w, const uint32_t *root)
{
	struct sum within;

	MOST(w, &within, OF_WITHIN, ANY_STATE, root[1]);
	fputs("What would shorten it most: ", out);
	put_function(out, w, root[1]);
	if (root[3]) {
		fputs(" of ", out);
		put_inner(out, w, root[3], "[woken by ");
	} else {
		put_task(out, w, root[2]);
	}
	fprintf(out,
		", which has %.2f%% of the time with what it calls and waits "
		"for. Were it twice as fast, ",
		pct(w, within.ns));
	put_shorter(out, w, (double)within.ns / 2);
	fputc('.', out);
}

static const char *say_shorten(struct why *w, FILE *out)
{
	uint64_t unknown_ns = word_ns(w, "[waker not known]"), ready_ns;
	struct sum idle, best;
	const uint32_t *asked = MOST(w, &idle, OF_IDLE);
	const uint32_t *root = MOST(w, &best, OF_ROOT);
	uint32_t state;

	if (rpt_report_misses_returns(w->report)) {
		fputs("What would shorten it most is not known: the recording "
		      "has no ends of waits.",
		      out);
		return NULL;
	}
	ready_ns = sum_states(w, ready_states, NR(ready_states), &state);
	if (unknown_ns > best.ns && unknown_ns > idle.ns &&
	    unknown_ns > ready_ns) {
		fprintf(out,
			"What would shorten it most is not known: for "
			"%.2f%% of the time it waited for somebody who "
			"was not recorded.",
			pct(w, unknown_ns));
		return "--no-children -s sym";
	}
	if (asked && idle.ns >= best.ns && idle.ns >= ready_ns) {
		fputs("Nothing of its own would shorten it: for ", out);
		put_within(out, w, asked[1], asked[2]);
		fputs(" of the time it waited in ", out);
		put_function(out, w, asked[2]);
		fputs(" to be asked for something.", out);
		return "-s state,sym";
	}
	if (!root || ready_ns > best.ns) {
		fputs("What would shorten it most: a CPU at once when it can "
		      "run, for the ",
		      out);
		put_states(out, w, ready_states, NR(ready_states));
		fputs(" above: ", out);
		put_shorter(out, w, (double)ready_ns);
		fputc('.', out);
		return "-s state";
	}
	put_shorten(out, w, root);
	return "-s sym";
}

/* The interval of 95 % of a share of samples. */
static void put_interval(FILE *out, struct why *w)
{
	struct sum run, place, within;
	const uint32_t *key;
	double share, whole;

	MOST(w, &run, OF_STATE, RPT_WAIT_NONE);
	key = most_place(w, (const uint32_t[]){ RPT_WAIT_NONE }, 1, &place);
	if (!run.nr || !key)
		return;
	MOST(w, &within, OF_WITHIN, RPT_WAIT_NONE, key[2]);
	share = (double)within.ns / (double)run.ns;
	whole = pct(w, run.ns);
	fprintf(out, "What ran is drawn: the share of ");
	put_function(out, w, key[2]);
	fprintf(out, " on a CPU is right to %.2f points (95%%). ",
		whole * 1.96 * sqrt(share * (1 - share) / (double)run.nr));
}

static const char *say_sure(struct why *w, FILE *out)
{
	const struct rpt_profile *profile = &w->report->profile;
	uint64_t unknown_ns = word_ns(w, "[waker not known]");
	uint64_t left_ns = word_ns(w, "[not followed]");

	fprintf(out, "How sure: for %.2f%% of the time ", pct(w, unknown_ns));
	fputs(profile->linked->has_no_wakers
		      ? "who ended a wait is not known, since no wakeups were "
			"recorded. "
		      : "what a wait was for is not known. ",
	      out);
	if (left_ns)
		fprintf(out, "%.2f%% were not followed. ", pct(w, left_ns));
	put_interval(out, w);
	if (profile->off_cpu.with_loss.nr)
		fprintf(out, "%" PRIu64 " waits of all tasks miss their ends. ",
			profile->off_cpu.with_loss.nr);
	if (profile->lost_nr)
		fprintf(out, "%" PRIu64 " records were lost.",
			profile->lost_nr);
	else
		fputs("No record was lost.", out);
	return "--no-children -s sym";
}

static void print_sentences(struct why *w, FILE *out)
{
	static const char *(*const sentences[])(struct why *, FILE *) = {
		say_run, say_blocked, say_ready, say_shorten, say_sure,
	};

	for (size_t i = 0; i < NR(sentences); i++) {
		char *text = NULL;
		size_t len;
		FILE *to = open_memstream(&text, &len);
		const char *words = sentences[i](w, to);

		fclose(to);
		print_lines(out, (unsigned)i + 1, text);
		if (words)
			print_command(out, w, words);
		free(text);
	}
}

/* Put a word of a command as the shell takes it. */
static void put_quoted(FILE *out, const char *option, const char *word)
{
	bool is_plain = !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_./:,+=@%-")];

	fprintf(out, is_plain ? " %s " : " %s '", option);
	for (size_t len; *word; word += len) {
		len = strcspn(word, "'");
		sup_put_safe(out, (struct pd_str){ word, len });
		if (word[len]) {
			fputs("'\\''", out);
			len++;
		}
	}
	fputs(is_plain ? "" : "'", out);
}

static char *choice_of(const struct rpt_report_args *args)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (strcmp(args->input, RPT_DEFAULT_FILE) != 0)
		put_quoted(out, "-i", args->input);
	if (args->filter.pids)
		put_quoted(out, "--pid", args->filter.pids);
	if (args->filter.comms)
		put_quoted(out, "--comms", args->filter.comms);
	if (args->filter.times)
		put_quoted(out, "--time", args->filter.times);
	fclose(out);
	return text;
}

/* Return the name of the one process that was asked for; NULL: there is none.
 */
static const char *process_of(const struct rpt_report *report)
{
	const struct rpt_numbers *pids = &report->filters.samples.pids;
	const struct rpt_timestamp end = { .time_ns = UINT64_MAX };

	return pids->nr == 1 && pids->items[0].first == pids->items[0].last
		       ? rpt_timeline_process(report->timeline,
					      pids->items[0].first,
					      pids->items[0].first, end)
		       : NULL;
}

/* Print whose time it is. */
static void print_title(const struct why *w, FILE *out)
{
	const struct rpt_filter_args *filter = &w->report->args->filter;

	if (w->process) {
		sup_put_safe_text(out, w->process);
		fprintf(out, ", process %s", filter->pids);
	} else {
		fputs(filter->pids || filter->comms ? "The chosen tasks"
						    : "All recorded tasks",
		      out);
	}
	if (!w->all_ns) {
		fputs(" did not run while this was recorded.\n", out);
		return;
	}
	fprintf(out, ": %.2f s. Shares are of this time, as in\n",
		(double)w->all_ns / 1e9);
	print_command(out, w, "-s state");
}

static int add_stacks(struct why *w)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->report->profile.keys.nr && !rc; i++)
		rc = add_stack(w, i);
	return rc;
}

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	struct why w = {
		.report = report,
		.frames = &report->frames,
		.functions.is_bytes = true,
		.keys.is_bytes = true,
		.process = process_of(report),
		.choice = choice_of(report->args),
	};
	int rc = add_stacks(&w);

	if (rc) {
		pd_err_set(err, rc,
			   "more functions than the limit on memory "
			   "allows (--max-ratio)");
	} else {
		print_title(&w, out);
		if (w.all_ns)
			print_sentences(&w, out);
	}
	rpt_stack_frames_release(&w.at);
	rpt_intern_release(&w.functions);
	rpt_intern_release(&w.tasks);
	rpt_intern_release(&w.keys);
	free(w.items);
	free(w.sums);
	free(w.choice);
	return rc;
}

const struct rpt_output rpt_output_why = {
	.name = "why",
	.help = "sentences",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.print = print_report,
};
