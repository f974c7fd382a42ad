#include "report/symbols/symbols.h"

#include "report/symbols/dso.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/source_line.h"
#include "report/symbols/unwind_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

size_t rpt_symfs_len(const char *symfs, bool *ret_is_flat)
{
	const char *comma = strrchr(symfs, ',');
	bool is_flat = comma && !strcmp(comma, ",flat");

	*ret_is_flat = is_flat;
	return is_flat || (comma && !strcmp(comma, ",hierarchy"))
		       ? (size_t)(comma - symfs)
		       : strlen(symfs);
}

static char *home_cache(const struct rpt_symbols_conf *conf)
{
	const char *base =
		conf->symfs && *conf->symfs ? conf->symfs : getenv("HOME");
	char *dir;

	if (conf->buildid_dir)
		return strdup(conf->buildid_dir);
	return base && asprintf(&dir, "%s/.debug", base) >= 0 ? dir
							      : strdup("");
}

/* Waiters spin at first, since a look-up takes less time than to sleep. */
static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
#ifdef __GLIBC__
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

pthread_mutex_t *rpt_symbols_lock(struct rpt_symbols *symbols)
{
	while (symbols->conf.shared_from)
		symbols = symbols->conf.shared_from;
	return &symbols->lock;
}

struct rpt_symbols *rpt_symbols_new(const struct rpt_symbols_conf *conf)
{
	struct rpt_symbols *symbols = rpt_alloc_zeroed(1, sizeof(*symbols));
	const char *symfs;
	struct stat cache;

	init_lock(&symbols->lock);
	symbols->conf = *conf;
	symfs = conf->symfs ? conf->symfs : "";
	symbols->symfs.dir = rpt_alloc_text(
		symfs, rpt_symfs_len(symfs, &symbols->symfs.is_flat));
	symbols->conf.symfs = symbols->symfs.dir;
	symbols->home_cache = home_cache(&symbols->conf);
	symbols->cache_user =
		stat(symbols->home_cache, &cache) ? SUP_ANYBODY : cache.st_uid;
	symbols->author = SUP_ANYBODY;
	return symbols;
}

void rpt_symbols_set_author(struct rpt_symbols *symbols, uid_t user)
{
	symbols->author = user;
}

void rpt_symbols_set_shared_from(struct rpt_symbols *symbols,
				 struct rpt_symbols *from)
{
	symbols->conf.shared_from = from;
}

static void free_dso(struct rpt_dso *dso)
{
	rpt_symbol_windows_free(dso->names.file);
	rpt_symbol_table_release(&dso->names.table);
	rpt_symbol_table_release(&dso->names.recorded);
	rpt_symbol_table_release(&dso->names.carried.table);
	rpt_symbol_table_release(&dso->names.carried.bounds);
	rpt_dso_bounds_release(&dso->names.carried.shown);
	rpt_dso_go_free(dso->names.go);
	rpt_inlines_free(dso->inlines);
	rpt_source_lines_free(dso->lines);
	rpt_unwind_file_free(atomic_load(&dso->unwind_file));
	rpt_elf_close(dso->files.runtime);
	rpt_elf_close(dso->files.debug);
	free(dso->files.text);
	free(dso->files.jitted);
	free(dso->problem);
	free(dso->files.root);
	free(dso);
}

void rpt_symbols_free(struct rpt_symbols *symbols)
{
	size_t i;

	if (!symbols)
		return;
	rpt_kernel_release(symbols);
	for (i = 0; i < symbols->dsos_nr; i++)
		free_dso(symbols->dsos[i]);
	free(symbols->dsos);
	free(symbols->by_name);
	rpt_intern_release(&symbols->names);
	rpt_arena_release(&symbols->shown);
	free(symbols->home_cache);
	free(symbols->symfs.dir);
	free(symbols->ref_name);
	rpt_intern_release(&symbols->recorded);
	rpt_intern_release(&symbols->eh_frames);
	rpt_carried_index_release(&symbols->carried_index);
	pd_carried_release(&symbols->carried);
	pd_carried_release(&symbols->lent);
	rpt_carried_index_release(&symbols->lent_index);
	pd_carried_lines_release(&symbols->carried_texts.lines);
	pd_carried_sources_release(&symbols->carried_texts.sources);
	pthread_mutex_destroy(&symbols->lock);
	free(symbols);
}

