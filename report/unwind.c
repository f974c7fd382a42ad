#include "report/unwind.h"

#include "report/aarch64_code.h"
#include "report/cfi.h"
#include "report/dso.h"
#include "report/dwarf_eval.h"
#include "report/names_lock.h"
#include "report/unwind_arch.h"
#include "report/unwind_file.h"

#include <stdlib.h>
#include <string.h>

/* How far above the frame a saved frame pointer may point to be believed. */
#define CHAIN_MAX_LEN 0x4000
#define WORD_MAX_LEN  8
/* What lies no further than this above the stack pointer is taken for the rest
 * of the stack: the usual limit of one (RLIMIT_STACK, pthread_attr_init(3)). */
#define STACK_MAX_LEN (8u << 20)

/* Where the value of a register of the current frame is. */
enum place {
	IN_NOWHERE,
	IN_SAMPLE, /* in the sample's registers, column at */
	IN_MEMORY, /* at address at */
	IS_VALUE,  /* at itself */
};

struct location {
	enum place place;
	uint64_t at;
};

struct rpt_unwind {
	enum rpt_arch machine;		    /* the recording's */
	const struct rpt_unwind_arch *arch; /* the sample's */
	const struct rpt_unwind_input *input;
	struct rpt_unwind_map map; /* the last one found; dso NULL: none */
	uint64_t regs[64];	   /* by perf's numbers */
	uint64_t regs_known;	   /* bit mask */
	uint64_t stack_start;
	struct location columns[RPT_CFI_COLUMNS];
	uint64_t ip;
	uint64_t cfa;
	bool is_call;  /* ip is behind the call instruction */
	bool is_short; /* words behind the end of the copy were asked for */
	struct rpt_unwind_counts counts;
};

struct rpt_unwind *rpt_unwind_new(enum rpt_arch arch)
{
	struct rpt_unwind *u = calloc(1, sizeof(*u));

	if (u)
		u->machine = arch;
	return u;
}

void rpt_unwind_free(struct rpt_unwind *unwind)
{
	free(unwind);
}

struct rpt_unwind_counts rpt_unwind_counts(const struct rpt_unwind *unwind)
{
	return unwind->counts;
}

void rpt_unwind_set_counts(struct rpt_unwind *unwind,
			   struct rpt_unwind_counts counts)
{
	unwind->counts = counts;
}

struct rpt_unwind *rpt_unwind_beside(const struct rpt_unwind *unwind)
{
	return rpt_unwind_new(unwind->machine);
}

void rpt_unwind_merge(struct rpt_unwind *unwind, struct rpt_unwind *other)
{
	if (!other)
		return;
	unwind->counts.copies_nr += other->counts.copies_nr;
	unwind->counts.short_nr += other->counts.short_nr;
	rpt_unwind_free(other);
}

static bool find_map(struct rpt_unwind *u, uint64_t addr)
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

/* The file of u->map.  Without a build-id this machine's own vdso is taken for
 * one of another processor. */
static struct rpt_unwind_file *file_of_map(struct rpt_unwind *u)
{
	struct rpt_unwind_file *file = rpt_dso_unwind_file(u->map.dso);

	return file && rpt_unwind_file_machine(file) == u->arch->elf_machine
		       ? file
		       : NULL;
}

/* What of the mapped file is at addr, len bytes; NULL: none can be read.  The
 * map is u->map then. */
static const uint8_t *file_bytes(struct rpt_unwind *u, uint64_t addr,
				 size_t len)
{
	struct rpt_unwind_file *file;

	if (!find_map(u, addr))
		return NULL;
	file = file_of_map(u);
	return file ? rpt_unwind_file_bytes(
			      file, addr - u->map.start + u->map.pgoff, len)
		    : NULL;
}

/* What lies in a mapped file and cannot have changed since: code, constants.
 * Where there is a map but no file to read (the stack beyond its copy), perf
 * 6.1 goes on with 0: its chain then ends in a frame at the highest address. */
