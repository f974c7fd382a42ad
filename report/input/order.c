#include "report/input/order.h"

#include "format/base/limits.h"
#include "format/file/layout.h"
#include "format/support/whole_io.h"
#include "report/base/memory.h"
#include "report/base/temp_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sorted runs of records, held on disk instead of in memory.
 *
 *	disk_runs_add(&disk, entries, nr);	a run of them, sorted
 *	while ((first = rpt_disk_runs_first(&disk)))
 *		...				the earliest of all runs
 *		disk_runs_pop(&disk);
 *	disk_runs_release(&disk);
 *
 * This is an external merge sort, for records that do not fit into
 * its memory.  The runs lie one behind the other in a nameless file, which is
 * emptied when all were read; each run has a buffer of BUFFER_LEN bytes.
 */

#define BUFFER_LEN ((size_t)128 << 10)

_Static_assert(BUFFER_LEN > sizeof(struct rpt_order_entry) + PD_RECORD_LEN_MAX,
	       "a record fits");

struct rpt_disk_run {
	struct rpt_order_entry head; /* data in buffer, if it does not last */
	size_t head_len;	     /* in the file */
	uint64_t off;		     /* of the bytes not yet read */
	uint64_t end;
	uint8_t *buffer; /* BUFFER_LEN; owned; pos .. len were not taken yet */
	size_t pos;
	size_t len;
};

/* Return the bytes that an entry takes in the file: itself, then its record if
 * that does not stay in memory. */
static size_t len_of(const struct rpt_order_entry *entry)
{
	return sizeof(*entry) + (entry->chunk ? entry->rec.len : 0);
}

static int open_file(struct rpt_disk_runs *disk)
{
	if (disk->is_open)
		return 0;
	disk->fd = rpt_temp_file_open();
	if (disk->fd < 0)
		return -errno;
	disk->is_open = true;
	return 0;
}

static size_t put(uint8_t *to, const struct rpt_order_entry *entry)
{
	memcpy(to, entry, sizeof(*entry));
	if (entry->chunk)
		memcpy(to + sizeof(*entry), entry->rec.data, entry->rec.len);
	return len_of(entry);
}

/* Write the entries.  Set *ret_len to the bytes written, also on failure. */
static int write_entries(const struct rpt_disk_runs *disk,
			 const struct rpt_order_entry *entries, size_t nr,
			 uint64_t *ret_len)
{
	uint8_t *buffer = rpt_alloc(BUFFER_LEN);
	size_t len = 0;
	int rc = 0;

	*ret_len = 0;
	for (size_t i = 0; i < nr && !rc; i++) {
		if (BUFFER_LEN - len < len_of(&entries[i])) {
			rc = sup_write(disk->fd, buffer, len);
			*ret_len += len;
			len = 0;
		}
		len += put(buffer + len, &entries[i]);
	}
	if (!rc)
		rc = sup_write(disk->fd, buffer, len);
	*ret_len += len;
	free(buffer);
	return rc;
}

/* Cut the file off at disk->len, and go on writing there. */
static int rewind_file(const struct rpt_disk_runs *disk)
{
	if (ftruncate(disk->fd, (off_t)disk->len) != 0 ||
	    lseek(disk->fd, (off_t)disk->len, SEEK_SET) < 0)
		return -errno;
	return 0;
}

static int fill(const struct rpt_disk_runs *disk, struct rpt_disk_run *run)
{
	size_t want = BUFFER_LEN - (run->len - run->pos);
	ssize_t got;

	memmove(run->buffer, run->buffer + run->pos, run->len - run->pos);
	run->len -= run->pos;
	run->pos = 0;
	if (want > run->end - run->off)
		want = (size_t)(run->end - run->off);
	got = sup_read_at(disk->fd, run->buffer + run->len, want, run->off);
	if (got < 0 || (size_t)got < want)
		return got < 0 ? (int)got : -EIO;
	run->len += want;
	run->off += want;
	return 0;
}

/* Set run->head.  Return true if all of the next entry is in the buffer. */
static bool has_head(struct rpt_disk_run *run)
{
	size_t left = run->len - run->pos;

	if (left < sizeof(run->head))
		return false;
	memcpy(&run->head, run->buffer + run->pos, sizeof(run->head));
	run->head_len = len_of(&run->head);
	return left >= run->head_len;
}

