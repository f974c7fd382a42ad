/* aarch64_code.h: what instructions of aarch64 tell of where the function that
 * they are in returns to.
 *
 * The reader asks for it where frame pointers do not tell; the recorder carries
 * the instructions that the reader will look at.  Source: Arm Architecture
 * Reference Manual, C4.1.
 */
#ifndef PD_AARCH64_CODE_H
#define PD_AARCH64_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pd_code_answer {
	PD_CODE_NO,
	PD_CODE_YES,
	PD_CODE_NEXT, /* the next instruction tells */
};

/* So many instructions are asked at most. */
enum { PD_AARCH64_SLOT_NR = 6, PD_AARCH64_LINKING_NR = 4 };

/* So much code is carried, from the address that was hit on. */
enum { PD_AARCH64_CODE_LEN = 4 * PD_AARCH64_SLOT_NR };

/* Ask whether code is what a linker makes to reach a function far away, or the
 * rest of it: x16 and x17 alone are set, then "br" goes to one of them; the
 * link register is at most saved. */
enum pd_code_answer pd_aarch64_is_slot(uint32_t instruction);

/* Ask whether code sets x29 to an address in the frame, "add x29, sp, #off",
 * before it branches. */
enum pd_code_answer pd_aarch64_links_record(uint32_t instruction);

/* Return whether code is carried: what links a frame record if call frame
 * information covers it, else a slot. */
bool pd_aarch64_is_carried(const uint8_t code[PD_AARCH64_CODE_LEN],
			   bool is_covered);

/* Instructions are little-endian, whatever the data are. */
static inline uint32_t pd_aarch64_instruction(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
	       (uint32_t)code[3] << 24;
}

#endif
