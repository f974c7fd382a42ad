/* code_ranges.h: where the processes have executable maps, as far as records
 * told: which words of a stack may be return addresses.
 *
 * Records of several rings come in any order: a process that has not execed has
 * the maps of its parents, too.  Memory is limited: without room for a new
 * process, those that ended two seconds before are forgotten, then one without
 * records or samples.
 *
 * Any thread; there is a lock.
 */
#ifndef REC_CODE_RANGES_H
#define REC_CODE_RANGES_H

#include "format/file/layout.h"
#include "format/records/record.h"

#include <stddef.h>

struct rec_code_ranges;

/* The bytes of a record that are read. */
enum { REC_CODE_RECORD_LEN = 72 };

/* Return NULL if there is no memory. */
struct rec_code_ranges *rec_code_ranges_new(void);
/* Safe on NULL. */
void rec_code_ranges_free(struct rec_code_ranges *code);

/* Return whether records of this type tell of maps. */
static inline bool rec_code_ranges_want(uint32_t type)
{
	return type < 64 && (PD_BIT(PD_RECORD_MMAP2) | PD_BIT(PD_RECORD_FORK) |
			     PD_BIT(PD_RECORD_COMM) | PD_BIT(PD_RECORD_EXIT)) &
				    PD_BIT(type);
}

/* Take the beginning of a record of such a type; is_new: the kernel wrote it
 * just now, and it is not told again of what ran before. */
void rec_code_ranges_see(struct rec_code_ranges *code,
			 const struct pd_record *rec, bool is_new);
/* The same of many records, with the lock. */
void rec_code_ranges_lock(struct rec_code_ranges *code);
void rec_code_ranges_see_locked(struct rec_code_ranges *code,
				const struct pd_record *rec, bool is_new);
void rec_code_ranges_unlock(struct rec_code_ranges *code);

/* Return the addresses of nr (at most 64) that lie in the process's code, or
 * right behind it, as bits. */
uint64_t rec_code_ranges_find(struct rec_code_ranges *code, uint32_t pid,
			      const uint64_t *addrs, size_t nr);

#endif
