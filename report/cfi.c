#include "report/cfi.h"

#include "report/dso.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 256
#define OPS_MAX	  64 /* of one expression; compilers need about ten */

struct rpt_cfi {
	Dwarf *debug;	     /* for .debug_frame; NULL: none */
	Dwarf_CFI *eh_frame; /* belongs to the ELF file */
	Dwarf_CFI *debug_frame;
	/* Open addressing, slots_nr a power of two, at most half full. */
	struct rpt_cfi_row **slots;
	size_t slots_nr;
	size_t rows_nr;
};

/* Rules and ops while a row is put together. */
struct builder {
	struct rpt_cfi_rule rules[RPT_CFI_COLUMNS];
	uint8_t rules_nr;
	Dwarf_Op ops[OPS_MAX];
	size_t ops_nr;
};

static void free_row(struct rpt_cfi_row *row)
{
	if (!row)
		return;
	free(row->rules);
	free(row->ops);
	free(row);
}

void rpt_cfi_free(struct rpt_cfi *cfi)
{
	size_t i;

	if (!cfi)
		return;
	for (i = 0; i < cfi->slots_nr; i++)
		free_row(cfi->slots[i]);
	free(cfi->slots);
	dwarf_cfi_end(cfi->eh_frame);
	dwarf_end(cfi->debug);
	free(cfi);
}

static struct rpt_cfi *open_cfi(struct rpt_dso *dso)
{
	struct rpt_elf *file = rpt_dso_runtime(dso);
	struct rpt_elf_section section;
	struct rpt_cfi *cfi = calloc(1, sizeof(*cfi));

	if (!cfi)
		return NULL;
	cfi->slots_nr = SLOTS_MIN;
	cfi->slots = calloc(cfi->slots_nr, sizeof(*cfi->slots));
	if (!cfi->slots) {
		free(cfi);
		return NULL;
	}
	if (!file)
		return cfi;
	cfi->eh_frame = dwarf_getcfi_elf(file->elf);
	if (rpt_elf_section(file, ".debug_frame", &section))
		cfi->debug = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (cfi->debug)
		cfi->debug_frame = dwarf_getcfi(cfi->debug);
	return cfi;
}

/* Where one rule's ops say: CFA + off (+ stack_value), a register, or an
 * expression to be evaluated. */
static bool add_ops(struct builder *b, struct rpt_cfi_rule *rule,
		    const Dwarf_Op *ops, size_t nr)
{
	if (nr > OPS_MAX - b->ops_nr)
		return false;
	rule->where = RPT_CFI_EXPR;
	rule->off = (int32_t)b->ops_nr;
	rule->ops_nr = (uint16_t)nr;
	memcpy(b->ops + b->ops_nr, ops, nr * sizeof(*ops));
	b->ops_nr += nr;
	return true;
}

static bool is_small(Dwarf_Word number)
{
	int64_t off = (int64_t)number;

	return off >= INT32_MIN && off <= INT32_MAX;
}

static bool add_reg_rule(struct builder *b, uint8_t column, const Dwarf_Op *ops,
			 size_t nr)
{
	struct rpt_cfi_rule *rule = &b->rules[b->rules_nr++];
	bool is_cfa = ops[0].atom == DW_OP_call_frame_cfa;
	size_t tail = 1;

	memset(rule, 0, sizeof(*rule));
	rule->column = column;
	if (ops[0].atom == DW_OP_regx && nr == 1) {
		rule->where = RPT_CFI_REG;
		rule->off = (int32_t)ops[0].number;
		return ops[0].number < RPT_CFI_COLUMNS;
	}
	if (is_cfa && nr > 1 && ops[1].atom == DW_OP_plus_uconst &&
	    is_small(ops[1].number)) {
		rule->off = (int32_t)ops[1].number;
		tail = 2;
	}
	if (is_cfa && nr == tail) {
		rule->where = RPT_CFI_MEMORY;
		return true;
	}
	if (is_cfa && nr == tail + 1 && ops[tail].atom == DW_OP_stack_value) {
		rule->where = RPT_CFI_VALUE;
		return true;
	}
	return add_ops(b, rule, ops, nr);
}

static bool read_cfa(struct builder *b, Dwarf_Frame *frame,
		     struct rpt_cfi_rule *cfa)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) != 0 || nr == 0)
		return false;
	if (nr == 1 && ops[0].atom == DW_OP_bregx &&
	    ops[0].number < RPT_CFI_COLUMNS && is_small(ops[0].number2)) {
		cfa->where = RPT_CFI_VALUE;
		cfa->column = (uint8_t)ops[0].number;
		cfa->off = (int32_t)ops[0].number2;
		return true;
	}
	return add_ops(b, cfa, ops, nr);
}

