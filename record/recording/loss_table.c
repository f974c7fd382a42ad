#include "record/recording/loss_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/recording/metadata_records.h"

int rec_loss_table_init(struct rec_loss_table *table, size_t fd_nr)
{
	memset(table, 0, sizeof(*table));
	table->rows = calloc(REC_LOSS_ROWS_MAX, sizeof(*table->rows));
	table->noted = calloc(fd_nr + 1, sizeof(*table->noted));
	table->recorded = calloc(fd_nr + 1, sizeof(*table->recorded));
	return table->rows && table->noted && table->recorded ? 0 : -ENOMEM;
}

void rec_loss_table_release(struct rec_loss_table *table)
{
	free(table->rows);
	free(table->noted);
	free(table->recorded);
	memset(table, 0, sizeof(*table));
}

static bool is_same(const struct pd_trailer_loss *a,
		    const struct pd_trailer_loss *b)
{
	return a->cpu == b->cpu && a->event_idx == b->event_idx;
}

/* Return the newest row of the same CPU and event. */
static struct pd_trailer_loss *find_row(struct rec_loss_table *table,
					const struct pd_trailer_loss *loss)
{
	for (size_t i = table->nr; i-- > 0;)
		if (is_same(&table->rows[i], loss))
			return &table->rows[i];
	return NULL;
}

void rec_loss_table_add(struct rec_loss_table *table,
			const struct pd_trailer_loss *loss)
{
	struct pd_trailer_loss *row = find_row(table, loss);
	bool is_full = table->nr == REC_LOSS_ROWS_MAX;

	if (row && !is_full && loss->time_lo_ns > row->time_hi_ns &&
	    loss->time_lo_ns - row->time_hi_ns > REC_LOSS_GAP_NS)
		row = NULL;
	if (!row && !is_full) {
		table->rows[table->nr++] = *loss;
		return;
	}
	if (!row) {
		row = &table->rows[table->nr - 1];
		row->cpu = PD_TRAILER_ANY_CPU;
	}
	row->lost_nr += loss->lost_nr;
	if (loss->time_lo_ns < row->time_lo_ns)
		row->time_lo_ns = loss->time_lo_ns;
	if (loss->time_hi_ns > row->time_hi_ns)
		row->time_hi_ns = loss->time_hi_ns;
}

void rec_loss_table_move(struct rec_loss_table *table,
			 struct rec_loss_table *from)
{
	for (size_t i = 0; i < from->nr; i++)
		rec_loss_table_add(table, &from->rows[i]);
	from->nr = 0;
}

static uint32_t cpu_of(int cpu)
{
	return cpu < 0 ? PD_TRAILER_ANY_CPU : (uint32_t)cpu;
}

static void add_row(struct rec_loss_table *table, int cpu, uint32_t event_idx,
		    uint64_t nr, const struct rec_ring_reader_loss *when)
{
	const struct pd_trailer_loss loss = { .cpu = cpu_of(cpu),
					      .event_idx = event_idx,
					      .lost_nr = nr,
					      .time_lo_ns = when->time_lo_ns,
					      .time_hi_ns = when->time_hi_ns };

	if (nr)
		rec_loss_table_add(table, &loss);
}

/* Read the kernel's count of a descriptor since the last time. */
static bool count_fd(struct rec_loss_table *table,
		     const struct rec_loss_source *source, size_t idx,
		     uint64_t *ret)
{
	const struct rec_open_fd *fd = &source->open->fds[idx];
	struct rec_loss loss;

	*ret = 0;
	if (!rec_loss_read(&source->events->events[fd->event_idx], fd, &loss))
		return false;
	*ret = loss.lost_nr - table->noted[idx];
	table->noted[idx] = loss.lost_nr;
	return true;
}

/* Add losses by event (before Linux 6.0: to just one). */
static void collect_kernel(struct rec_loss_table *table,
			   const struct rec_loss_source *source,
			   struct rec_ring_reader *reader)
{
	bool is_counted = false;

