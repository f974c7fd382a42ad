/* symbols.h: finds the symbols of addresses in the files that a recording maps.
 *
 *	symbols = rpt_symbols_new(&conf);
 *	dso = rpt_symbols_dso(symbols, &key);          at each MMAP, interned
 *	rpt_symbols_set_kernel(symbols, &kernel);      at the kernel's MMAP
 *	sym = rpt_dso_symbol(dso, ip - map.start + map.pgoff);
 *
 * Files are opened and read once, at the first look-up.  DSOs and symbols stay
 * valid until rpt_symbols_free().  Threads that share them take
 * rpt_symbols_lock() around each call.
 *
 * Address of a look-up ("dso address"), always ip - map.start + map.pgoff:
 *   RPT_DSO_USER, RPT_DSO_VDSO  offset in the file; st_value of ELF symbols is
 *		translated by the program headers when the table is read
 *   RPT_DSO_KERNEL  the absolute address as recorded: the kernel's map counts
 *		as one whose pgoff equals its start, whatever the MMAP
 *		record's pgoff field holds (that one is the address of the
 *		reference symbol, see struct rpt_kernel)
 *   RPT_DSO_MODULE  offset from the module's start (its MMAP has pgoff 0)
 *   perf-PID.map    absolute: for anonymous memory the map counts as one whose
 *		pgoff equals its start
 * start and end of struct rpt_symbol are in the same space.
 *
 * Rules of choice between names: symbol_table.h.  A file of another build-id
 * than the recorded one gives no names (rpt_dso_problem()).
 */
#ifndef RPT_SYMBOLS_H
#define RPT_SYMBOLS_H

#include "report/elf/symbol_table.h"

#include <pthread.h>
#include <sys/types.h>

#define RPT_BUILD_ID_MAX 20

enum rpt_dso_kind {
	RPT_DSO_USER,
	RPT_DSO_KERNEL, /* "[kernel.kallsyms]" */
	RPT_DSO_MODULE, /* "[ext4]" or a path that ends in .ko[.gz|.xz|.zst] */
	RPT_DSO_VDSO,	/* "[vdso]" */
	RPT_DSO_GUEST,	/* a guest's kernel or process: never has names */
};

/* Strings belong to the caller and must outlive the object; NULL: default. */
struct rpt_symbols_conf {
	const char *symfs;		/* rpt_symfs_len() */
	const char *kallsyms, *vmlinux; /* kernel names from these files */
	const char *buildid_dir;	/* instead of ~/.debug */
	const char *carried;		/* a file that carries more names */
	bool ignore_vmlinux, raw_names; /* search for none; --no-demangle */
	bool with_bounds, with_file_symbols; /* dso_bounds.h */
	bool with_parameters;		     /* of C++ functions */
	bool demangle_kernel; /* kernel names are left alone otherwise */
	/* another recording's, which outlives these and reads files of both */
	struct rpt_symbols *shared_from;
};

/* Return how long the folder in "DIR[,hierarchy|,flat]" is, which is put in
 * front of every recorded path; flat: of the last part of every recorded path.
 */
size_t rpt_symfs_len(const char *symfs, bool *ret_is_flat);

struct rpt_symbols;
struct rpt_dso;
struct rpt_dso_key {
	enum rpt_dso_kind kind;
	const char *name; /* as recorded; copied */
	size_t name_len;  /* without NUL */
	uint8_t build_id[RPT_BUILD_ID_MAX];
	uint8_t build_id_len; /* 0: none recorded */
	uint32_t source;      /* a number for DSOs that differ otherwise */
	uint32_t carried;     /* rpt_symbols_identify() */
};

/* The recording's kernel MMAP. */
struct rpt_kernel {
	uint64_t start; /* of the map */
	uint64_t end;
	const char *ref_name; /* "_text", what follows the ']' of its name */
	uint64_t ref_addr;    /* the record's pgoff; 0: it was hidden */
	uint8_t build_id[RPT_BUILD_ID_MAX];
	uint8_t build_id_len;
};

struct rpt_symbols *rpt_symbols_new(const struct rpt_symbols_conf *conf);
void rpt_symbols_free(struct rpt_symbols *symbols);

/* Set whose the recording is: source files that it names itself are opened with
 * his rights, and by root mapped files.  Before: source files with those of
 * anybody, mapped ones with the reader's. */
void rpt_symbols_set_author(struct rpt_symbols *symbols, uid_t user);

