/* callchain.h: the addresses of a call chain, each with its cpumode.
 *
 *	struct pd_callchain it = pd_callchain_start(&sample.callchain);
 *	while (pd_callchain_next(&it) == PD_CALLCHAIN_ADDRESS)
 *		... it.ip, it.cpumode ...
 *
 * A chain is a list of words, the innermost address first.  A word from
 * PD_CONTEXT_MAX on is a context mark: it says in which mode the addresses
 * behind it ran.  Addresses before the first mark count as user addresses
 * (FORMAT.md "Samples").
 */
#ifndef PD_CALLCHAIN_H
#define PD_CALLCHAIN_H

#include "format/file/layout.h"
#include "format/records/record.h"

struct pd_callchain {
	const struct pd_u64s *words; /* borrowed */
	size_t next_idx;	     /* index of the word to look at next */
	uint64_t ip;		     /* the last address or unknown mark */
	uint8_t cpumode;	     /* PD_CPUMODE_* of that address */
	bool has_no_marks;	     /* the words ahead are all addresses */
};

enum pd_callchain_word {
	PD_CALLCHAIN_END,
	PD_CALLCHAIN_ADDRESS,
	PD_CALLCHAIN_UNKNOWN_MARK, /* the cpumode stays as it was */
};

static inline struct pd_callchain
pd_callchain_start(const struct pd_u64s *words)
{
	return (struct pd_callchain){
		.words = words,
		.cpumode = PD_CPUMODE_USER,
	};
}

/* Move to the next address and return PD_CALLCHAIN_ADDRESS.  Also stop at a
 * mark that is not known; the caller may go on behind it. */
static inline enum pd_callchain_word pd_callchain_next(struct pd_callchain *it)
{
	while (it->next_idx < it->words->nr) {
		it->ip = pd_u64s_at(it->words, it->next_idx++);
		if (it->ip < PD_CONTEXT_MAX || it->has_no_marks)
			return PD_CALLCHAIN_ADDRESS;
		if (it->ip == PD_CONTEXT_KERNEL)
			it->cpumode = PD_CPUMODE_KERNEL;
		else if (it->ip == PD_CONTEXT_USER)
			it->cpumode = PD_CPUMODE_USER;
		else if (it->ip == PD_CONTEXT_HV)
			it->cpumode = PD_CPUMODE_HYPERVISOR;
		else
			return PD_CALLCHAIN_UNKNOWN_MARK;
	}
	return PD_CALLCHAIN_END;
}

/* Return true if one of the first max_nr words marks the start of the user
 * part. */
static inline bool pd_callchain_has_user(const struct pd_u64s *words,
					 size_t max_nr)
{
	for (size_t i = 0; i < words->nr && i < max_nr; i++)
		if (pd_u64s_at(words, i) == PD_CONTEXT_USER)
			return true;
	return false;
}

/* Return the index of the last mark of the user part; words->nr if there is
 * none.  Behind it stands what was unwound (pd_event.is_unwound). */
static inline size_t pd_callchain_last_user(const struct pd_u64s *words)
{
	for (size_t i = words->nr; i-- > 0;)
		if (pd_u64s_at(words, i) == PD_CONTEXT_USER)
			return i;
	return words->nr;
}

/* Return false if one of the first nr entries is an unknown mark: as in perf,
 * such a chain is not shown at all. */
static inline bool pd_callchain_is_known(const struct pd_u64s *chain,
					 uint32_t nr)
{
	struct pd_callchain it = pd_callchain_start(chain);
	enum pd_callchain_word word = PD_CALLCHAIN_ADDRESS;

	for (; nr && word == PD_CALLCHAIN_ADDRESS; nr--)
		word = pd_callchain_next(&it);
	return word != PD_CALLCHAIN_UNKNOWN_MARK;
}

#endif