static bool read_file_word(struct rpt_unwind *u, uint64_t addr, uint64_t *ret)
{
	const uint8_t *bytes = file_bytes(u, addr, u->arch->word_len);

	*ret = bytes ? word_of(u, bytes) : 0;
	u->is_short |= !bytes && addr - u->stack_start < STACK_MAX_LEN;
	return bytes || u->map.dso;
}

static uint64_t addr_of(const struct rpt_unwind *u, uint64_t sum)
{
	return u->arch->word_len == WORD_MAX_LEN ? sum : sum & UINT32_MAX;
}

/* perf 6.1 does not take the very last word of the copy. */
static bool read_memory(void *ctx, uint64_t addr, uint64_t *ret)
{
	struct rpt_unwind *u = ctx;
	uint64_t off;

	addr = addr_of(u, addr);
	off = addr - u->stack_start;
	if (addr < u->stack_start || u->input->stack_len < u->arch->word_len ||
	    off >= u->input->stack_len - u->arch->word_len)
		return read_file_word(u, addr, ret);
	*ret = word_of(u, u->input->stack + off);
	return true;
}

static bool read_sample_reg(const struct rpt_unwind *u, unsigned reg,
			    uint64_t *ret)
{
	if (reg >= 64 || !(u->regs_known >> reg & 1))
		return false;
	*ret = u->regs[reg];
	return true;
}

static bool read_location(struct rpt_unwind *u, const struct location *loc,
			  uint64_t *ret)
{
	switch (loc->place) {
	case IN_SAMPLE:
		return read_sample_reg(u, u->arch->reg_of_column[loc->at], ret);
	case IN_MEMORY:
		return read_memory(u, loc->at, ret);
	case IS_VALUE:
		*ret = loc->at;
		return true;
	case IN_NOWHERE:
	default:
		return false;
	}
}

/* The stack pointer of a frame is the CFA of the one that it called. */
static bool read_column(void *ctx, unsigned column, uint64_t *ret)
{
	struct rpt_unwind *u = ctx;

	if (column >= u->arch->columns_nr)
		return column == u->arch->extra_reg &&
		       read_sample_reg(u, column, ret);
	if (column == u->arch->ip_column) {
		*ret = u->ip;
		return true;
	}
	if (column == u->arch->sp_column) {
		*ret = u->cfa;
		return true;
	}
	return read_location(u, &u->columns[column], ret);
}

static bool eval(struct rpt_unwind *u, const struct rpt_cfi_row *row,
		 const struct rpt_cfi_rule *rule, uint64_t cfa,
		 struct location *ret)
{
	const struct rpt_eval_context context = {
		.cfa = cfa,
		.read_reg = read_column,
		.read_memory = read_memory,
		.ctx = u,
	};
	bool is_value;

	if (!rpt_dwarf_eval(rpt_cfi_ops(row) + rule->off, rule->ops_nr,
			    &context, &ret->at, &is_value))
		return false;
	ret->place = is_value ? IS_VALUE : IN_MEMORY;
	return true;
}

static bool find_cfa(struct rpt_unwind *u, const struct rpt_cfi_row *row,
		     uint64_t *ret_cfa)
{
	struct location loc;

	if (row->cfa.where == RPT_CFI_EXPR) {
		if (!eval(u, row, &row->cfa, 0, &loc))
			return false;
		*ret_cfa = addr_of(u, loc.at);
		return true;
	}
	if (!read_column(u, row->cfa.column, ret_cfa))
		return false;
	*ret_cfa = addr_of(u, *ret_cfa + (uint64_t)(int64_t)row->cfa.off);
	return true;
}

static bool apply_rule(struct rpt_unwind *u, const struct rpt_cfi_row *row,
		       const struct rpt_cfi_rule *rule, uint64_t cfa,
		       struct location *ret)
{
	uint64_t at = cfa + (uint64_t)(int64_t)rule->off;