/* Return the lock of symbols, one for all that share files. */
pthread_mutex_t *rpt_symbols_lock(struct rpt_symbols *symbols);
/* Set conf.shared_from later, for a thread that had to wait for it. */
void rpt_symbols_set_shared_from(struct rpt_symbols *symbols,
				 struct rpt_symbols *from);

/* Return the DSO of key, made at the first call; equal (kind, name, build-id,
 * source, carried) give the same pointer. */
struct rpt_dso *rpt_symbols_dso(struct rpt_symbols *symbols,
				const struct rpt_dso_key *key);

/* Set what the recording says of its kernel, before the first look-up in a
 * kernel DSO or a module without .ko file.  The last call counts. */
void rpt_symbols_set_kernel(struct rpt_symbols *symbols,
			    const struct rpt_kernel *kernel);

/* Start a background task that reads the kernel's names, after the last
 * rpt_symbols_set_kernel().  Look-ups in the kernel wait for it. */
void rpt_symbols_prefetch_kernel(struct rpt_symbols *symbols);

/* Set where a module was loaded (its MMAP), or where a KSYMBOL's code lies. */
void rpt_dso_set_range(struct rpt_dso *dso, uint64_t start, uint64_t end);

/* Set which process has the file mapped, and its inode (0: unknown), by which
 * files of containers are found.  The first call counts. */
void rpt_dso_set_mapper(struct rpt_dso *dso, uint32_t pid, uint64_t ino);

/* Add a symbol of the recording itself (PERF_RECORD_KSYMBOL), once. */
void rpt_dso_add_symbol(struct rpt_dso *dso, uint64_t start, uint64_t end,
			const char *name, size_t name_len);

/* Set the build-id if none came with the map.  Before the first look-up. */
void rpt_dso_set_build_id(struct rpt_dso *dso, const uint8_t *build_id,
			  uint8_t build_id_len);

/* Return the symbol at a dso address, or NULL; never that of the file. */
const struct rpt_symbol *rpt_dso_symbol(struct rpt_dso *dso, uint64_t addr);
/* The same, or that of the file; range narrows to addresses of one answer. */
const struct rpt_symbol *rpt_dso_symbol_range(struct rpt_dso *dso,
					      uint64_t addr,
					      struct rpt_addr_range *range);

/* After a look-up, return whether the file is a Go program's; and whether an
 * address of it is in a function without a frame, whose caller frame pointers
 * do not tell (x86). */
bool rpt_dso_is_go(struct rpt_dso *dso);
bool rpt_dso_is_frameless(struct rpt_dso *dso, uint64_t addr);

const char *rpt_dso_name(const struct rpt_dso *dso); /* safe to print */
const char *rpt_dso_recorded_name(const struct rpt_dso *dso); /* to open it */
enum rpt_dso_kind rpt_dso_kind(const struct rpt_dso *dso);
uint32_t rpt_dso_source(const struct rpt_dso *dso); /* of its key */
uint32_t rpt_dso_idx(const struct rpt_dso *dso);    /* of rpt_symbols_dso_at */
const uint8_t *rpt_dso_build_id(const struct rpt_dso *dso, uint8_t *ret_len);

/* Return whether another DSO of the recording has that name. */
bool rpt_dso_has_namesake(const struct rpt_dso *dso);

/* Return whether dso has its build-id from the table, as a kernel file. */
bool rpt_dso_is_in_table(const struct rpt_dso *dso);
void rpt_dso_note_kernel_entry(struct rpt_dso *dso);
/* Before the first look-up, return whether a server may have symbols of dso (or
 * source lines, if are_lines_wanted) that are not on this machine. */
bool rpt_dso_lacks_debug(struct rpt_dso *dso, bool are_lines_wanted);
/* Note that no server has them. */
void rpt_dso_note_unserved(struct rpt_dso *dso);
/* Use fd, which is taken over, as debug file; false: it is of another DSO. */
bool rpt_dso_take_debug(struct rpt_dso *dso, int fd);

/* Note that a sample is in the DSO's code. */
void rpt_dso_note_run(struct rpt_dso *dso);
/* After look-ups, return why a DSO whose code was run has no names, or NULL. */
const char *rpt_dso_problem(const struct rpt_dso *dso);

/* Return the idx-th DSO in the order in which they were made, or NULL. */
struct rpt_dso *rpt_symbols_dso_at(const struct rpt_symbols *symbols,
				   size_t idx);

#endif
