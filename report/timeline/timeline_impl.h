/* timeline_impl.h: the members of a timeline, for the files of this room. */
#ifndef RPT_TIMELINE_IMPL_H
#define RPT_TIMELINE_IMPL_H

#include "report/timeline/cgroup_ns.h"
#include "report/timeline/deferred.h"
#include "report/timeline/gap_marks.h"
#include "report/timeline/guest_ids.h"
#include "report/timeline/lbr_stitch.h"
#include "report/timeline/sideband.h"
#include "report/timeline/address_space.h"
#include "report/timeline/tasks.h"
#include "report/timeline/timeline.h"

/* A function of a just-in-time compiler, which becomes a map at its time. */
struct rpt_jit_code_map {
	struct rpt_timestamp when;
	uint64_t addr;
	uint64_t len;
	struct rpt_dso *dso;
	uint32_t pid;
	uint32_t order; /* in which they were read */
};

/* The carried code of a jitdump, and the process that mapped it. */
struct rpt_carried_dump {
	uint32_t pid;
	uint32_t idx; /* in pd_carried.jits */
};

struct rpt_jit_code_maps {
	/* Owned; a heap by time: [i] is before [2i+1] and [2i+2]. */
	struct rpt_jit_code_map *items;
	uint32_t nr;
	uint32_t cap;
	uint32_t read_nr;	   /* in all */
	struct rpt_intern sources; /* devices and inodes of dumps */
	uint64_t given_len;	   /* to the budget, for all dumps */
	/* Owned; of all that are carried, by process; NULL: not yet made. */
	struct rpt_carried_dump *carried;
	/* Owned; by number among what is carried: the lines of a process's perf
	 * map of which the recording has times.  NULL: not read. */
	struct rpt_address_space **lines;
	uint32_t lines_nr;
};

/* Numbers in cgroup_names: the path, and what runs there. */
struct rpt_cgroup_texts {
	uint32_t path;
	uint32_t unit;
};

struct rpt_timeline {
	struct rpt_symbols *symbols;
	struct rpt_sideband sideband;
	struct rpt_tasks tasks;
	struct rpt_address_space kernel; /* the host's */
	struct rpt_guest_ids guests;
	struct rpt_gap_marks gaps;
	const struct pd_event_set *events; /* of sideband; NULL: no guests */
	struct rpt_map kernel_image;	   /* dso NULL: no record has it */
	struct pd_header_build_id recorded_kernel; /* name NULL: none */
	struct rpt_intern cgroup_ids;		   /* u64 keys */
	struct rpt_intern cgroup_names;
	/* By number of the id; owned. */
	struct rpt_cgroup_texts *cgroup_texts;
	uint32_t cgroup_cap;
	struct rpt_intern build_ids; /* cpumode and name of each entry */
	struct rpt_cgroup_nses cgroup_nses;
	struct rpt_deferred deferred;
	struct rpt_lbr_stitch *stitch; /* NULL: not asked for; owned */
	struct pd_damage damage;
	struct pd_damage passed;
	struct rpt_budget *budget; /* owned */
	bool is_plain;		   /* the file has no compressed records */
	bool has_monotonic_times;  /* CLOCK_MONOTONIC's, as jitdumps have */
	bool has_moved_text;	   /* some map is_moved */
	struct rpt_jit_code_maps jit;
};

/* rpt_symbols_dso(), charged to the timeline's budget.  Never NULL. */
struct rpt_dso *rpt_timeline_dso(struct rpt_timeline *tl,
				 const struct rpt_dso_key *key);

/* Set the build-id of each DSO of the entry's name that has none from its own
 * maps.  Of two entries for one name the first holds.  misc is that of the
 * entry or its record. */
void rpt_timeline_set_build_id(struct rpt_timeline *tl, uint16_t misc,
			       const struct pd_header_build_id *entry);

/* Take the build-id and the name of the kernel's DSO from an entry; return
 * false if it is another file's. */
bool rpt_timeline_take_kernel_id(struct rpt_timeline *tl, uint16_t misc,
				 const struct pd_header_build_id *entry);

/* timeline_memory.c finds what code in memory without a file is. */

/* Return whether the map, of a file that is not known to be ELF, has code that
 * the perf map of its process names. */
bool rpt_timeline_is_jit_file(struct rpt_timeline *tl,
			      const struct pd_mmap *mmap, uint32_t prot);

/* If a map of memory without a file, which is not yet in the space, lies where
 * a file's text was, and no perf map names it, make it that text: the program
 * moved it there, to have it on huge pages. */
void rpt_timeline_take_text(struct rpt_timeline *tl,
			    const struct rpt_address_space *space,
			    struct rpt_map *memory);

/* The same if the space's last map, and the last but two, are of one file, and
 * the offsets say that the memory between them has the text between them: of
 * what ran before the recording no record tells what was mapped there. */
void rpt_timeline_join_text(struct rpt_timeline *tl,
			    struct rpt_address_space *space,
			    struct rpt_timestamp when);

/* timeline_jit.c makes maps of the functions of just-in-time compilers: each is
 * a DSO of its own, "jitted-12-3.so" of process 12, as `perf inject --jit`
 * makes such files.  From a jitdump's MMAP on, maps of anonymous code of its
 * process are skipped. */

/* Read map->dso, a jitdump by its name that the task has mapped.  If it cannot
 * be read, the DSO gets the reason as its problem. */
void rpt_timeline_jit_open(struct rpt_timeline *tl, struct rpt_timestamp when,
			   struct rpt_task *task, const struct rpt_map *map);

/* Map the functions that were made before when. */
void rpt_timeline_jit_until(struct rpt_timeline *tl, struct rpt_timestamp when);

/* Return what is carried of the code that a process made, or NULL. */
const struct pd_carried_jit *rpt_timeline_carried_jit(struct rpt_timeline *tl,
						      uint32_t pid);

/* timeline_lines.c finds the names of memory that was used for several
 * functions, one after the other. */

/* If the recording has times of lines of the perf map memory, have the space,
 * of process pid, name by them what is mapped of it. */
void rpt_timeline_take_lines(struct rpt_timeline *tl, uint32_t pid,
			     struct rpt_address_space *space,
			     struct rpt_dso *memory);
void rpt_timeline_release_lines(struct rpt_timeline *tl);

#endif
