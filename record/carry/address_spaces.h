/* address_spaces.h: which file lay at an address of a process, by the MMAP and
 * FORK records of a recording.
 *
 * There is no order of time: a map counts for all samples of its process, and
 * if several lie over an address, all of them.  That names a little too much
 * and leaves nothing out: an exec'd process keeps the maps of the program
 * before. A process that was forked has those of its parent beside its own.
 *
 * A mapped file may hold code that its process made (pd_may_be_jit_file()):
 * what is hit in it is also hit in the process's memory, by its address.
 *
 * Memory between two maps of one file at fitting offsets is text that was moved
 * there, and hit in that file, too.
 */
#ifndef REC_ADDRESS_SPACES_H
#define REC_ADDRESS_SPACES_H

#include "format/carried/carried.h"
#include "format/records/record_body.h"
#include "record/names/hit_set.h"
#include "record/snapshot/mapped_build_id.h"

/* The file on this host that it was (format/carried/carried_identity.h): found
 * when it is opened. */
struct rec_hit_identity {
	struct rec_build_id id;	    /* that stands in the file */
	struct pd_file_owner owner; /* is_known: it was opened */
	uint64_t ino;		    /* as stat(2) says */
	uint64_t ctime_ns;
	/* The collector's: of all records that are of this file. */
	struct pd_file_key *keys;
	uint32_t key_nr;
	bool is_known_by_id;
};

/* A file that was mapped, with what was hit in it. */
struct rec_hit_file {
	char *path; /* owned; as in the record */
	uint8_t build_id[PD_BUILD_ID_LEN_MAX];
	uint8_t build_id_len;	/* 0: the record has none */
	struct pd_file_key key; /* else this, 0 in MMAP records */
	struct rec_hit_identity identity;
	uint32_t user_rank;  /* how many files of its owner's have more hits */
	uint32_t pid;	     /* of the process that mapped it first */
	uint32_t hit_pid;    /* of the last one that was hit in it */
	bool is_anonymous;   /* memory of pid, whose names are in a perf map */
	bool has_memory;     /* ... not only of files that may be a JIT's */
	uint64_t start, end; /* its first map */
	struct rec_mapped dump;	 /* of memory: rec_address_spaces_dump() */
	struct rec_hit_set hits; /* offsets in the file; addresses of memory */
	struct rec_hit_set leaf_hits; /* of them, where frames are looked at to
				       * find the callers of leaves (x86_64) */
	struct rec_file_names *names; /* known_files.h, whose it is; or NULL */
};

/* Maps of one process. */
struct rec_space_map {
	uint64_t start;
	uint64_t end;
	uint64_t end_max; /* of this and all maps before it */
	uint64_t off;	  /* of start in the file; of memory start itself */
	uint32_t file_idx;
	bool is_code; /* executable */
};

struct rec_space {
	uint32_t pid;
	uint32_t ppid; /* UINT32_MAX: no FORK was seen */
	uint32_t map_nr;
	uint32_t map_cap;
	uint32_t dump; /* index + 1 of the jitdump that it mapped last */
	struct rec_hit_set dump_hits; /* all addresses, from then on: dumps
				       * tell of code in files, too */
	struct rec_space_map *maps;   /* owned; by start, if is_sorted */
	bool is_sorted;
	uint32_t end_round; /* in which the process ended; 0: it did not */
};

struct rec_address_spaces {
	struct rec_hit_file *files; /* owned */
	uint32_t file_nr;
	uint32_t file_cap;
	uint32_t *file_slots; /* owned; index + 1 by hash, 0: free */
	uint32_t file_slot_nr;
	struct rec_space *spaces; /* owned */
	uint32_t space_nr;
	uint32_t space_cap;
	uint32_t *space_slots; /* owned; index + 1 by pid */
	uint32_t space_slot_nr;
	size_t budget;	   /* bytes that all this may still take */
	size_t budget_low; /* with less than this, ended processes go */
	uint32_t round;	   /* from 1 on */
	bool is_full;
	bool is_leaf; /* hits are leaf_hits, too */
};

/* Return whether no file stands behind memory of that path: code there is a
 * JIT's. */
bool rec_is_anonymous(struct pd_str path);

void rec_address_spaces_init(struct rec_address_spaces *spaces, size_t budget);
void rec_address_spaces_release(struct rec_address_spaces *spaces);

/* Take a map of a user process, and a process that was forked. */
void rec_address_spaces_map(struct rec_address_spaces *spaces,
			    const struct pd_mmap *map, bool is_code);
void rec_address_spaces_fork(struct rec_address_spaces *spaces, uint32_t pid,
			     uint32_t ppid);

/* Note that a process has ended. */
void rec_address_spaces_exit(struct rec_address_spaces *spaces, uint32_t pid);
/* A round of records has ended.  If room is scarce, forget the maps of
 * processes that ended rounds ago, so that none of their samples can follow,
 * and that no living process was forked from. */
void rec_address_spaces_round(struct rec_address_spaces *spaces);

/* Return the file as its records have it, mapped by that process. */
struct rec_mapped rec_hit_file_mapped(const struct rec_hit_file *f,
				      uint32_t pid);

/* Set f->dump, if it is not set, to the jitdump that the process of the memory
 * f mapped, whose path stays the file's: files are in the order in which they
 * were added.  Return all that was hit in that process, or NULL if there is no
 * dump.
 */
const struct rec_hit_set *
rec_address_spaces_dump(const struct rec_address_spaces *spaces,
			struct rec_hit_file *f);

/* Tell see of each map of code in which rec_address_spaces_hit_code() may find
 * an address of pid. */
void rec_address_spaces_walk(
	const struct rec_address_spaces *spaces, uint32_t pid,
	void (*see)(void *ctx, uint64_t start, uint64_t end), void *ctx);

/* Count a hit at addr of pid in each file that lies there.  Return how many
 * there are. */
unsigned rec_address_spaces_hit(struct rec_address_spaces *spaces, uint32_t pid,
				uint64_t addr);
/* The same, for maps of code only. */
unsigned rec_address_spaces_hit_code(struct rec_address_spaces *spaces,
				     uint32_t pid, uint64_t addr);
/* The same again; the hit is one of leaf_hits, too. */
unsigned rec_address_spaces_hit_leaf(struct rec_address_spaces *spaces,
				     uint32_t pid, uint64_t addr);

#endif
