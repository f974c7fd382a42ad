#include "record/ring/frame_index.h"

#include "format/support/whole_io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t frame_len = sizeof(struct pd_trailer_frame);

static int open_nameless(const char *path)
{
	char *copy = strdup(path);
	int fd = -1;

	if (copy)
		fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(copy);
	return fd;
}

int rec_frame_index_init(struct rec_frame_index *index, const char *path)
{
	memset(index, 0, sizeof(*index));
	index->fd = -1;
	index->held = malloc(REC_FRAMES_HELD * frame_len);
	index->run = pd_hash_new();
	if (!index->held || !index->run) {
		rec_frame_index_release(index);
		return -ENOMEM;
	}
	index->held_cap = REC_FRAMES_HELD;
	if (path)
		index->fd = open_nameless(path);
	return 0;
}

void rec_frame_index_release(struct rec_frame_index *index)
{
	if (!index->held && !index->run)
		return;
	if (index->map)
		munmap(index->map, index->map_len);
	if (index->fd >= 0)
		close(index->fd);
	free(index->held);
	pd_hash_free(index->run);
	memset(index, 0, sizeof(*index));
	index->fd = -1;
}

/* Move the entries to the file.  Return false if they stay in memory. */
static bool store(struct rec_frame_index *index)
{
	if (index->fd < 0 ||
	    sup_write_at(index->fd, index->held, index->held_nr * frame_len,
			 index->stored_nr * frame_len))
		return false;
	index->stored_nr += index->held_nr;
	index->held_nr = 0;
	return true;
}

static bool make_room(struct rec_frame_index *index)
{
	struct pd_trailer_frame *grown;

	assert(index->held);
	if (index->held_nr < index->held_cap || store(index))
		return true;
	grown = reallocarray(index->held, 2 * index->held_cap, frame_len);
	if (!grown)
		return false;
	index->held = grown;
	index->held_cap *= 2;
	return true;
}

static bool is_one_run(const struct pd_trailer_frame *last,
		       const struct pd_trailer_frame *frame,
		       uint64_t plain_len_max)
{
	return last->is_plain &&
	       last->file_off + last->file_len == frame->file_off &&
	       last->plain_len + frame->plain_len <= plain_len_max;
}

static void merge(struct pd_trailer_frame *last,
		  const struct pd_trailer_frame *frame)
{
	last->file_len += frame->file_len;
	last->plain_len += frame->plain_len;
	last->record_nr += frame->record_nr;
	last->sample_nr += frame->sample_nr;
	if (frame->time_lo_ns < last->time_lo_ns)
		last->time_lo_ns = frame->time_lo_ns;
	if (frame->time_hi_ns > last->time_hi_ns)
		last->time_hi_ns = frame->time_hi_ns;
	if (frame->cpu != last->cpu)
		last->cpu = PD_TRAILER_ANY_CPU;
	last->has_sideband |= frame->has_sideband;
}

void rec_frame_index_add(struct rec_frame_index *index,
			 const struct pd_trailer_frame *frame)
{
	if (make_room(index))
		index->held[index->held_nr++] = *frame;
	else
		index->is_broken = true;
}

void rec_frame_index_add_plain(struct rec_frame_index *index,
			       const struct pd_trailer_frame *frame,
			       const struct iovec *parts, int part_nr,
			       uint64_t plain_len_max)
{
	struct pd_trailer_frame *last = NULL;

	if (index->held_nr)
		last = &index->held[index->held_nr - 1];
	if (last && is_one_run(last, frame, plain_len_max)) {
		merge(last, frame);
	} else {
		rec_frame_index_add(index, frame);
		if (index->is_broken)
			return;
		last = &index->held[index->held_nr - 1];
		last->is_plain = true;
		pd_hash_reset(index->run);
	}
	for (int i = 0; i < part_nr; i++)
		pd_hash_add(index->run, parts[i].iov_base, parts[i].iov_len);
	last->plain_hash = pd_hash_get(index->run);
}

const struct pd_trailer_frame *
rec_frame_index_all(struct rec_frame_index *index, size_t *ret_nr)
{
	*ret_nr = 0;
	if (index->is_broken)
		return NULL;
	if (!index->stored_nr) {
		*ret_nr = index->held_nr;
		return index->held;
	}
	if (!store(index))
		return NULL;
	if (index->map)
		munmap(index->map, index->map_len);
	index->map_len = index->stored_nr * frame_len;
	index->map =
		mmap(NULL, index->map_len, PROT_READ, MAP_SHARED, index->fd, 0);
	if (index->map == MAP_FAILED) {
		index->map = NULL;
		return NULL;
	}
	*ret_nr = index->stored_nr;
	return index->map;
}
