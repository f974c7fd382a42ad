#include "report/annotate/vex_length.h"

#include <stdbool.h>

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
