#include "report/elf/cfi.h"

#include "report/base/memory.h"
#include "report/base/shortage.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct rpt_cfi {
	Dwarf *debug;	     /* for .debug_frame; NULL: none */
	Dwarf_CFI *eh_frame; /* belongs to the ELF file */
	Dwarf_CFI *debug_frame;
	size_t lent_len; /* what one question may take */
	bool is_over;	 /* one wanted more: no more are asked */
};

/* libdw keeps each entry that it passes, four times its length.  A row is as
 * long as the highest number of a register in it, and each state that is
 * remembered is another one. */
enum { LENT_LEN = 4 << 20, LENT_RATIO = 8 };

/* A row that is being made. */
struct builder {
	struct rpt_cfi_row *row;
	Dwarf_Op ops[RPT_CFI_OPS_MAX];
};

void rpt_cfi_close(struct rpt_cfi *cfi)
{
	if (!cfi)
		return;
	dwarf_cfi_end(cfi->eh_frame);
	dwarf_end(cfi->debug);
	free(cfi);
}

struct rpt_cfi *rpt_cfi_open(struct rpt_elf *file)
{
	struct rpt_elf_section section;
	struct rpt_cfi *cfi = rpt_alloc_zeroed(1, sizeof(*cfi));

	cfi->lent_len = LENT_LEN + LENT_RATIO * rpt_elf_there_len(file);
	cfi->eh_frame = dwarf_getcfi_elf(file->elf);
	if (rpt_elf_section(file, ".debug_frame", &section))
		cfi->debug = rpt_elf_dwarf(file);
	if (cfi->debug)
		cfi->debug_frame = dwarf_getcfi(cfi->debug);
	if (cfi->eh_frame || cfi->debug_frame)
		return cfi;
	rpt_cfi_close(cfi);
	return NULL;
}

/* Store ops as an expression. */
static bool add_ops(struct builder *b, struct rpt_cfi_rule *rule,
		    const Dwarf_Op *ops, size_t nr)
{
	if (nr > RPT_CFI_OPS_MAX - b->row->ops_nr)
		return false;
	rule->where = RPT_CFI_EXPR;
	rule->off = (int32_t)b->row->ops_nr;
	rule->ops_nr = (uint16_t)nr;
	memcpy(b->ops + b->row->ops_nr, ops, nr * sizeof(*ops));
	b->row->ops_nr += (uint32_t)nr;
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
	struct rpt_cfi_rule *rule = &b->row->rules[b->row->rules_nr++];
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

static bool read_cfa(struct builder *b, Dwarf_Frame *frame)
{
	struct rpt_cfi_rule *cfa = &b->row->cfa;
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
	struct rpt_cfi_row *row = b->row;
	Dwarf_Op mem[3], *ops;
	unsigned column;
	size_t nr;

	for (column = 0; column < columns_nr; column++) {
		if (dwarf_frame_register(frame, (int)column, mem, &ops, &nr))
			return false;
		if (nr == 0 && !ops)
			continue; /* the same as in the callee */
		if (nr == 0) {
			row->rules[row->rules_nr++] = (struct rpt_cfi_rule){
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

/* Return false if the information is damaged. */
static bool fill_row(struct rpt_cfi_row *row, Dwarf_Frame *frame,
		     unsigned columns_nr)
{
	struct builder b = { .row = row };
	int ra = dwarf_frame_info(frame, NULL, NULL, &row->is_signal);

	if (ra < 0 || (unsigned)ra >= columns_nr || !read_cfa(&b, frame) ||
	    !read_rules(&b, frame, columns_nr))
		return false;
	row->is_known = true;
	row->ra_column = (uint8_t)ra;
	memcpy(row->rules + row->rules_nr, b.ops,
	       row->ops_nr * sizeof(b.ops[0]));
	return true;
}

/* Return the state at addr, which the caller frees; NULL: it is not known. */
static Dwarf_Frame *find_frame(struct rpt_cfi *cfi, uint64_t addr)
{
	Dwarf_CFI *const tables[] = { cfi->eh_frame, cfi->debug_frame };
	Dwarf_Frame *frame = NULL;

	rpt_shortage_lend(cfi->lent_len);
	for (size_t i = 0; i < 2 && !frame; i++)
		if (tables[i] &&
		    dwarf_cfi_addrframe(tables[i], addr, &frame) != 0)
			frame = NULL;
	cfi->is_over = rpt_shortage_lend_end();
	return frame;
}

bool rpt_cfi_is_over(const struct rpt_cfi *cfi)
{
	return cfi->is_over;
}

size_t rpt_cfi_row(struct rpt_cfi *cfi, uint64_t addr, unsigned columns_nr,
		   struct rpt_cfi_row *room)
{
	Dwarf_Frame *frame = cfi->is_over ? NULL : find_frame(cfi, addr);

	memset(room, 0, sizeof(*room));
	if (!frame || !fill_row(room, frame, columns_nr))
		memset(room, 0, sizeof(*room));
	free(frame);
	return sizeof(*room) + room->rules_nr * sizeof(room->rules[0]) +
	       room->ops_nr * sizeof(Dwarf_Op);
}