/* Make head the next entry.  Return 1, 0 if there is none, or a negative
 * errno. */
static int next(const struct rpt_disk_runs *disk, struct rpt_disk_run *run)
{
	int rc;

	run->pos += run->head_len;
	run->head_len = 0;
	if (run->pos == run->len && run->off == run->end)
		return 0;
	if (!has_head(run)) {
		rc = fill(disk, run);
		if (rc)
			return rc;
		if (!has_head(run))
			return -EIO;
	}
	if (run->head.chunk)
		run->head.rec.data = run->buffer + run->pos + sizeof(run->head);
	return 1;
}

static void swap_runs(struct rpt_disk_runs *disk, uint32_t a, uint32_t b)
{
	struct rpt_disk_run run = disk->runs[a];

	disk->runs[a] = disk->runs[b];
	disk->runs[b] = run;
}

static bool is_before(const struct rpt_disk_runs *disk, uint32_t a, uint32_t b)
{
	return rpt_order_is_before(&disk->runs[a].head, &disk->runs[b].head);
}

static void sift_up(struct rpt_disk_runs *disk, uint32_t at)
{
	for (; at && is_before(disk, at, (at - 1) / 2); at = (at - 1) / 2)
		swap_runs(disk, at, (at - 1) / 2);
}

static void sift_down(struct rpt_disk_runs *disk)
{
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < disk->nr) {
		if (child + 1 < disk->nr && is_before(disk, child + 1, child))
			child++;
		if (!is_before(disk, child, at))
			break;
		swap_runs(disk, at, child);
		at = child;
	}
}

static int push_run(struct rpt_disk_runs *disk, uint64_t len)
{
	struct rpt_disk_run run = { .off = disk->len, .end = disk->len + len };
	int rc;

	run.buffer = rpt_alloc(BUFFER_LEN);
	rc = next(disk, &run);
	if (rc <= 0) {
		free(run.buffer);
		return rc ? rc : -EIO;
	}
	disk->runs =
		rpt_grow(disk->runs, &disk->cap, disk->nr, sizeof(*disk->runs));
	disk->runs[disk->nr] = run;
	sift_up(disk, disk->nr++);
	disk->len += len;
	return 0;
}

/* Copy entries, which are in order, and the bytes of those that do not last.
 * Return 0, or the negative errno of the file; nothing was added then. */
static int disk_runs_add(struct rpt_disk_runs *disk,
			 const struct rpt_order_entry *entries, size_t nr)
{
	uint64_t len;
	int rc;

	if (!nr)
		return 0;
	rc = open_file(disk);
	if (rc)
		return rc;
	rc = write_entries(disk, entries, nr, &len);
	if (!rc)
		rc = push_run(disk, len);
	if (rc)
		rewind_file(disk);
	return rc;
}

const struct rpt_order_entry *
rpt_disk_runs_first(const struct rpt_disk_runs *disk)
{
	return disk->nr ? &disk->runs[0].head : NULL;
}

/* Drop the earliest entry.  Return 0, or the negative errno of reading. */
static int disk_runs_pop(struct rpt_disk_runs *disk)
{
	struct rpt_disk_run *run = &disk->runs[0];
	int rc = next(disk, run);

	if (rc < 0)
		return rc;
	if (!rc) {
		free(run->buffer);
		*run = disk->runs[--disk->nr];
	}
	sift_down(disk);
	if (disk->nr)
		return 0;
	disk->len = 0;
	return rewind_file(disk);
}

/* Free all entries, and close the file. */
static void disk_runs_release(struct rpt_disk_runs *disk)
{
	for (size_t i = 0; i < disk->nr; i++)
		free(disk->runs[i].buffer);
	free(disk->runs);
	if (disk->is_open)
		close(disk->fd);
	*disk = (struct rpt_disk_runs){ 0 };
}

#define CHUNK_LEN      (256u << 10)
#define FREE_CHUNKS_NR 16u

/* Waiting records may take MEMORY_LEN and as much as the file is long, so that
 * the rounds of big machines stay in memory; but no more than MEMORY_LEN_MAX.
 */
#define MEMORY_LEN     ((uint64_t)8 << 20)
#define MEMORY_LEN_MAX ((uint64_t)1 << 30)

