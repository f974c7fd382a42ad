#include "report/input/disk_runs.h"

#include "format/file/layout.h"
#include "report/base/memory.h"
#include "report/base/temp_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
			rc = rpt_temp_file_write(disk->fd, buffer, len);
			*ret_len += len;
			len = 0;
		}
		len += put(buffer + len, &entries[i]);
	}
	if (!rc)
		rc = rpt_temp_file_write(disk->fd, buffer, len);
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
	while (want) {
		got = pread(disk->fd, run->buffer + run->len, want,
			    (off_t)run->off);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		run->len += (size_t)got;
		run->off += (size_t)got;
		want -= (size_t)got;
	}
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

int rpt_disk_runs_add(struct rpt_disk_runs *disk,
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

int rpt_disk_runs_pop(struct rpt_disk_runs *disk)
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

void rpt_disk_runs_release(struct rpt_disk_runs *disk)
{
	for (size_t i = 0; i < disk->nr; i++)
		free(disk->runs[i].buffer);
	free(disk->runs);
	if (disk->is_open)
		close(disk->fd);
	*disk = (struct rpt_disk_runs){ 0 };
}
