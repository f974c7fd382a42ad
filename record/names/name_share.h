/* name_share.h: how many bytes of text the names of one file may take.
 *
 * Whoever makes an ELF file or a perf map chooses how long its names are, and
 * how many there are of one function: 300 aliases of 65,000 bytes made each
 * file of a recording 16 MiB longer.  What is carried is in proportion to the
 * addresses that were hit, so nobody makes it long without being sampled.
 * Names of compilers have some 30 bytes, those of templates some thousand.
 */
#ifndef REC_NAME_SHARE_H
#define REC_NAME_SHARE_H

#include <stddef.h>

static inline size_t rec_name_share(size_t hit_nr)
{
	return ((size_t)16 << 10) + ((size_t)1 << 10) * hit_nr;
}

#endif
