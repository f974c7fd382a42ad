/* chunk.h: parts of a file that can be read beside each other. */
#ifndef PD_CHUNK_H
#define PD_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

/* A part of the file that an iterator can read alone. */
struct pd_chunk {
	uint64_t file_off;
	uint64_t len;	     /* bytes in the file */
	bool is_frame;	     /* holds compressed records */
	bool has_sideband;   /* false: known to hold samples only */
	uint64_t time_lo_ns; /* of the records in it, where known; else 0 */
	uint64_t time_hi_ns; /* where known; else UINT64_MAX */
};

#endif
