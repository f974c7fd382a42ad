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
	struct rpt_elf *file;	/* borrowed */
	struct pd_go_table *go; /* owned; NULL: not a Go program */
	size_t lent_len;	/* what one question may take */
	bool is_over;		/* one wanted more: no more are asked */
};

/* libdw keeps each entry that it passes, four times its length.  A row is as
 * long as the highest number of a register in it, and each state that is
 * remembered is another one. */
enum { LENT_LEN = 4 << 20, LENT_RATIO = 8 };

enum { FRAME_LEN_MAX = 1 << 30 };

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
	pd_go_table_close(cfi->go);
	free(cfi);
}

struct rpt_cfi *rpt_cfi_open(struct rpt_elf *file)
{
	struct rpt_elf_section section;
	struct rpt_cfi *cfi = rpt_alloc_zeroed(1, sizeof(*cfi));

	cfi->file = file;
	cfi->lent_len = LENT_LEN + LENT_RATIO * rpt_elf_there_len(file);
	cfi->eh_frame = dwarf_getcfi_elf(file->elf);
	if (rpt_elf_section(file, ".debug_frame", &section))
		cfi->debug = rpt_elf_dwarf(file);
	if (cfi->debug)
		cfi->debug_frame = dwarf_getcfi(cfi->debug);
	rpt_shortage_note(-pd_go_table_open(&file->image, &cfi->go));
	if (cfi->eh_frame || cfi->debug_frame || cfi->go)
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

/* The registers of Go's frames. */
static const struct go_frame {
	uint16_t machine;
	uint8_t sp_column;
	uint8_t ra_column;
	uint8_t ra_len; /* of the return address that a call pushes; 0: it
			 * stays in its register until the function stores it
			 * at the stack pointer */
} go_frames[] = {
	{ EM_386, 4, 8, 4 },
	{ EM_X86_64, 7, 16, 8 },
	{ EM_ARM, 13, 14, 0 },
	{ EM_AARCH64, 31, 30, 0 },
};

/* Get Go's registers on the file's machine; NULL: there is no Go for it, or
 * they are not among the columns. */
static const struct go_frame *go_frame_of(const struct rpt_cfi *cfi,
					  unsigned columns_nr)
{
	for (size_t i = 0; i < sizeof(go_frames) / sizeof(go_frames[0]); i++)
		if (go_frames[i].machine == cfi->file->ehdr.e_machine &&
		    go_frames[i].sp_column < columns_nr &&
		    go_frames[i].ra_column < columns_nr)
			return &go_frames[i];
	return NULL;
}

/* Fill the row of a function whose caller is not on its stack. */
static void fill_last_row(const struct go_frame *frame, struct rpt_cfi_row *row)
{
	*row = (struct rpt_cfi_row){
		.is_known = true,
		.ra_column = frame->ra_column,
		.rules_nr = 1,
		.cfa = { .column = frame->sp_column, .where = RPT_CFI_VALUE },
	};
	row->rules[0] = (struct rpt_cfi_rule){
		.column = frame->ra_column,
		.where = RPT_CFI_UNDEFINED,
	};
}

static void fill_go_row(const struct go_frame *frame, uint32_t len,
			struct rpt_cfi_row *row)
{
	row->is_known = true;
	row->ra_column = frame->ra_column;
	row->cfa = (struct rpt_cfi_rule){
		.column = frame->sp_column,
		.where = RPT_CFI_VALUE,
		.off = (int32_t)(len + frame->ra_len),
	};
	if (!len && !frame->ra_len)
		return;
	row->rules_nr = 1;
	row->rules[0] = (struct rpt_cfi_rule){
		.column = frame->ra_column,
		.where = RPT_CFI_MEMORY,
		.off = -(int32_t)(frame->ra_len ? frame->ra_len : len),
	};
}

/* Find what a Go program's own table says of an address: the length of a frame
 * if no row is known, and that no caller is, which the linker's call frame
 * information does not tell. */
static void read_go_row(struct rpt_cfi *cfi, uint64_t addr, unsigned columns_nr,
			struct rpt_cfi_row *row)
{
	const struct go_frame *frame = go_frame_of(cfi, columns_nr);
	struct pd_go_function f;
	uint32_t len;
	uint64_t off;

	if (!frame || !rpt_elf_addr_to_off(cfi->file, addr, &off) ||
	    !pd_go_table_find(cfi->go, off, &f))
		return;
	if (pd_go_table_is_last(cfi->go, &f))
		fill_last_row(frame, row);
	else if (!row->is_known && pd_go_table_stack(cfi->go, &f, addr, &len) &&
		 len <= FRAME_LEN_MAX)
		fill_go_row(frame, len, row);
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
	if (cfi->go)
		read_go_row(cfi, addr, columns_nr, room);
	free(frame);
	return sizeof(*room) + room->rules_nr * sizeof(room->rules[0]) +
	       room->ops_nr * sizeof(Dwarf_Op);
}
