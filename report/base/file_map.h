/* file_map.h: maps files for reading, and survives it if one is cut meanwhile.
 *
 * A program that reads a mapped page which the file no longer has (another
 * program made it shorter, the disk cannot be read) gets SIGBUS and ends.  Here
 * such a page reads as zeros, and the file is noted: the readers of the bytes
 * can handle damage, and main reports the file at the end, with exit code 3.
 *
 *	rpt_file_map_open(&map, &conf)	  a mapping of ours
 *	rpt_file_map_close(map)
 *	rpt_file_maps_report(report)	  once, at the end
 *
 *	map = rpt_file_map_expect(fd, NULL) a mapping that libelf makes of fd:
 *	elf = elf_begin(fd, ...)	    reads from it already
 *	rpt_file_map_found(map, base, len)  from here on it is known
 *
 * Files are mapped, not read by pread(), since most recordings are read twice,
 * by all threads, each of which jumps to its part, and libelf and libdw follow
 * offsets wherever these lead: a mapping needs no copy and no call, and the
 * handler costs nothing if nothing is cut.  It does not help to check a file's
 * length before it is read, as it can be cut after that.
 *
 * The first mapping installs the handler of SIGBUS, so that programs which map
 * nothing (perfpair record, which becomes the recorder) have none.  It calls
 * only stat() and mmap(), reads memory that is never freed, and takes no lock.
 * A SIGBUS elsewhere, or one that was sent, goes to the handler before it.
 *
 * Bytes behind the end of the file in its last page read as zeros without a
 * signal, so that the file's length is compared when the map is closed.
 */
#ifndef RPT_FILE_MAP_H
#define RPT_FILE_MAP_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_file_map;

struct rpt_file_map_conf {
	int fd;		  /* may be closed afterwards */
	const char *name; /* for the message; NULL: the path of fd */
	uint64_t len;	  /* from the start of the file; not 0 */
	/* An address that the caller reserved, and keeps when the map is
	 * closed; NULL: anywhere. */
	uint8_t *at;
	bool is_needed_now; /* read all of it ahead */
};

/* mmap() for the length of a file.  Fails with EFBIG if a size_t of 32 bits
 * cannot be so long. */
void *rpt_map_bytes(void *at, uint64_t len, int prot, int flags, int fd);

/* Return 0 or the errno of rpt_map_bytes(), negative. */
int rpt_file_map_open(struct rpt_file_map **ret,
		      const struct rpt_file_map_conf *conf);
/* Return where the file is mapped, and the bytes from there on. */
const uint8_t *rpt_file_map_base(const struct rpt_file_map *map);
size_t rpt_file_map_len(const struct rpt_file_map *map);
/* Safe on NULL. */
void rpt_file_map_close(struct rpt_file_map *map);

/* Until rpt_file_map_found(): take a page that is missing from no known
 * mapping, in this thread, for one of fd.  fd is -1 if the library opens the
 * file, too, by that name or another.  Return NULL if it cannot be mapped
 * (/proc/kcore). */
struct rpt_file_map *rpt_file_map_expect(int fd, const char *name);
/* Say where the library mapped the file; len 0 if it did not.  map may be NULL.
 * The library unmaps it, after rpt_file_map_close(). */
void rpt_file_map_found(struct rpt_file_map *map, const void *base, size_t len);

/* Report each file that was cut or could not be read, once, also those of maps
 * that are still open.  Return how many there were. */
size_t rpt_file_maps_report(void (*report)(const char *name,
					   const struct pd_err *err));

#endif
