#include "report/unwind/unwind_state.h"

#include "format/symtab/aarch64_code.h"
#include "report/symbols/dso.h"
#include "report/symbols/symbols.h"

#define RECORD_LEN 16

bool rpt_aarch64_is_sigreturn(const uint8_t code[RPT_AARCH64_SIGRETURN_LEN])
{
	return pd_aarch64_instruction(code) == 0xd2801168 &&
	       pd_aarch64_instruction(code + 4) == 0xd4000001;
}

/* BL; BLR, or one of its forms that check a signature (FEAT_PAuth). */
bool rpt_is_call_aarch64(const uint8_t *code, size_t len)
{
	uint32_t word = len == 4 ? pd_aarch64_instruction(code) : 0;

	return (word & 0xfc000000) == 0x94000000 ||
	       (word & 0xfefff000) == 0xd63f0000;
}

/* STP, 64 bits, pre-index: bits 15 to 21 are the offset in words, negative. */
uint64_t rpt_aarch64_frame_len(const uint8_t code[RPT_AARCH64_PROLOGUE_LEN])
{
	for (size_t i = 0; i < RPT_AARCH64_PROLOGUE_LEN; i += 4) {
		uint32_t word = pd_aarch64_instruction(code + i);

		if ((word & 0xffe07fff) == 0xa9a07bfd)
			return 8 * (64 - (uint64_t)(word >> 15 & 63));
	}
	return RECORD_LEN;
}

/* The processor may have signed the address (FEAT_PAuth).  The signature is in
 * the bits above those of the process's addresses, however many these are. */
uint64_t rpt_unwind_strip_aarch64(struct rpt_unwind *u, uint64_t addr)
{
	static const uint8_t addr_bits[] = { 52, 48, 47, 42, 39, 36 };

	if (rpt_unwind_find_map(u, addr - 1))
		return addr;
	for (size_t i = 0; i < sizeof(addr_bits); i++) {
		uint64_t bare = addr & ((UINT64_C(1) << addr_bits[i]) - 1);

		if (rpt_unwind_find_map(u, bare - 1))
			return bare;
	}
	return addr;
}

/* Return whether the link register of interrupted code still has its return
 * address: the code has not called anything, which would have left an address
 * in its own function, and the frame record, if there is one, is its caller's,
 * or not yet written. */
static bool is_link_valid(struct rpt_unwind *u, uint64_t link)
{
	const struct rpt_symbol *own = rpt_unwind_symbol(u, u->ip), *caller;
	uint64_t fp, saved;

	if (u->is_call || !rpt_unwind_is_return(u, link))
		return false;
	caller = rpt_unwind_symbol(u, link - 1);
	if (!own || own == caller)
		return false;
	return !rpt_unwind_read(u, &u->columns[u->arch->fp_column], &fp) ||
	       fp < u->cfa || !rpt_unwind_memory(u, fp + 8, &saved) ||
	       rpt_unwind_strip_aarch64(u, saved) != link;
}

/* Return the end of the frame whose record is at fp, as if the record were its
 * top if the code that made it is not here. */
static uint64_t frame_end(struct rpt_unwind *u, uint64_t fp,
			  bool *ret_is_guessed)
{
	const struct rpt_symbol *sym = rpt_unwind_symbol(u, u->ip - 1);
	const uint8_t *code = NULL;

	if (sym)
		code = rpt_unwind_bytes(
			u, sym->start - u->map.pgoff + u->map.start,
			RPT_AARCH64_PROLOGUE_LEN);
	*ret_is_guessed = !code;
	return fp + (code ? rpt_aarch64_frame_len(code) : RECORD_LEN);
}

static bool go_by_record(struct rpt_unwind *u)
{
	uint64_t fp, end;
	bool is_guessed;

	if (!rpt_unwind_read(u, &u->columns[u->arch->fp_column], &fp))
		return false;
	end = frame_end(u, fp, &is_guessed);
	if (!rpt_unwind_by_chain(u))
		return false;
	u->cfa = end;
	u->is_cfa_guessed = is_guessed;
	return true;
}

/* Generated code may have no names, by which a link that a call left in the
 * register is known for one of the function's own. */
static bool may_have_link(struct rpt_unwind *u)
{
	return !rpt_dso_is_generated(u->map.dso) ||
	       rpt_unwind_is_start(u, u->ip);
}

bool rpt_unwind_guess_aarch64(struct rpt_unwind *u)
{
	uint64_t link;

	if (!may_have_link(u) ||
	    !rpt_unwind_read(u, &u->columns[RPT_AARCH64_LINK], &link))
		return go_by_record(u);
	link = rpt_unwind_strip_aarch64(u, link);
	if (!is_link_valid(u, link))
		return go_by_record(u);
	rpt_unwind_to_caller(u, link, u->cfa);
	return true;
}

/* An address in a vdso that cannot be read counts as one that a signal handler
 * returns to: a vdso has hardly any calls. */
static bool is_sigreturn(struct rpt_unwind *u)
{
	const uint8_t *code =
		rpt_unwind_bytes(u, u->ip, RPT_AARCH64_SIGRETURN_LEN);

	if (code)
		return rpt_aarch64_is_sigreturn(code);
	return u->is_call && u->map.dso &&
	       rpt_dso_kind(u->map.dso) == RPT_DSO_VDSO;
}

/* Linux v6.1 arch/arm64/kernel/signal.c, struct rt_sigframe: siginfo, ucontext
 * and in this x0 .. x30, sp, pc.  (The vdso's call frame information leads to
 * the caller of the interrupted function instead.) */
bool rpt_unwind_signal_aarch64(struct rpt_unwind *u)
{
	const uint64_t at = u->cfa + 128 + 176 + 8;
	uint64_t sp, ip;
	unsigned i;

	if (!is_sigreturn(u) || !rpt_unwind_memory(u, at + 31 * 8, &sp) ||
	    !rpt_unwind_memory(u, at + 32 * 8, &ip) ||
	    !rpt_unwind_find_map(u, ip))
		return false;
	for (i = 0; i < 31; i++)
		u->columns[i] = (struct rpt_unwind_location){ RPT_IN_MEMORY,
							      at + i * 8 };
	rpt_unwind_to_caller(u, ip, sp);
	u->is_call = false;
	return true;
}
