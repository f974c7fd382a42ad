/* symbol_index.h: the symbols of a file by address, found once per host.
 *
 * To find the names around a few new hits, all of a symbol table has to stream
 * by: 2 ms for a compiler, at the end of each slice.  Of a file that was read a
 * few times a sorted copy is written instead, into a folder that outlives the
 * recorder, and then only the blocks around the hits are read:
 *
 *	rec_symbol_index_open(&index, place)	-ENOENT: there is none
 *	rec_symbol_index_make(place, symtab)	then open it
 *	rec_symbol_index_want(&index, addr)	of each hit
 *	rec_symbol_index_each(&index, see, ctx)
 *	rec_symbol_index_close(&index)
 *
 * The file KEY.symbols, where KEY is a hash of which files it was made of, in
 * this machine's byte order:
 *
 *	header		below, with a hash of itself and the blocks
 *	blocks[nr + 1]	below; the last one is the end
 *	symbols		of each block, by start: varints of the difference to
 *			the start before it, the length, the place of the name
 *			in the string table of the file; a byte st_info
 *
 * A start lies in one block, with all its aliases, in the order of the table.
 * An index is written under another name and renamed, 0600.  A damaged one,
 * or one of another version of a file, is not used; its texts stay in the file
 * that it is of, so nobody else's names can be in it.  A folder that others
 * may write to is refused, and files of another user in it are passed over.
 * All together have REC_SYMBOL_INDEX_LEN_MAX bytes; those that were written
 * first are removed.
 */
#ifndef REC_SYMBOL_INDEX_H
#define REC_SYMBOL_INDEX_H

#include "format/symtab/elf_symtab.h"

#include <sys/stat.h>

#define REC_SYMBOL_INDEX_LEN_MAX (UINT64_C(32) << 20)

/* Fewer entries of a table are read as fast; for more there is no memory. */
enum {
	REC_SYMBOL_INDEX_NR_MIN = 1024,
	REC_SYMBOL_INDEX_NR_MAX = 1 << 18,
};

struct rec_symbol_index_place {
	int dir_fd; /* borrowed; -1: there is no folder */
	/* Device, inode, length and time of change of the file that was mapped,
	 * and of that with its symbols; the build-id of both.  An image that is
	 * built anew may have all but that as the one before. */
	uint64_t key[11];
};

static inline uint64_t rec_stat_ctime_ns(const struct stat *st)
{
	return (uint64_t)st->st_ctim.tv_sec * 1000000000 +
	       (uint64_t)st->st_ctim.tv_nsec;
}

/* Make the folder if it is not there, and open it.  Return a descriptor,
 * -EPERM if it is not ours, or others may write to it, -ENOTDIR if it is a
 * symbolic link, or a negative errno. */
int rec_symbol_index_dir(const char *path);

struct rec_symbol_block {
	uint64_t start; /* of its first symbol */
	uint64_t reach; /* the end of all symbols in the blocks before it */
	uint64_t off;	/* in the file */
	uint64_t check; /* a hash of its bytes */
};

struct rec_symbol_index {
	int fd; /* owned */
	uint64_t symbol_nr;
	uint32_t block_nr;
	struct rec_symbol_block *blocks; /* owned */
	bool *is_wanted; /* owned; the first: what lies before all blocks */
};

/* Return 0, -ENOENT if there is none, -EBADMSG if it is damaged or another
 * file's, or a negative errno. */
int rec_symbol_index_open(struct rec_symbol_index *ret,
			  const struct rec_symbol_index_place *place);
void rec_symbol_index_close(struct rec_symbol_index *index);

/* Remove a damaged one, so that it is made anew. */
void rec_symbol_index_remove(const struct rec_symbol_index_place *place);

/* Write the index of a table.  Return 0, -EFBIG if it has too few entries or
 * too many, or a negative errno. */
int rec_symbol_index_make(const struct rec_symbol_index_place *place,
			  const struct pd_elf_symtab *symtab);

/* Want the symbols around addr. */
void rec_symbol_index_want(struct rec_symbol_index *index, uint64_t addr);

/* Call see with the symbols that count (pd_elf_symtab_takes()) around wanted
 * addresses, by start: all that start last before one, or reach over it, or lie
 * next to these; and the starts that follow, without a length.  Their idx tells
 * which of those with one start is the first in the table.  Return what see
 * returned, -EBADMSG if a block is damaged, or what pread() says. */
int rec_symbol_index_each(const struct rec_symbol_index *index,
			  int (*see)(void *ctx,
				     const struct pd_elf_symbol *sym),
			  void *ctx);

#endif
