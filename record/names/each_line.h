/* each_line.h: a long text file, line by line, through one block of memory. */
#ifndef REC_EACH_LINE_H
#define REC_EACH_LINE_H

#include "record/base/text_scan.h"

/* Call visit with each line that ends in a newline, without it, until that
 * returns an error, which is then returned.  Return 0 at the end, -EFBIG for
 * more than max_len bytes or a line of more than 16 KiB, -ENOMEM, or what
 * read() says. */
int rec_each_line(int fd, size_t max_len,
		  int (*visit)(void *ctx, struct rec_text_scan line),
		  void *ctx);

#endif
