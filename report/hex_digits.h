/* hex_digits.h: numbers in hexadecimal, all digits at once: what printing
 * millions of addresses is made of.
 */
#ifndef RPT_HEX_DIGITS_H
#define RPT_HEX_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define RPT_HEX_LEN 16u

/* The eight digits of v, the first in the byte that is stored first. */
static inline uint64_t rpt_hex_of_32(uint32_t v)
{
	uint64_t x = v, letters;

	/* a digit in each byte, the last digit in the lowest */
	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (x + UINT64_C(0x0606060606060606)) >> 4 &
		  UINT64_C(0x0101010101010101);
	return htobe64(x + UINT64_C(0x3030303030303030) +
		       letters * ('a' - '9' - 1));
}

/* The digits of v that count, at to, where RPT_HEX_LEN bytes may be written.
 * How many. */
static inline size_t rpt_hex_put(char *to, uint64_t v)
{
	size_t nr = (size_t)(67 - __builtin_clzll(v | 1)) / 4;
	char digits[2 * RPT_HEX_LEN];
	uint64_t half = rpt_hex_of_32((uint32_t)(v >> 32));

	memcpy(digits, &half, 8);
	half = rpt_hex_of_32((uint32_t)v);
	memcpy(digits + 8, &half, 8);
	memset(digits + RPT_HEX_LEN, 0, RPT_HEX_LEN);
	memcpy(to, digits + RPT_HEX_LEN - nr, RPT_HEX_LEN);
	return nr;
}

/* "%16lx", and as much room again behind it. */
static inline void rpt_hex_put_wide(char *to, uint64_t v)
{
	char digits[RPT_HEX_LEN];
	size_t nr = rpt_hex_put(digits, v);

	memset(to, ' ', RPT_HEX_LEN);
	memcpy(to + RPT_HEX_LEN - nr, digits, RPT_HEX_LEN);
}

#endif
