/* symbol.h: one symbol of a symbol table. */
#ifndef RPT_SYMBOL_H
#define RPT_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

struct rpt_symbol {
	uint64_t start;
	uint64_t end;	  /* one past the last byte */
	const char *name; /* demangled unless conf says otherwise */
	uint8_t binding;  /* STB_*: 0 local, 1 global, 2 weak, 10 unique */
	uint8_t type;	  /* STT_* */
	bool is_plt;	  /* made up for a PLT slot: "name@plt" */
	bool is_named;	  /* name is final; false only before a look-up */
	bool is_alone;	  /* none that is before it in the table reaches here */
	uint8_t mark_len; /* of "\t[ext4]", which stood behind the name */
	uint32_t order;	  /* how many were read before it */
};

#endif
