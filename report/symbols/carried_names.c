#include "report/symbols/carried_names.h"

#include "format/records/build_id.h"
#include "format/symtab/kallsyms_line.h"
#include "format/symtab/perf_map_line.h"
#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/elf/file_names.h"
#include "report/elf/plt.h"
#include "report/symbols/dso.h"
#include "report/symbols/perf_map.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void rpt_symbols_set_carried(struct rpt_symbols *symbols,
			     struct pd_carried *carried)
{
	pd_carried_release(&symbols->carried);
	symbols->carried = *carried;
	memset(carried, 0, sizeof(*carried));
	rpt_carried_index_release(&symbols->carried_index);
	rpt_carried_index_init(&symbols->carried_index, &symbols->carried);
}

void rpt_symbols_set_lent(struct rpt_symbols *symbols,
			  struct pd_carried *carried, bool is_own)
{
	pd_carried_release(&symbols->lent);
	symbols->lent = *carried;
	symbols->is_lent_own = is_own;
	memset(carried, 0, sizeof(*carried));
	rpt_carried_index_release(&symbols->lent_index);
	rpt_carried_index_init(&symbols->lent_index, &symbols->lent);
}

const struct pd_carried *
rpt_symbols_own_carried(const struct rpt_symbols *symbols)
{
	return !symbols->carried.file_nr && symbols->is_lent_own
		       ? &symbols->lent
		       : &symbols->carried;
}

static const struct rpt_carried_index *
own_index(const struct rpt_symbols *symbols)
{
	return rpt_symbols_own_carried(symbols) == &symbols->lent
		       ? &symbols->lent_index
		       : &symbols->carried_index;
}

void rpt_symbols_identify(const struct rpt_symbols *symbols,
			  const struct pd_mmap *mmap, struct rpt_dso_key *key)
{
	const struct pd_carried *carried = rpt_symbols_own_carried(symbols);
	const struct pd_carried_file *f;

	key->carried = rpt_carried_index_identify(own_index(symbols), mmap);
	if (!key->carried || key->build_id_len)
		return;
	f = &carried->files[key->carried - 1];
	key->build_id_len = f->build_id_len;
	memcpy(key->build_id, f->build_id, sizeof(key->build_id));
}

/* Return the number of a file that is disputed; file_nr if there is none. */
static uint32_t find_dispute(const struct rpt_carried_index *index,
			     uint32_t *ret_winner)
{
	uint32_t nr = index->carried ? index->carried->file_nr : 0, i = 0;
	struct rpt_carried_verdict *verdicts = rpt_carried_index_judge(index);

	while (i < nr && !verdicts[i].is_disputed)
		i++;
	*ret_winner = verdicts[i].winner;
	free(verdicts);
	return i;
}

char *rpt_symbols_dispute(const struct rpt_symbols *symbols)
{
	const struct pd_carried *carried = &symbols->carried;
	uint32_t winner, other = find_dispute(&symbols->carried_index, &winner);
	char id[PD_BUILD_ID_HEX_LEN], *text = NULL;
	const struct pd_carried_file *a, *b;
	size_t len;
	FILE *out;

	if (other == carried->file_nr) {
		carried = &symbols->lent;
		other = find_dispute(&symbols->lent_index, &winner);
	}
	if (other == carried->file_nr)
		return NULL;
	a = &carried->files[winner];
	b = &carried->files[other];
	pd_build_id_hex(a->build_id, a->build_id_len, id);
	out = open_memstream(&text, &len);
	fprintf(out, "build-id %s is in two files with other names, of user ",
		id);
	fprintf(out, "%" PRIu32 " ", a->owner.uid);
	sup_put_safe(out, a->path);
	fprintf(out, ", and of user %" PRIu32 " ", b->owner.uid);
	sup_put_safe(out, b->path);
	fputs(": what has no more than the build-id is named by the first",
	      out);
	fclose(out);
	return text;
}

static const struct pd_carried_file *identified(const struct rpt_dso *dso)
{
	const struct pd_carried *carried = rpt_symbols_own_carried(dso->owner);

	return dso->carried && dso->carried <= carried->file_nr
		       ? &carried->files[dso->carried - 1]
		       : NULL;
}

