#include "record/carry/address_spaces.h"

#include <stdlib.h>

#include "format/base/hash.h"
#include "format/base/search.h"
#include "format/symtab/jit_code.h"
#include "format/symtab/perf_map_line.h"

/* Overlapping maps that are looked at for one address: whoever may map can have
 * any number of them. */
enum { FIRST_SLOTS = 256, PARENTS_MAX = 32, OVERLAPS_MAX = 64 };

/* A sample waits for two rounds, and may stand in the round after its
 * process's end. */
enum { ROUNDS_BEHIND_END = 4 };

void rec_address_spaces_init(struct rec_address_spaces *spaces, size_t budget)
{
	*spaces = (struct rec_address_spaces){ .budget = budget,
					       .budget_low = budget / 4,
					       .round = 1 };
}

void rec_address_spaces_release(struct rec_address_spaces *spaces)
{
	for (uint32_t i = 0; i < spaces->file_nr; i++) {
		free(spaces->files[i].path);
		rec_hit_set_release(&spaces->files[i].hits);
		rec_hit_set_release(&spaces->files[i].leaf_hits);
	}
	for (uint32_t i = 0; i < spaces->space_nr; i++) {
		free(spaces->spaces[i].maps);
		rec_hit_set_release(&spaces->spaces[i].dump_hits);
	}
	free(spaces->files);
	free(spaces->file_slots);
	free(spaces->spaces);
	free(spaces->space_slots);
	rec_address_spaces_init(spaces, 0);
}

/* Return list with room for one more item than nr, or NULL: out of budget. */
static void *grow(struct rec_address_spaces *spaces, void *list, uint32_t nr,
		  uint32_t *cap, size_t item_len)
{
	uint32_t more = *cap ? *cap : 16;
	void *grown;

	if (nr < *cap)
		return list;
	if (more * item_len > spaces->budget)
		return NULL;
	grown = reallocarray(list, *cap + more, item_len);
	if (!grown)
		return NULL;
	spaces->budget -= more * item_len;
	*cap += more;
	return grown;
}

/* A table of indices + 1, at most half full. */
static bool grow_slots(struct rec_address_spaces *spaces, uint32_t **slots,
		       uint32_t *slot_nr, uint32_t nr,
		       uint64_t (*hash_of)(const struct rec_address_spaces *,
					   uint32_t idx))
{
	uint32_t more = *slot_nr ? *slot_nr * 2 : FIRST_SLOTS, *grown;

	if (nr < *slot_nr / 2)
		return true;
	if (more * sizeof(**slots) > spaces->budget)
		return false;
	grown = calloc(more, sizeof(*grown));
	if (!grown)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t at = (uint32_t)hash_of(spaces, i) & (more - 1);

		while (grown[at])
			at = (at + 1) & (more - 1);
		grown[at] = i + 1;
	}
	spaces->budget -= (more - *slot_nr) * sizeof(**slots);
	free(*slots);
	*slots = grown;
	*slot_nr = more;
	return true;
}

