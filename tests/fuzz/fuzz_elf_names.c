/* fuzz_elf_names.c: any bytes as an ELF file of which a recorder carries names:
 * all that a reader would choose from, the same from memory as by reads. */
#include "format/symtab/build_id_note.h"
#include "format/symtab/elf_plt.h"
#include "record/carry/elf_names.h"

#include <stdlib.h>
#include <string.h>

enum { HITS_MAX = 64, SYMBOLS_MAX = 2000, BUDGET = 4 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct input {
	const uint8_t *data;
	size_t len;
};

static int read_input(void *ctx, uint64_t off, void *ret, size_t len)
{
	const struct input *in = ctx;

	if (off > in->len || len > in->len - off)
		return -EBADMSG;
	memcpy(ret, in->data + off, len);
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Ask for what is in and around the symbols of the table. */
static size_t choose_hits(const struct pd_elf_symtab *symtab, uint64_t *hits)
{
	struct pd_elf_symbol sym;
	size_t nr = 0, kept = 0;

	for (uint32_t i = 1; i < symtab->nr && i < SYMBOLS_MAX; i++) {
		if (!pd_elf_symtab_at(symtab, i, &sym) || nr + 2 > HITS_MAX)
			continue;
		hits[nr++] = sym.start + sym.len / 2;
		hits[nr++] = sym.start + sym.len;
	}
	if (nr)
		qsort(hits, nr, sizeof(*hits), compare);
	for (size_t i = 0; i < nr; i++)
		if (hits[i] != UINT64_MAX &&
		    (!kept || hits[kept - 1] != hits[i]))
			hits[kept++] = hits[i];
	return kept;
}

static bool has_name(const struct rec_name_list *list, uint64_t start,
		     struct pd_str text)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->items[i].start == start &&
		    list->items[i].source == PD_CARRIED_SYMTAB &&
		    list->items[i].text.len == text.len &&
		    !memcmp(list->items[i].text.ptr, text.ptr, text.len))
			return true;
	return false;
}

/* Every symbol that reaches over a hit is there. */
static void check(const struct pd_elf_symtab *symtab, const uint64_t *hits,
		  size_t nr, const struct rec_name_list *list)
{
	struct pd_elf_strings strings;
	struct pd_elf_symbol sym;

	pd_elf_strings_init(&strings, symtab->elf, symtab->strings);
	for (uint32_t i = 1; i < symtab->nr && i < SYMBOLS_MAX; i++) {
		bool is_hit = false;
		struct pd_str name;

		if (!pd_elf_symtab_at(symtab, i, &sym))
			continue;
		for (size_t h = 0; h < nr; h++)
			is_hit |= hits[h] >= sym.start &&
				  hits[h] < sym.start + sym.len;
		name = pd_elf_strings_at(&strings, sym.name);
		if (is_hit && pd_elf_symtab_takes(symtab, &sym, name.ptr) &&
		    !has_name(list, sym.start, name))
			abort();
	}
	pd_elf_strings_release(&strings);
}

static void compare_lists(const struct rec_name_list *a,
			  const struct rec_name_list *b)
{
	if (a->nr != b->nr || a->named_nr != b->named_nr)
		abort();
	for (uint32_t i = 0; i < a->nr; i++)
		if (a->items[i].start != b->items[i].start ||
		    a->items[i].len != b->items[i].len ||
		    a->items[i].text.len != b->items[i].text.len ||
		    memcmp(a->items[i].text.ptr, b->items[i].text.ptr,
			   a->items[i].text.len) != 0)
			abort();
}

static void find(const struct pd_elf_image *memory,
		 const struct pd_elf_image *file)
{
	size_t budgets[] = { BUDGET, BUDGET };
	struct rec_name_list lists[] = { { .budget = &budgets[0] },
					 { .budget = &budgets[1] } };
	const struct rec_elf_names_from from[] = {
		{ .mapped = memory, .symbols = memory },
		{ .mapped = file, .symbols = file },
	};
	struct pd_elf_symtab symtab;
	uint64_t hits[HITS_MAX];
	size_t nr;
	int rc;

	if (pd_elf_symtab_open(&symtab, memory, memory, PD_ELF_SPACE_FILE) ||
	    !symtab.nr)
		return;
	nr = choose_hits(&symtab, hits);
	rc = rec_elf_names(&from[0], hits, nr, NULL, &lists[0]);
	if (rc != rec_elf_names(&from[1], hits, nr, NULL, &lists[1]))
		abort();
	compare_lists(&lists[0], &lists[1]);
	if (!rc)
		check(&symtab, hits, nr, &lists[0]);
	rec_name_list_release(&lists[0]);
	rec_name_list_release(&lists[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input in = { data, len };
	const struct pd_read_at by_read = { .read = read_input,
					    .ctx = &in,
					    .there_len = len };
	const struct pd_read_at in_memory = { .there_len = len,
					      .bytes = data,
					      .len = len };
	struct pd_elf_image memory, file;
	uint8_t id[PD_NOTE_BUILD_ID_LEN];
	int rc;

	if (!len)
		return 0;
	rc = pd_elf_image_read(in_memory, &memory);
	if (rc != pd_elf_image_read(by_read, &file))
		abort();
	if (rc)
		return 0;
	if (pd_elf_build_id(&memory, id) > sizeof(id))
		abort();
	find(&memory, &file);
	pd_elf_image_release(&memory);
	pd_elf_image_release(&file);
	return 0;
}
