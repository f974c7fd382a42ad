#include "report/unwind/aarch64_code.h"

#define RECORD_LEN 16

static uint32_t instruction(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
	       (uint32_t)code[3] << 24;
}

bool rpt_aarch64_is_sigreturn(const uint8_t code[RPT_AARCH64_SIGRETURN_LEN])
{
	return instruction(code) == 0xd2801168 &&
	       instruction(code + 4) == 0xd4000001;
}

/* STP, 64 bits, pre-index: the offset is bits 15 to 21, signed, in words. */
uint64_t rpt_aarch64_frame_len(const uint8_t code[RPT_AARCH64_PROLOGUE_LEN])
{
	size_t i;

	for (i = 0; i < RPT_AARCH64_PROLOGUE_LEN; i += 4) {
		uint32_t word = instruction(code + i);

		/* a negative one */
		if ((word & 0xffe07fff) == 0xa9a07bfd)
			return 8 * (64 - (uint64_t)(word >> 15 & 63));
	}
	return RECORD_LEN;
}
