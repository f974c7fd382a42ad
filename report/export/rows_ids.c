#include "report/export/rows_ids.h"

#include "report/base/memory.h"
#include "report/elf/function_stem.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define NAME_LEN 4096

static bool is_jit(const struct rpt_export_set *set,
		   const struct rpt_export_function *function)
{
	return rpt_diff_is_jit(rpt_export_text_at(
		set, rpt_export_file_at(set, function->file)->path));
}

const char *rpt_rows_ids_dso(const struct rpt_export_set *set,
			     const struct rpt_export_function *function)
{
	return is_jit(set, function)
		       ? RPT_DIFF_JIT
		       : rpt_export_text_at(
				 set,
				 rpt_export_file_at(set, function->file)->name);
}

const char *rpt_rows_ids_name(const struct rpt_export_set *set,
			      const struct rpt_export_function *function,
			      char *buf, size_t len)
{
	const char *name = rpt_export_text_at(set, function->name);

	if (function->kind == RPT_EXPORT_NAMELESS)
		return "[unknown]";
	return is_jit(set, function) ? rpt_diff_jit_symbol(name, buf, len)
				     : name;
}

static void to_bytes(uint64_t v, uint8_t *ret)
{
	for (size_t i = 0; i < 8; i++)
		ret[i] = (uint8_t)(v >> (8 * i));
}

/* Return the number of two, the second below the first. */
static uint64_t joined(uint64_t callers, uint64_t last)
{
	uint8_t bytes[16];

	to_bytes(callers, bytes);
	to_bytes(last, bytes + 8);
	return XXH3_64bits(bytes, sizeof(bytes));
}

static uint64_t of_two(const char *text, const void *more, size_t len)
{
	size_t text_len = strlen(text) + 1;
	uint8_t *bytes = rpt_alloc(text_len + len);
	uint64_t ret;

	memcpy(bytes, text, text_len);
	memcpy(bytes + text_len, more, len);
	ret = XXH3_64bits(bytes, text_len + len);
	free(bytes);
	return ret;
}

static uint64_t function_id(const struct rpt_export_set *set, uint32_t number)
{
	const struct rpt_export_function *function =
		rpt_export_function_at(set, number);
	char buf[NAME_LEN];
	const char *name = rpt_rows_ids_name(set, function, buf, sizeof(buf));

	return of_two(rpt_rows_ids_dso(set, function), name, strlen(name) + 1);
}

static uint64_t code_id(const struct rpt_export_set *set,
			const struct rpt_export_frame *frame)
{
	const struct rpt_export_function *function =
		rpt_export_function_at(set, frame->function);
	const struct rpt_export_file *file =
		rpt_export_file_at(set, function->file);
	uint8_t addr[8];

	to_bytes(frame->addr, addr);
	return of_two(rpt_export_text_at(set, file->build_id), addr,
		      sizeof(addr));
}

/* Return a stack without the functions that were inlined at its end: as far as
 * the function of the symbol there. */
static uint32_t self_of(const struct rpt_export_set *set, uint32_t stack)
{
	for (uint32_t at = stack; at;) {
		const struct rpt_export_stack *edge =
			rpt_export_stack_at(set, at);
		uint32_t function =
			rpt_export_frame_at(set, edge->frame)->function;

		if (rpt_export_function_at(set, function)->kind !=
		    RPT_EXPORT_INLINED)
			return at;
		at = edge->callers;
	}
	return stack;
}

void rpt_rows_ids_init(struct rpt_rows_ids *ids,
		       const struct rpt_export_set *set)
{
	uint32_t stack_nr = set->edges.nr + 1;

	*ids = (struct rpt_rows_ids){
		.functions = rpt_alloc_zeroed(set->functions.nr + (size_t)1,
					      sizeof(*ids->functions)),
		.stacks = rpt_alloc_zeroed(stack_nr, sizeof(*ids->stacks)),
		.codes = rpt_alloc_zeroed(stack_nr, sizeof(*ids->codes)),
		.selves = rpt_alloc_zeroed(stack_nr, sizeof(*ids->selves)),
	};
	for (uint32_t f = 0; f < set->functions.nr; f++)
		ids->functions[f] = function_id(set, f);
	/* callers have lower numbers */
	for (uint32_t s = 1; s < stack_nr; s++) {
		const struct rpt_export_stack *edge =
			rpt_export_stack_at(set, s);
		const struct rpt_export_frame *frame =
			rpt_export_frame_at(set, edge->frame);

		ids->stacks[s] = joined(ids->stacks[edge->callers],
					ids->functions[frame->function]);
		ids->codes[s] =
			joined(ids->codes[edge->callers], code_id(set, frame));
		ids->selves[s] = self_of(set, s);
	}
}

void rpt_rows_ids_release(struct rpt_rows_ids *ids)
{
	free(ids->functions);
	free(ids->stacks);
	free(ids->codes);
	free(ids->selves);
	*ids = (struct rpt_rows_ids){ 0 };
}