	for (size_t i = 0; i < source->open->nr; i++) {
		const struct rec_open_fd *fd = &source->open->fds[i];
		uint64_t nr;

		if (fd->cpu != reader->cpu || !count_fd(table, source, i, &nr))
			continue;
		is_counted = true;
		add_row(table, fd->cpu, fd->event_idx, nr, &reader->lost);
	}
	if (!is_counted)
		add_row(table, reader->cpu, 0, reader->lost.nr, &reader->lost);
	table->is_counted |= is_counted;
	reader->lost = (struct rec_ring_reader_loss){ 0 };
}

/* Return the descriptor of an event in this ring, for the record's id. */
static const struct rec_open_fd *fd_of(const struct rec_open_set *open, int cpu,
				       uint32_t event_idx)
{
	for (size_t i = open->first[event_idx]; i < open->first[event_idx + 1];
	     i++)
		if (open->fds[i].cpu == cpu)
			return &open->fds[i];
	return &open->fds[open->first[event_idx]];
}

static void collect_dropped(struct rec_loss_table *table,
			    const struct rec_loss_source *source,
			    struct rec_ring_reader *reader, struct pd_buf *b)
{
	for (uint32_t i = 0; i < source->events->nr; i++) {
		struct rec_ring_reader_loss *dropped = &reader->dropped[i];
		const struct rec_open_fd *fd;
		struct rec_loss loss;

		if (!dropped->nr)
			continue;
		fd = fd_of(source->open, reader->cpu, i);
		loss = (struct rec_loss){ .event_idx = i,
					  .cpu = fd->cpu,
					  .tid = fd->tid,
					  .id = fd->id,
					  .lost_nr = dropped->nr };
		rec_loss_write(b, &source->events->events[i], &loss);
		add_row(table, reader->cpu, i, dropped->nr, dropped);
		table->dropped_nr += dropped->nr;
		*dropped = (struct rec_ring_reader_loss){ 0 };
	}
	table->cut_nr += reader->cut.nr;
	reader->cut = (struct rec_ring_reader_loss){ 0 };
}

void rec_loss_table_collect(struct rec_loss_table *table,
			    const struct rec_loss_source *source,
			    struct pd_buf *b)
{
	for (size_t i = 0; i < source->reader_nr; i++) {
		struct rec_ring_reader *reader = &source->readers[i];

		if (reader->lost.nr)
			collect_kernel(table, source, reader);
		if (!reader->dropped)
			continue;
		pthread_mutex_lock(&reader->lock); /* others may spill */
		collect_dropped(table, source, reader, b);
		pthread_mutex_unlock(&reader->lock);
	}
}

void rec_loss_table_end(struct rec_loss_table *table,
			const struct rec_loss_source *source,
			uint64_t time_hi_ns, struct pd_buf *b)
{
	const struct rec_ring_reader_loss at_end = { .time_lo_ns = time_hi_ns,
						     .time_hi_ns = time_hi_ns };

	rec_loss_table_collect(table, source, b);
	for (size_t i = 0; i < source->open->nr; i++) {
		const struct rec_open_fd *fd = &source->open->fds[i];
		struct rec_loss loss = { .event_idx = fd->event_idx,
					 .cpu = fd->cpu,
					 .tid = fd->tid,
					 .id = fd->id };
		uint64_t nr;

		if (!count_fd(table, source, i, &nr))
			continue;
		table->is_counted = true;
		add_row(table, fd->cpu, fd->event_idx, nr, &at_end);
		loss.lost_nr = table->noted[i] - table->recorded[i];
		table->recorded[i] = table->noted[i];
		if (loss.lost_nr)
			rec_loss_write(b,
				       &source->events->events[fd->event_idx],
				       &loss);
	}
}

void rec_loss_table_restart(struct rec_loss_table *table)
{
	table->nr = 0;
	table->dropped_nr = table->cut_nr = 0;
}