	switch ((enum rpt_cfi_where)rule->where) {
	case RPT_CFI_MEMORY:
		*ret = (struct location){ IN_MEMORY, at };
		return true;
	case RPT_CFI_VALUE:
		*ret = (struct location){ IS_VALUE, at };
		return true;
	case RPT_CFI_REG:
		*ret = u->columns[rule->off];
		return true;
	case RPT_CFI_EXPR:
		return eval(u, row, rule, cfa, ret);
	case RPT_CFI_UNDEFINED:
	case RPT_CFI_SAME:
	default:
		*ret = (struct location){ IN_NOWHERE, 0 };
		return true;
	}
}

/* A return address as the processor signed it (FEAT_PAuth), or as it is: the
 * signature lies in the bits above those of the process's addresses, however
 * many these are. */
static uint64_t unsigned_addr(struct rpt_unwind *u, uint64_t addr)
{
	static const uint8_t addr_bits[] = { 52, 48, 47, 42, 39, 36 };
	size_t i;

	if (u->arch->link_column == RPT_NO_REG || find_map(u, addr - 1))
		return addr;
	for (i = 0; i < sizeof(addr_bits); i++) {
		uint64_t bare = addr & ((UINT64_C(1) << addr_bits[i]) - 1);

		if (find_map(u, bare - 1))
			return bare;
	}
	return addr;
}

static void go_to_caller(struct rpt_unwind *u, uint64_t ip, uint64_t cfa)
{
	u->ip = ip;
	u->cfa = cfa;
	u->is_call = true;
}

/* One frame up by call frame information.  False: the chain ends here. */
static bool step_by_row(struct rpt_unwind *u, const struct rpt_cfi_row *row)
{
	struct location told[RPT_CFI_COLUMNS]; /* all by the callee's */
	bool is_ip_told = false;
	uint64_t cfa, ip;
	size_t i;

	if (!find_cfa(u, row, &cfa))
		return false;
	for (i = 0; i < row->rules_nr; i++)
		if (!apply_rule(u, row, &row->rules[i], cfa, &told[i]))
			return false;
	for (i = 0; i < row->rules_nr; i++) {
		u->columns[row->rules[i].column] = told[i];
		is_ip_told |= row->rules[i].column == row->ra_column;
	}
	if (!read_location(u, &u->columns[row->ra_column], &ip))
		return false;
	ip = unsigned_addr(u, ip);
	/* A link register that the last call has overwritten leads nowhere. */
	if (ip == u->ip && (cfa == u->cfa || !is_ip_told))
		return false;
	if (u->arch->ends_as_perf
		    ? u->columns[u->arch->fp_column].place == IN_NOWHERE
		    : ip == 0)
		return false;
	go_to_caller(u, ip, cfa);
	/* What a signal interrupted stands at its ip, not behind a call. */
	u->is_call = !row->is_signal;
	return true;
}

/* By frame pointers: at fp lies the caller's, and behind it where that goes
 * on. */
static bool step_by_chain(struct rpt_unwind *u)
{
	struct location *fp_loc = &u->columns[u->arch->fp_column];
	uint64_t fp, saved, ip;
	size_t i;

	if (!read_location(u, fp_loc, &fp) || fp == 0 || fp < u->cfa ||
	    fp - u->cfa > CHAIN_MAX_LEN || !read_memory(u, fp, &saved) ||
	    !read_memory(u, fp + u->arch->word_len, &ip))
		return false;
	for (i = 0; i < u->arch->columns_nr; i++)
		u->columns[i] = (struct location){ IN_NOWHERE, 0 };
	*fp_loc = (struct location){ IN_MEMORY, fp };
	go_to_caller(u, unsigned_addr(u, ip), fp + 2 * u->arch->word_len);
	return true;
}