static bool is_key(const struct rpt_dso *dso, const struct rpt_dso_key *key)
{
	return dso->kind == key->kind && dso->key_id_len == key->build_id_len &&
	       dso->source == key->source && dso->carried == key->carried &&
	       memcmp(dso->build_id, key->build_id, key->build_id_len) == 0;
}

static void put_by_name(struct rpt_symbols *symbols, struct rpt_dso *dso,
			const struct rpt_dso_key *key)
{
	uint32_t known_nr = symbols->names.nr;
	uint32_t idx =
		(uint32_t)rpt_intern(&symbols->names, key->name, key->name_len);

	symbols->by_name = rpt_grow(symbols->by_name, &symbols->by_name_cap,
				    known_nr, sizeof(struct rpt_dso *));
	dso->name = rpt_intern_key(&symbols->names, idx);
	dso->shown = rpt_arena_safe(&symbols->shown, dso->name);
	dso->next_same_name = idx < known_nr ? symbols->by_name[idx] : NULL;
	symbols->by_name[idx] = dso;
}

static struct rpt_dso *new_dso(struct rpt_symbols *symbols,
			       const struct rpt_dso_key *key)
{
	bool is_kernel = key->kind != RPT_DSO_USER && key->kind != RPT_DSO_VDSO;
	bool raw_names = symbols->conf.raw_names ||
			 (is_kernel && !symbols->conf.demangle_kernel);
	struct rpt_dso *dso = rpt_alloc_zeroed(1, sizeof(*dso));

	dso->owner = symbols;
	dso->kind = key->kind;
	dso->source = key->source;
	dso->carried = key->carried;
	dso->idx = symbols->dsos_nr;
	put_by_name(symbols, dso, key);
	rpt_dso_set_build_id(dso, key->build_id, key->build_id_len);
	dso->key_id_len = key->build_id_len;
	rpt_symbol_table_init(&dso->names.table, raw_names);
	dso->names.table.with_parameters = symbols->conf.with_parameters;
	rpt_symbol_table_init(&dso->names.recorded, raw_names);
	return dso;
}

struct rpt_dso *rpt_symbols_dso_named(const struct rpt_symbols *symbols,
				      const char *name, size_t len)
{
	int64_t idx = rpt_intern_find(&symbols->names, name, len);

	return idx < 0 ? NULL : symbols->by_name[idx];
}

struct rpt_dso *rpt_symbols_dso(struct rpt_symbols *symbols,
				const struct rpt_dso_key *key)
{
	struct rpt_dso *dso =
		rpt_symbols_dso_named(symbols, key->name, key->name_len);

	for (; dso; dso = dso->next_same_name)
		if (is_key(dso, key))
			return dso;
	dso = new_dso(symbols, key);
	symbols->dsos = rpt_grow(symbols->dsos, &symbols->dsos_cap,
				 symbols->dsos_nr, sizeof(struct rpt_dso *));
	symbols->dsos[symbols->dsos_nr++] = dso;
	return dso;
}

void rpt_symbols_set_kernel(struct rpt_symbols *symbols,
			    const struct rpt_kernel *kernel)
{
	char *ref_name = strdup(kernel->ref_name ? kernel->ref_name : "");

	free(symbols->ref_name);
	symbols->ref_name = ref_name;
	symbols->kernel = *kernel;
	symbols->kernel.ref_name = ref_name;
}

void rpt_dso_set_range(struct rpt_dso *dso, uint64_t start, uint64_t end)
{
	dso->range.start = start;
	dso->range.end = end;
}

void rpt_dso_set_mapper(struct rpt_dso *dso, uint32_t pid, uint64_t ino)
{
	if (dso->mapper.pid)
		return;
	dso->mapper.pid = pid;
	dso->mapper.ino = ino;
}

/* The key of a recorded symbol; the name stands behind it. */
struct recorded_key {
	uint64_t dso_idx;
	uint64_t start;
	uint64_t end;
};

void rpt_dso_add_symbol(struct rpt_dso *dso, uint64_t start, uint64_t end,
			const char *name, size_t name_len)
{
	const struct recorded_key head = { dso->idx, start, end };
	struct rpt_symbol sym = { .start = start, .end = end };
	struct rpt_intern *all = &dso->owner->recorded;
	char *key = rpt_alloc(sizeof(head) + name_len);
	uint32_t known_nr = all->nr;
	int64_t idx;

	memcpy(key, &head, sizeof(head));
	memcpy(key + sizeof(head), name, name_len);
	idx = rpt_intern(all, key, sizeof(head) + name_len);
	free(key);
	if (idx != known_nr)
		return;
	sym.name = (const char *)rpt_intern_key(all, known_nr) + sizeof(head);
	rpt_symbol_table_add(&dso->names.recorded, &sym);
}

