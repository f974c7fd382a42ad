/* go_table.h: the functions of a Go program, their source lines and frames and
 * the calls that were inlined into them, out of the table that its runtime
 * prints stacks by (.gopclntab): a stripped program has it, too.
 *
 *	pd_go_table_open(&image, &table)
 *	if (pd_go_table_find(table, off, &function))
 *		text = pd_go_table_name(table, function.name)
 *	pd_go_table_close(table)
 *
 * The table since Go 1.2, by the number that it begins with:
 *
 *	version	addresses of functions	names, files, steps
 *	1.2	words			offsets from the table's start
 *	1.16	words			offsets in tables of their own
 *	1.18	less the text's start	the same
 *	1.20	less the text's start	the same; functions have a first line
 *
 * Steps say from which address of a function on a value holds: a file, a line,
 * an inlined call, the length of the frame.  In programs that are linked by
 * another linker to move in memory (-buildmode=pie and c-shared with cgo) the
 * words stand in relocations, and the table in .data.rel.ro.
 *
 * An address costs some 2 log2(functions) reads of 4 KiB, lines and calls as
 * many steps as its function has, and those of a file are limited.  So is what
 * is searched through for the table, relocations and the runtime's data.
 *
 * Source: Go 1.2 to 1.26, src/internal/abi/symtab.go, src/runtime/symtab.go,
 * src/runtime/symtabinl.go, src/debug/gosym/pclntab.go.
 */
#ifndef PD_GO_TABLE_H
#define PD_GO_TABLE_H

#include "format/symtab/elf_symtab.h"

enum pd_go_version { PD_GO_1_2, PD_GO_1_16, PD_GO_1_18, PD_GO_1_20 };

enum { PD_GO_BLOCK_LEN = 4096 };

/* The head of a table; offsets from its start. */
struct pd_go_layout {
	enum pd_go_version version;
	uint8_t word_len; /* 4 or 8 */
	uint8_t step_len; /* addresses are multiples of it */
	uint64_t nr;	  /* functions */
	uint64_t text;	  /* address of the text's start; 0 before 1.18 */
	uint64_t names;
	uint64_t units; /* lists of files of compilation units */
	uint64_t files;
	uint64_t steps;
	uint64_t functions;
};

/* A word that a relocation sets. */
struct pd_go_word {
	uint64_t addr;
	uint64_t value;
};

/* Texts that lie from a place on. */
struct pd_go_texts {
	struct pd_elf_section section;
	struct pd_elf_strings strings;
};

/* For one thread at a time. */
struct pd_go_table {
	const struct pd_elf_image *elf; /* borrowed */
	uint64_t off;			/* in the file */
	uint64_t addr;
	uint64_t len; /* up to the section's end */
	struct pd_go_layout at;
	struct pd_go_texts names;
	struct pd_go_texts files;
	struct pd_go_word *words; /* owned; by address */
	size_t word_nr;
	uint64_t trees; /* address of what functions have; 0: not known */
	bool are_trees_sought;
	uint64_t step_left_nr;
	uint64_t looked_len; /* bytes that were searched through */
	uint64_t block_off;  /* of block in the file */
	size_t block_len;
	uint8_t block[PD_GO_BLOCK_LEN];
	char *room; /* owned; a name as Go prints it */
	size_t room_len;
};

struct pd_go_function {
	uint64_t start; /* address */
	uint64_t end;	/* that of the next one */
	uint64_t off;	/* of its code in the file */
	uint64_t at;	/* what the table says of it: offset from its start */
	uint32_t name;
};

/* An inlined call. */
struct pd_go_call {
	uint32_t name; /* of the function that was called */
	uint64_t addr; /* of an instruction of its caller, on the line of the
			* call */
};

/* Set *ret to NULL if the file has no such table.  Return 0, -ENOMEM, -EFBIG or
 * what the reading says. */
int pd_go_table_open(const struct pd_elf_image *elf, struct pd_go_table **ret);
/* Safe on NULL. */
void pd_go_table_close(struct pd_go_table *table);

/* Find the function around an offset in the file.  Return false if there is
 * none, or table is NULL. */
bool pd_go_table_find(struct pd_go_table *table, uint64_t off,
		      struct pd_go_function *ret);

/* Return a name as Go prints it: "main.Sum[...]", whatever its types are.  It
 * is valid until the next call, empty if there is none, and cut at 64 KiB. */
struct pd_str pd_go_table_name(struct pd_go_table *table, uint32_t name);

/* The rest is for files in memory. */

/* Find the source line of an address in a function: what was called there last,
 * inlined or not, has it.  The file's name, shorter than PATH_MAX, lives as
 * long as the file. */
bool pd_go_table_line(struct pd_go_table *table, const struct pd_go_function *f,
		      uint64_t addr, struct pd_str *ret_file,
		      uint32_t *ret_line);

/* Find how far below its place at the function's start the stack pointer is at
 * an address.  Return false if that is not known. */
bool pd_go_table_stack(struct pd_go_table *table,
		       const struct pd_go_function *f, uint64_t addr,
		       uint32_t *ret);

/* Return whether a stack ends at a function: it is the outermost one of its
 * stack, or goes over to another one, by which its caller cannot be found.
 * None is known before Go 1.17. */
bool pd_go_table_is_last(struct pd_go_table *table,
			 const struct pd_go_function *f);

/* Fill ret with the inlined calls, at most max, that an address in a function
 * lies in, the innermost first.  Return how many there are; none is known
 * before Go 1.16. */
size_t pd_go_table_calls(struct pd_go_table *table,
			 const struct pd_go_function *f, uint64_t addr,
			 struct pd_go_call *ret, size_t max);

#endif