bool rpt_dso_is_contested(const struct rpt_dso *dso)
{
	const struct pd_carried_file *f = identified(dso);

	return f && rpt_carried_index_is_contested(own_index(dso->owner), f);
}

bool rpt_dso_is_one_of_several(const struct rpt_dso *dso)
{
	return dso->carried && rpt_dso_has_namesake(dso);
}

static bool is_owned(const struct stat *st, const struct pd_file_owner *owner)
{
	return st->st_uid == owner->uid &&
	       (uint64_t)st->st_size == owner->file_len &&
	       (uint64_t)st->st_mtim.tv_sec * 1000000000u +
			       (uint64_t)st->st_mtim.tv_nsec ==
		       owner->mtime_ns;
}

bool rpt_dso_is_other(const struct rpt_dso *dso, const struct rpt_elf *file)
{
	const struct pd_carried_file *f = identified(dso);
	struct stat st;

	if (!f || file->fd < 0 || fstat(file->fd, &st))
		return false;
	if (!dso->build_id_len) /* a path proves nothing then, nor an inode */
		return rpt_dso_is_one_of_several(dso) &&
		       !(f->owner.is_known && is_owned(&st, &f->owner));
	return f->owner.is_known && rpt_dso_is_contested(dso) &&
	       !is_owned(&st, &f->owner);
}

bool rpt_symbols_has_carried(const struct rpt_symbols *symbols)
{
	return symbols->carried.file_nr || symbols->lent.file_nr;
}

static bool has_kernel(const struct pd_carried *carried)
{
	for (uint32_t i = 0; i < carried->file_nr; i++)
		if (carried->files[i].kind == PD_CARRIED_KERNEL &&
		    carried->files[i].name_nr)
			return true;
	return false;
}

bool rpt_symbols_carries_kernel(const struct rpt_symbols *symbols)
{
	return has_kernel(&symbols->carried) ||
	       (symbols->is_lent_own && has_kernel(&symbols->lent));
}

static bool lacks(const struct pd_carried *carried)
{
	for (uint32_t i = 0; i < carried->file_nr; i++)
		if (carried->files[i].reason != PD_CARRIED_WHOLE)
			return true;
	return false;
}

bool rpt_symbols_lacks_carried(const struct rpt_symbols *symbols)
{
	return lacks(&symbols->carried) || lacks(&symbols->lent);
}

static const char *memory_reason(enum pd_carried_reason reason)
{
	return reason == PD_CARRIED_GONE
		       ? "its process told of no names in a perf map"
	       : reason == PD_CARRIED_DENIED
		       ? "its perf map could not be read, or is another user's"
		       : NULL;
}

/* Return why an ELF file could not be read.  What has no place in a file system
 * can only be had from a process that maps it. */
static const char *denied_reason(struct pd_str path)
{
	return pd_is_unlinked(path)
		       ? "it could not be read, for which the recorder needs "
			 "CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH and "
			 "CAP_CHECKPOINT_RESTORE"
		       : "it could not be read, for which the recorder needs "
			 "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH";
}

const char *rpt_carried_reason(const struct pd_carried_file *file)
{
	static const char *const reasons[PD_CARRIED_REASON_NR] = {
		[PD_CARRIED_GONE] = "it was gone before it could be read",
		[PD_CARRIED_REPLACED] = "it had been replaced by another file",
		[PD_CARRIED_DENIED] = "it could not be read",
		[PD_CARRIED_NOT_ELF] = "it was not a valid ELF file",
		[PD_CARRIED_OVER] =
			"a limit of --carry-size or --carry-time was reached",
	};
	const char *text = NULL;

	if (file->kind == PD_CARRIED_PERF_MAP)
		text = memory_reason(file->reason);
	else if (file->kind == PD_CARRIED_ELF &&
		 file->reason == PD_CARRIED_DENIED)
		text = denied_reason(file->path);
	else if (rpt_carried_is_jit_file(file))
		text = "its process made the code in it";
	return text ? text : reasons[file->reason];
}

bool rpt_carried_is_jit_file(const struct pd_carried_file *file)
{
	return file->kind == PD_CARRIED_ELF &&
	       file->reason == PD_CARRIED_NOT_ELF &&
	       pd_may_be_jit_file(file->path);
}