/* Copies of records that the reader overwrites; freed with the last of them. */
struct rpt_order_chunk {
	struct rpt_order_chunk *next_free;
	size_t used_len;
	size_t live_nr; /* entries that point here, and one while open */
	uint8_t data[CHUNK_LEN];
};

void rpt_order_init(struct rpt_order *order, rpt_order_deliver *deliver,
		    void *ctx)
{
	*order = (struct rpt_order){
		.deliver = deliver,
		.ctx = ctx,
		.memory_max_len = MEMORY_LEN,
		.disk_max_len = PD_LIMIT_SPILL_LEN,
	};
}

void rpt_order_allow(struct rpt_order *order, const struct pd_reader *reader)
{
	order->memory_max_len = MEMORY_LEN + pd_reader_len(reader);
	if (order->memory_max_len > MEMORY_LEN_MAX)
		order->memory_max_len = MEMORY_LEN_MAX;
	order->disk_max_len = pd_reader_spill_limit(reader);
}

static void chunk_put(struct rpt_order *order, struct rpt_order_chunk *chunk)
{
	if (!chunk || --chunk->live_nr)
		return;
	order->chunk_nr--;
	if (order->free_chunk_nr == FREE_CHUNKS_NR) {
		free(chunk);
		return;
	}
	chunk->next_free = order->free_chunks;
	order->free_chunks = chunk;
	order->free_chunk_nr++;
}

/* Reuse a free chunk if there is one: the kernel has to clear new ones. */
static struct rpt_order_chunk *chunk_get(struct rpt_order *order)
{
	struct rpt_order_chunk *chunk = order->free_chunks;

	if (!chunk)
		return rpt_alloc(sizeof(*chunk));
	order->free_chunks = chunk->next_free;
	order->free_chunk_nr--;
	return chunk;
}

void rpt_order_release(struct rpt_order *order)
{
	for (size_t i = 0; i < order->nr; i++)
		chunk_put(order, order->entries[i].chunk);
	chunk_put(order, order->open_chunk);
	while (order->free_chunks)
		free(chunk_get(order));
	disk_runs_release(&order->disk);
	free(order->entries);
	free(order->spare);
	*order = (struct rpt_order){ 0 };
}

static void keep_copy(struct rpt_order *order, struct rpt_order_entry *entry)
{
	struct rpt_order_chunk *chunk = order->open_chunk;

	if (!chunk || CHUNK_LEN - chunk->used_len < entry->rec.len) {
		chunk = chunk_get(order);
		chunk->used_len = 0;
		chunk->live_nr = 1;
		chunk_put(order, order->open_chunk);
		order->open_chunk = chunk;
		order->chunk_nr++;
	}
	entry->rec.data = memcpy(chunk->data + chunk->used_len, entry->rec.data,
				 entry->rec.len);
	entry->chunk = chunk;
	chunk->used_len += entry->rec.len;
	chunk->live_nr++;
}

/* Return the end of the run that begins at start: one past its last entry. */
static size_t run_end(const struct rpt_order *order, size_t start)
{
	const struct rpt_order_entry *e = order->entries;
	size_t i = start + 1;

	while (i < order->nr && !rpt_order_is_before(&e[i], &e[i - 1]))
		i++;
	return i;
}

/* Merge [start, mid) and [mid, end), both sorted, in place: only the first run
 * moves to the spare room. */
static void merge(struct rpt_order *order, size_t start, size_t mid, size_t end)
{
	struct rpt_order_entry *e = order->entries;
	size_t left_nr = mid - start, left = 0, right = mid, to = start;

	if (left_nr > order->spare_cap) {
		order->spare_cap = order->cap;
		order->spare =
			rpt_realloc_array(order->spare, order->cap, sizeof(*e));
	}
	memcpy(order->spare, e + start, left_nr * sizeof(*e));
	while (left < left_nr && right < end)
		e[to++] = rpt_order_is_before(&e[right], &order->spare[left])
				  ? e[right++]
				  : order->spare[left++];
	memcpy(e + to, order->spare + left, (left_nr - left) * sizeof(*e));
}

/* Halve the number of runs from start on.  Return true if a single one is
 * left. */
