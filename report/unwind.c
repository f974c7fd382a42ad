#include "report/unwind.h"

#include "report/cfi.h"
#include "report/dso.h"
#include "report/dwarf_eval.h"

#include <stdlib.h>
#include <string.h>

#define NONE 0xff
/* How far above the frame a saved frame pointer may point to be believed. */
#define CHAIN_MAX_LEN 0x4000
#define WORD_LEN      8

/* Registers of an architecture: DWARF columns and perf's numbers. */
struct arch {
	unsigned columns_nr;
	uint8_t ip_column; /* NONE: the return address column is not the ip */
	uint8_t sp_column;
	uint8_t fp_column;
	uint8_t ip_reg; /* in perf's numbering */
	uint8_t sp_reg;
	bool has_frame_chain; /* falls back to frame pointers */
	uint8_t reg_of_column[RPT_CFI_COLUMNS];
};

static const struct arch archs[] = {
	[RPT_ARCH_X86_64] = {
		.columns_nr = 17, .ip_column = 16, .sp_column = 7,
		.fp_column = 6, .ip_reg = 8, .sp_reg = 7,
		.has_frame_chain = true,
		/* Linux v6.1 arch/x86/include/uapi/asm/perf_regs.h, by the
		 * order of the System V ABI's DWARF numbers */
		.reg_of_column = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20,
				   21, 22, 23, 8 },
	},
	[RPT_ARCH_AARCH64] = {
		.columns_nr = 32, .ip_column = NONE, .sp_column = 31,
		.fp_column = 29, .ip_reg = 32, .sp_reg = 31,
		.reg_of_column = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
				   13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
				   24, 25, 26, 27, 28, 29, 30, 31 },
	},
};

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
	const struct arch *arch; /* NULL: none that is known */
	const struct rpt_unwind_input *input;
	struct rpt_unwind_map map; /* the last one found; dso NULL: none */
	uint64_t regs[64];	   /* by perf's numbers */
	uint64_t regs_known;	   /* bit mask */
	uint64_t stack_start;
	struct location columns[RPT_CFI_COLUMNS];
	uint64_t ip;
	uint64_t cfa;
	bool is_call; /* ip is behind the call instruction */
};

enum rpt_arch rpt_arch_of(const char *name, size_t name_len)
{
	static const struct {
		const char *name;
		enum rpt_arch arch;
	} names[] = { { "x86_64", RPT_ARCH_X86_64 },
		      { "aarch64", RPT_ARCH_AARCH64 },
		      { "arm64", RPT_ARCH_AARCH64 } };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == name_len &&
		    memcmp(names[i].name, name, name_len) == 0)
			return names[i].arch;
	return RPT_ARCH_OTHER;
}

struct rpt_unwind *rpt_unwind_new(enum rpt_arch arch)
{
	struct rpt_unwind *u = calloc(1, sizeof(*u));

	if (u && arch != RPT_ARCH_OTHER)
		u->arch = &archs[arch];
	return u;
}

void rpt_unwind_free(struct rpt_unwind *unwind)
{
	free(unwind);
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

	memcpy(&word, bytes, sizeof(word));
	return u->input->swap ? __builtin_bswap64(word) : word;
}

/* What lies in a mapped file and cannot have changed since: code, constants.
 * Where there is a map but no file to read (the stack beyond its copy), perf
 * 6.1 goes on with 0: its chain then ends in a frame at the highest address. */
static bool read_file_word(struct rpt_unwind *u, uint64_t addr, uint64_t *ret)
{
	struct rpt_elf *file;
	size_t image_len;
	uint64_t off;
	char *image;

	if (!find_map(u, addr))
		return false;
	file = rpt_dso_runtime(u->map.dso);
	image = file ? elf_rawfile(file->elf, &image_len) : NULL;
	off = addr - u->map.start + u->map.pgoff;
	*ret = 0;
	if (image && image_len >= WORD_LEN && off <= image_len - WORD_LEN)
		*ret = word_of(u, (const uint8_t *)image + off);
	return true;
}

