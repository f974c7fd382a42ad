/* whole_io.h: reads and writes that are interrupted or short go on. */
#ifndef SUP_WHOLE_IO_H
#define SUP_WHOLE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Read len bytes at off, which may be any number.  Return how many there are,
 * fewer than len at the end of the file, or a negative errno. */
ssize_t sup_read_at(int fd, void *ret, size_t len, uint64_t off);

/* Write all of data at the position of fd, or at off.  Return 0 or a negative
 * errno. */
int sup_write(int fd, const void *data, size_t len);
int sup_write_at(int fd, const void *data, size_t len, uint64_t off);

#endif
