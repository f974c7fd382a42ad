#include "report/commands/why.h"

#include "report/commands/why_sums.h"
#include "report/cli/recording_input.h"
#include "report/report/report_warnings.h"

#include "format/support/safe_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double pct(const struct rpt_why *w, uint64_t ns)
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

static void put_function(FILE *out, const struct rpt_why *w, uint32_t function)
{
	put_name(out, rpt_why_name(w, function));
}

/* Put " of NAME" if a task is named otherwise than its process. */
static void put_task(FILE *out, const struct rpt_why *w, uint32_t task)
{
	const char *name = rpt_intern_key(&w->tasks, task);

	if (!*name || (w->process && !strcmp(name, w->process)))
		return;
	fputs(" of ", out);
	sup_put_safe_text(out, name);
}

/* Put the name in a word, "[woken by NAME]", behind that start. */
static void put_inner(FILE *out, const struct rpt_why *w, uint32_t word,
		      const char *start)
{
	const char *name = rpt_why_name(w, word);
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
static void print_command(FILE *out, const struct rpt_why *w, const char *words)
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

/* Put the sum, and if there are several their parts: less than what is printed
 * counts for nothing. */
static void put_states(FILE *out, const struct rpt_why *w,
		       const uint32_t *states, size_t nr)
{
	const char *before = " (";
	uint32_t first;
	uint64_t sum_ns = rpt_why_sum_states(w, states, nr, &first);

	if (pct(w, sum_ns - rpt_why_state_ns(w, first)) < .005) {
		fprintf(out, "%.2f%% of the time",
			pct(w, rpt_why_state_ns(w, first)));
		return;
	}
	fprintf(out, "%.2f%% of the time", pct(w, sum_ns));
	for (size_t i = 0; i < nr; i++) {
		uint64_t ns = rpt_why_state_ns(w, states[i]);

		if (pct(w, ns) < .005)
			continue;
		fprintf(out, "%s%s %.2f%%", before,
			rpt_wait_state_text(states[i]), pct(w, ns));
		before = ", ";
	}
	fputc(')', out);
}

static void put_within(FILE *out, const struct rpt_why *w, uint32_t state,
		       uint32_t function)
{
	struct rpt_why_sum sum;

	RPT_WHY_MOST(w, &sum, RPT_WHY_WITHIN, state, function);
	fprintf(out, "%.2f%%", pct(w, sum.ns));
}

static const char *say_run(struct rpt_why *w, FILE *out)
{
	uint64_t ns = rpt_why_state_ns(w, RPT_WAIT_NONE);
	const uint32_t *place, *leaf;
	struct rpt_why_sum sum;

	place = rpt_why_most_place(w, (const uint32_t[]){ RPT_WAIT_NONE }, 1,
				   &sum);
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
	leaf = RPT_WHY_MOST(w, &sum, RPT_WHY_LEAF, RPT_WAIT_NONE, place[2]);
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
static void put_root(FILE *out, const struct rpt_why *w, uint32_t waker,
		     uint32_t place, uint32_t word)
{
	const char *name = rpt_why_name(w, word);
	const struct root_text *text = root_texts;

	while (!rpt_why_begins(name, text->word))
		text++;
	if (!waker) {
		fputs(text->own, out);
		return;
	}
	fputs("until ", out);
	put_inner(out, w, waker, "[woken by ");
	fprintf(out, " woke it, which %s", text->waker_did);
	if (rpt_why_begins(name, BEHIND)) {
		fputs(" behind ", out);
		put_inner(out, w, word, BEHIND);
	}
	if (place) {
		fputs(*text->word ? " in " : " ", out);
		put_function(out, w, place);
	}
}

static const char *say_blocked(struct rpt_why *w, FILE *out)
{
	uint32_t state;
	uint64_t ns = rpt_why_sum_states(w, blocked_states, NR(blocked_states),
					 &state);
	const uint32_t *place, *wait;
	struct rpt_why_sum sum, part;

	fputs("It was blocked for ", out);
	put_states(out, w, blocked_states, NR(blocked_states));
	place = rpt_why_most_place(w, blocked_states, NR(blocked_states), &sum);
	if (!place) {
		fputs(ns ? ", until somebody who is not known woke it." : ".",
		      out);
		return NULL;
	}
	wait = RPT_WHY_MOST(w, &part, RPT_WHY_WAIT, place[1], place[2]);
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

static const char *say_ready(struct rpt_why *w, FILE *out)
{
	uint32_t state;
	uint64_t ns =
		rpt_why_sum_states(w, ready_states, NR(ready_states), &state);
	const uint32_t *behind = NULL;
	struct rpt_why_sum sum = { 0 };

	fputs("It could run, but had no CPU, for ", out);
	put_states(out, w, ready_states, NR(ready_states));
	for (uint32_t i = 0; i < w->keys.nr; i++) {
		const uint32_t *key = rpt_intern_key(&w->keys, i);

		if (key[0] == RPT_WHY_SELF && key[1] == state &&
		    rpt_why_begins(rpt_why_name(w, key[2]), BEHIND) &&
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

static void put_shorter(FILE *out, const struct rpt_why *w, double ns)
{
	fprintf(out, "the %.2f s would be %.2f s shorter",
		(double)w->all_ns / 1e9, ns / 1e9);
}

static void put_shorten(FILE *out, const struct rpt_why *w,
			const uint32_t *root)
{
	struct rpt_why_sum within;

	RPT_WHY_MOST(w, &within, RPT_WHY_WITHIN, RPT_WHY_ANY_STATE, root[1]);
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

static const char *say_shorten(struct rpt_why *w, FILE *out)
{
	uint64_t unknown_ns = rpt_why_word_ns(w, "[waker not known]"), ready_ns;
	struct rpt_why_sum idle, best;
	const uint32_t *asked = RPT_WHY_MOST(w, &idle, RPT_WHY_IDLE);
	const uint32_t *root = RPT_WHY_MOST(w, &best, RPT_WHY_ROOT);
	uint32_t state;

	if (rpt_report_misses_returns(w->report)) {
		fputs("What would shorten it most is not known: the recording "
		      "has no ends of waits.",
		      out);
		return NULL;
	}
	ready_ns =
		rpt_why_sum_states(w, ready_states, NR(ready_states), &state);
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
static void put_interval(FILE *out, struct rpt_why *w)
{
	struct rpt_why_sum run, place, within;
	const uint32_t *key;
	double share, whole;

	RPT_WHY_MOST(w, &run, RPT_WHY_STATE, RPT_WAIT_NONE);
	key = rpt_why_most_place(w, (const uint32_t[]){ RPT_WAIT_NONE }, 1,
				 &place);
	if (!run.nr || !key)
		return;
	RPT_WHY_MOST(w, &within, RPT_WHY_WITHIN, RPT_WAIT_NONE, key[2]);
	share = (double)within.ns / (double)run.ns;
	whole = pct(w, run.ns);
	fputs("Time on a CPU is sampled: the share of ", out);
	put_function(out, w, key[2]);
	fprintf(out, " is right to %.2f points (95%%). ",
		whole * 1.96 * sqrt(share * (1 - share) / (double)run.nr));
}

static const char *say_sure(struct rpt_why *w, FILE *out)
{
	const struct rpt_profile *profile = &w->report->profile;
	uint64_t unknown_ns = rpt_why_word_ns(w, "[waker not known]");
	uint64_t left_ns = rpt_why_word_ns(w, "[not followed]");

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

static void print_sentences(struct rpt_why *w, FILE *out)
{
	static const char *(*const sentences[])(struct rpt_why *, FILE *) = {
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
static void print_title(const struct rpt_why *w, FILE *out)
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

static int print_report(struct rpt_report *report, FILE *out,
			struct pd_err *err)
{
	struct rpt_why w = {
		.report = report,
		.frames = &report->frames,
		.functions.is_bytes = true,
		.keys.is_bytes = true,
		.process = process_of(report),
		.choice = choice_of(report->args),
	};
	int rc = rpt_why_add_stacks(&w);

	if (rc) {
		pd_err_set(err, rc,
			   "more functions than the limit on memory "
			   "allows (--max-ratio)");
	} else {
		print_title(&w, out);
		if (w.all_ns)
			print_sentences(&w, out);
	}
	rpt_why_release(&w);
	return rc;
}

const struct rpt_output rpt_output_why = {
	.name = "why",
	.help = "sentences",
	.needs = RPT_OUTPUT_STACKS | RPT_OUTPUT_SAMPLES,
	.print = print_report,
};