void rpt_dso_set_jitted(struct rpt_dso *dso, const struct rpt_jitted *jitted)
{
	struct rpt_intern *all = &dso->owner->eh_frames;
	struct pd_str text = jitted->eh_frame;
	int64_t idx;

	if (!dso->files.jitted)
		dso->files.jitted = rpt_alloc_zeroed(1, sizeof(*jitted));
	else if (!text.len)
		return;
	*dso->files.jitted = *jitted;
	idx = text.len ? rpt_intern(all, text.ptr, text.len) : -1;
	if (idx >= 0)
		text.ptr = rpt_intern_key(all, (uint32_t)idx);
	dso->files.jitted->eh_frame = idx < 0 ? (struct pd_str){ "", 0 } : text;
}

void rpt_dso_find_build_id(struct rpt_dso *dso, const uint8_t *build_id,
			   uint8_t build_id_len)
{
	if (dso->build_id_len)
		return;
	if (build_id_len > RPT_BUILD_ID_MAX)
		build_id_len = RPT_BUILD_ID_MAX;
	memcpy(dso->build_id, build_id, build_id_len);
	dso->build_id_len = build_id_len;
}

void rpt_dso_set_build_id(struct rpt_dso *dso, const uint8_t *build_id,
			  uint8_t build_id_len)
{
	rpt_dso_find_build_id(dso, build_id, build_id_len);
	dso->recorded_id_len = dso->build_id_len;
}

static void load(struct rpt_dso *dso)
{
	rpt_dso_take_carried_build_id(dso);
	switch (dso->kind) {
	case RPT_DSO_USER:
	case RPT_DSO_VDSO:
		rpt_dso_load(dso);
		break;
	case RPT_DSO_KERNEL:
	case RPT_DSO_MODULE:
		rpt_dso_load_kernel(dso);
		break;
	case RPT_DSO_GUEST:
	default:
		break;
	}
}

bool rpt_symbols_have_kernel_of(const struct rpt_symbols *a,
				const struct rpt_symbols *b)
{
	const struct rpt_kernel *x = &a->kernel, *y = &b->kernel;

	return x->ref_name && y->ref_name &&
	       !strcmp(x->ref_name, y->ref_name) && x->start == y->start &&
	       x->end == y->end && x->ref_addr == y->ref_addr &&
	       x->build_id_len == y->build_id_len &&
	       !memcmp(x->build_id, y->build_id, x->build_id_len) &&
	       (x->build_id_len ||
		rpt_have_one_origin(&a->origin, &b->origin)) &&
	       !rpt_symbols_kcore(a) == !rpt_symbols_kcore(b);
}

/* Return whether the same files would be read for both. */
static bool is_same_file(const struct rpt_dso *a, const struct rpt_dso *b)
{
	bool is_kernel = a->kind == RPT_DSO_KERNEL || a->kind == RPT_DSO_MODULE;

	if (a->kind != b->kind || a->source != b->source ||
	    a->recorded_id_len != b->recorded_id_len ||
	    memcmp(a->build_id, b->build_id, a->recorded_id_len) != 0 ||
	    (!a->recorded_id_len && a->mapper.ino != b->mapper.ino) ||
	    rpt_dso_is_contested(a) || rpt_dso_is_contested(b))
		return false;
	return !is_kernel || (a->range.start == b->range.start &&
			      rpt_symbols_have_kernel_of(a->owner, b->owner));
}

/* Return the DSO of an earlier recording that has the file, or NULL. */
static struct rpt_dso *find_shared(struct rpt_dso *dso)
{
	const struct rpt_symbols *from = dso->owner->conf.shared_from;
	size_t len = strlen(dso->name);
	struct rpt_dso *at;

	for (; from; from = from->conf.shared_from) {
		at = rpt_symbols_dso_named(from, dso->name, len);
		for (; at; at = at->next_same_name)
			if (is_same_file(dso, at))
				return at;
	}
	return NULL;
}

struct rpt_dso *rpt_dso_shared(struct rpt_dso *dso)
{
	if (!dso->shared_from && !dso->is_loaded)
		dso->shared_from = find_shared(dso);
	if (!dso->shared_from)
		return dso;
	dso->shared_from = rpt_dso_shared(dso->shared_from);
	return dso->shared_from;
}

