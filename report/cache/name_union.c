#include "report/cache/name_union.h"

#include "report/base/memory.h"
#include "report/elf/demangle.h"

#include <stdlib.h>
#include <string.h>

static void take_slot(struct rpt_name_union *names,
		      struct pd_carried_name *name)
{
	char *mangled = rpt_alloc_text(name->text.ptr, name->text.len);
	char *text = rpt_demangle(mangled, false);

	name->info = 0;
	if (text) {
		size_t len = strlen(text);

		name->text = (struct pd_str){
			rpt_arena_copy(&names->texts, text, len), len
		};
	}
	free(text);
	free(mangled);
}

void rpt_name_union_add(struct rpt_name_union *names,
			const struct pd_carried_name *name)
{
	names->items = rpt_grow(names->items, &names->cap, names->nr,
				sizeof(*names->items));
	names->items[names->nr] = *name;
	if (name->source == PD_CARRIED_PLT)
		take_slot(names, &names->items[names->nr]);
	names->nr++;
}

/* A name that we write as "NAME@plt" was a slot of the PLT. */
static void tell_source(struct pd_carried_name *name)
{
	static const char suffix[] = "@plt";
	size_t len = sizeof(suffix) - 1;
	bool is_slot =
		name->text.len >= len &&
		!memcmp(name->text.ptr + name->text.len - len, suffix, len);

	name->source = is_slot ? PD_CARRIED_PLT : PD_CARRIED_SYMTAB;
	name->text.len -= is_slot ? len : 0;
}

void rpt_name_union_add_elf(struct rpt_name_union *names,
			    const struct rpt_elf *file)
{
	struct rpt_elf_section section;
	struct pd_carried_name name = { 0 };
	Elf_Data *data;
	GElf_Sym sym;

	if (!rpt_elf_section(file, ".symtab", &section))
		return;
	data = elf_getdata(section.scn, NULL);
	for (int i = 1; data && gelf_getsym(data, i, &sym); i++) {
		const char *text = elf_strptr(file->elf, section.shdr.sh_link,
					      sym.st_name);

		if (!text ||
		    !rpt_elf_addr_to_off(file, sym.st_value, &name.start))
			continue;
		name.len = sym.st_size;
		name.info = sym.st_info;
		name.text = (struct pd_str){ text, strlen(text) };
		tell_source(&name);
		rpt_name_union_add(names, &name);
	}
}

static int compare_texts(struct pd_str x, struct pd_str y)
{
	int order = memcmp(x.ptr, y.ptr, x.len < y.len ? x.len : y.len);

	return order ? order : (x.len > y.len) - (x.len < y.len);
}

/* With its place: of aliases, perf takes the first or the last one. */
struct numbered {
	struct pd_carried_name name;
	uint32_t nr;
};

static int compare_names(const struct pd_carried_name *x,
			 const struct pd_carried_name *y)
{
	int order = (x->start > y->start) - (x->start < y->start);

	if (!order)
		order = compare_texts(x->text, y->text);
	if (!order)
		order = (x->info > y->info) - (x->info < y->info);
	return order ? order
		     : (x->source > y->source) - (x->source < y->source);
}

/* The same names together, as they came. */
static int compare_same(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int order = compare_names(&x->name, &y->name);

	return order ? order : (x->nr > y->nr) - (x->nr < y->nr);
}

static int compare_starts(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->name.start != y->name.start)
		return x->name.start < y->name.start ? -1 : 1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

/* Keep each of the sorted names once; return how many there are. */
static uint32_t keep_once(struct numbered *all, uint32_t all_nr)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < all_nr; i++) {
		struct numbered *last = nr ? &all[nr - 1] : NULL;

		if (!last || compare_names(&last->name, &all[i].name))
			all[nr++] = all[i];
		else if (last->name.len < all[i].name.len)
			last->name.len = all[i].name.len;
	}
	return nr;
}

void rpt_name_union_sort(struct rpt_name_union *names)
{
	struct numbered *all =
		rpt_alloc_zeroed(names->nr + (size_t)1, sizeof(*all));

	for (uint32_t i = 0; i < names->nr; i++)
		all[i] = (struct numbered){ names->items[i], i };
	qsort(all, names->nr, sizeof(*all), compare_same);
	names->nr = keep_once(all, names->nr);
	qsort(all, names->nr, sizeof(*all), compare_starts);
	for (uint32_t i = 0; i < names->nr; i++)
		names->items[i] = all[i].name;
	free(all);
}

void rpt_name_union_release(struct rpt_name_union *names)
{
	free(names->items);
	rpt_arena_release(&names->texts);
	memset(names, 0, sizeof(*names));
}