static bool read_rules(struct builder *b, Dwarf_Frame *frame,
		       unsigned columns_nr)
{
	Dwarf_Op mem[3], *ops;
	unsigned column;
	size_t nr;

	for (column = 0; column < columns_nr; column++) {
		if (dwarf_frame_register(frame, (int)column, mem, &ops, &nr))
			return false;
		if (nr == 0 && !ops)
			continue; /* the same as in the callee */
		if (nr == 0) {
			b->rules[b->rules_nr++] = (struct rpt_cfi_rule){
				.column = (uint8_t)column,
				.where = RPT_CFI_UNDEFINED,
			};
			continue;
		}
		if (!add_reg_rule(b, (uint8_t)column, ops, nr))
			return false;
	}
	return true;
}

static void *copy_of(const void *from, size_t nr, size_t len)
{
	void *to = calloc(nr ? nr : 1, len);

	if (to)
		memcpy(to, from, nr * len);
	return to;
}

/* False: the information is damaged, or memory is out. */
static bool fill_row(struct rpt_cfi_row *row, Dwarf_Frame *frame,
		     unsigned columns_nr)
{
	struct builder b = { .rules_nr = 0 };
	int ra = dwarf_frame_info(frame, NULL, NULL, &row->is_signal);

	if (ra < 0 || (unsigned)ra >= columns_nr ||
	    !read_cfa(&b, frame, &row->cfa) ||
	    !read_rules(&b, frame, columns_nr))
		return false;
	row->ra_column = (uint8_t)ra;
	row->rules_nr = b.rules_nr;
	row->rules = copy_of(b.rules, b.rules_nr, sizeof(b.rules[0]));
	row->ops = copy_of(b.ops, b.ops_nr, sizeof(b.ops[0]));
	return row->rules && row->ops;
}

static struct rpt_cfi_row *make_row(struct rpt_cfi *cfi, uint64_t addr,
				    unsigned columns_nr)
{
	struct rpt_cfi_row *row = calloc(1, sizeof(*row));
	Dwarf_Frame *frame = NULL;

	if (!row)
		return NULL;
	row->addr = addr;
	if (cfi->eh_frame &&
	    dwarf_cfi_addrframe(cfi->eh_frame, addr, &frame) != 0)
		frame = NULL;
	if (!frame && cfi->debug_frame &&
	    dwarf_cfi_addrframe(cfi->debug_frame, addr, &frame) != 0)
		frame = NULL;
	row->is_known = frame && fill_row(row, frame, columns_nr);
	free(frame);
	return row;
}

static size_t slot_of(const struct rpt_cfi *cfi, uint64_t addr)
{
	uint64_t mixed = addr * UINT64_C(0x9e3779b97f4a7c15);
	size_t slot = (size_t)(mixed >> 32) & (cfi->slots_nr - 1);

	while (cfi->slots[slot] && cfi->slots[slot]->addr != addr)
		slot = (slot + 1) & (cfi->slots_nr - 1);
	return slot;
}

static bool grow(struct rpt_cfi *cfi)
{
	struct rpt_cfi_row **old = cfi->slots;
	size_t i, old_nr = cfi->slots_nr;

	cfi->slots = calloc(old_nr * 2, sizeof(*cfi->slots));
	if (!cfi->slots) {
		cfi->slots = old;
		return false;
	}
	cfi->slots_nr = old_nr * 2;
	for (i = 0; i < old_nr; i++)
		if (old[i])
			cfi->slots[slot_of(cfi, old[i]->addr)] = old[i];
	free(old);
	return true;
}

const struct rpt_cfi_row *rpt_dso_cfi_row(struct rpt_dso *dso, uint64_t addr,
					  unsigned columns_nr)
{
	struct rpt_cfi *cfi = dso->cfi;
	struct rpt_cfi_row *row;
	size_t slot;

	if (!cfi)
		cfi = dso->cfi = open_cfi(dso);
	if (!cfi || (!cfi->eh_frame && !cfi->debug_frame))
		return NULL;
	slot = slot_of(cfi, addr);
	if (cfi->slots[slot])
		return cfi->slots[slot];
	if (cfi->rows_nr * 2 >= cfi->slots_nr && !grow(cfi))
		return NULL;
	row = make_row(cfi, addr, columns_nr);
	if (!row)
		return NULL;
	cfi->rows_nr++;
	cfi->slots[slot_of(cfi, addr)] = row;
	return row;
}