/* perf 6.1 does not take the very last word of the copy. */
static bool read_memory(void *ctx, uint64_t addr, uint64_t *ret)
{
	struct rpt_unwind *u = ctx;
	uint64_t off = addr - u->stack_start;

	if (addr < u->stack_start || u->input->stack_len < WORD_LEN ||
	    off >= u->input->stack_len - WORD_LEN)
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
		return false;
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

	if (!rpt_dwarf_eval(row->ops + rule->off, rule->ops_nr, &context,
			    &ret->at, &is_value))
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
		*ret_cfa = loc.at;
		return true;
	}
	if (!read_column(u, row->cfa.column, ret_cfa))
		return false;
	*ret_cfa += (uint64_t)(int64_t)row->cfa.off;
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

/* One frame up by call frame information.  False: the chain ends here. */
static bool step_by_row(struct rpt_unwind *u, const struct rpt_cfi_row *row)
{
	struct location columns[RPT_CFI_COLUMNS];
	uint64_t cfa, ip;
	size_t i;

	if (!find_cfa(u, row, &cfa))
		return false;
	memcpy(columns, u->columns, sizeof(columns));
	for (i = 0; i < row->rules_nr; i++) {
		const struct rpt_cfi_rule *rule = &row->rules[i];

		if (!apply_rule(u, row, rule, cfa, &columns[rule->column]))
			return false;
	}
	memcpy(u->columns, columns, sizeof(columns));
	if (!read_location(u, &columns[row->ra_column], &ip))
		return false;
	if (ip == u->ip && cfa == u->cfa)
		return false;
	/* A frame whose caller's frame pointer is undefined is the first. */
	if (u->arch->has_frame_chain &&
	    columns[u->arch->fp_column].place == IN_NOWHERE)
		return false;
	u->ip = ip;
	u->cfa = cfa;
	/* What a signal interrupted stands at its ip, not behind a call. */
	u->is_call = !row->is_signal;
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
static bool step_by_chain(struct rpt_unwind *u)
{
	struct location *fp_loc = &u->columns[u->arch->fp_column];
	uint64_t fp, saved, ip;
	size_t i;

	if (!u->arch->has_frame_chain)
		return false;
	if (is_in_plt(u)) {
		if (!read_memory(u, u->cfa, &ip))
			return false;
		u->cfa += 8;
		u->ip = ip;
		u->is_call = true;
		return true;
	}
	if (!read_location(u, fp_loc, &fp) || fp == 0 || fp < u->cfa ||
	    fp - u->cfa > CHAIN_MAX_LEN || !read_memory(u, fp, &saved) ||
	    !read_memory(u, fp + 8, &ip))
		return false;
	for (i = 0; i < u->arch->columns_nr; i++)
		u->columns[i] = (struct location){ IN_NOWHERE, 0 };
	*fp_loc = (struct location){ IN_MEMORY, fp };
	u->cfa += 16;
	u->ip = ip;
	u->is_call = true;
	return true;
}

/* Virtual address in the file of ip's instruction. */
static bool find_addr(struct rpt_unwind *u, uint64_t *ret_addr)
{
	uint64_t ip = u->ip - (u->is_call ? 1 : 0);
	struct rpt_elf *file;

	if (!find_map(u, ip))
		return false;
	file = rpt_dso_runtime(u->map.dso);
	return file &&
	       rpt_elf_off_to_addr(file, ip - u->map.start + u->map.pgoff,
				   ret_addr);
}

static bool step(struct rpt_unwind *u)
{
	const struct rpt_cfi_row *row;
	uint64_t addr;

	if (!find_addr(u, &addr))
		return false;
	row = rpt_dso_cfi_row(u->map.dso, addr, u->arch->columns_nr);
	if (!row)
		return false;
	return row->is_known ? step_by_row(u, row) : step_by_chain(u);
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
	size_t nr = 0;

	if (!unwind->arch || input->regs_abi == 0 || input->stack_len == 0 ||
	    max == 0 || !start(unwind, input))
		return 0;
	ips[nr++] = unwind->ip;
	while (nr < max && input->regs_abi == 2 && step(unwind))
		ips[nr++] = unwind->ip - (unwind->is_call ? 1 : 0);
	return nr;
}
