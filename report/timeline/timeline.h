/* timeline.h: tasks, their names and their maps at any time.
 *
 *	tl = rpt_timeline_new(symbols);
 *	rpt_timeline_load(tl, reader, &chunks, &err);	reads all sideband, once
 *	rpt_timeline_task(tl, pid, tid, when, &ref);
 *	rpt_timeline_map(tl, &ref, cpumode, addr, when, &map);
 *
 * Sideband (MMAP, COMM, FORK, KSYMBOL ...) is sorted by (time, place in the
 * file) and replayed once.  Each change is recorded with its time, so that
 * questions may come in any order; after rpt_timeline_finish() any thread may
 * ask.  The answers are those of a single pass over all records, by perf 6.1's
 * rules:
 *
 *   task	FORK makes a new task of a thread id; EXIT ends nothing (late
 *		samples keep their name).
 *   comm	":TID" until something names it; a forked task starts with its
 *		parent's name; tid 0 is "swapper".
 *   space	the maps of a process; tasks of one process share it, FORK of a
 *		process starts as a copy of the parent's, and at each address
 *		the latest MMAP holds.  exec clears nothing: the addresses of
 *		the old image stay known until they are mapped over (a call
 *		chain taken inside execve still shows its caller).
 *   kernel	one space for all: the kernel, modules, KSYMBOLs.
 *
 * Records without a time (synthesized ones) count as time 0.
 */
#ifndef RPT_TIMELINE_H
#define RPT_TIMELINE_H

#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "report/input/file_chunks.h"
#include "report/symbols/symbols.h"

struct rpt_timeline;
struct rpt_task;
struct rpt_address_space;

/* A place in the order of all records: pd_sample.time_ns (0 without), and
 * pd_record.seq. */
struct rpt_timestamp {
	uint64_t time_ns;
	uint64_t seq;
};

/* A task at a time. */
struct rpt_task_ref {
	uint32_t pid;
	uint32_t tid;
	const struct rpt_task *task; /* NULL: no record is about tid */
	/* NULL: none is about its process either */
	const struct rpt_address_space *space;
};

/* dso address (symbols.h) = addr - start + pgoff; for the kernel and for
 * anonymous memory pgoff is set so that it is addr itself. */
struct rpt_map {
	uint64_t start;
	uint64_t end;
	uint64_t pgoff;
	uint64_t recorded_pgoff; /* as the record has it; of the vdso 0 */
	uint64_t ino;		 /* of the file; 0 if the record has none */
	uint32_t prot;		 /* PROT_*; PROT_EXEC if the record has none */
	bool is_kernel;
	bool is_shared; /* MAP_SHARED */
	bool is_moved;	/* memory to which the file's text was moved */
	struct rpt_dso *dso;
};

/* Return a new timeline; symbols must outlive it. */
struct rpt_timeline *rpt_timeline_new(struct rpt_symbols *symbols);
void rpt_timeline_free(struct rpt_timeline *tl);

/* Read every sideband record of the file, and its build-id table, in
 * chunks->jobs threads.  The chunks of the file are filled in for later passes.
 */
int rpt_timeline_load(struct rpt_timeline *tl, struct pd_reader *reader,
		      struct rpt_file_chunks *chunks, struct pd_err *err);

/* Or add records in any order, then finish once.  Records that are no sideband
 * are skipped, damaged ones counted. */
void rpt_timeline_add(struct rpt_timeline *tl,
		      const struct pd_event_set *events,
		      const struct pd_record *rec);
void rpt_timeline_finish(struct rpt_timeline *tl);

/* Find the task that has tid at when.  ret->task and ret->space may be NULL. */
void rpt_timeline_task(const struct rpt_timeline *tl, uint32_t pid,
		       uint32_t tid, struct rpt_timestamp when,
		       struct rpt_task_ref *ret);

/* Return the task's name at that time.  Equal names are one pointer, owned by
 * the timeline; NULL: none is known, and ":TID" is to be shown. */
const char *rpt_task_ref_comm(const struct rpt_task_ref *ref,
			      struct rpt_timestamp when);

/* Return the name as report shows it: a first name that came late counts from
 * the task's beginning. */
const char *rpt_task_ref_comm_shown(const struct rpt_task_ref *ref,
				    struct rpt_timestamp when);

/* Return the task's last name; NULL as above. */
const char *rpt_task_ref_comm_last(const struct rpt_task_ref *ref);

/* Return the name that a thread's process had then, that of its leader as
 * report shows it; NULL: none is known, and ":PID" is to be shown. */
const char *rpt_timeline_process(const struct rpt_timeline *tl, uint32_t pid,
				 uint32_t tid, struct rpt_timestamp when);

/* Find the map at addr; false if there is none.  cpumode is PD_CPUMODE_KERNEL
 * or _USER; others have no maps.  Kernel addresses may read the kernel's names:
 * one thread at a time (symbols.h). */
bool rpt_timeline_map(const struct rpt_timeline *tl,
		      const struct rpt_task_ref *ref, unsigned cpumode,
		      uint64_t addr, struct rpt_timestamp when,
		      struct rpt_map *ret);

/* Return whether a file that the process has mapped can be read below --symfs;
 * true without --symfs, and if the recording carries names. */
bool rpt_timeline_has_file(const struct rpt_timeline *tl,
			   const struct rpt_task_ref *ref);

/* Return the map version: how many times the space, or what its memory has, has
 * changed until when; 0 of NULL.  Equal versions mean equal answers of
 * rpt_timeline_map(). */
uint32_t rpt_address_space_version(const struct rpt_address_space *space,
				   struct rpt_timestamp when);
/* Return the map version of the kernel. */
uint32_t rpt_timeline_kernel_version(const struct rpt_timeline *tl,
				     struct rpt_timestamp when);

/* Return the name of a cgroup by its id; NULL if no record has it. */
const char *rpt_timeline_cgroup(const struct rpt_timeline *tl,
				uint64_t cgroup_id);
/* Return what runs in it, by rpt_cgroup_unit(); NULL likewise. */
const char *rpt_timeline_unit(const struct rpt_timeline *tl,
			      uint64_t cgroup_id);

/* Return what rpt_timeline_new() was given. */
struct rpt_symbols *rpt_timeline_symbols(const struct rpt_timeline *tl);

/* Return whether a map is of text that was moved. */
bool rpt_timeline_has_moved_text(const struct rpt_timeline *tl);

/* Return the budget of the recording, which rpt_timeline_load() sets; more than
 * half of it is left for what is made of samples. */
struct rpt_budget *rpt_timeline_budget(const struct rpt_timeline *tl);

/* Return the records of tasks and maps that could not be read, or that there
 * was no budget for. */
const struct pd_damage *rpt_timeline_damage(const struct rpt_timeline *tl);
/* Return the bytes of the file that were skipped as no record; reading the
 * samples meets them again. */
const struct pd_damage *rpt_timeline_passed(const struct rpt_timeline *tl);

#endif