bool rpt_carried_is_lost(const struct pd_carried_file *file)
{
	return file->reason == PD_CARRIED_GONE ||
	       file->reason == PD_CARRIED_REPLACED ||
	       file->reason == PD_CARRIED_NOT_ELF;
}

/* Bounds may be all of these. */
static bool has_names(const struct pd_carried_file *f)
{
	return f->name_nr || f->packed.len;
}

/* Take file f unless there is one already; with names it is better. */
static void take(struct rpt_dso_carried *ret, const struct pd_carried_file *f,
		 const struct pd_carried *from)
{
	if (!f || (ret->file && (has_names(ret->file) || !has_names(f))))
		return;
	ret->file = f;
	ret->from = from;
}

/* Return whether f, which has the build-id of own, may name what own has no
 * names of.  Anybody can write a build-id into a file: one that was read keeps
 * to those of its owner, one that was not takes root's. */
static bool may_lend(const struct pd_carried_file *own,
		     const struct pd_carried_file *f)
{
	if (!own || !f || !f->owner.is_known)
		return true;
	return own->owner.is_known ? own->owner.uid == f->owner.uid
				   : !f->owner.uid;
}

/* Addresses of the kernel and of a process's memory mean something in their own
 * recording only, and so do keys of files. */
static void seek(struct rpt_dso *dso, const struct rpt_carried_index *index,
		 bool is_own)
{
	struct rpt_dso_carried *ret = &dso->names.carried;
	const struct pd_carried_file *same =
		rpt_carried_index_find_same(index, dso);

	if (index == own_index(dso->owner) && identified(dso))
		take(ret, identified(dso), index->carried);
	else if (is_own)
		take(ret, rpt_carried_index_find(index, dso), index->carried);
	if (may_lend(ret->file, same))
		take(ret, same, index->carried);
}

const struct pd_carried_file *rpt_dso_carried_file(struct rpt_dso *dso)
{
	const struct rpt_symbols *owner = dso->owner;

	if (dso->names.carried.is_sought || dso->kind == RPT_DSO_GUEST)
		return dso->names.carried.file;
	dso->names.carried.is_sought = true;
	seek(dso, &owner->carried_index, true);
	seek(dso, &owner->lent_index, owner->is_lent_own);
	return dso->names.carried.file;
}

void rpt_dso_take_carried_build_id(struct rpt_dso *dso)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);

	if (f && f->kind == PD_CARRIED_ELF)
		rpt_dso_find_build_id(dso, f->build_id, f->build_id_len);
}

static void add_name(struct rpt_symbol_table *table,
		     const struct pd_carried_file *f,
		     const struct pd_carried_name *name)
{
	/* a perf map has functions alone */
	const uint8_t info = f->kind == PD_CARRIED_KERNEL
				     ? pd_kallsyms_info((char)name->info)
			     : f->kind == PD_CARRIED_PERF_MAP
				     ? pd_kallsyms_info('T')
				     : name->info;
	struct rpt_symbol sym = {
		.start = name->start,
		.end = name->start + name->len,
		.name = name->text.ptr,
		.binding = (uint8_t)ELF64_ST_BIND(info),
		.type = (uint8_t)ELF64_ST_TYPE(info),
	};

	if (name->source == PD_CARRIED_FDE || name->source == PD_CARRIED_GO)
		return;
	if (name->source == PD_CARRIED_PLT) {
		rpt_plt_slot_add(table, name->text.ptr, name->start, name->len);
		return;
	}
	if (sym.end >= sym.start && name->text.len)
		rpt_symbol_table_add(table, &sym);
}

static void add_names(struct rpt_symbol_table *table,
		      const struct pd_carried_file *f,
		      const struct rpt_file_names *names, bool are_plt)
{
	for (uint32_t i = 0; i < names->nr; i++)
		if ((names->items[i].source == PD_CARRIED_PLT) == are_plt)
			add_name(table, f, &names->items[i]);
}

