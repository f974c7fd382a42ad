/* host_parts.h: the parts of host_facts.h, a file each.  Each fills its member
 * of facts as far as the machine tells; -ENOMEM is their only failure. */
#ifndef REC_HOST_PARTS_H
#define REC_HOST_PARTS_H

#include "record/host/host_facts.h"

int rec_host_cpu_read(struct rec_host_facts *facts,
		      const struct rec_sysroots *roots);
int rec_host_topology_read(struct rec_host_facts *facts,
			   const struct rec_sysroots *roots);
int rec_host_cache_read(struct rec_host_facts *facts,
			const struct rec_sysroots *roots);
int rec_host_memory_read(struct rec_host_facts *facts,
			 const struct rec_sysroots *roots);

/* Room for one more item of a list that grows by doubling: items, which may
 * move, or NULL (the old ones stay). */
void *rec_list_grow(void *items, size_t nr, size_t item_len);

/* Calls visit for each CPU or node of "0-3,5". -EINVAL where it is no list. */
int rec_cpu_list_each(const char *list, int (*visit)(void *ctx, uint32_t cpu),
		      void *ctx);

#endif
