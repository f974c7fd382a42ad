/* carried.h: the names that a recording carries, so that it can be read on a
 * machine that has none of its binaries.  FORMAT.md "Carried names".
 *
 * For each file in which samples hit functions, these are its build-id, where
 * its code is mapped, and the symbols around the addresses that were hit.  They
 * are sections of the trailer (trailer.h).
 *
 * pd_carried_write() writes them.  The reader:
 *	pd_carried_read(base, len, trailer, &carried, &err)
 *	pd_carried_names(&carried, idx, names)	as a file's names are asked for
 *	pd_carried_release(&carried)
 */
#ifndef PD_CARRIED_H
#define PD_CARRIED_H

#include "format/file/layout.h"
#include "format/file/trailer.h"
#include "format/symtab/elf_image.h"

/* Kinds of sections, trailer.sections[].kind. */
enum pd_carried_section {
	PD_CARRIED_FILES = 1,
	PD_CARRIED_NAMES = 2,
	PD_CARRIED_CFI = 3, /* carried_cfi.h */
	PD_CARRIED_JIT = 4, /* carried_jit.h */
	PD_CARRIED_RAW = 8, /* carried_raw.h */
	PD_CARRIED_ACCOUNT = 9,
	PD_CARRIED_STREAM = 10,	  /* carried_stream.h */
	PD_CARRIED_IDENTITY = 11, /* carried_identity.h */
};

/* The kind of a file, which says where its addresses count from. */
enum pd_carried_kind {
	PD_CARRIED_ELF,	     /* addresses as in its program headers */
	PD_CARRIED_KERNEL,   /* lines of /proc/kallsyms: addresses in memory */
	PD_CARRIED_PERF_MAP, /* /tmp/perf-PID.map: addresses in memory */
	PD_CARRIED_KIND_NR,
};

/* Why a file has no names, or not all. */
enum pd_carried_reason {
	PD_CARRIED_WHOLE,    /* every address was looked up */
	PD_CARRIED_GONE,     /* it could not be found any more */
	PD_CARRIED_REPLACED, /* another file stands at its path */
	PD_CARRIED_DENIED,   /* it could not be read */
	PD_CARRIED_NOT_ELF,  /* it is none, or damaged */
	PD_CARRIED_OVER,     /* a limit of size or time was reached */
	PD_CARRIED_REASON_NR,
};

/* The source of a name. */
enum pd_carried_source {
	PD_CARRIED_SYMTAB, /* .symtab or .dynsym; info is st_info */
	PD_CARRIED_PLT,	   /* an entry of the PLT, named after its target */
	PD_CARRIED_FDE,	   /* bounds of a function without a symbol: no name */
	PD_CARRIED_LINE,   /* a line of kallsyms or of a perf map */
	PD_CARRIED_GO,	   /* the table of a Go program: it counts if no other
			    * does, and its text is as Go prints it */
	PD_CARRIED_SOURCE_NR,
};

/* Flags in FILES. */
enum { PD_CARRIED_IS_64 = 1, PD_CARRIED_IS_BIG = 2 };

struct pd_carried_name {
	uint64_t start;
	uint64_t len;	    /* 0: an alias without a size */
	struct pd_str text; /* mangled; kallsyms: "NAME\t[MODULE]" */
	uint8_t source;	    /* enum pd_carried_source */
	uint8_t info;	    /* st_info; kallsyms: the letter of its type */
};

/* By what an MMAP2 record names the file, as it stands there. */
struct pd_file_key {
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	uint64_t ino_generation;
};

/* Whose the file was, by stat(2) of the recorder. */
struct pd_file_owner {
	bool is_known;
	uint32_t uid;
	uint32_t mode;
	uint64_t file_len;
	uint64_t mtime_ns; /* since 1970; 0: before */
};

