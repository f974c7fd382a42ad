#include "report/base/line_reader.h"

#include "report/base/shortage.h"
#include "report/base/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_LEN ((size_t)64 * 1024)

struct block {
	const struct rpt_line_reader_conf *conf;
	int fd;
	size_t total_len; /* of what was read */
	size_t len;
	char bytes[BLOCK_LEN + 1];
};

/* Reads behind what is in the block.  Returns the number of bytes, 0 at the
 * end of the file, or a negative errno. */
static ssize_t read_more(struct block *block)
{
	const atomic_bool *is_unwanted = block->conf->is_unwanted;
	ssize_t got;

	do {
		if (is_unwanted && atomic_load(is_unwanted))
			return -ECANCELED;
		got = read(block->fd, block->bytes + block->len,
			   BLOCK_LEN - block->len);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		rpt_shortage_note(errno);
		return -errno;
	}
	block->len += (size_t)got;
	block->total_len += (size_t)got;
	return block->total_len > block->conf->max_len ? -EFBIG : got;
}

/* Gives the whole lines to the function; the rest begins the next block. */
static int use_lines(struct block *block, bool is_last)
{
	const struct rpt_line_reader_conf *conf = block->conf;
	const char *newline = memrchr(block->bytes, '\n', block->len);
	char *end = block->bytes + block->len;
	char first_of_rest;
	int rc;

	if (newline && !is_last)
		end = block->bytes + (newline + 1 - block->bytes);
	first_of_rest = *end;
	*end = '\0';
	rc = conf->fn(conf->ctx, block->bytes, (size_t)(end - block->bytes));
	*end = first_of_rest;
	block->len -= (size_t)(end - block->bytes);
	memmove(block->bytes, end, block->len);
	return rc;
}

static int read_blocks(struct block *block)
{
	ssize_t got;
	int rc = 0;

	while (!rc && (got = read_more(block)) != 0) {
		if (got < 0)
			return (int)got;
		if (block->len == BLOCK_LEN)
			rc = use_lines(block, false);
	}
	return rc ? rc : use_lines(block, true);
}

int rpt_line_reader_run(const struct rpt_line_reader_conf *conf,
			struct pd_err *err)
{
	struct block *block = malloc(sizeof(*block));
	int fd = rpt_whole_file_open(conf->path);
	int rc = fd < 0 ? fd : -ENOMEM;

	if (block && fd >= 0) {
		block->conf = conf;
		block->fd = fd;
		block->total_len = 0;
		block->len = 0;
		rc = read_blocks(block);
	}
	if (fd >= 0)
		close(fd);
	free(block);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}
