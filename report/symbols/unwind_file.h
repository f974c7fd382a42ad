/* unwind_file.h: the file of a DSO as unwinding reads it, by all threads.
 *
 * It is opened, and a row of its call frame information is made, at the first
 * question, by one thread at a time; what is there is found without a lock and
 * never changes.
 */
#ifndef RPT_UNWIND_FILE_H
#define RPT_UNWIND_FILE_H

#include "report/elf/cfi.h"
#include "report/symbols/symbols.h"

struct rpt_unwind_file;

/* NULL: it cannot be read.  Belongs to the DSO.  Takes the
 * lock of the names (symbols.h). */
struct rpt_unwind_file *rpt_dso_unwind_file(struct rpt_dso *dso);

/* For symbols.c. */
void rpt_unwind_file_free(struct rpt_unwind_file *file);

/* EM_* */
uint16_t rpt_unwind_file_machine(const struct rpt_unwind_file *file);

/* What is at offset off, len bytes; NULL: it is not as long. */
const uint8_t *rpt_unwind_file_bytes(const struct rpt_unwind_file *file,
				     uint64_t off, size_t len);

/* The virtual address of what is at off; false: no segment holds it. */
bool rpt_unwind_file_addr(const struct rpt_unwind_file *file, uint64_t off,
			  uint64_t *ret_addr);

/* The row for a virtual address; NULL: the file has no call frame information
 * at all. */
const struct rpt_cfi_row *rpt_unwind_file_row(struct rpt_unwind_file *file,
					      uint64_t addr,
					      unsigned columns_nr);

#endif
