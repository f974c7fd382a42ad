#include "report/annotate/disassembler.h"

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
	cs_arch arch;
	cs_mode mode;
} machines[RPT_CODE_ARCH_NR] = {
	[RPT_CODE_X86_64] = { CS_ARCH_X86, CS_MODE_64 },
	[RPT_CODE_X86_32] = { CS_ARCH_X86, CS_MODE_32 },
	[RPT_CODE_ARM64] = { CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
};

void rpt_disassembler_init(struct rpt_disassembler *dis, bool is_intel)
{
	*dis = (struct rpt_disassembler){ .is_intel = is_intel };
}

void rpt_disassembler_release(struct rpt_disassembler *dis)
{
	if (dis->insn)
		cs_free(dis->insn, 1);
	for (size_t i = 0; i < RPT_CODE_ARCH_NR; i++)
		if (dis->is_open[i])
			cs_close(&dis->handles[i]);
	memset(dis, 0, sizeof(*dis));
}

/* Open capstone for a machine.  Return false if it has no memory left, or was
 * built without it. */
static bool open_for(struct rpt_disassembler *dis, enum rpt_code_arch arch)
{
	csh *handle = &dis->handles[arch];

	if (dis->is_open[arch])
		return true;
	if (cs_open(machines[arch].arch, machines[arch].mode, handle) !=
	    CS_ERR_OK)
		return false;
	dis->is_open[arch] = true;
	cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (arch != RPT_CODE_ARM64 && !dis->is_intel)
		cs_option(*handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	if (!dis->insn)
		dis->insn = cs_malloc(*handle);
	return dis->insn;
}

static bool has_group(const cs_insn *insn, uint8_t group)
{
	for (uint8_t i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

/* Find where a jump or a call of x86 leads to, and the data that an instruction
 * finds by its own address. */
static void set_x86(const cs_insn *insn, struct rpt_instruction *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;
	bool is_branch = ret->is_call || has_group(insn, CS_GRP_JUMP) ||
			 insn->id == X86_INS_LOOP ||
			 insn->id == X86_INS_LOOPE ||
			 insn->id == X86_INS_LOOPNE;

	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];

		if (op->type == X86_OP_IMM && is_branch) {
			ret->has_target = true;
			ret->target = (uint64_t)op->imm;
		} else if (op->type == X86_OP_MEM &&
			   op->mem.base == X86_REG_RIP) {
			ret->has_data = true;
			ret->data = insn->address + insn->size +
				    (uint64_t)op->mem.disp;
		}
	}
}

static void set_arm64(const cs_insn *insn, struct rpt_instruction *ret)
{
	const cs_arm64 *arm64 = &insn->detail->arm64;
	bool is_branch = ret->is_call || has_group(insn, CS_GRP_JUMP);
	const cs_arm64_op *last =
		arm64->op_count ? &arm64->operands[arm64->op_count - 1] : NULL;

	if (!last || last->type != ARM64_OP_IMM)
		return;
	if (is_branch) {
		ret->has_target = true;
		ret->target = (uint64_t)last->imm;
	} else if (insn->id == ARM64_INS_ADRP || insn->id == ARM64_INS_ADR) {
		ret->has_data = true;
		ret->data = (uint64_t)last->imm;
	}
}

/* Set the text to capstone's, but for the address that a jump or a call leads
 * to: the last operand, which is written as the addresses of the rows are. */
static void set_text(const cs_insn *insn, struct rpt_instruction *ret)
{
	const char *last = strrchr(insn->op_str, ' ');
	int before;

	if (!*insn->op_str) {
		snprintf(ret->text, sizeof(ret->text), "%s", insn->mnemonic);
		return;
	}
	last = last ? last + 1 : insn->op_str;
	before = (int)(last - insn->op_str);
	if (ret->has_target) {
		last += *last == '#';
		last += 2 * (last[0] == '0' && last[1] == 'x');
	}
	snprintf(ret->text, sizeof(ret->text), "%-7s %.*s%s", insn->mnemonic,
		 before, insn->op_str, last);
}

/* Show bytes that are no instruction to capstone. */
static void set_bad(enum rpt_code_arch arch, const uint8_t *bytes, uint64_t len,
		    struct rpt_instruction *ret)
{
	int text_len;

	ret->is_code = false;
	ret->len = 1;
	if (arch == RPT_CODE_ARM64 && len >= 4) {
		ret->len = 4;
		snprintf(ret->text, sizeof(ret->text),
			 ".inst   0x%02x%02x%02x%02x", bytes[3], bytes[2],
			 bytes[1], bytes[0]);
		return;
	}
	if (arch == RPT_CODE_X86_64 && rpt_vex_length(bytes, len))
		ret->len = rpt_vex_length(bytes, len);
	text_len = snprintf(ret->text, sizeof(ret->text), ".byte   0x%02x",
			    bytes[0]);
	for (uint8_t i = 1; i < ret->len; i++)
		text_len += snprintf(ret->text + text_len,
				     sizeof(ret->text) - (size_t)text_len,
				     ",0x%02x", bytes[i]);
}

void rpt_disassemble(struct rpt_disassembler *dis, enum rpt_code_arch arch,
		     const uint8_t *bytes, uint64_t len, uint64_t addr,
		     struct rpt_instruction *ret)
{
	size_t left = len < 16 ? (size_t)len : 16;
	uint64_t at = addr;
	cs_insn *insn;

	ret->has_target = ret->has_data = ret->is_call = false;
	if (open_for(dis, arch) &&
	    cs_disasm_iter(dis->handles[arch], &bytes, &left, &at, dis->insn)) {
		insn = dis->insn;
		ret->len = (uint8_t)insn->size;
		ret->is_code = true;
		ret->is_call = has_group(insn, CS_GRP_CALL);
		if (arch == RPT_CODE_ARM64)
			set_arm64(insn, ret);
		else
			set_x86(insn, ret);
		set_text(insn, ret);
		return;
	}
	set_bad(arch, bytes, len, ret);
}

/* Opcodes of map 1 (0F) that an immediate byte follows. */
static bool has_immediate(uint8_t map, uint8_t opcode)
{
	if (map == 3)
		return true;
	return map == 1 &&
	       ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
		(opcode >= 0xc4 && opcode <= 0xc6));
}

/* Return the length of ModRM and what belongs to it; 0 if bytes end before. */
static uint8_t modrm_length(const uint8_t *bytes, uint64_t len)
{
	uint8_t mod, rm, ret = 1;

	if (!len)
		return 0;
	mod = bytes[0] >> 6;
	rm = bytes[0] & 7;
	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (len < 2)
			return 0;
		ret++;
		if (!mod && (bytes[1] & 7) == 5)
			ret = (uint8_t)(ret + 4);
	} else if (!mod && rm == 5) {
		ret = (uint8_t)(ret + 4);
	}
	if (mod)
		ret = (uint8_t)(ret + (mod == 1 ? 1 : 4));
	return ret;
}

uint8_t rpt_vex_length(const uint8_t *bytes, uint64_t len)
{
	uint8_t prefix_len, map = 1, modrm_len, ret;

	if (len < 4)
		return 0;
	switch (bytes[0]) {
	case 0xc5:
		prefix_len = 2;
		break;
	case 0xc4:
		prefix_len = 3;
		map = bytes[1] & 31;
		break;
	case 0x62:
		prefix_len = 4;
		map = bytes[1] & 7;
		break;
	default:
		return 0;
	}
	if (len < prefix_len + (uint64_t)2 || !map || map > 6)
		return 0;
	modrm_len = modrm_length(bytes + prefix_len + 1, len - prefix_len - 1);
	if (!modrm_len)
		return 0;
	ret = (uint8_t)(prefix_len + 1 + modrm_len +
			has_immediate(map, bytes[prefix_len]));
	return ret <= len ? ret : 0;
}
