/* unwind_file.h: the file of a DSO, as all threads read it for unwinding.
 *
 * It is opened at the first call.  Its call frame information is read at the
 * first question about an address, under a lock; rows never change.
 */
#ifndef RPT_UNWIND_FILE_H
#define RPT_UNWIND_FILE_H

#include "report/elf/cfi.h"
#include "report/symbols/symbols.h"

struct rpt_unwind_file;

/* Return the file, which belongs to the DSO, or NULL if it cannot be read.
 * Takes rpt_symbols_lock(). */
struct rpt_unwind_file *rpt_dso_unwind_file(struct rpt_dso *dso);

/* Return whether dso is code that a program made at run time, or of a file that
 * is no ELF file.  Takes rpt_symbols_lock(). */
bool rpt_dso_is_generated(struct rpt_dso *dso);

/* Free the file with its DSO. */
void rpt_unwind_file_free(struct rpt_unwind_file *file);

/* Return why rows are missing that the file seems to have, or NULL. */
const char *rpt_unwind_file_problem(struct rpt_unwind_file *file);

/* Return the processor, EM_*. */
uint16_t rpt_unwind_file_machine(const struct rpt_unwind_file *file);

/* Return the virtual address at which a program begins; 0: it is none. */
uint64_t rpt_unwind_file_entry(const struct rpt_unwind_file *file);

/* Return len bytes at offset off, or NULL if the file ends before. */
const uint8_t *rpt_unwind_file_bytes(const struct rpt_unwind_file *file,
				     uint64_t off, size_t len);

/* Find the virtual address of offset off.  Return false if no segment holds
 * it. */
bool rpt_unwind_file_addr(const struct rpt_unwind_file *file, uint64_t off,
			  uint64_t *ret_addr);

/* Return the row for a virtual address, or NULL if the file has no call frame
 * information at all. */
const struct rpt_cfi_row *rpt_unwind_file_row(struct rpt_unwind_file *file,
					      uint64_t addr,
					      unsigned columns_nr);

#endif
