/* read_progress.h: which parts of a file the reader is done with.
 *
 * Who has mapped the file can give their memory back, so that no more of a long
 * file is in memory than is being read.  All of it may be read again.
 */
#ifndef PD_READ_PROGRESS_H
#define PD_READ_PROGRESS_H

#include <stdint.h>

/* Records are told of when they are so far behind, and when their iterator
 * ends; so is what was looked through for a record to start at. */
#define PD_READ_PROGRESS_STEP ((uint64_t)16 << 20)

/* Any thread that reads may call these. */
struct pd_read_progress {
	void (*passed)(void *ctx, uint64_t file_off, uint64_t len);
	/* A place was looked at, of which nothing around it was read. */
	void (*looked)(void *ctx, uint64_t file_off);
	void *ctx;
};

#endif
