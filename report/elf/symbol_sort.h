/* symbol_sort.h: symbols by address.
 *
 * A stable merge sort over the runs that are in order already: tables of
 * linkers consist of a few long ones, kallsyms nearly of one.  Where they are
 * many (.dynsym is in the order of a hash) by radix.
 */
#ifndef RPT_SYMBOL_SORT_H
#define RPT_SYMBOL_SORT_H

#include "report/elf/symbol.h"

#include <stddef.h>

/* What stands first stays first among equal addresses.  0 or -ENOMEM. */
int rpt_symbol_sort(struct rpt_symbol *syms, size_t nr);

#endif
