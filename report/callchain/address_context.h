/* address_context.h: what an address is asked in, as one number: the state of
 * an address space, or of the kernel's, and the kind of address.  Few of them
 * stand for many addresses.
 */
#ifndef RPT_ADDRESS_CONTEXT_H
#define RPT_ADDRESS_CONTEXT_H

#include "report/base/intern.h"

#define RPT_ADDRESS_CONTEXT_LATELY 16u

struct rpt_frame_space {
	uint32_t space_id;
	uint32_t generation;
	uint32_t kind; /* of address: anything else that tells it apart */
};

/* A zeroed struct is empty. */
struct rpt_address_context {
	struct rpt_intern spaces;
	struct rpt_frame_numbered {
		struct rpt_frame_space space;
		uint32_t number; /* 0: none yet */
	} lately[RPT_ADDRESS_CONTEXT_LATELY];
};

void rpt_address_context_release(struct rpt_address_context *scopes);

/* Its number, from 1.  -ENOMEM or -EFBIG as rpt_intern(). */
int rpt_address_context_number(struct rpt_address_context *scopes,
			       const struct rpt_frame_space *space,
			       uint32_t *ret);

/* The same where it was asked for lately, else 0. */
uint32_t rpt_address_context_lately(const struct rpt_address_context *scopes,
				    const struct rpt_frame_space *space);

#endif
