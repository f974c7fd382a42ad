/* separate_symbols.h: the file with the symbols of a stripped one, where
 * distributions put it: below /usr/lib/debug, by build-id. */
#ifndef REC_SEPARATE_SYMBOLS_H
#define REC_SEPARATE_SYMBOLS_H

#include "record/base/elf_note.h"

/* Open the debug file of that build-id.  Return -1 if there is none. */
int rec_separate_symbols_open(const struct rec_build_id *id);

#endif
