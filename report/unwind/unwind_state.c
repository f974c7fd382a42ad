#include "report/unwind/unwind_state.h"

#include "report/symbols/dso.h"

#include <string.h>

/* Addresses up to this far above the stack pointer count as the stack: it is
 * the usual limit of one (RLIMIT_STACK, pthread_attr_init(3)). */
#define STACK_MAX_LEN (8u << 20)

bool rpt_unwind_find_map(struct rpt_unwind *u, uint64_t addr)
{
	if (u->map.dso && addr >= u->map.start && addr < u->map.end)
		return true;
	u->map.dso = NULL;
	return u->input->find_map(u->input->ctx, addr, &u->map) && u->map.dso;
}

static uint64_t word_of(const struct rpt_unwind *u, const uint8_t *bytes)
{
	uint64_t word;
	uint32_t half;

	if (u->arch->word_len == sizeof(half)) {
		memcpy(&half, bytes, sizeof(half));
		return u->input->swap ? __builtin_bswap32(half) : half;
	}
	memcpy(&word, bytes, sizeof(word));
	return u->input->swap ? __builtin_bswap64(word) : word;
}

/* The machine is compared, since this machine's own vdso is opened for one that
 * was recorded without a build-id. */
struct rpt_unwind_file *rpt_unwind_map_file(struct rpt_unwind *u)
{
	struct rpt_unwind_file *file = rpt_dso_unwind_file(u->map.dso);

	return file && rpt_unwind_file_machine(file) == u->arch->elf_machine
		       ? file
		       : NULL;
}

const uint8_t *rpt_unwind_bytes(struct rpt_unwind *u, uint64_t addr, size_t len)
{
	struct rpt_unwind_file *file;

	if (!rpt_unwind_find_map(u, addr))
		return NULL;
	file = rpt_unwind_map_file(u);
	return file ? rpt_unwind_file_bytes(
			      file, addr - u->map.start + u->map.pgoff, len)
		    : NULL;
}

const struct rpt_symbol *rpt_unwind_symbol(struct rpt_unwind *u, uint64_t addr)
{
	const struct rpt_symbol *sym;
	pthread_mutex_t *lock;

	if (!rpt_unwind_find_map(u, addr))
		return NULL;
	lock = rpt_symbols_lock(u->map.dso->owner);
	pthread_mutex_lock(lock);
	sym = rpt_dso_symbol(u->map.dso, addr - u->map.start + u->map.pgoff);
	pthread_mutex_unlock(lock);
	return sym;
}

/* As perf 6.1, do not read the last word of the copy. */
static bool is_copied(const struct rpt_unwind *u, uint64_t addr)
{
	const struct rpt_unwind_input *input = u->input;

	return addr >= u->stack_start &&
	       input->stack_len >= u->arch->word_len &&
	       addr - u->stack_start < input->stack_len - u->arch->word_len;
}

/* Return whether a word that is not there may lie behind the end of the copy,
 * which is short then. */
static bool is_beyond(struct rpt_unwind *u, uint64_t addr)
{
	bool is_stack = addr - u->stack_start < STACK_MAX_LEN;

	u->is_short |= is_stack;
	return is_stack;
}

bool rpt_unwind_stack_word(struct rpt_unwind *u, uint64_t addr, uint64_t *ret)
{
	addr = rpt_unwind_addr(u, addr);
	if (!is_copied(u, addr)) {
		is_beyond(u, addr);
		return false;
	}
	*ret = word_of(u, u->input->stack + (addr - u->stack_start));
	return true;
}

/* Code or constants are read from a mapped file.  If there is a map but no
 * file, perf 6.1 goes on with 0: its chain then ends in a frame at the highest
 * address.  Here that is what a stack beyond its copy is shown as; the chain of
 * a signal handler on a stack of its own ends without it. */
bool rpt_unwind_memory(void *ctx, uint64_t addr, uint64_t *ret)
{
	struct rpt_unwind *u = ctx;
	const uint8_t *bytes;

	addr = rpt_unwind_addr(u, addr);
	if (is_copied(u, addr))
		return rpt_unwind_stack_word(u, addr, ret);
	bytes = rpt_unwind_bytes(u, addr, u->arch->word_len);
	*ret = bytes ? word_of(u, bytes) : 0;
	return bytes || (is_beyond(u, addr) && u->map.dso);
}

bool rpt_unwind_sample_reg(const struct rpt_unwind *u, unsigned reg,
			   uint64_t *ret)
{
	if (reg >= 64 || !(u->regs_known >> reg & 1))
		return false;
	*ret = u->regs[reg];
	return true;
}

bool rpt_unwind_read(struct rpt_unwind *u,
		     const struct rpt_unwind_location *location, uint64_t *ret)
{
	switch (location->where) {
	case RPT_IN_SAMPLE:
		return rpt_unwind_sample_reg(
			u, u->arch->reg_of_column[location->at], ret);
	case RPT_IN_MEMORY:
		return rpt_unwind_memory(u, location->at, ret);
	case RPT_IS_VALUE:
		*ret = location->at;
		return true;
	case RPT_IN_NOWHERE:
	default:
		return false;
	}
}
