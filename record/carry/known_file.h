/* known_file.h: what was read of one ELF file: the names, and bounds of
 * functions without names, around the addresses that were hit, and for which
 * others these count, too (known_spans.h).
 */
#ifndef REC_KNOWN_FILE_H
#define REC_KNOWN_FILE_H

#include "format/carried/cfi_pieces.h"
#include "record/carry/known_spans.h"

struct rec_known_file {
	uint64_t dev, ino, len, changed_ns; /* of stat(2): it is this one */
	/* Build-id, machine, segments, which are owned; .gnu_debugdata, also
	 * owned.  Without segments it was not read. */
	struct pd_carried_file head;
	struct rec_name_list names; /* by start */
	struct rec_known_spans spans;
	uint64_t wait_ns; /* between reads */
	uint64_t due_ns;  /* of the next one */
	unsigned used_at; /* the number of the last recording that has it */
	unsigned read_nr; /* how often its symbols were read */
	unsigned made_at; /* of these, when an index was made, or tried */
	/* The folder for an index of these (symbol_index.h); borrowed, -1:
	 * none. */
	int index_fd;
};

/* Bytes that all files may still take of each kind, and the time
 * (rec_now_ns()) after which what is being read is left. */
struct rec_known_limits {
	size_t names_len;  /* names and spans; names of memory */
	size_t packed_len; /* .gnu_debugdata */
	size_t code_len;   /* code of jitdumps */
	size_t frame_len;  /* call frame information */
	uint64_t until_ns;
	/* Until then one index may be made, since that cannot be left; 0: none
	 */
	uint64_t index_until_ns;
};

/* Call frame information of a file for hit_nr hits of a recording, which takes
 * len bytes of the limits. */
struct rec_known_frames {
	struct pd_cfi_pieces pieces;
	size_t hit_nr;
	size_t len;
};

struct rec_known_wish {
	uint64_t *hits; /* ascending; they are overwritten */
	size_t nr;
	bool has_names;			 /* names around the hits */
	struct rec_known_frames *frames; /* NULL: none; else all of them anew */
	uint64_t *frame_hits;		 /* ascending: what these are for */
	size_t frame_hit_nr;
};

/* Read from fd, the file, what is missing of the wish.  limits counts down.
 * Return 0 or a negative errno, as rec_known_files_find(); what was found until
 * then is there. */
int rec_known_file_read(struct rec_known_file *file,
			struct rec_known_limits *limits, int fd,
			const struct rec_known_wish *wish);

/* Set ret, the caller's, to the names that count for hits[0..nr), ascending,
 * with the texts of file; named_nr are those of which a symbol covers some.
 * Return 0 or -ENOMEM. */
int rec_known_file_names(const struct rec_known_file *file,
			 const uint64_t *hits, size_t nr,
			 struct pd_carried_name **ret, uint32_t *ret_nr,
			 uint64_t *ret_named_nr);

void rec_known_file_release(struct rec_known_file *file,
			    struct rec_known_limits *limits);

#endif
