/* hex_digits.h: numbers in hexadecimal, all digits at once: what printing
 * millions of addresses is made of.
 */
#ifndef RPT_HEX_DIGITS_H
#define RPT_HEX_DIGITS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define RPT_HEX_LEN 16u

/* The eight digits of v, the first in the lowest byte. */
static inline uint64_t rpt_hex_of_32(uint32_t v)
{
	uint64_t x = v, letters;

	/* a digit in each byte, the last digit in the lowest */
	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (x + UINT64_C(0x0606060606060606)) >> 4 &
		  UINT64_C(0x0101010101010101);
	return __builtin_bswap64(x + UINT64_C(0x3030303030303030) +
				 letters * ('a' - '9' - 1));
}

/* How many digits count; of 0 one. */
static inline unsigned rpt_hex_nr(uint64_t v)
{
	return (unsigned)(67 - __builtin_clzll(v | 1)) / 4;
}

static inline void rpt_hex_store(char *to, uint64_t digits)
{
	digits = htole64(digits);
	memcpy(to, &digits, sizeof(digits));
}

/* The digits of v that count, at to, where RPT_HEX_LEN bytes may be written.
 * How many. */
static inline size_t rpt_hex_put(char *to, uint64_t v)
{
	unsigned nr = rpt_hex_nr(v), high_nr = nr > 8 ? nr - 8 : 0;
	unsigned low_nr = nr - high_nr;

	if (high_nr)
		rpt_hex_store(to, rpt_hex_of_32((uint32_t)(v >> 32)) >>
					  (64 - 8 * high_nr));
	rpt_hex_store(to + high_nr,
		      rpt_hex_of_32((uint32_t)v) >> (64 - 8 * low_nr));
	return nr;
}

/* digits with nr <= 8 blanks instead of the first ones */
static inline uint64_t rpt_hex_blank(uint64_t digits, unsigned nr)
{
	uint64_t mask = (UINT64_C(1) << 4 * nr << 4 * nr) - 1;

	return (digits & ~mask) | (UINT64_C(0x2020202020202020) & mask);
}

/* "%16lx" */
static inline void rpt_hex_put_wide(char *to, uint64_t v)
{
	unsigned blank_nr = RPT_HEX_LEN - rpt_hex_nr(v);
	unsigned high_nr = blank_nr < 8 ? blank_nr : 8;

	rpt_hex_store(
		to, rpt_hex_blank(rpt_hex_of_32((uint32_t)(v >> 32)), high_nr));
	rpt_hex_store(to + 8, rpt_hex_blank(rpt_hex_of_32((uint32_t)v),
					    blank_nr - high_nr));
}

#endif