/* Add the functions that no symbol names: Go's have a name, others none. */
static void add_bounds(struct rpt_dso_carried *to,
		       const struct rpt_file_names *names)
{
	for (uint32_t i = 0; i < names->nr; i++) {
		const struct pd_carried_name *name = &names->items[i];
		struct rpt_symbol sym = {
			.start = name->start,
			.end = name->start + name->len,
			.name = "",
			.binding = STB_GLOBAL,
			.type = STT_FUNC,
		};
		bool is_go = name->source == PD_CARRIED_GO && name->text.len;

		if (is_go)
			sym.name = name->text.ptr;
		to->has_go |= is_go;
		if ((is_go || name->source == PD_CARRIED_FDE) &&
		    sym.end > sym.start)
			rpt_symbol_table_add(&to->bounds, &sym);
	}
	rpt_symbol_table_fix_up(&to->bounds, RPT_ENDS_ELF);
}

/* Keep the symbols of the module, by offsets in it, or those of the kernel; no
 * name has its "\t[module]" any more. */
static void keep_own(struct rpt_dso *dso, struct rpt_symbol_table *table)
{
	size_t nr = 0;

	for (size_t i = 0; i < table->nr; i++) {
		struct rpt_symbol sym = table->syms[i];
		const char *tab = strchr(sym.name, '\t');

		if (dso->kind == RPT_DSO_MODULE) {
			if (sym.start < dso->range.start ||
			    sym.start >= dso->range.end)
				continue;
			sym.start -= dso->range.start;
			sym.end -= dso->range.start;
		}
		if (tab)
			sym.name = rpt_arena_copy(&table->names, sym.name,
						  (size_t)(tab - sym.name));
		table->syms[nr++] = sym;
	}
	table->nr = nr;
}

static void load(struct rpt_dso *dso, const struct pd_carried_file *f)
{
	static const enum rpt_symbol_ends ends[] = {
		[PD_CARRIED_ELF] = RPT_ENDS_ELF,
		[PD_CARRIED_KERNEL] = RPT_ENDS_KALLSYMS,
		[PD_CARRIED_PERF_MAP] = RPT_ENDS_PERF_MAP,
	};
	const struct pd_carried *carried = dso->names.carried.from;
	struct rpt_symbol_table *table = &dso->names.carried.table;
	bool is_kernel = f->kind == PD_CARRIED_KERNEL;
	struct rpt_file_names names;

	rpt_symbol_table_init(table, dso->names.table.raw_names);
	rpt_symbol_table_init(&dso->names.carried.bounds, true);
	table->with_parameters = dso->names.table.with_parameters;
	(void)!rpt_file_names_read(carried, (uint32_t)(f - carried->files),
				   &names, NULL);
	add_names(table, f, &names, false);
	rpt_symbol_table_fix_up(table, ends[f->kind]);
	add_names(table, f, &names, true);
	if (f->kind == PD_CARRIED_ELF)
		add_bounds(&dso->names.carried, &names);
	if (is_kernel)
		keep_own(dso, table);
	rpt_symbol_table_index(table);
	rpt_arena_move(&table->names, &names.texts);
	rpt_file_names_release(&names);
}

static void load_once(struct rpt_dso *dso, const struct pd_carried_file *f)
{
	if (!dso->names.carried.is_loaded)
		load(dso, f);
	dso->names.carried.is_loaded = true;
}

bool rpt_dso_has_carried(struct rpt_dso *dso)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);

	if (!f || !has_names(f) || f->kind != PD_CARRIED_ELF)
		return f && has_names(f);
	load_once(dso, f); /* bounds are no names */
	return dso->names.carried.table.nr || dso->names.carried.has_go;
}

const struct rpt_symbol *rpt_dso_carried_symbol(struct rpt_dso *dso,
						uint64_t addr,
						struct rpt_addr_range *range)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);
	const struct rpt_symbol *sym;

	if (!f)
		return NULL;
	load_once(dso, f);
	sym = rpt_symbol_table_find_range(&dso->names.carried.table, addr,
					  range);
	if (sym || !dso->names.carried.has_go)
		return sym;
	sym = rpt_symbol_table_find_range(&dso->names.carried.bounds, addr,
					  range);
	return sym && *sym->name ? sym : NULL;
}

bool rpt_dso_carried_bounds(struct rpt_dso *dso, uint64_t addr,
			    uint64_t *ret_start, uint64_t *ret_end)
{
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);
	const struct rpt_symbol *sym;

	if (!f)
		return false;
	load_once(dso, f);
	sym = rpt_symbol_table_find(&dso->names.carried.bounds, addr);
	if (!sym)
		return false;
	*ret_start = sym->start;
	*ret_end = sym->end;
	return true;
}