static bool merge_pairs(struct rpt_order *order, size_t start)
{
	size_t at = start, mid, end;

	if (run_end(order, start) >= order->nr)
		return true;
	while (at < order->nr) {
		mid = run_end(order, at);
		if (mid >= order->nr)
			break;
		end = run_end(order, mid);
		merge(order, at, mid, end);
		at = end;
	}
	return false;
}

/* Sort the entries: merge what is new with the run left over, unless that ends
 * before it. */
static void sort(struct rpt_order *order)
{
	const struct rpt_order_entry *rest;

	if (order->nr == order->sorted_nr)
		return;
	rest = order->entries + order->sorted_nr;
	while (!merge_pairs(order, order->sorted_nr))
		;
	if (order->sorted_nr && rpt_order_is_before(rest, rest - 1))
		merge(order, 0, order->sorted_nr, order->nr);
	order->sorted_nr = order->nr;
}

/* Move all that is in memory to a run on disk.  If there is no room for it, it
 * stays in memory, as does all that follows. */
static void spill(struct rpt_order *order)
{
	sort(order);
	if (disk_runs_add(&order->disk, order->entries, order->nr)) {
		order->has_no_disk = true;
		return;
	}
	for (size_t i = 0; i < order->nr; i++)
		chunk_put(order, order->entries[i].chunk);
	order->nr = order->sorted_nr = 0;
}

/* Return the bytes of memory in use.  Merging takes spare room for half of the
 * entries at most. */
static uint64_t memory_len(const struct rpt_order *order)
{
	uint64_t len = (uint64_t)order->nr * sizeof(*order->entries);

	return len + len / 2 + order->chunk_nr * CHUNK_LEN;
}

static bool is_full(const struct rpt_order *order)
{
	uint64_t len = order->has_no_disk ? memory_len(order) : 0;

	return order->disk.len + len > order->disk_max_len;
}

int rpt_order_add(struct rpt_order *order, const struct pd_record *rec,
		  uint64_t time_ns, bool is_lasting)
{
	struct rpt_order_entry *entry;

	if (is_full(order))
		return -EFBIG;
	order->entries = rpt_grow(order->entries, &order->cap, order->nr,
				  sizeof(*entry));
	entry = &order->entries[order->nr++];
	*entry = (struct rpt_order_entry){ .time_ns = time_ns, .rec = *rec };
	if (!is_lasting)
		keep_copy(order, entry);
	if (time_ns > order->max_time_ns)
		order->max_time_ns = time_ns;
	if (!order->has_no_disk && memory_len(order) > order->memory_max_len)
		spill(order);
	return 0;
}

/* Deliver what is on disk up to the limit, and before entry unless that is
 * NULL. */
static int deliver_spilled(struct rpt_order *order,
			   const struct rpt_order_entry *entry,
			   uint64_t limit_ns)
{
	const struct rpt_order_entry *first;
	int rc = 0;

	while (!rc && (first = rpt_disk_runs_first(&order->disk)) &&
	       first->time_ns <= limit_ns &&
	       (!entry || rpt_order_is_before(first, entry))) {
		rc = order->deliver(order->ctx, &first->rec, first->time_ns);
		if (!rc)
			rc = disk_runs_pop(&order->disk);
	}
	return rc;
}

/* Deliver all entries up to the limit. */
static int deliver_until(struct rpt_order *order, uint64_t limit_ns)
{
	struct rpt_order_entry *e = order->entries;
	uint32_t i = 0;
	int rc = 0;

	sort(order);
	for (; !rc && i < order->nr && e[i].time_ns <= limit_ns; i++) {
		if (order->disk.nr)
			rc = deliver_spilled(order, &e[i], limit_ns);
		if (!rc)
			rc = order->deliver(order->ctx, &e[i].rec,
					    e[i].time_ns);
		chunk_put(order, e[i].chunk);
	}
	order->nr -= i;
	order->sorted_nr = order->nr;
	if (order->nr)
		memmove(e, e + i, order->nr * sizeof(*e));
	return rc ? rc : deliver_spilled(order, NULL, limit_ns);
}

int rpt_order_round(struct rpt_order *order)
{
	int rc = deliver_until(order, order->deliver_ns);

	order->deliver_ns = order->max_time_ns;
	return rc;
}

int rpt_order_finish(struct rpt_order *order)
{
	return deliver_until(order, UINT64_MAX);
}
