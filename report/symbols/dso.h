/* dso.h: members of a DSO and of struct rpt_symbols; private to this room. */
#ifndef RPT_DSO_H
#define RPT_DSO_H

#include "report/base/intern.h"
#include "report/base/threads.h"
#include "report/elf/elf_file.h"
#include "report/symbols/kallsyms.h"
#include "report/symbols/kallsyms_cache.h"
#include "report/symbols/kernel_origin.h"
#include "report/symbols/kallsyms_locate.h"
#include "report/elf/symbol_windows.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso_go.h"
#include "report/symbols/symbols.h"

#include <pthread.h>

struct rpt_unwind_file;
struct rpt_inlines;
struct rpt_source_lines;

struct rpt_dso_names {
	struct rpt_symbol_windows *file; /* of a user file; or NULL */
	struct rpt_symbol_table table;	 /* otherwise */
	struct rpt_symbol_table *shared; /* the kernel's, instead of table */
	struct rpt_dso_go *go; /* of what file has no name of; NULL: none */
	struct rpt_symbol_table recorded; /* rpt_dso_add_symbol() */
	struct rpt_dso_carried carried;	  /* used if all else has no name */
};

/* Code that a jitdump tells of: len bytes from the dso address off on, and its
 * .eh_frame, interned; empty: it is not known. */
struct rpt_jitted {
	uint16_t machine; /* EM_* */
	uint64_t off;
	uint64_t len;
	struct pd_str eh_frame;
};

/* The files of a DSO; owned. */
struct rpt_dso_files {
	bool is_opened;
	bool is_debug_searched;
	bool is_debug_unserved;	   /* no server has it */
	bool is_no_elf;		   /* what stands at its path */
	bool is_mini;		   /* debug is runtime's own .gnu_debugdata */
	char debug_origin;	   /* in letters of rpt_dso_origin() */
	struct rpt_elf *runtime;   /* the file that was mapped; NULL: none */
	struct rpt_elf *debug;	   /* where .symtab came from, if elsewhere */
	char *root;		   /* of its container; NULL: it is in none */
	char *text;		   /* of a perf-PID.map */
	struct rpt_jitted *jitted; /* instead of a file; NULL: it is none */
};

/* The first process that mapped it. */
struct rpt_dso_mapper {
	uint32_t pid; /* 0: not known */
	uint64_t ino; /* of the file then; 0: not known */
};

/* The addresses of a module or of a KSYMBOL's code; 0, 0: unknown. */
struct rpt_dso_range {
	uint64_t start, end;
};

struct rpt_dso {
	struct rpt_symbols *owner;
	enum rpt_dso_kind kind;
	const char *name;  /* as recorded; interned in owner->names */
	const char *shown; /* the same, safe to print */
	uint8_t build_id[RPT_BUILD_ID_MAX];
	uint8_t build_id_len;
	uint8_t key_id_len;	 /* build_id_len when it was made */
	uint8_t recorded_id_len; /* build_id_len as recorded; 0: none was */
	struct rpt_dso_range range;
	struct rpt_dso *next_same_name;
	uint32_t idx;		     /* among its owner's */
	uint32_t source;	     /* of its key */
	uint32_t carried;	     /* the same */
	struct rpt_dso *shared_from; /* another recording's, or NULL */
	struct rpt_dso_mapper mapper;
	bool is_run;	      /* its code was run */
	bool is_kernel_entry; /* in the recording's table of build-ids */
	bool is_loaded;
	struct rpt_dso_names names;
	struct rpt_dso_files files;
	char origin;   /* in letters of rpt_dso_origin(); 0: not asked yet */
	char *problem; /* why it has no names, or NULL */
	_Atomic(struct rpt_unwind_file *) unwind_file; /* NULL: not yet */
	struct rpt_inlines *inlines;
	struct rpt_source_lines *lines;
};

/* The names of the kernel and of its modules (kernel_load.c). */
struct rpt_kernel_names {
	struct rpt_threads task; /* reads them in the background */
	bool is_loaded;
	bool is_rest_loaded; /* kallsyms was read besides the copy, or failed */
	bool is_withheld;    /* another kernel was recorded: see problem */
	char problem[400];
	struct rpt_kallsyms_locate source;
	struct rpt_kallsyms_cache *copy; /* asked before kallsyms; or NULL */
	struct rpt_kallsyms kallsyms;
	struct rpt_symbol_table vmlinux_table; /* of source.vmlinux */
	struct rpt_symbol_table *table;	       /* the kernel's; NULL: none */
	uint64_t add; /* recorded address + add = address in the tables */
};

