/* piece.h: parts of a file that can be read beside each other. */
#ifndef PD_PIECE_H
#define PD_PIECE_H

#include <stdbool.h>
#include <stdint.h>

/* A part of the file that an iterator can read alone. */
struct pd_piece {
	uint64_t file_off;
	uint64_t len;	     /* bytes in the file */
	bool is_frame;	     /* holds compressed records */
	bool has_sideband;   /* false: known to hold samples only */
	uint64_t time_lo_ns; /* of the records in it, where known; else 0 */
	uint64_t time_hi_ns; /* where known; else UINT64_MAX */
};

/* How a file is cut into pieces. */
struct pd_cut {
	uint64_t goal_len; /* of a piece */
	/* NULL, or told of places of the file that were looked at: of each cut
	 * that is guessed, every PD_CUT_STEP of headers that are walked. */
	void (*looked)(void *ctx, uint64_t file_off);
	void *ctx;
};

#define PD_CUT_STEP ((uint64_t)2 << 20)

#endif
