/* zframe.h: plain records into COMPRESSED ones, in zstd frames; inflate.h is
 *the way back.
 *
 * A frame is complete by itself.  It is made of units: at most
 * PD_ZFRAME_UNIT_LEN plain bytes, flushed, are the payload of one COMPRESSED
 * record.  So a frame ends only at the end of a record, each record yields at
 * least one byte, and no zstd block is split over records, which is what stock
 * perf needs.  FORMAT.md "Compressed frames".
 *
 *	w = pd_zframe_writer_new(1, frame_len_max);
 *	pd_zframe_writer_add(w, span, len);	... of whole records in the end
 *	pd_zframe_writer_end(w, &records, &hash);
 */
#ifndef PD_ZFRAME_H
#define PD_ZFRAME_H

#include "format/buf.h"

/* Always fits one record: the worst case of zstd for 65000 bytes is 65285, a
 * record holds 65527. A multiple of 8. */
#define PD_ZFRAME_UNIT_LEN 64992u
/* For the COMPRESSED feature: a unit, rounded up to 4096. */
#define PD_ZFRAME_MMAP_LEN 65536u

struct pd_zframe_writer;

/* level: zstd's. frame_len_max: plain bytes that a frame may hold; the output
 * buffer is made for that here, nothing is allocated later.  NULL: out of
 * memory, or a level that zstd does not have. */
struct pd_zframe_writer *pd_zframe_writer_new(int level, size_t frame_len_max);
void pd_zframe_writer_free(struct pd_zframe_writer *w);

/* Takes len bytes into the frame and is done with them on return.  They need
 * not be whole records; the frame as a whole must. -EFBIG over frame_len_max,
 * -EIO where zstd fails; either latches until the frame's end. */
int pd_zframe_writer_add(struct pd_zframe_writer *w, const void *plain,
			 size_t len);

/* Ends the frame.  *ret_records holds its COMPRESSED records, until the next
 * add; *ret_hash is the XXH3-64 of its plain text. A frame without a byte has
 * no records. The next add begins a new frame, whatever happened. */
int pd_zframe_writer_end(struct pd_zframe_writer *w,
			 const struct pd_buf **ret_records, uint64_t *ret_hash);

#endif
