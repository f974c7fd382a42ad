#include "report/symbols/unwind_file.h"

#include "report/symbols/carried_elf.h"
#include "report/symbols/dso.h"
#include "report/base/address_hash.h"
#include "report/base/intern.h"
#include "report/symbols/perf_map.h"
#include "report/symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

struct rpt_unwind_file {
	struct rpt_elf *elf;		 /* the DSO's, or carried; NULL: none */
	struct rpt_carried_elf *carried; /* owned; NULL: elf is the DSO's */
	const uint8_t *image;
	size_t image_len;
	bool is_generated;

	pthread_mutex_t lock; /* protects what follows */
	struct rpt_cfi *cfi;  /* NULL: the file has no such information */
	struct rpt_address_hash row_idxs; /* by address, for rows */
	struct rpt_intern rows; /* most addresses share theirs with others */
};

void rpt_unwind_file_free(struct rpt_unwind_file *file)
{
	if (!file)
		return;
	rpt_cfi_close(file->cfi);
	rpt_carried_elf_close(file->carried);
	rpt_address_hash_release(&file->row_idxs);
	rpt_intern_release(&file->rows);
	pthread_mutex_destroy(&file->lock);
	free(file);
}

/* Return whether what is mapped is no ELF file, as far as that is known.  A
 * memfd may be one, which then is here, or is carried. */
static bool is_no_elf(struct rpt_dso *dso)
{
	static const char memfd[] = "/memfd:";
	const struct pd_carried_file *f = rpt_dso_carried_file(dso);

	return dso->files.jitted || rpt_is_perf_map(dso->name) ||
	       !strncmp(dso->name, memfd, sizeof(memfd) - 1) ||
	       (!dso->build_id_len && dso->files.is_no_elf) ||
	       (f && f->reason == PD_CARRIED_NOT_ELF);
}

/* The file is not here: what a jitdump tells, or the recording carries, of it.
 */
static void fill_carried(struct rpt_unwind_file *file, struct rpt_dso *dso)
{
	file->carried = dso->files.jitted ? rpt_carried_elf_of_jit(dso)
					  : rpt_carried_elf_open(dso);
	if (!file->carried || dso->files.jitted)
		file->is_generated = is_no_elf(dso);
	if (!file->carried)
		return;
	file->elf = rpt_carried_elf_file(file->carried);
	file->cfi = rpt_cfi_open(file->elf);
}

/* If libelf could not map the file, elf_rawfile() reads all of it. */
static void fill(struct rpt_unwind_file *file, struct rpt_dso *dso)
{
	struct rpt_elf *elf;

	rpt_dso_take_carried_build_id(dso);
	elf = dso->files.jitted ? NULL : rpt_dso_runtime(dso);
	if (!elf) {
		fill_carried(file, dso);
		return;
	}
	file->elf = elf;
	file->image = (const uint8_t *)elf_rawfile(elf->elf, &file->image_len);
	if (!file->image)
		file->image_len = 0;
	file->cfi = rpt_cfi_open(elf);
	if (!file->cfi && rpt_elf_over_limit(elf))
		rpt_dso_set_problem(dso, rpt_elf_over_limit(elf));
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

static struct rpt_unwind_file *file_of(struct rpt_dso *dso)
{
	struct rpt_unwind_file *file = atomic_load(&dso->unwind_file);

	return file ? file : open_file(dso);
}

struct rpt_unwind_file *rpt_dso_unwind_file(struct rpt_dso *dso)
{
	struct rpt_unwind_file *file = file_of(dso);

	return file->elf ? file : NULL;
}

bool rpt_dso_is_generated(struct rpt_dso *dso)
{
	return file_of(dso)->is_generated;
}

const char *rpt_unwind_file_problem(struct rpt_unwind_file *file)
{
	bool is_over;

	pthread_mutex_lock(&file->lock);
	is_over = file->cfi && rpt_cfi_is_over(file->cfi);
	pthread_mutex_unlock(&file->lock);
	return is_over ? "its call frame information is larger than the limit "
			 "allows: left out"
		       : NULL;
}

uint16_t rpt_unwind_file_machine(const struct rpt_unwind_file *file)
{
	return file->elf->ehdr.e_machine;
}

uint64_t rpt_unwind_file_entry(const struct rpt_unwind_file *file)
{
	return file->elf->ehdr.e_entry;
}

const uint8_t *rpt_unwind_file_bytes(const struct rpt_unwind_file *file,
				     uint64_t off, size_t len)
{
	if (file->carried)
		return rpt_carried_elf_bytes(file->carried, off, len);
	if (file->image_len < len || off > file->image_len - len)
		return NULL;
	return file->image + off;
}

bool rpt_unwind_file_addr(const struct rpt_unwind_file *file, uint64_t off,
			  uint64_t *ret_addr)
{
	return rpt_elf_off_to_addr(file->elf, off, ret_addr);
}

static uint32_t make_row(struct rpt_unwind_file *file, uint64_t addr,
			 unsigned columns_nr)
{
	uint64_t room[RPT_CFI_ROW_LEN / sizeof(uint64_t)];
	size_t len = rpt_cfi_row(file->cfi, addr, columns_nr, (void *)room);

	return (uint32_t)rpt_intern(&file->rows, room, len);
}

const struct rpt_cfi_row *rpt_unwind_file_row(struct rpt_unwind_file *file,
					      uint64_t addr,
					      unsigned columns_nr)
{
	const struct rpt_cfi_row *row;
	int64_t idx;

	if (!file->cfi)
		return NULL;
	pthread_mutex_lock(&file->lock);
	idx = rpt_address_hash_find(&file->row_idxs, addr, 0);
	if (idx < 0) {
		idx = make_row(file, addr, columns_nr);
		rpt_address_hash_add(&file->row_idxs, addr, 0, (uint32_t)idx);
	}
	row = rpt_intern_key(&file->rows, (uint32_t)idx);
	pthread_mutex_unlock(&file->lock);
	return row;
}
