/* proc_maps.h: the mappings of one process.
 *
 * There are two sources: the text of /proc/PID/maps and, from Linux 6.11 on,
 * the PROCMAP_QUERY ioctl, which is about four times as fast if only executable
 * mappings are wanted, since it skips the others.  Source: proc_pid_maps(5).
 */
#ifndef REC_PROC_MAPS_H
#define REC_PROC_MAPS_H

#include "format/base/buf.h"
#include "format/file/layout.h"
#include "record/base/text_scan.h"

struct rec_map {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff; /* bytes */
	uint32_t prot;	/* PROT_* */
	uint32_t flags; /* MAP_SHARED or MAP_PRIVATE */
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	struct pd_str name; /* as the kernel writes it; empty: anonymous */
};

/* Parse one line without its newline; name points into it.  Return false if it
 * is not a line of maps. */
bool rec_map_parse(struct rec_text_scan line, struct rec_map *ret);

/* Ask an open /proc/PID/maps for the first executable mapping at addr or above.
 * Return 1 with ret filled, its name in name[0..name_cap); 0 if there is none;
 * -ENOTTY if the kernel lacks the ioctl; -ENAMETOOLONG; -ESRCH if the process
 * has ended. */
int rec_map_query(int maps_fd, uint64_t addr, char *name, size_t name_cap,
		  struct rec_map *ret);

/* Ask the kernel for the build-id of the file that is mapped at addr.  Return
 * its length (up to 20), 0 if it has none. */
size_t rec_map_query_build_id(int maps_fd, uint64_t addr,
			      uint8_t id[PD_BUILD_ID_LEN_MAX]);

#endif
