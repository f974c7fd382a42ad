#include "report/callchain/chain_impl.h"

#include <string.h>

/* Functions of Linux's scheduler, with which each wait ends, and which say
 * nothing of it: kernel/sched/core.c. */
static bool is_scheduler(const char *name)
{
	static const char *const names[] = {
		"__schedule",
		"schedule",
		"preempt_schedule_common",
		"preempt_schedule_irq",
		"schedule_preempt_disabled",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Return what an interrupt tells whom a function of the kernel waits for, or
 * NULL: most wait for one thing alone, and a futex, which no interrupt wakes,
 * ends by its timeout. */
static const char *interrupt_of(const char *name)
{
	static const struct {
		const char *start; /* of the function's name */
		const char *word;
	} waits[] = {
		{ "do_nanosleep", "[timer]" },
		{ "futex_wait", "[timer]" },
		{ "do_sigtimedwait", "[timer]" },
		{ "io_schedule", "[disk]" },
		{ "folio_wait_", "[disk]" },
		{ "blk_", "[disk]" },
		{ "sk_wait_data", "[network]" },
		{ "sk_stream_wait_", "[network]" },
		{ "inet_csk_accept", "[network]" },
		{ "inet_csk_wait_", "[network]" },
		{ "n_tty_read", "[input]" },
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (!strncmp(name, waits[i].start, strlen(waits[i].start)))
			return waits[i].word;
	return NULL;
}

/* The name of a kernel function; "" of other frames. */
static const char *kernel_name(const struct rpt_frames *frames, uint32_t frame)
{
	const struct rpt_frame *f = &frames->items[frame];

	return f->level == 'k' && f->dso && rpt_frame_has_name(f)
		       ? rpt_frame_symbol(f)
		       : "";
}

/* Take the scheduler's frames off the inner end of a wait, whose frames begin
 * at start. */
static void cut_scheduler(struct rpt_chain *chain,
			  const struct rpt_frames *frames, uint32_t start,
			  bool is_caller_first)
{
	uint32_t nr = 0;

	if (is_caller_first) {
		while (chain->nr > start &&
		       is_scheduler(kernel_name(frames,
						chain->frames[chain->nr - 1])))
			chain->nr--;
		return;
	}
	while (start + nr < chain->nr &&
	       is_scheduler(kernel_name(frames, chain->frames[start + nr])))
		nr++;
	chain->nr -= nr;
	memmove(chain->frames + start, chain->frames + start + nr,
		(chain->nr - start) * sizeof(*chain->frames));
}

/* Return the frame of the word at the inner end of a wait, whose frames begin
 * at start: the innermost that tells of an interrupt says of which. */
static uint32_t word_frame(const struct rpt_chain *chain,
			   struct rpt_frames *frames, const char *word,
			   uint32_t start, bool is_caller_first)
{
	const char *told = NULL;
	uint32_t nr = strcmp(word, RPT_WORD_INTERRUPT) ? 0 : chain->nr - start;

	for (uint32_t i = 0; i < nr && !told; i++)
		told = interrupt_of(kernel_name(
			frames,
			chain->frames[is_caller_first ? chain->nr - 1 - i
						      : start + i]));
	return rpt_frames_word(frames, told ? told : word);
}

static void insert(struct rpt_chain *chain, uint32_t at, uint32_t frame)
{
	if (chain->nr == chain->cap)
		rpt_chain_grow(chain, false);
	memmove(chain->frames + at + 1, chain->frames + at,
		(chain->nr - at) * sizeof(*chain->frames));
	chain->frames[at] = frame;
	chain->nr++;
}

int rpt_chain_append_link(struct rpt_chain *chain, struct rpt_frames *frames,
			  const struct rpt_stack_link *link,
			  const struct rpt_chain_conf *conf)
{
	const struct rpt_linked_stacks *linked = conf->linked;
	const struct rpt_stack_key *key;
	struct rpt_frame_scope scope;
	struct rpt_frame_span span;
	uint32_t start = chain->link_start = chain->nr;
	int rc = 0;

	if (link->part != RPT_LINK_NO_PART) {
		key = rpt_linked_stacks_key(linked, link->part);
		rpt_chain_scope(frames, key, &linked->firsts[link->part],
				&scope);
		rc = rpt_chain_append(chain, frames, key, &scope, conf);
		if (!rc && chain->nr == start && !link->word) {
			rc = rpt_frames_resolve(frames, &scope, key->cpumode,
						key->ip, &span);
			if (!rc)
				rpt_chain_push(chain, frames, &span, conf);
		}
	}
	if (rc || !link->word)
		return rc;
	cut_scheduler(chain, frames, start, conf->is_caller_first);
	insert(chain, conf->is_caller_first ? chain->nr : start,
	       word_frame(chain, frames,
			  rpt_intern_key(&linked->words, link->word), start,
			  conf->is_caller_first));
	return 0;
}

int rpt_chain_linked_self(const struct rpt_chain *chain,
			  struct rpt_frames *frames,
			  const struct rpt_stack_key *key,
			  const struct rpt_chain_conf *conf, uint32_t *ret)
{
	const struct rpt_linked_stacks *linked = conf->linked;
	const struct rpt_stack_link *link =
		rpt_linked_stacks_at(linked, key->chain[1]);
	struct rpt_frame_scope scope;
	struct rpt_frame_span span;
	int rc;

	if (link && link->word && chain->nr) {
		*ret = chain->frames[conf->is_caller_first ? chain->nr - 1 : 0];
		return 0;
	}
	if (!link || link->part == RPT_LINK_NO_PART) {
		*ret = rpt_frames_word(frames, "");
		return 0;
	}
	key = rpt_linked_stacks_key(linked, link->part);
	rpt_chain_scope(frames, key, &linked->firsts[link->part], &scope);
	rc = rpt_frames_resolve(frames, &scope, key->cpumode, key->ip, &span);
	if (!rc)
		*ret = span.self;
	return rc;
}
