#include "report/base/line_reader.h"

#include "report/base/block_queue.h"
#include "report/base/shortage.h"
#include "report/base/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_LEN ((size_t)64 * 1024)
/* A read of /proc gives a page at most, and a line is not begun in less. */
#define ROOM_LEN  ((size_t)8192)
#define BLOCKS_NR 4u

struct block {
	char bytes[BLOCK_LEN + 1];
	size_t len;
	int rc; /* 1: others follow; 0: the last one; of a read that failed */
};

struct feed {
	const struct rpt_line_reader_conf *conf;
	int fd;
	size_t total_len;
	size_t rest_len; /* the beginning of a line, for the next block */
	char rest[BLOCK_LEN];
	struct block blocks[BLOCKS_NR];
	struct rpt_block_queue over; /* of blocks */
};

/* Bytes that were read behind block->len; 0 at the end. */
static ssize_t read_more(struct feed *feed, struct block *block)
{
	const atomic_bool *is_unwanted = feed->conf->is_unwanted;
	ssize_t got;

	do {
		if (is_unwanted && atomic_load(is_unwanted))
			return -ECANCELED;
		got = read(feed->fd, block->bytes + block->len,
			   BLOCK_LEN - block->len);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		rpt_shortage_note(errno);
		return -errno;
	}
	feed->total_len += (size_t)got;
	return feed->total_len > feed->conf->max_len ? -EFBIG : got;
}

/* Leaves the line that is cut for the next block. */
static void cut(struct feed *feed, struct block *block)
{
	const char *newline = memrchr(block->bytes, '\n', block->len);
	size_t len = newline ? (size_t)(newline + 1 - block->bytes) : 0;

	if (!newline)
		return;
	feed->rest_len = block->len - len;
	memcpy(feed->rest, block->bytes + len, feed->rest_len);
	block->len = len;
}

static void fill(struct feed *feed, struct block *block)
{
	ssize_t got = 1;

	memcpy(block->bytes, feed->rest, feed->rest_len);
	block->len = feed->rest_len;
	feed->rest_len = 0;
	while (got > 0 && BLOCK_LEN - block->len >= ROOM_LEN) {
		got = read_more(feed, block);
		block->len += got > 0 ? (size_t)got : 0;
	}
	block->rc = got > 0 ? 1 : (int)got;
	if (got > 0)
		cut(feed, block);
}

/* False: that was the last block, or none is wanted. */
static bool fill_next(struct feed *feed)
{
	struct block *block;
	bool is_last;
	unsigned nr;

	if (!rpt_block_queue_take(&feed->over, &nr))
		return false;
	block = &feed->blocks[nr % BLOCKS_NR];
	fill(feed, block);
	is_last = block->rc <= 0;
	rpt_block_queue_give(&feed->over, nr);
	return !is_last;
}

static void *read_blocks(void *arg)
{
	while (fill_next(arg))
		;
	return NULL;
}

/* Hands over the next block; 1: there are more. */
static int use(struct feed *feed, struct block *block)
{
	int rc;

	if (block->rc < 0)
		return block->rc;
	block->bytes[block->len] = '\0';
	rc = feed->conf->fn(feed->conf->ctx, block->bytes, block->len);
	return rc ? rc : block->rc;
}

static int run(struct feed *feed)
{
	pthread_t thread;
	bool has_thread = !pthread_create(&thread, NULL, read_blocks, feed);
	int rc = 1;

	while (rc > 0) {
		if (!has_thread)
			fill_next(feed);
		rc = use(feed,
			 &feed->blocks[rpt_block_queue_next(&feed->over)]);
		rpt_block_queue_used(&feed->over);
	}
	rpt_block_queue_end(&feed->over);
	if (has_thread)
		pthread_join(thread, NULL);
	return rc;
}

int rpt_line_reader_run(const struct rpt_line_reader_conf *conf,
			struct pd_err *err)
{
	struct feed *feed = malloc(sizeof(*feed));
	int fd = rpt_whole_file_open(conf->path);
	int rc = fd < 0 ? fd : -ENOMEM;

	if (feed && fd >= 0) {
		feed->conf = conf;
		feed->fd = fd;
		feed->total_len = 0;
		feed->rest_len = 0;
		rpt_block_queue_init(&feed->over, BLOCKS_NR);
		rc = run(feed);
		rpt_block_queue_release(&feed->over);
	}
	if (fd >= 0)
		close(fd);
	free(feed);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}
