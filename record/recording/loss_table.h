/* loss_table.h: lost samples by event, CPU and time.
 *
 * A sample is lost if the kernel finds its ring full (it writes a LOST record
 * when there is room again, and counts by event if it has PERF_FORMAT_LOST), or
 * if the recorder drops it because a ring is about to overflow (ring_reader.h).
 * Both are collected here, at each flush, as rows for the trailer and as
 * LOST_SAMPLES records, which perf adds up.
 */
#ifndef REC_LOSS_TABLE_H
#define REC_LOSS_TABLE_H

#include "format/file/trailer.h"
#include "record/ring/ring_reader.h"
#include "record/targets/event_open.h"

/* Losses closer together are merged. */
enum { REC_LOSS_ROWS_MAX = 4096 };
#define REC_LOSS_GAP_NS UINT64_C(1000000000)

struct rec_loss_table {
	struct pd_trailer_loss *rows; /* owned, room for REC_LOSS_ROWS_MAX */
	size_t nr;
	uint64_t *noted;    /* owned, by descriptor: losses in rows */
	uint64_t *recorded; /* owned, by descriptor: losses in LOST_SAMPLES */
	uint64_t dropped_nr;
	uint64_t cut_nr;
	bool is_counted; /* the kernel counts by event */
};

struct rec_loss_source {
	const struct rec_event_list *events;
	const struct rec_open_set *open;
	struct rec_ring_reader *readers;
	size_t reader_nr;
};

/* Return 0, or -ENOMEM. */
int rec_loss_table_init(struct rec_loss_table *table, size_t fd_nr);
void rec_loss_table_release(struct rec_loss_table *table);

/* Add nr samples lost between two times.  If the table is full, they are added
 * to a row of the same event and CPU, or of any. */
void rec_loss_table_add(struct rec_loss_table *table,
			const struct pd_trailer_loss *loss);

/* Move all rows of another table to this one; its counts stay. */
void rec_loss_table_move(struct rec_loss_table *table,
			 struct rec_loss_table *from);

/* Collect the losses of the readers, while nobody drains.  Append LOST_SAMPLES
 * records of those that the recorder dropped to b. */
void rec_loss_table_collect(struct rec_loss_table *table,
			    const struct rec_loss_source *source,
			    struct pd_buf *b);

/* At the end of a file, also collect those without a LOST record, with
 * time_hi_ns as their latest time, and append LOST_SAMPLES records of all that
 * the kernel counted. */
void rec_loss_table_end(struct rec_loss_table *table,
			const struct rec_loss_source *source,
			uint64_t time_hi_ns, struct pd_buf *b);

/* Clear all rows: another file begins. */
void rec_loss_table_restart(struct rec_loss_table *table);

#endif
