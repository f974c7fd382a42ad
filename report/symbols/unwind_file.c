#include "report/symbols/unwind_file.h"

#include "report/symbols/dso.h"
#include "report/base/hash_seed.h"
#include "report/base/intern.h"
#include "report/symbols/symbols.h"

#include <stdlib.h>

#define SLOTS_MIN 256

/* Whoever sees the row sees the address. */
struct slot {
	uint64_t addr;
	_Atomic(const struct rpt_cfi_row *) row; /* NULL: free */
};

/* Open addressing, nr a power of two, at most half full.
 *
 * Older ones stay, since nothing tells when the last look-up in them has ended,
 * and together take as much as the last: 1 MiB more for the 29,500 addresses
 * that stacks of a g++ have in it, none for most files.  Threads that told
 * where they are, or tables that are not copied when they grow, would make each
 * look-up dearer, of which there is one for each frame. */
struct slots {
	struct slots *older; /* that somebody may still look at */
	size_t nr;
	struct slot items[];
};

struct rpt_unwind_file {
	struct rpt_elf *elf; /* the DSO's; NULL: none can be read */
	const uint8_t *image;
	size_t image_len;
	_Atomic(struct slots *) slots; /* by address; NULL: there are no rows */

	pthread_mutex_t lock; /* of whoever adds a row */
	struct rpt_cfi *cfi;
	struct rpt_intern rows; /* most addresses share theirs with others */
	size_t used_nr;		/* slots */
};

static struct slots *new_slots(size_t nr, struct slots *older)
{
	struct slots *slots = rpt_alloc_zeroed(
		1, sizeof(*slots) + nr * sizeof(slots->items[0]));

	slots->nr = nr;
	slots->older = older;
	return slots;
}

void rpt_unwind_file_free(struct rpt_unwind_file *file)
{
	struct slots *slots, *older;

	if (!file)
		return;
	for (slots = atomic_load(&file->slots); slots; slots = older) {
		older = slots->older;
		free(slots);
	}
	rpt_cfi_close(file->cfi);
	rpt_intern_release(&file->rows);
	pthread_mutex_destroy(&file->lock);
	free(file);
}

/* Of what libelf could not map elf_rawfile() reads all. */
static void fill(struct rpt_unwind_file *file, struct rpt_dso *dso)
{
	struct rpt_elf *elf = rpt_dso_runtime(dso);

	file->elf = elf;
	if (!elf)
		return;
	file->image = (const uint8_t *)elf_rawfile(elf->elf, &file->image_len);
	if (!file->image)
		file->image_len = 0;
	file->cfi = rpt_cfi_open(elf);
	if (!file->cfi && rpt_elf_over_limit(elf))
		rpt_dso_set_problem(dso, rpt_elf_over_limit(elf));
	if (file->cfi)
		atomic_init(&file->slots, new_slots(SLOTS_MIN, NULL));
}

static struct rpt_unwind_file *open_file(struct rpt_dso *dso)
{
	pthread_mutex_t *lock = rpt_symbols_lock(dso->owner);
	struct rpt_unwind_file *file;

	pthread_mutex_lock(lock);
	file = atomic_load(&dso->unwind_file);
	if (!file) {
		file = rpt_alloc_zeroed(1, sizeof(*file));
		pthread_mutex_init(&file->lock, NULL);
		fill(file, dso);
		atomic_store(&dso->unwind_file, file);
	}
	pthread_mutex_unlock(lock);
	return file;
}

struct rpt_unwind_file *rpt_dso_unwind_file(struct rpt_dso *dso)
{
	struct rpt_unwind_file *file = atomic_load(&dso->unwind_file);

	if (!file)
		file = open_file(dso);
	return file->elf ? file : NULL;
}

uint16_t rpt_unwind_file_machine(const struct rpt_unwind_file *file)
{
	return file->elf->ehdr.e_machine;
}

const uint8_t *rpt_unwind_file_bytes(const struct rpt_unwind_file *file,
				     uint64_t off, size_t len)
{
	if (file->image_len < len || off > file->image_len - len)
		return NULL;
	return file->image + off;
}

bool rpt_unwind_file_addr(const struct rpt_unwind_file *file, uint64_t off,
			  uint64_t *ret_addr)
{
	return rpt_elf_off_to_addr(file->elf, off, ret_addr);
}

/* NULL: not there, and its slot, which another thread may take meanwhile, is
 * free. */
static const struct rpt_cfi_row *find(struct slots *slots, uint64_t addr,
				      struct slot **ret)
{
	uint64_t mixed = (addr ^ rpt_hash_seed[1]) * rpt_hash_seed[2];
	size_t at = (size_t)(mixed >> 32) & (slots->nr - 1);

	for (;; at = (at + 1) & (slots->nr - 1)) {
		struct slot *slot = &slots->items[at];
		const struct rpt_cfi_row *row =
			atomic_load_explicit(&slot->row, memory_order_acquire);

		*ret = slot;
		if (!row || slot->addr == addr)
			return row;
	}
}

/* Of an address that is not there. */
static void add(struct slots *slots, uint64_t addr,
		const struct rpt_cfi_row *row)
{
	struct slot *slot;

	(void)find(slots, addr, &slot);
	slot->addr = addr;
	atomic_store_explicit(&slot->row, row, memory_order_release);
}

/* Twice as many slots. */
static struct slots *double_slots(struct rpt_unwind_file *file)
{
	struct slots *old = atomic_load(&file->slots);
	struct slots *slots = new_slots(old->nr * 2, old);

	for (size_t i = 0; i < old->nr; i++) {
		const struct rpt_cfi_row *row = atomic_load(&old->items[i].row);

		if (row)
			add(slots, old->items[i].addr, row);
	}
	atomic_store(&file->slots, slots);
	return slots;
}

static const struct rpt_cfi_row *make_row(struct rpt_unwind_file *file,
					  uint64_t addr, unsigned columns_nr)
{
	uint64_t room[RPT_CFI_ROW_LEN / sizeof(uint64_t)];
	size_t len = rpt_cfi_row(file->cfi, addr, columns_nr, (void *)room);
	int64_t idx = rpt_intern(&file->rows, room, len);

	return idx < 0 ? NULL : rpt_intern_key(&file->rows, (uint32_t)idx);
}

/* Another thread may have added it since. */
static const struct rpt_cfi_row *add_row(struct rpt_unwind_file *file,
					 uint64_t addr, unsigned columns_nr)
{
	struct slots *slots = atomic_load(&file->slots);
	struct slot *slot;
	const struct rpt_cfi_row *row = find(slots, addr, &slot);

	if (row)
		return row;
	if (file->used_nr * 2 >= slots->nr)
		slots = double_slots(file);
	row = make_row(file, addr, columns_nr);
	if (!row)
		return NULL;
	file->used_nr++;
	add(slots, addr, row);
	return row;
}

const struct rpt_cfi_row *rpt_unwind_file_row(struct rpt_unwind_file *file,
					      uint64_t addr,
					      unsigned columns_nr)
{
	struct slots *slots =
		atomic_load_explicit(&file->slots, memory_order_acquire);
	const struct rpt_cfi_row *row;
	struct slot *slot;

	if (!slots)
		return NULL;
	row = find(slots, addr, &slot);
	if (row)
		return row;
	pthread_mutex_lock(&file->lock);
	row = add_row(file, addr, columns_nr);
	pthread_mutex_unlock(&file->lock);
	return row;
}
