/* Sorts stacks in the order in which rows are made. */
#include "report/profile/profile.h"

#include "report/base/cpu_prefetch.h"
#include "report/base/memory.h"
#include "report/base/radix_sort.h"

/* The last words to sort by; the event comes first if there are several. */
enum word { WORD_TIME, WORD_PLACE, WORDS_OF_TIME };

static uint64_t event_of(const struct rpt_profile *profile, uint32_t stack)
{
	return rpt_profile_key(profile, stack)->event_idx;
}

static uint64_t time_word(const void *ctx, uint32_t stack, unsigned word_idx)
{
	const struct rpt_profile *profile = ctx;
	const struct rpt_timestamp *first = &profile->stacks[stack].first;

	return word_idx == WORD_TIME ? first->time_ns : first->seq;
}

static uint64_t event_word(const void *ctx, uint32_t stack, unsigned word_idx)
{
	return word_idx ? time_word(ctx, stack, word_idx - 1)
			: event_of(ctx, stack);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct rpt_profile *profile = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (unsigned i = 0; i <= WORDS_OF_TIME; i++) {
		uint64_t p = event_word(profile, x, i);
		uint64_t q = event_word(profile, y, i);

		if (p != q)
			return p < q ? -1 : 1;
	}
	return (x > y) - (x < y);
}

uint32_t *rpt_profile_order(const struct rpt_profile *profile)
{
	bool is_only = pd_reader_events(profile->conf.reader)->nr == 1;
	uint32_t nr = profile->keys.nr;
	uint32_t *order = rpt_alloc_zeroed((size_t)nr + 1, sizeof(*order));
	struct rpt_radix_sort sort = {
		.word = is_only ? time_word : event_word,
		.word_nr = is_only ? WORDS_OF_TIME : WORDS_OF_TIME + 1,
		.compare = compare,
		.ctx = (void *)(uintptr_t)profile,
	};

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	rpt_radix_sort(&sort, order, nr);
	return order;
}

/* How many stacks ahead an entry and its key are fetched. */
#define AHEAD_ENTRY 24u
#define AHEAD_KEY   16u

void rpt_profile_prefetch(const struct rpt_profile *profile,
			  const uint32_t *stacks, uint32_t nr)
{
	const char *key;

	if (nr > AHEAD_ENTRY) {
		rpt_cpu_prefetch(&profile->keys.entries[stacks[AHEAD_ENTRY]]);
		rpt_cpu_prefetch(&profile->stacks[stacks[AHEAD_ENTRY]]);
	}
	if (nr > AHEAD_KEY) {
		key = (const char *)rpt_profile_key(profile, stacks[AHEAD_KEY]);
		rpt_cpu_prefetch(key);
		rpt_cpu_prefetch(key + sizeof(struct rpt_stack_key));
	}
}
