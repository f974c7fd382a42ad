#include "record/names/each_line.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK_LEN = 256 * 1024, LINE_LEN_MAX = 16 * 1024 };

int rec_each_line(int fd, size_t max_len,
		  int (*visit)(void *ctx, struct rec_text_scan line), void *ctx)
{
	char *block = malloc(BLOCK_LEN);
	size_t len = 0, all = 0;
	int rc = block ? 0 : -ENOMEM;

	while (!rc) {
		ssize_t got = read(fd, block + len, BLOCK_LEN - len);
		struct rec_text_scan text, line;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			rc = got ? -errno : 0;
			break;
		}
		len += (size_t)got;
		all += (size_t)got;
		text = (struct rec_text_scan){ block, block + len };
		while (!rc && rec_text_scan_until(&text, '\n', &line))
			rc = visit(ctx, line);
		len = rec_text_scan_left(&text);
		memmove(block, text.at, len);
		if (!rc && (all > max_len || len > LINE_LEN_MAX))
			rc = -EFBIG;
	}
	free(block);
	return rc;
}