/* Each recording that lacks the names of a shared file has the reason. */
static void share_problem(struct rpt_dso *dso, const struct rpt_dso *from)
{
	if (!dso->names.recorded.nr && !rpt_dso_has_carried(dso))
		rpt_dso_set_problem(dso, from->problem);
}

struct rpt_dso *rpt_dso_loaded(struct rpt_dso *dso)
{
	struct rpt_dso *from = rpt_dso_shared(dso);

	if (!from->is_loaded)
		load(from);
	from->is_loaded = true;
	if (from->problem && !dso->problem)
		share_problem(dso, from);
	return from;
}

const struct rpt_symbol *rpt_dso_symbol(struct rpt_dso *dso, uint64_t addr)
{
	struct rpt_addr_range range = RPT_RANGE_ALL;
	const struct rpt_symbol *sym = rpt_dso_symbol_range(dso, addr, &range);

	return sym && rpt_symbol_is_file(sym) ? NULL : sym;
}

const struct rpt_symbol *rpt_dso_symbol_range(struct rpt_dso *dso,
					      uint64_t addr,
					      struct rpt_addr_range *range)
{
	const struct rpt_symbol *sym = NULL, *carried = NULL;
	struct rpt_dso *from;

	if (dso->names.recorded.nr)
		sym = rpt_symbol_table_find_range(&dso->names.recorded, addr,
						  range);
	/* a file is opened in any case, for rpt_dso_problem() */
	if (sym && dso->kind == RPT_DSO_MODULE)
		return sym;
	from = rpt_dso_loaded(dso);
	if (!sym)
		sym = rpt_dso_find(from, addr, range);
	/* a symbol says more than a Go program's table */
	if (!sym || sym->is_go)
		carried = rpt_dso_carried_symbol(dso, addr, range);
	if (carried)
		sym = carried;
	if (!sym && dso->owner->conf.with_bounds)
		sym = rpt_dso_bounds_find(dso, addr, range);
	if (!sym && dso->owner->conf.with_file_symbols)
		sym = rpt_dso_file_symbol(dso);
	return sym;
}

const char *rpt_dso_name(const struct rpt_dso *dso)
{
	return dso->shown;
}

const char *rpt_dso_recorded_name(const struct rpt_dso *dso)
{
	return dso->name;
}

uint32_t rpt_dso_idx(const struct rpt_dso *dso)
{
	return dso->idx;
}

uint32_t rpt_dso_source(const struct rpt_dso *dso)
{
	return dso->source;
}

enum rpt_dso_kind rpt_dso_kind(const struct rpt_dso *dso)
{
	return dso->kind;
}

bool rpt_dso_is_in_table(const struct rpt_dso *dso)
{
	return dso->is_kernel_entry && dso->recorded_id_len && !dso->key_id_len;
}

bool rpt_dso_has_namesake(const struct rpt_dso *dso)
{
	return dso->next_same_name ||
	       rpt_symbols_dso_named(dso->owner, dso->name,
				     strlen(dso->name)) != dso;
}

void rpt_dso_note_kernel_entry(struct rpt_dso *dso)
{
	dso->is_kernel_entry = true;
}

const uint8_t *rpt_dso_build_id(const struct rpt_dso *dso, uint8_t *ret_len)
{
	/* one that was read from a shared file is in the DSO that has it */
	while (!dso->build_id_len && dso->shared_from)
		dso = dso->shared_from;
	*ret_len = dso->build_id_len;
	return dso->build_id;
}

void rpt_dso_note_run(struct rpt_dso *dso)
{
	dso->is_run = true;
}

void rpt_dso_set_problem(struct rpt_dso *dso, const char *text)
{
	free(dso->problem);
	dso->problem = text && *text ? strdup(text) : NULL;
}

const char *rpt_dso_problem(const struct rpt_dso *dso)
{
	struct rpt_unwind_file *frames = atomic_load(&dso->unwind_file);

	if (!dso->is_run || dso->problem || !frames)
		return dso->is_run ? dso->problem : NULL;
	return rpt_unwind_file_problem(frames);
}

struct rpt_dso *rpt_symbols_dso_at(const struct rpt_symbols *symbols,
				   size_t idx)
{
	return idx < symbols->dsos_nr ? symbols->dsos[idx] : NULL;
}

bool rpt_is_same_build_id(const uint8_t *a, uint8_t a_len, const uint8_t *b,
			  uint8_t b_len)
{
	uint8_t len = a_len < b_len ? a_len : b_len;

	return len > 0 && memcmp(a, b, len) == 0;
}