struct pd_carried_file {
	enum pd_carried_kind kind;
	enum pd_carried_reason reason;
	struct pd_str path; /* as in MMAP records */
	uint8_t build_id[PD_BUILD_ID_LEN_MAX];
	uint8_t build_id_len; /* 0: it has none */
	bool is_64;
	bool is_big_endian;
	uint16_t machine;  /* e_machine */
	uint16_t type;	   /* e_type */
	uint32_t pid;	   /* of a perf map, as in MMAP records; else 0 */
	uint64_t hit_nr;   /* different addresses that were hit */
	uint64_t named_nr; /* of which have a name here */
	struct pd_elf_segment *segments; /* executable ones */
	uint32_t segment_nr;
	const struct pd_carried_name *names; /* by start; the writer's alone */
	uint32_t name_nr;
	const struct pd_carried_cfi *frames; /* the writer's; or NULL */
	const struct pd_carried_jit *jit;    /* the writer's; or NULL */
	struct pd_str packed; /* its .gnu_debugdata; empty: not carried */
	struct pd_file_owner owner;
	struct pd_file_key *keys; /* in its records; pd_carried's, once read */
	uint32_t key_nr;
	bool is_known_by_id; /* its build-id is in records, too */
};

/* The collector's account. */
struct pd_carried_account {
	uint64_t sample_nr;   /* samples looked at */
	uint64_t address_nr;  /* different addresses in them */
	uint64_t unmapped_nr; /* of which lay in no map of their process */
	bool is_cut; /* addresses are missing for lack of memory or time */
	uint64_t cpu_ns;
	uint64_t wall_ns; /* behind the end of the recording */
};

struct pd_carried {
	struct pd_carried_file *files; /* owned, with their segments */
	uint32_t file_nr;
	struct pd_carried_account account;
	uint8_t *file_text; /* owned: paths lie in it */
	uint8_t *name_text; /* owned: of NAMES */
	size_t name_text_len;
	uint64_t *name_offs; /* owned: where each file's begin, and the end */
	struct pd_carried_cfi *frames; /* owned */
	uint32_t frames_nr;
	uint8_t *frame_text; /* owned: the pieces of frames lie in it */
	size_t frame_text_len;
	struct pd_carried_jit *jits; /* owned */
	uint32_t jit_nr;
	uint8_t *jit_text; /* owned: paths and the text of codes lie in it */
	size_t jit_text_len;
	uint8_t *raw_text; /* owned: what is packed of files lies in it */
	struct pd_file_key *keys; /* owned: those of files */
	bool has_identities;	  /* there is such a section, and it is whole */
	uint32_t lost_kinds;	  /* bit 1 << kind: that section is damaged */
};

/* Read the sections of a file base[0..len).  One that is damaged is left out,
 * without FILES all are.  Return 0 or the first one's error, -EBADMSG, -EFBIG,
 * or -ENOMEM; ret is valid in any case. */
int pd_carried_read(const uint8_t *base, uint64_t len,
		    const struct pd_trailer *trailer, struct pd_carried *ret,
		    struct pd_err *err);
/* Safe on a zeroed struct. */
void pd_carried_release(struct pd_carried *carried);

/* Read the names of files[idx] into ret[0..name_nr), by start.  Their texts are
 * valid as long as carried is.  Return 0 or -EBADMSG. */
int pd_carried_names(const struct pd_carried *carried, uint32_t idx,
		     struct pd_carried_name *ret, struct pd_err *err);

/* The writer:
 *	pd_carried_write(&b, off, files, file_nr, account, &sections)
 *	trailer.sections = sections.items
 */

enum { PD_CARRIED_SECTIONS_MAX = 12 };

/* The sections of one file, as its trailer lists them. */
struct pd_carried_sections {
	struct pd_trailer_section items[PD_CARRIED_SECTIONS_MAX];
	size_t nr;
};

/* Append the sections, which will stand at off in the file from b's start on,
 * to b, and fill in ret_sections.  Errors latch in b. */
void pd_carried_write(struct pd_buf *b, uint64_t off,
		      const struct pd_carried_file *files, uint32_t file_nr,
		      const struct pd_carried_account *account,
		      struct pd_carried_sections *ret_sections);

#endif
