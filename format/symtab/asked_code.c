#include "format/symtab/asked_code.h"

#include <elf.h>

/* "jmp *slot(%rip); push $n; jmp" */
static bool is_x86_64_slot(const uint8_t *code)
{
	for (size_t i = 0; i < 2; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25 &&
		    code[i + 6] == 0x68 && code[i + 11] == 0xe9)
			return true;
	return false;
}

bool pd_asked_code(const struct pd_elf_image *elf, uint64_t off,
		   bool is_covered, uint8_t ret[PD_ASKED_CODE_LEN])
{
	bool is_aarch64 = elf->machine == EM_AARCH64;

	if ((is_aarch64 ? off % 4 : is_covered || elf->machine != EM_X86_64) ||
	    pd_elf_image_bytes(elf, off, ret, PD_ASKED_CODE_LEN))
		return false;
	return is_aarch64 ? pd_aarch64_is_carried(ret, is_covered)
			  : is_x86_64_slot(ret);
}
