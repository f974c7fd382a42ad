#include "format/symtab/aarch64_code.h"

enum pd_code_answer pd_aarch64_is_slot(uint32_t instruction)
{
	static const struct {
		uint32_t mask, word;
	} parts[] = {
		{ UINT32_MAX, 0xa9bf7bf0 }, /* stp x16, x30, [sp, #-16]! */
		{ 0x9f00001f, 0x90000010 }, /* adrp x16, page */
		{ 0xffc003ff, 0xf9400211 }, /* ldr x17, [x16, #off] */
		{ 0xffc003ff, 0x91000210 }, /* add x16, x16, #off */
		{ UINT32_MAX, 0xd503219f }, /* autia1716 */
		{ UINT32_MAX, 0xd503245f }, /* bti c */
		{ UINT32_MAX, 0xd503201f }, /* nop */
	};

	if ((instruction & 0xffffffdf) == 0xd61f0200)
		return PD_CODE_YES; /* br x16, br x17 */
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if ((instruction & parts[i].mask) == parts[i].word)
			return PD_CODE_NEXT;
	return PD_CODE_NO;
}

enum pd_code_answer pd_aarch64_links_record(uint32_t instruction)
{
	if ((instruction & 0xffc003ff) == 0x910003fd)
		return PD_CODE_YES;
	/* branches, exceptions and system instructions */
	return (instruction & 0x1c000000) == 0x14000000 ? PD_CODE_NO
							: PD_CODE_NEXT;
}

bool pd_aarch64_is_carried(const uint8_t code[PD_AARCH64_CODE_LEN],
			   bool is_covered)
{
	size_t nr = is_covered ? PD_AARCH64_LINKING_NR : PD_AARCH64_SLOT_NR;
	enum pd_code_answer answer = PD_CODE_NEXT;

	for (size_t i = 0; i < nr && answer == PD_CODE_NEXT; i++) {
		uint32_t word = pd_aarch64_instruction(code + 4 * i);

		answer = is_covered ? pd_aarch64_links_record(word)
				    : pd_aarch64_is_slot(word);
	}
	return answer == PD_CODE_YES;
}
