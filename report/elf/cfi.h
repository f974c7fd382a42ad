/* cfi.h: call frame information (.eh_frame, .debug_frame) of one address: how
 * to get from its frame to the caller's.
 *
 * A row holds it in a form that needs no library.  libdw reads it;
 * unwind_file.h stores it.  A Go program's own table (format/symtab/go_table.h)
 * has the length of a frame that it has none of, and the functions at which a
 * stack ends.
 */
#ifndef RPT_CFI_H
#define RPT_CFI_H

#include "report/elf/elf_file.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RPT_CFI_COLUMNS 33 /* DWARF registers that are tracked */
#define RPT_CFI_OPS_MAX 64 /* of one row; compilers need about ten */

enum rpt_cfi_where {
	RPT_CFI_SAME = 0, /* as in the callee */
	RPT_CFI_UNDEFINED,
	RPT_CFI_MEMORY, /* at CFA + off */
	RPT_CFI_VALUE,	/* is CFA + off; for the CFA: register + off */
	RPT_CFI_REG,	/* in register off */
	RPT_CFI_EXPR,	/* ops of the row from off on, ops_nr of them */
};

struct rpt_cfi_rule {
	uint8_t column; /* of the register; for the CFA: of its base */
	uint8_t where;	/* enum rpt_cfi_where */
	uint16_t ops_nr;
	int32_t off;
};

struct rpt_cfi_row {
	bool is_known;	/* false: no information covers the address */
	bool is_signal; /* the address is in a signal trampoline */
	uint8_t ra_column;
	uint8_t rules_nr;
	uint32_t ops_nr;
	struct rpt_cfi_rule cfa;
	struct rpt_cfi_rule rules[]; /* none is SAME; the ops follow */
};

static inline const Dwarf_Op *rpt_cfi_ops(const struct rpt_cfi_row *row)
{
	return (const Dwarf_Op *)(row->rules + row->rules_nr);
}

/* The length of the longest row. */
#define RPT_CFI_ROW_LEN                                  \
	(sizeof(struct rpt_cfi_row) +                    \
	 RPT_CFI_COLUMNS * sizeof(struct rpt_cfi_rule) + \
	 RPT_CFI_OPS_MAX * sizeof(Dwarf_Op))

/* One file's information; for one thread at a time; closed before the file. */
struct rpt_cfi;

/* Return NULL if the file has no such information. */
struct rpt_cfi *rpt_cfi_open(struct rpt_elf *file);
void rpt_cfi_close(struct rpt_cfi *cfi);

/* Return whether a row took more memory than such a file can need: none is
 * known from then on. */
bool rpt_cfi_is_over(const struct rpt_cfi *cfi);

/* Write the row for a virtual address to room, which has RPT_CFI_ROW_LEN bytes.
 * Return its length. */
size_t rpt_cfi_row(struct rpt_cfi *cfi, uint64_t addr, unsigned columns_nr,
		   struct rpt_cfi_row *room);

#endif