/* "jmp *slot(%rip); push $n; jmp" */
static bool is_in_plt(struct rpt_unwind *u)
{
	uint64_t low, high;

	return read_memory(u, u->ip, &low) &&
	       read_memory(u, u->ip + 8, &high) && (low & 0xffff) == 0x25ff &&
	       (low >> 48 & 0xff) == 0x68 && (high >> 24 & 0xff) == 0xe9;
}

/* Code without information: a PLT slot, or one that keeps frame pointers, as
 * libunwind 1.6 guesses. */
static bool guess_x86_64(struct rpt_unwind *u)
{
	uint64_t ip;

	if (!is_in_plt(u))
		return step_by_chain(u);
	if (!read_memory(u, u->cfa, &ip))
		return false;
	go_to_caller(u, ip, u->cfa + u->arch->word_len);
	return true;
}

static const struct rpt_symbol *symbol_at(struct rpt_unwind *u, uint64_t addr)
{
	const struct rpt_symbol *sym;
	pthread_mutex_t *lock;

	if (!find_map(u, addr))
		return NULL;
	lock = rpt_names_lock(u->map.dso->owner);
	pthread_mutex_lock(lock);
	sym = rpt_dso_symbol(u->map.dso, addr - u->map.start + u->map.pgoff);
	pthread_mutex_unlock(lock);
	return sym;
}

/* Whether the link register of code that was interrupted still tells where it
 * returns to: no call of its own has been there, and the frame record, if it
 * has one, is not yet written or its caller's. */
static bool is_link_fresh(struct rpt_unwind *u, uint64_t link)
{
	const struct rpt_symbol *own = symbol_at(u, u->ip), *caller;
	uint64_t fp, saved;

	if (u->is_call || !find_map(u, link - 1))
		return false;
	caller = symbol_at(u, link - 1);
	if (own && own == caller)
		return false;
	return !read_location(u, &u->columns[u->arch->fp_column], &fp) ||
	       fp < u->cfa || !read_memory(u, fp + 8, &saved) ||
	       unsigned_addr(u, saved) != link;
}

/* Where the frame ends whose record is at fp. */
static uint64_t frame_end(struct rpt_unwind *u, uint64_t fp)
{
	const struct rpt_symbol *sym = symbol_at(u, u->ip - 1);
	const uint8_t *code = NULL;

	if (sym)
		code = file_bytes(u, sym->start - u->map.pgoff + u->map.start,
				  RPT_AARCH64_PROLOGUE_LEN);
	return fp + (code ? rpt_aarch64_frame_len(code) : 16);
}

static bool chain_aarch64(struct rpt_unwind *u)
{
	uint64_t fp, end;

	if (!read_location(u, &u->columns[u->arch->fp_column], &fp))
		return false;
	end = frame_end(u, fp);
	if (!step_by_chain(u))
		return false;
	u->cfa = end;
	return true;
}

/* Code without information: a PLT slot or another leaf (the linker tells
 * nothing of these), or one that keeps frame records. */
static bool guess_aarch64(struct rpt_unwind *u)
{
	uint64_t link;

	if (!read_location(u, &u->columns[u->arch->link_column], &link))
		return chain_aarch64(u);
	link = unsigned_addr(u, link);
	if (!is_link_fresh(u, link))
		return chain_aarch64(u);
	go_to_caller(u, link, u->cfa);
	return true;
}

/* One frame up where no row tells how. */
static bool guess(struct rpt_unwind *u)
{
	if (u->arch->link_column != RPT_NO_REG)
		return guess_aarch64(u);
	return u->arch->ends_as_perf ? guess_x86_64(u) : step_by_chain(u);
}

/* A vdso that is not at hand is taken for where a signal handler returns to: it
 * has next to no calls. */
static bool is_sigreturn(struct rpt_unwind *u)
{
	const uint8_t *code;

	if (u->arch->link_column == RPT_NO_REG)
		return false;
	code = file_bytes(u, u->ip, RPT_AARCH64_SIGRETURN_LEN);
	if (code)
		return rpt_aarch64_is_sigreturn(code);
	return u->is_call && u->map.dso &&
	       rpt_dso_kind(u->map.dso) == RPT_DSO_VDSO;
}

