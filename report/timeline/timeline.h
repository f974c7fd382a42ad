/* timeline.h: who ran, under which name, with what mapped where, at any time.
 *
 *	tl = rpt_timeline_new(symbols);
 *	rpt_timeline_load(tl, reader, &pieces, &err);	reads all sideband, once
 *	rpt_timeline_task(tl, pid, tid, when, &who);
 *	rpt_timeline_map(tl, &who, cpumode, addr, when, &map);
 *
 * Sideband (MMAP, COMM, FORK, KSYMBOL ...) is put in the order (time, place in
 * the file) and replayed once; what it changed is kept with the time of the
 * change, so that questions may come in any order and from many threads: after
 * rpt_timeline_finish() nothing changes any more.  The answers are those of a
 * single pass over all records in that order, by the rules of perf 6.1:
 *
 *   task	one life of a thread id.  FORK starts a new life; EXIT ends
 *		nothing (late samples keep their name).
 *   comm	":TID" until something names it; a forked task starts with its
 *		parent's name; tid 0 is "swapper".
 *   space	the maps of a process; tasks of one process share it, FORK of a
 *		process starts as a copy of the parent's, and at each address
 *		the latest MMAP holds.  exec clears nothing: the addresses of
 *		the old image stay known until they are mapped over (a call
 *		chain taken inside execve still shows its caller).
 *   kernel	one space for all: the kernel, modules, KSYMBOLs.
 *
 * What carries no time (synthesized records) counts as time 0.
 */
#ifndef RPT_TIMELINE_H
#define RPT_TIMELINE_H

#include "format/reader.h"
#include "format/record_body.h"
#include "report/input/file_chunks.h"
#include "report/symbols/symbols.h"

struct rpt_timeline;
struct rpt_task;
struct rpt_address_space;

/* A place in the order of all records: pd_sample.time_ns (0 without), and
 * pd_record.seq. */
struct rpt_when {
	uint64_t time_ns;
	uint64_t seq;
};

/* A task at a time. */
struct rpt_who {
	uint32_t pid;
	uint32_t tid;
	const struct rpt_task *task; /* NULL: no record ever spoke of tid */
	const struct rpt_address_space
		*space; /* NULL: none of its process either */
};

/* dso address (symbols.h) = addr - start + pgoff; for the kernel and for
 * anonymous memory pgoff is set so that it is addr itself. */
struct rpt_map {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	uint64_t told_pgoff; /* as the record has it; of the vdso 0 */
	uint64_t ino;	     /* of the file, where the record says, else 0 */
	uint32_t prot;	     /* PROT_* where the record says, else PROT_EXEC */
	bool is_kernel;
	bool is_shared; /* MAP_SHARED */
	struct rpt_dso *dso;
};

/* NULL: out of memory.  symbols must outlive the timeline. */
struct rpt_timeline *rpt_timeline_new(struct rpt_symbols *symbols);
void rpt_timeline_free(struct rpt_timeline *tl);

/* All at once: every sideband record of the file and its build-id table, by
 * pieces->jobs threads.  Fills in the pieces of the file, for later passes. */
int rpt_timeline_load(struct rpt_timeline *tl, struct pd_reader *reader,
		      struct rpt_file_chunks *pieces, struct pd_err *err);

/* Before the records: the kernel as the file's build-id table tells of it.  The
 * name, which the caller keeps, is then the kernel DSO's; the build-id counts
 * where its MMAP has none. */
void rpt_timeline_tell_kernel(struct rpt_timeline *tl,
			      const struct pd_header_build_id *kernel);

/* Or by parts: add in any order (records that are no sideband are passed
 * over, damaged ones counted), then finish once. */
int rpt_timeline_add(struct rpt_timeline *tl, const struct pd_event_set *events,
		     const struct pd_record *rec, struct pd_err *err);
int rpt_timeline_finish(struct rpt_timeline *tl, struct pd_err *err);

/* Never fails: who.task and who.space may be NULL. */
void rpt_timeline_task(const struct rpt_timeline *tl, uint32_t pid,
		       uint32_t tid, struct rpt_when when, struct rpt_who *ret);

/* The name as known at that time.  Equal names are one pointer, owned by the
 * timeline; NULL: none is known, and ":TID" is to be shown.  */
const char *rpt_who_comm(const struct rpt_who *who, struct rpt_when when);

/* The name as report shows it: a first name that came late counts from the
 * task's beginning. */
const char *rpt_who_comm_settled(const struct rpt_who *who,
				 struct rpt_when when);

/* The task's last name; NULL as above. */
const char *rpt_who_comm_last(const struct rpt_who *who);

/* False: nothing known lies there. cpumode: PD_CPUMODE_KERNEL or _USER; others
 * have no maps.  Kernel addresses may read the kernel's names: one thread at a
 * time (symbols.h). */
bool rpt_timeline_map(const struct rpt_timeline *tl, const struct rpt_who *who,
		      unsigned cpumode, uint64_t addr, struct rpt_when when,
		      struct rpt_map *ret);

/* What rpt_timeline_map() does not know of the kernel: code behind the end of
 * its map (.init.text is such, and idle tasks' call chains end there), where a
 * symbol of the kernel covers it.  Looks symbols up: one thread at a time. */
bool rpt_timeline_kernel_beyond(const struct rpt_timeline *tl, uint64_t addr,
				struct rpt_map *ret);

/* Without --symfs true; with it, whether a file that who's process has mapped
 * is there to be read. */
bool rpt_timeline_has_file(const struct rpt_timeline *tl,
			   const struct rpt_who *who);

/* How many times the space has changed until then; equal numbers mean equal
 * answers of rpt_timeline_map().  NULL: 0. */
uint32_t rpt_address_space_generation(const struct rpt_address_space *space,
				      struct rpt_when when);
/* The same of the kernel's space. */
uint32_t rpt_timeline_kernel_generation(const struct rpt_timeline *tl,
					struct rpt_when when);

/* The name of a cgroup by its id; NULL if no record told. */
const char *rpt_timeline_cgroup(const struct rpt_timeline *tl,
				uint64_t cgroup_id);

/* Room for a call chain and what is joined to it, in words. */
#define RPT_CHAIN_NR (2 * PD_SAMPLE_CHAIN_NR)

/* Makes the sample's call chain whole, in room[RPT_CHAIN_NR] if need be: with
 * what came later (deferred.h), or out of its branches (sample.h,
 * lbr_stitch.h). seq: of its record. */
void rpt_timeline_join_chain(const struct rpt_timeline *tl,
			     const struct pd_event *event, uint64_t seq,
			     struct pd_sample *sample, uint64_t *room);

/* As given to rpt_timeline_new(). */
struct rpt_symbols *rpt_timeline_symbols(const struct rpt_timeline *tl);

#endif