static uint64_t hash_of_pid(uint32_t pid)
{
	return pid * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static uint64_t hash_of_space(const struct rec_address_spaces *spaces,
			      uint32_t idx)
{
	return hash_of_pid(spaces->spaces[idx].pid);
}

static struct rec_space *find_space(const struct rec_address_spaces *spaces,
				    uint32_t pid)
{
	uint32_t mask = spaces->space_slot_nr - 1, at;

	if (!spaces->space_slot_nr)
		return NULL;
	at = (uint32_t)hash_of_pid(pid) & mask;
	for (; spaces->space_slots[at]; at = (at + 1) & mask) {
		struct rec_space *space =
			&spaces->spaces[spaces->space_slots[at] - 1];

		if (space->pid == pid)
			return space;
	}
	return NULL;
}

static struct rec_space *get_space(struct rec_address_spaces *spaces,
				   uint32_t pid)
{
	struct rec_space *list, *space = find_space(spaces, pid);
	uint32_t mask, at;

	if (space)
		return space;
	list = grow(spaces, spaces->spaces, spaces->space_nr,
		    &spaces->space_cap, sizeof(*list));
	if (list)
		spaces->spaces = list;
	if (!list ||
	    !grow_slots(spaces, &spaces->space_slots, &spaces->space_slot_nr,
			spaces->space_nr, hash_of_space)) {
		spaces->is_full = true;
		return NULL;
	}
	mask = spaces->space_slot_nr - 1;
	at = (uint32_t)hash_of_pid(pid) & mask;
	while (spaces->space_slots[at])
		at = (at + 1) & mask;
	space = &spaces->spaces[spaces->space_nr++];
	spaces->space_slots[at] = spaces->space_nr;
	*space = (struct rec_space){ .pid = pid, .ppid = UINT32_MAX };
	return space;
}

bool rec_is_anonymous(struct pd_str path)
{
	static const char *const names[] = { "//anon", "/anon_hugepage",
					     "/dev/zero", "/SYSV" };

	if (!path.len || (path.ptr[0] == '[' && !pd_str_eq(path, "[vdso]")))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (path.len >= strlen(names[i]) &&
		    !memcmp(path.ptr, names[i], strlen(names[i])))
			return true;
	return false;
}

static uint64_t hash_of_file(const struct rec_address_spaces *spaces,
			     uint32_t idx)
{
	const struct rec_hit_file *f = &spaces->files[idx];

	return f->is_anonymous ? hash_of_pid(f->pid)
			       : pd_hash_of(f->path, strlen(f->path));
}

static bool is_file(const struct rec_hit_file *f, const struct pd_mmap *map)
{
	if (f->is_anonymous || rec_is_anonymous(map->filename))
		return f->is_anonymous && rec_is_anonymous(map->filename) &&
		       f->pid == map->pid;
	if (f->build_id_len != map->build_id_len ||
	    !pd_str_eq(map->filename, f->path))
		return false;
	if (f->build_id_len)
		return !memcmp(f->build_id, map->build_id, f->build_id_len);
	return f->key.ino == map->ino && f->key.maj == map->maj &&
	       f->key.min == map->min &&
	       f->key.ino_generation == map->ino_generation;
}

static bool add_file(struct rec_address_spaces *spaces,
		     const struct pd_mmap *map)
{
	struct rec_hit_file *list, *file;
	char *path;

	list = grow(spaces, spaces->files, spaces->file_nr, &spaces->file_cap,
		    sizeof(*list));
	if (!list)
		return false;
	spaces->files = list;
	path = map->filename.len < spaces->budget ? pd_str_dup(map->filename)
						  : NULL;
	if (!path)
		return false;
	spaces->budget -= map->filename.len;
	file = &spaces->files[spaces->file_nr++];
	*file = (struct rec_hit_file){
		.path = path,
		.build_id_len = map->build_id_len,
		.key = { map->maj, map->min, map->ino, map->ino_generation },
		.pid = map->pid,
		.is_anonymous = rec_is_anonymous(map->filename),
		.start = map->addr,
		.end = map->addr + map->map_len,
	};
	memcpy(file->build_id, map->build_id, map->build_id_len);
	return true;
}

/* Return UINT32_MAX if there is no room for a new one. */
static uint32_t get_file(struct rec_address_spaces *spaces,
			 const struct pd_mmap *map)
{
	uint64_t hash =
		rec_is_anonymous(map->filename)
			? hash_of_pid(map->pid)
			: pd_hash_of(map->filename.ptr, map->filename.len);
	uint32_t mask, at;

	if (!grow_slots(spaces, &spaces->file_slots, &spaces->file_slot_nr,
			spaces->file_nr, hash_of_file))
		return UINT32_MAX;
	mask = spaces->file_slot_nr - 1;
	at = (uint32_t)hash & mask;
	for (; spaces->file_slots[at]; at = (at + 1) & mask)
		if (is_file(&spaces->files[spaces->file_slots[at] - 1], map))
			return spaces->file_slots[at] - 1;
	if (!add_file(spaces, map))
		return UINT32_MAX;
	spaces->file_slots[at] = spaces->file_nr;
	return spaces->file_nr - 1;
}

/* Return the file of the map, or NULL. */
static struct rec_hit_file *add_map(struct rec_address_spaces *spaces,
				    const struct pd_mmap *map, bool is_code)
{
	struct rec_space *space = get_space(spaces, map->pid);
	uint32_t idx = space ? get_file(spaces, map) : UINT32_MAX;
	struct rec_space_map *maps = NULL;

	if (idx != UINT32_MAX)
		maps = grow(spaces, space->maps, space->map_nr, &space->map_cap,
			    sizeof(*maps));
	if (!maps) {
		spaces->is_full = true;
		return NULL;
	}
	if (pd_is_jitdump(map->filename))
		space->dump = idx + 1;
	space->maps = maps;
	space->is_sorted = false;
	maps[space->map_nr++] = (struct rec_space_map){
		.start = map->addr,
		.end = map->addr + map->map_len,
		.off = spaces->files[idx].is_anonymous ? map->addr : map->pgoff,
		.file_idx = idx,
		.is_code = is_code,
	};
	return &spaces->files[idx];
}

/* A file that may hold code of its process counts for the memory, too. */
void rec_address_spaces_map(struct rec_address_spaces *spaces,
			    const struct pd_mmap *map, bool is_code)
{
	struct rec_hit_file *f = add_map(spaces, map, is_code);
	struct pd_mmap memory = *map;

	if (f && f->is_anonymous)
		f->has_memory = true;
	memory.filename = (struct pd_str){ "//anon", 6 };
	if (is_code && !map->build_id_len && pd_may_be_jit_file(map->filename))
		add_map(spaces, &memory, true);
}

void rec_address_spaces_fork(struct rec_address_spaces *spaces, uint32_t pid,
			     uint32_t ppid)
{
	struct rec_space *space = pid != ppid ? get_space(spaces, pid) : NULL;

	if (!space)
		return;
	space->ppid = ppid;
	space->end_round = 0; /* the pid of one that ended */
}

void rec_address_spaces_exit(struct rec_address_spaces *spaces, uint32_t pid)
{
	struct rec_space *space = find_space(spaces, pid);

	if (space)
		space->end_round = spaces->round;
}

/* Return whether nothing asks for the process's maps any more, but those that
 * were forked from it. */
static bool is_over(const struct rec_address_spaces *spaces,
		    const struct rec_space *space)
{
	return space->end_round &&
	       spaces->round - space->end_round > ROUNDS_BEHIND_END &&
	       !space->dump;
}

/* Mark the processes whose maps are kept: those that are not over, and those
 * that they were forked from. */
static void mark_kept(const struct rec_address_spaces *spaces, bool *is_kept)
{
	for (uint32_t i = 0; i < spaces->space_nr; i++) {
		const struct rec_space *space = &spaces->spaces[i];

		if (is_over(spaces, space))
			continue;
		for (unsigned up = 0; space && up < PARENTS_MAX; up++) {
			is_kept[space - spaces->spaces] = true;
			space = space->ppid == UINT32_MAX
					? NULL
					: find_space(spaces, space->ppid);
		}
	}
}

static void drop_ended(struct rec_address_spaces *spaces, const bool *is_kept)
{
	uint32_t mask = spaces->space_slot_nr - 1, nr = 0;

	for (uint32_t i = 0; i < spaces->space_slot_nr; i++)
		spaces->space_slots[i] = 0;
	for (uint32_t i = 0; i < spaces->space_nr; i++) {
		struct rec_space *space = &spaces->spaces[i];
		uint32_t at;

		if (!is_kept[i]) {
			spaces->budget += space->map_cap * sizeof(*space->maps);
			free(space->maps);
			rec_hit_set_release(&space->dump_hits);
			continue;
		}
		at = (uint32_t)hash_of_pid(space->pid) & mask;
		while (spaces->space_slots[at])
			at = (at + 1) & mask;
		spaces->spaces[nr] = *space;
		spaces->space_slots[at] = ++nr;
	}
	spaces->space_nr = nr;
}

void rec_address_spaces_round(struct rec_address_spaces *spaces)
{
	bool *is_kept;

	spaces->round++;
	if (spaces->budget >= spaces->budget_low || !spaces->space_nr ||
	    spaces->round % ROUNDS_BEHIND_END)
		return;
	is_kept = calloc(spaces->space_nr, sizeof(*is_kept));
	if (!is_kept)
		return;
	mark_kept(spaces, is_kept);
	drop_ended(spaces, is_kept);
	free(is_kept);
}

struct rec_mapped rec_hit_file_mapped(const struct rec_hit_file *f,
				      uint32_t pid)
{
	return (struct rec_mapped){
		.pid = (pid_t)pid,
		.start = f->start,
		.end = f->end,
		.ino = f->key.ino,
		.ino_generation = f->key.ino_generation,
		.maj = f->key.maj,
		.min = f->key.min,
		.path = f->path,
	};
}

const struct rec_hit_set *
rec_address_spaces_dump(const struct rec_address_spaces *spaces,
			struct rec_hit_file *f)
{
	const struct rec_space *space =
		f->is_anonymous ? find_space(spaces, f->pid) : NULL;

	if (!space || !space->dump)
		return NULL;
	if (!f->dump.path)
		f->dump = rec_hit_file_mapped(&spaces->files[space->dump - 1],
					      f->pid);
	return &space->dump_hits;
}

static int compare_maps(const void *a, const void *b)
{
	const struct rec_space_map *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void sort_maps(struct rec_space *space)
{
	uint64_t end_max = 0;

	if (space->map_nr)
		qsort(space->maps, space->map_nr, sizeof(*space->maps),
		      compare_maps);
	for (uint32_t i = 0; i < space->map_nr; i++) {
		if (space->maps[i].end > end_max)
			end_max = space->maps[i].end;
		space->maps[i].end_max = end_max;
	}
	space->is_sorted = true;
}

static void add_hit(struct rec_address_spaces *spaces, uint32_t file_idx,
		    uint32_t pid, uint64_t addr)
{
	struct rec_hit_file *file = &spaces->files[file_idx];

	file->hit_pid = pid;
	if (!rec_hit_set_add(&file->hits, addr, &spaces->budget) ||
	    (spaces->is_leaf &&
	     !rec_hit_set_add(&file->leaf_hits, addr, &spaces->budget)))
		spaces->is_full = true;
}

/* Return the map below maps[at], which is memory, if the text that the file has
 * between that and the next map was moved there; or NULL. */
static const struct rec_space_map *
moved_text(const struct rec_address_spaces *spaces,
	   const struct rec_space *space, uint32_t at)
{
	const struct rec_space_map *memory = &space->maps[at];
	const struct rec_space_map *below = memory - 1, *above = memory + 1;

	if (!at || at + 1 == space->map_nr ||
	    !spaces->files[memory->file_idx].is_anonymous)
		return NULL;
	return below->end == memory->start && above->start == memory->end &&
			       below->file_idx == above->file_idx &&
			       !spaces->files[below->file_idx].is_anonymous &&
			       above->off - below->off ==
				       above->start - below->start
		       ? below
		       : NULL;
}

/* pid is that of the sample: its maps may be those of its parent. */
static unsigned hit(struct rec_address_spaces *spaces, struct rec_space *space,
		    uint32_t pid, uint64_t addr, bool is_code)
{
	unsigned nr = 0, tries = 0;
	uint32_t at;

	if (!space->is_sorted)
		sort_maps(space);
	PD_FIND_FIRST(at, space->map_nr, space->maps[at].start > addr);
	for (;
	     at && space->maps[at - 1].end_max > addr && tries++ < OVERLAPS_MAX;
	     at--) {
		const struct rec_space_map *map = &space->maps[at - 1];
		const struct rec_space_map *text;

		if (map->end <= addr || (is_code && !map->is_code))
			continue;
		nr++;
		add_hit(spaces, map->file_idx, pid,
			addr - map->start + map->off);
		text = moved_text(spaces, space, at - 1);
		if (text)
			add_hit(spaces, text->file_idx, pid,
				addr - text->start + text->off);
	}
	return nr;
}

static unsigned hit_any(struct rec_address_spaces *spaces, uint32_t pid,
			uint64_t addr, bool is_code)
{
	uint32_t hit_pid = pid;
	unsigned nr = 0;

	for (unsigned i = 0; !nr && i < PARENTS_MAX; i++) {
		struct rec_space *space = find_space(spaces, pid);

		if (!space)
			break;
		if (space->dump &&
		    !rec_hit_set_add(&space->dump_hits, addr, &spaces->budget))
			spaces->is_full = true;
		nr = hit(spaces, space, hit_pid, addr, is_code);
		pid = space->ppid;
	}
	return nr;
}

unsigned rec_address_spaces_hit(struct rec_address_spaces *spaces, uint32_t pid,
				uint64_t addr)
{
	return hit_any(spaces, pid, addr, false);
}

unsigned rec_address_spaces_hit_code(struct rec_address_spaces *spaces,
				     uint32_t pid, uint64_t addr)
{
	return hit_any(spaces, pid, addr, true);
}

void rec_address_spaces_walk(
	const struct rec_address_spaces *spaces, uint32_t pid,
	void (*see)(void *ctx, uint64_t start, uint64_t end), void *ctx)
{
	for (unsigned i = 0; i < PARENTS_MAX; i++) {
		const struct rec_space *space = find_space(spaces, pid);

		if (!space)
			break;
		for (uint32_t m = 0; m < space->map_nr; m++)
			if (space->maps[m].is_code)
				see(ctx, space->maps[m].start,
				    space->maps[m].end);
		pid = space->ppid;
	}
}

unsigned rec_address_spaces_hit_leaf(struct rec_address_spaces *spaces,
				     uint32_t pid, uint64_t addr)
{
	unsigned nr;

	spaces->is_leaf = true;
	nr = hit_any(spaces, pid, addr, true);
	spaces->is_leaf = false;
	return nr;
}
