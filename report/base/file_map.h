/* file_map.h: files mapped to be read, and what becomes of them when they are
 * cut meanwhile.
 *
 * Who reads a page of a mapping that its file does not have any more (another
 * program has made it shorter, the disk does not give it) is sent SIGBUS, which
 * ends the program.  Here such a page reads as zeros, and it is noted which of
 * the files it was of: whatever reads the bytes knows what to do about damage,
 * and main tells of the file at the end, with exit code 3.
 *
 *	rpt_file_map_open(&map, &conf)	  a mapping of ours
 *	rpt_file_map_close(map)
 *	rpt_file_maps_tell(tell)	  once, at the end
 *
 *	map = rpt_file_map_expect(fd, NULL) a mapping that libelf makes of fd:
 *	elf = elf_begin(fd, ...)	    what is read now may be in it, and
 *	rpt_file_map_found(map, base, len)  is known from here on
 *
 * Why mapped, and not read by pread(): most recordings are walked twice, by all
 * threads, of which each jumps to its part, and libelf and libdw follow offsets
 * wherever these lead.  A mapping costs none of them a copy or a call; where
 * nothing is cut the handler costs nothing.  Nor is asking for a file's length
 * before it is read enough: it can be cut after that.
 *
 * The handler for SIGBUS is put there by the first mapping, so that programs
 * that map nothing (perfpair record, which becomes the recorder) have none.  It
 * calls stat() and mmap() alone, looks at memory that is never freed, and takes
 * no lock.  A SIGBUS elsewhere, and one that was sent, is handed to what stood
 * there before.
 *
 * Bytes behind the end of the file in its last page read as zeros without any
 * signal: what the file's length was is compared when it is closed.
 */
#ifndef RPT_FILE_MAP_H
#define RPT_FILE_MAP_H

#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rpt_file_map;

struct rpt_file_map_conf {
	int fd;		  /* may be closed afterwards */
	const char *name; /* for the message; NULL: as the kernel calls it */
	size_t len;	  /* from the start of the file; not 0 */
	/* A place in address space that is the caller's, and stays so when the
	 * map is closed; NULL: anywhere. */
	uint8_t *at;
	bool is_needed_now; /* all of it: read ahead */
};

/* 0, or what the system call said. */
int rpt_file_map_open(struct rpt_file_map **ret,
		      const struct rpt_file_map_conf *conf);
const uint8_t *rpt_file_map_base(const struct rpt_file_map *map);
/* NULL is fine, as it is for the function below. */
void rpt_file_map_close(struct rpt_file_map *map);

/* Until rpt_file_map_found(), in this thread: a page that is not there, of no
 * mapping that is known, is one of fd.  -1: whoever maps it opens it as well,
 * by that name or another.  NULL: it cannot be mapped (/proc/kcore), or no
 * memory. */
struct rpt_file_map *rpt_file_map_expect(int fd, const char *name);
/* len 0: no mapping was made.  Who made it unmaps it, after
 * rpt_file_map_close(). */
void rpt_file_map_found(struct rpt_file_map *map, const void *base, size_t len);

/* Each file that was cut or could not be read, once, with what became of it;
 * returns how many.  Of maps that are open still, too. */
size_t rpt_file_maps_tell(void (*tell)(const char *name,
				       const struct pd_err *err));

#endif