/* The folder of --symfs. */
struct rpt_symfs {
	char *dir;    /* owned; "": none */
	bool is_flat; /* rpt_symfs_len() */
};

struct rpt_symbols {
	struct rpt_symbols_conf conf; /* symfs is that below */
	struct rpt_symfs symfs;
	pthread_mutex_t lock; /* rpt_symbols_lock() */
	char *home_cache;     /* ~/.debug, or that below symfs */
	uid_t cache_user;     /* whose it is */
	uid_t author;	      /* rpt_symbols_set_author() */
	struct rpt_dso **dsos;
	uint32_t dsos_nr, dsos_cap;
	struct rpt_intern names;  /* of DSOs */
	struct rpt_arena shown;	  /* those that are not safe to print */
	struct rpt_dso **by_name; /* by number of the name: the latest DSO */
	uint32_t by_name_cap;
	struct rpt_intern recorded;	 /* rpt_dso_add_symbol() */
	struct rpt_intern eh_frames;	 /* rpt_dso_set_jitted() */
	struct pd_carried carried, lent; /* carried_names.h */
	struct rpt_carried_index carried_index, lent_index;
	bool is_lent_own; /* lent is of this recording */
	struct rpt_carried_texts carried_texts;
	struct rpt_kernel kernel;
	struct rpt_kernel_origin origin;
	char *ref_name;
	struct rpt_kernel_names kernel_names;
};

/* Return the latest DSO of that name, NULL if there is none;
 * dso->next_same_name is the next one. */
struct rpt_dso *rpt_symbols_dso_named(const struct rpt_symbols *symbols,
				      const char *name, size_t len);

/* Return the DSO with dso's files: itself, or that of an earlier recording. */
struct rpt_dso *rpt_dso_shared(struct rpt_dso *dso);
/* The same, with its symbols read. */
struct rpt_dso *rpt_dso_loaded(struct rpt_dso *dso);

/* Find the file on this machine that process pid had mapped as inode ino (0:
 * unknown).  Return false if the path is too long. */
bool rpt_dso_path(const struct rpt_dso *dso, uint32_t pid, uint64_t ino,
		  char path[PATH_MAX]);

/* Set the build-id read from the file if the recording has none. */
void rpt_dso_find_build_id(struct rpt_dso *dso, const uint8_t *id, uint8_t len);

/* Return whether two recordings are of one kernel, booted once. */
bool rpt_symbols_have_kernel_of(const struct rpt_symbols *a,
				const struct rpt_symbols *b);

/* Set that dso is code of a just-in-time compiler; .eh_frame is copied.  That
 * of a later call counts if it is not empty. */
void rpt_dso_set_jitted(struct rpt_dso *dso, const struct rpt_jitted *jitted);

/* Read the symbols of a user file or vdso; of the kernel or of a module. */
void rpt_dso_load(struct rpt_dso *dso);
void rpt_dso_load_kernel(struct rpt_dso *dso);
/* Return the symbol at addr of a loaded DSO, or NULL, and narrow range to
 * addresses with the same answer. */
const struct rpt_symbol *rpt_dso_find(struct rpt_dso *dso, uint64_t addr,
				      struct rpt_addr_range *range);
/* Free the names of the kernel. */
void rpt_kernel_release(struct rpt_symbols *symbols);

#define RPT_DSO_DAMAGED "its symbol table is damaged"
/* Set why dso has no names; NULL if there is no reason. */
void rpt_dso_set_problem(struct rpt_dso *dso, const char *text);

/* Return the mapped file, opened at the first call, or NULL if it is not here
 * or has another build-id than the recorded one. */
struct rpt_elf *rpt_dso_runtime(struct rpt_dso *dso);

/* Compare two build-ids, by the shorter length, since old recordings pad them
 * to 20 bytes.  Return false if one is empty. */
bool rpt_is_same_build_id(const uint8_t *a, uint8_t a_len, const uint8_t *b,
			  uint8_t b_len);

#endif
