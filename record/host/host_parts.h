/* host_parts.h: the parts of host_facts.h.  Each function fills its member of
 * facts as far as the machine shows it and returns 0 or -ENOMEM. */
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

/* Return the list, grown by doubling if it is full, with room for one more
 * item; NULL if there is no memory (the old list stays valid). */
void *rec_list_grow(void *items, size_t nr, size_t item_len);

/* Return a copy of text that lives as long as the pool; its ptr is NULL if
 * there is no memory. */
struct pd_str rec_text_pool_add(struct rec_text_pool *pool, const char *text);
void rec_text_pool_release(struct rec_text_pool *pool);

#endif
