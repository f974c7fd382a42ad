#include "report/symbols/dso_bounds.h"

#include "report/elf/elf_file.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso.h"
#include "report/symbols/dso_class.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void rpt_dso_bounds_release(struct rpt_dso_bounds *bounds)
{
	rpt_intern_close(&bounds->names);
	rpt_intern_close(&bounds->symbols);
	*bounds = (struct rpt_dso_bounds){ .names.nr = 0 };
}

/* Return the symbol of these bounds, made the first time. */
static const struct rpt_symbol *add_symbol(struct rpt_dso_bounds *bounds,
					   const char *name, uint64_t start,
					   uint64_t end)
{
	int64_t idx = rpt_intern(&bounds->names, name, strlen(name));
	struct rpt_symbol sym;

	if (idx < 0)
		return NULL;
	memset(&sym, 0, sizeof(sym)); /* padding, too: it is a key */
	sym.start = start;
	sym.end = end;
	sym.name = rpt_intern_key(&bounds->names, (uint32_t)idx);
	sym.type = STT_FUNC;
	sym.is_named = true;
	sym.is_made_up = true;
	idx = rpt_intern(&bounds->symbols, &sym, sizeof(sym));
	return idx < 0 ? NULL : rpt_intern_key(&bounds->symbols, (uint32_t)idx);
}

static const struct rpt_symbol *function_symbol(struct rpt_dso_bounds *bounds,
						uint64_t start, uint64_t end)
{
	char name[sizeof("func_") + 16];

	snprintf(name, sizeof(name), "func_%" PRIx64, start);
	return add_symbol(bounds, name, start, end);
}

const struct rpt_symbol *rpt_dso_file_symbol(struct rpt_dso *dso)
{
	struct rpt_dso_bounds *bounds = &dso->names.carried.shown;
	char buf[512], name[512 + sizeof("[]")];
	const char *file;

	if (bounds->file)
		return bounds->file;
	file = rpt_dso_short_name(dso, buf, sizeof(buf));
	snprintf(name, sizeof(name), *file == '[' ? "%s" : "[%s]", file);
	bounds->file = add_symbol(bounds, name, 0, UINT64_MAX);
	return bounds->file;
}

const struct rpt_symbol *rpt_dso_bounds_find(struct rpt_dso *dso, uint64_t addr,
					     struct rpt_addr_range *range)
{
	struct rpt_elf *file = NULL;
	uint64_t start, end;
	bool is_found;

	if (dso->kind == RPT_DSO_USER || dso->kind == RPT_DSO_VDSO)
		file = rpt_dso_runtime(rpt_dso_shared(dso));
	is_found = file ? pd_eh_frame_bounds(rpt_elf_eh_frame(file), addr,
					     &start, &end)
			: rpt_dso_carried_bounds(dso, addr, &start, &end);
	rpt_range_from(range, is_found ? start : addr);
	rpt_range_until(range, is_found ? end : addr + 1);
	return is_found ? function_symbol(&dso->names.carried.shown, start, end)
			: NULL;
}