/* Linux v6.1 arch/arm64/kernel/signal.c, struct rt_sigframe: siginfo, ucontext
 * and in this x0 .. x30, sp, pc.  The frame record that the vdso's information
 * tells of leads to the caller of what was interrupted. */
static bool step_by_sigcontext(struct rpt_unwind *u)
{
	const uint64_t at = u->cfa + 128 + 176 + 8;
	uint64_t sp, ip;
	unsigned i;

	if (!read_memory(u, at + 31 * 8, &sp) ||
	    !read_memory(u, at + 32 * 8, &ip) || !find_map(u, ip))
		return false;
	for (i = 0; i < 31; i++)
		u->columns[i] = (struct location){ IN_MEMORY, at + i * 8 };
	go_to_caller(u, ip, sp);
	u->is_call = false;
	return true;
}

/* Of ip's instruction; NULL: its file tells nothing. */
static const struct rpt_cfi_row *find_row(struct rpt_unwind *u)
{
	uint64_t ip = u->ip - (u->is_call ? 1 : 0);
	struct rpt_unwind_file *file;
	uint64_t addr;

	if (!find_map(u, ip))
		return NULL;
	file = file_of_map(u);
	if (!file || !rpt_unwind_file_addr(
			     file, ip - u->map.start + u->map.pgoff, &addr))
		return NULL;
	return rpt_unwind_file_row(file, addr, u->arch->columns_nr);
}

static bool step(struct rpt_unwind *u)
{
	const struct rpt_cfi_row *row;

	if (is_sigreturn(u) && step_by_sigcontext(u))
		return true;
	row = find_row(u);
	if (row && row->is_known)
		return step_by_row(u, row);
	if (!row && u->arch->ends_as_perf)
		return false;
	return find_map(u, u->ip - (u->is_call ? 1 : 0)) && guess(u);
}

static bool start(struct rpt_unwind *u, const struct rpt_unwind_input *input)
{
	unsigned reg;
	size_t i = 0;

	u->input = input;
	u->map.dso = NULL;
	u->regs_known = 0;
	for (reg = 0; reg < 64 && i < input->regs_nr; reg++) {
		if (!(input->regs_mask >> reg & 1))
			continue;
		u->regs[reg] = input->regs[i++];
		u->regs_known |= UINT64_C(1) << reg;
	}
	for (i = 0; i < RPT_CFI_COLUMNS; i++)
		u->columns[i] = (struct location){ IN_SAMPLE, i };
	u->is_call = false;
	u->is_short = false;
	if (!read_sample_reg(u, u->arch->sp_reg, &u->stack_start) ||
	    !read_sample_reg(u, u->arch->ip_reg, &u->ip))
		return false;
	u->cfa = u->stack_start;
	return true;
}

size_t rpt_unwind_frames(struct rpt_unwind *unwind,
			 const struct rpt_unwind_input *input, uint64_t *ips,
			 size_t max)
{
	size_t nr = 0, steps;
	uint64_t ip;

	unwind->arch = rpt_unwind_arch(unwind->machine, input->regs_abi,
				       input->regs_mask);
	if (!unwind->arch || input->stack_len == 0 || max == 0 ||
	    !start(unwind, input))
		return 0;
	ips[nr++] = unwind->ip;
	if (input->regs_abi != unwind->arch->regs_abi)
		return nr;
	for (steps = 1; steps < max && step(unwind); steps++) {
		ip = unwind->ip - (unwind->is_call ? 1 : 0);
		if (ip) /* perf 6.1 passes over a frame at 0 */
			ips[nr++] = ip;
	}
	unwind->counts.copies_nr++;
	unwind->counts.short_nr += unwind->is_short;
	return nr;
}
