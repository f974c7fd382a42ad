/* cfi.h: how to get from a frame to its caller's, for one address of a DSO.
 *
 * A row is what the call frame information says for one address, in a form
 * that needs no library to apply.  Rows are computed by libdw once for each
 * address and kept with the DSO.
 */
#ifndef RPT_CFI_H
#define RPT_CFI_H

#include "report/symbols.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RPT_CFI_COLUMNS 33 /* DWARF registers that are followed */

enum rpt_cfi_where {
	RPT_CFI_SAME = 0, /* as in the callee */
	RPT_CFI_UNDEFINED,
	RPT_CFI_MEMORY, /* at CFA + off */
	RPT_CFI_VALUE,	/* is CFA + off; for the CFA: register + off */
	RPT_CFI_REG,	/* in register off */
	RPT_CFI_EXPR,	/* ops of the row from off on, ops_nr of them */
};

struct rpt_cfi_rule {
	uint8_t column; /* register that is told; for the CFA: that it uses */
	uint8_t where;	/* enum rpt_cfi_where */
	uint16_t ops_nr;
	int32_t off;
};

struct rpt_cfi_row {
	uint64_t addr;	/* virtual address in the file */
	bool is_known;	/* false: no information covers addr */
	bool is_signal; /* a signal's trampoline */
	uint8_t ra_column;
	uint8_t rules_nr;
	struct rpt_cfi_rule cfa;
	struct rpt_cfi_rule *rules; /* those that are not SAME */
	Dwarf_Op *ops;
};

/* The row for a virtual address of the DSO's file; NULL: the file cannot be
 * read or has no such information at all, or memory is out.  Belongs to the
 * DSO. */
const struct rpt_cfi_row *rpt_dso_cfi_row(struct rpt_dso *dso, uint64_t addr,
					  unsigned columns_nr);

/* For dso.h: frees what hangs on a DSO. */
struct rpt_cfi;
void rpt_cfi_free(struct rpt_cfi *cfi);

#endif
