/* go_table_impl.h: where the words of a Go program's table are if the linker
 * left them to relocations, and the runtime's own account of the table, its
 * moduledata (go_module.c), for go_table.c, which reads the table.
 *
 * Each look is taken from the bytes that may be searched through (limits.h);
 * past these it is -EFBIG.
 */
#ifndef PD_GO_TABLE_IMPL_H
#define PD_GO_TABLE_IMPL_H

#include "format/symtab/go_table.h"

enum { PD_GO_READ_LEN = 64 * 1024 };

/* The moduledata is words: the address of the table, then of its parts, each
 * with a length and a capacity, then others, some of which have these indexes.
 */
enum {
	PD_GO_MODULE_FIRST = 20, /* address of the first function */
	PD_GO_MODULE_TEXT = 22,
	PD_GO_MODULE_RODATA = 37,
};

/* Return the number of four or eight bytes. */
static inline uint64_t pd_go_number(const struct pd_go_table *t,
				    const uint8_t *raw, size_t len)
{
	struct pd_cursor c;

	pd_cursor_init(&c, raw, len, 0, "number of a Go table");
	c.swap = t->elf->swap;
	return len == sizeof(uint64_t) ? pd_cursor_u64(&c) : pd_cursor_u32(&c);
}

/* Read len bytes of the file in search of something. */
int pd_go_look_at(struct pd_go_table *t, uint64_t off, uint8_t *ret,
		  size_t len);

/* Have the words that relocations set from an address on, in place of those of
 * before. */
int pd_go_take_words(struct pd_go_table *t, uint64_t addr, uint64_t len);
/* Find the word that one of these sets at an address. */
bool pd_go_relocated(const struct pd_go_table *t, uint64_t addr, uint64_t *ret);

/* Set *ret to the address of the moduledata, or 0. */
int pd_go_find_module(struct pd_go_table *t, uint64_t *ret);
/* Read a word of it, out of the relocations that are taken, or of the file. */
bool pd_go_module_word(const struct pd_go_table *t, uint64_t module,
		       unsigned idx, uint64_t *ret);

#endif
