#include "report/timeline/timeline_impl.h"

#include "format/symtab/perf_map_line.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/perf_map.h"

#include <string.h>

/* Text is moved when a program starts: in a process with more changes of its
 * maps nobody looks for what was there before. */
#define CHANGES_MAX 4096u

/* Text that is moved to huge pages may end with one of them. */
#define HUGE_PAGE_LEN ((uint64_t)2 << 20)

/* Gaps between the functions of a perf map that are looked at. */
#define GAPS_MAX 16u

/* Return whether the perf map names something from start to end. */
static bool names_some(const struct rpt_timeline *tl, struct rpt_dso *perf_map,
		       uint64_t start, uint64_t end)
{
	pthread_mutex_t *lock = rpt_symbols_lock(tl->symbols);
	bool is_named = false;

	pthread_mutex_lock(lock);
	for (unsigned i = 0; i < GAPS_MAX && start < end && !is_named; i++) {
		struct rpt_addr_range range = RPT_RANGE_ALL;
		const struct rpt_symbol *sym =
			rpt_dso_symbol_range(perf_map, start, &range);

		is_named = sym && !sym->is_made_up;
		if (range.last == UINT64_MAX)
			break;
		start = range.last + 1;
	}
	pthread_mutex_unlock(lock);
	return is_named;
}

/* Return whether the recording knows that the file is ELF. */
static bool is_elf(const struct rpt_timeline *tl, const struct pd_mmap *mmap)
{
	const struct pd_carried *carried = rpt_symbols_own_carried(tl->symbols);
	struct rpt_dso_key key = { .build_id_len = mmap->build_id_len };

	rpt_symbols_identify(tl->symbols, mmap, &key);
	return key.build_id_len ||
	       (key.carried && carried->files[key.carried - 1].machine);
}

bool rpt_timeline_is_jit_file(struct rpt_timeline *tl,
			      const struct pd_mmap *mmap, uint32_t prot)
{
	char name[RPT_JIT_NAME_LEN];
	struct rpt_named_map named;
	struct rpt_dso_key key = { .kind = RPT_DSO_USER };

	if (!(prot & RPT_PROT_EXEC) || !pd_may_be_jit_file(mmap->filename) ||
	    is_elf(tl, mmap))
		return false;
	rpt_name_jit_memory(mmap->pid, name, &named);
	key.name = named.name.ptr;
	key.name_len = named.name.len;
	return names_some(tl, rpt_timeline_dso(tl, &key), mmap->addr,
			  mmap->addr + mmap->map_len);
}

static bool is_memory(const struct rpt_map *map)
{
	return map->dso && rpt_is_perf_map(rpt_dso_recorded_name(map->dso));
}

static bool is_file(const struct rpt_map *map)
{
	return map->dso && rpt_dso_kind(map->dso) == RPT_DSO_USER &&
	       *rpt_dso_recorded_name(map->dso) == '/' &&
	       !rpt_dso_source(map->dso) && !is_memory(map);
}

/* Return whether the map is of a file's code. */
static bool is_text(const struct rpt_map *map)
{
	return map->prot & RPT_PROT_EXEC && is_file(map);
}

/* Return whether the memory lies where text was, or at most a huge page more.
 */
static bool lies_in(const struct rpt_map *memory, const struct rpt_map *text)
{
	uint64_t end_max =
		(text->end + HUGE_PAGE_LEN - 1) & ~(HUGE_PAGE_LEN - 1);

	return (memory->start >= text->start ||
		text->start - memory->start <= text->pgoff) &&
	       memory->end <= end_max;
}

/* Return whether the map is of the program itself, the first file that is
 * mapped, which is never unmapped. */
static bool is_program(const struct rpt_address_space *space,
		       const struct rpt_map *text)
{
	uint32_t i = space->exec_nr;

	if (space->is_forked && !space->is_execed)
		return false;
	while (i < space->nr && !is_file(&space->changes[i].map))
		i++;
	return i < space->nr && text->dso == space->changes[i].map.dso;
}

/* Return whether the memory, which lies in text, is no code that was made where
 * a library had been unmapped, of which no record tells: it has all of the
 * text, or whole huge pages. */
static bool is_moved(const struct rpt_address_space *space,
		     const struct rpt_map *memory, const struct rpt_map *text)
{
	return is_program(space, text) ||
	       (memory->start <= text->start && memory->end >= text->end) ||
	       (memory->start | memory->end) % HUGE_PAGE_LEN == 0;
}

/* Name the memory after the file with that text. */
static void name_moved(struct rpt_timeline *tl, struct rpt_map *memory,
		       const struct rpt_map *text)
{
	memory->dso = text->dso;
	memory->ino = text->ino;
	memory->pgoff = text->pgoff + (memory->start - text->start);
	memory->recorded_pgoff = memory->pgoff;
	memory->is_moved = true;
	tl->has_moved_text = true;
}

/* Return the program's latest map of code where the memory lies, or NULL. */
static const struct rpt_map *latest_at(const struct rpt_address_space *space,
				       const struct rpt_map *memory)
{
	for (uint32_t i = space->nr; i-- > space->exec_nr;) {
		const struct rpt_map *map = &space->changes[i].map;

		if (map->prot & RPT_PROT_EXEC && map->start < memory->end &&
		    map->end > memory->start)
			return map;
	}
	return NULL;
}

void rpt_timeline_take_text(struct rpt_timeline *tl,
			    const struct rpt_address_space *space,
			    struct rpt_map *memory)
{
	const struct rpt_map *text;

	if (!is_memory(memory) || space->nr - space->exec_nr > CHANGES_MAX)
		return;
	text = latest_at(space, memory);
	if (text && is_text(text) && lies_in(memory, text) &&
	    is_moved(space, memory, text) &&
	    !names_some(tl, memory->dso, memory->start, memory->end))
		name_moved(tl, memory, text);
}

void rpt_timeline_join_text(struct rpt_timeline *tl,
			    struct rpt_address_space *space,
			    struct rpt_timestamp when)
{
	const struct rpt_map *below, *above;
	struct rpt_map memory;

	if (space->nr < 3)
		return;
	below = &space->changes[space->nr - 3].map;
	memory = space->changes[space->nr - 2].map;
	above = &space->changes[space->nr - 1].map;
	if (below->end != memory.start || above->start != memory.end ||
	    below->dso != above->dso ||
	    above->pgoff - below->pgoff != above->start - below->start ||
	    !is_file(below) || !is_memory(&memory) ||
	    names_some(tl, memory.dso, memory.start, memory.end))
		return;
	name_moved(tl, &memory, below);
	rpt_address_space_add(space, when, &memory);
}
