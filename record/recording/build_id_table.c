#include "record/recording/build_id_table.h"

#include "format/records/build_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "format/base/hash.h"

/* TRIES_MAX: for a file whose processes had ended. */
enum { SLOTS_AT_FIRST = 256, TRIES_MAX = 8 };

static void release_row(struct rec_build_id_row *row)
{
	free(row->path);
	free(row->files);
}

void rec_build_id_table_release(struct rec_build_id_table *table)
{
	for (size_t i = 0; i < table->nr; i++)
		release_row(&table->rows[i]);
	free(table->rows);
	free(table->slots);
	memset(table, 0, sizeof(*table));
}

/* Return the slot that has the path, or the free one for it. */
static uint32_t *find_slot(const struct rec_build_id_table *table,
			   struct pd_str path)
{
	size_t at =
		(size_t)pd_hash_of(path.ptr, path.len) & (table->slot_nr - 1);

	while (table->slots[at] &&
	       !pd_str_eq(path, table->rows[table->slots[at] - 1].path))
		at = (at + 1) & (table->slot_nr - 1);
	return &table->slots[at];
}

static int grow(struct rec_build_id_table *table)
{
	size_t slot_nr = table->slot_nr ? 2 * table->slot_nr : SLOTS_AT_FIRST;
	struct rec_build_id_row *rows =
		realloc(table->rows, slot_nr / 2 * sizeof(*rows));
	uint32_t *slots = calloc(slot_nr, sizeof(*slots));

	if (rows)
		table->rows = rows;
	if (!rows || !slots) {
		free(slots);
		return -ENOMEM;
	}
	free(table->slots);
	table->slots = slots;
	table->slot_nr = slot_nr;
	table->cap = slot_nr / 2;
	for (size_t i = 0; i < table->nr; i++) {
		struct pd_str path = { rows[i].path, strlen(rows[i].path) };

		*find_slot(table, path) = (uint32_t)i + 1;
	}
	return 0;
}

/* Return "[kernel.kallsyms]" for its map "[kernel.kallsyms]_text". */
static struct pd_str file_of(struct pd_str path, uint16_t cpumode)
{
	const char *end;

	if (cpumode != PD_CPUMODE_KERNEL || !path.len || path.ptr[0] != '[')
		return path;
	end = memchr(path.ptr, ']', path.len);
	if (end)
		path.len = (size_t)(end - path.ptr) + 1;
	return path;
}

/* False for memory without a file: "//anon", "[heap]", "[vdso]". */
static bool has_file(struct pd_str path, uint16_t cpumode)
{
	if (!path.len)
		return false;
	if (cpumode == PD_CPUMODE_KERNEL)
		return true;
	return path.ptr[0] == '/' && !(path.len > 1 && path.ptr[1] == '/');
}

/* True for the kernel's maps, too, which have no protection in the snapshot. */
static bool is_executable(const struct pd_record *record,
			  const struct pd_mmap *map)
{
	if ((record->misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_KERNEL)
		return true;
	if (record->type == PD_RECORD_MMAP2)
		return map->prot & PROT_EXEC;
	return !(record->misc & PD_MISC_MMAP_DATA);
}

static bool has_room(struct rec_build_id_table *table, size_t len)
{
	if (len > REC_BUILD_ID_TABLE_LEN_MAX - table->len)
		table->is_full = true;
	else
		table->len += len;
	return !table->is_full;
}

/* Return the path's row, adding it if needed; NULL: no room or memory. */
static struct rec_build_id_row *row_of(struct rec_build_id_table *table,
				       struct pd_str path, uint16_t cpumode)
{
	struct rec_build_id_row row = { .cpumode = cpumode };
	uint32_t *slot;

	if (table->nr == table->cap && grow(table))
		return NULL;
	slot = find_slot(table, path);
	if (*slot)
		return &table->rows[*slot - 1];
	if (has_room(table, sizeof(row) + path.len + 1))
		row.path = pd_str_dup(path);
	if (!row.path)
		return NULL;
	table->rows[table->nr++] = row;
	*slot = (uint32_t)table->nr;
	return &table->rows[table->nr - 1];
}

static bool is_recorded_as(const struct rec_build_id_file *file,
			   const struct pd_mmap *map)
{
	return file->state == REC_BUILD_ID_RECORDED &&
	       file->id.len == map->build_id_len &&
	       !memcmp(file->id.bytes, map->build_id, map->build_id_len);
}

static bool is_file(const struct rec_build_id_file *file,
		    const struct pd_mmap *map)
{
	if (map->build_id_len)
		return is_recorded_as(file, map);
	return file->state != REC_BUILD_ID_RECORDED && file->ino == map->ino &&
	       file->maj == map->maj && file->min == map->min &&
	       file->ino_generation == map->ino_generation;
}

/* Return the file, or NULL if it is new. */
static struct rec_build_id_file *find_file(const struct rec_build_id_row *row,
					   const struct pd_mmap *map)
{
	for (uint32_t i = 0; i < row->nr; i++)
		if (is_file(&row->files[i], map))
			return &row->files[i];
	return NULL;
}

/* Return NULL if row or table are full, or memory is short. */
static struct rec_build_id_file *append_file(struct rec_build_id_table *table,
					     struct rec_build_id_row *row,
					     const struct pd_mmap *map)
{
	struct rec_build_id_file *files;

	if (row->nr == REC_BUILD_ID_FILES_MAX) {
		row->is_many = true;
		return NULL;
	}
	if (!has_room(table, sizeof(*files)))
		return NULL;
	files = realloc(row->files, (row->nr + 1) * sizeof(*files));
	if (!files)
		return NULL;
	row->files = files;
	files += row->nr++;
	*files = (struct rec_build_id_file){
		.maj = map->maj,
		.min = map->min,
		.ino = map->ino,
		.ino_generation = map->ino_generation,
		.state = map->build_id_len ? REC_BUILD_ID_RECORDED
					   : REC_BUILD_ID_UNREAD,
		.id.len = map->build_id_len,
	};
	memcpy(files->id.bytes, map->build_id, sizeof(files->id.bytes));
	return files;
}

int rec_build_id_table_note(struct rec_build_id_table *table,
			    const struct pd_record *record, size_t id_len,
			    struct pd_mmap *map,
			    struct rec_build_id_position *ret)
{
	uint16_t cpumode = record->misc & PD_MISC_CPUMODE_MASK;
	struct rec_build_id_file *file;
	struct rec_build_id_row *row;
	struct pd_str path;

	if (pd_build_id_map(record, id_len, map))
		return 0; /* the reader reports that */
	path = file_of(map->filename, cpumode);
	if (!has_file(path, cpumode) || !is_executable(record, map))
		return 0;
	row = row_of(table, path, cpumode);
	if (!row)
		return -ENOMEM;
	file = find_file(row, map);
	if (!file)
		file = append_file(table, row, map);
	if (!file)
		return row->is_many ? 0 : -ENOMEM;
	if (file->state != REC_BUILD_ID_UNREAD || file->try_nr == TRIES_MAX ||
	    cpumode == PD_CPUMODE_KERNEL)
		return 0;
	file->state = REC_BUILD_ID_WANTED;
	file->try_nr++;
	*ret = (struct rec_build_id_position){ (uint32_t)(row - table->rows),
					       (uint32_t)(file - row->files) };
	return 1;
}

void rec_build_id_table_set(struct rec_build_id_table *table,
			    const struct rec_build_id_position *place,
			    const struct rec_build_id *id)
{
	struct rec_build_id_file *file =
		&table->rows[place->row_idx].files[place->file_idx];

	file->state = id ? REC_BUILD_ID_READ : REC_BUILD_ID_UNREAD;
	if (id)
		file->id = *id;
}

static bool is_same(const struct rec_build_id *a, const struct rec_build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* Return the one build-id of all files of the row whose records have it (or do
 * not); *ret_mixed: there are several. */
static const struct rec_build_id *common_id(const struct rec_build_id_row *row,
					    bool recorded, bool *ret_mixed)
{
	const struct rec_build_id *found = NULL;

	*ret_mixed = row->is_many;
	for (uint32_t i = 0; i < row->nr; i++) {
		const struct rec_build_id_file *file = &row->files[i];

		if ((file->state == REC_BUILD_ID_RECORDED) != recorded ||
		    !file->id.len)
			continue;
		if (found && !is_same(found, &file->id))
			*ret_mixed = true;
		found = &file->id;
	}
	return *ret_mixed ? NULL : found;
}

static void count(const struct rec_build_id_row *row,
		  struct rec_build_id_stats *stats)
{
	for (uint32_t i = 0; i < row->nr; i++) {
		uint8_t state = row->files[i].state;

		if (row->cpumode == PD_CPUMODE_KERNEL ||
		    state == REC_BUILD_ID_RECORDED)
			continue;
		stats->file_nr++;
		stats->unread_nr += state == REC_BUILD_ID_WANTED ||
				    state == REC_BUILD_ID_UNREAD;
	}
}

static void write_row(struct pd_buf *b, const struct rec_build_id_row *row,
		      const struct rec_build_id *id)
{
	struct pd_body body = { .type = PD_RECORD_HEADER_BUILD_ID };
	struct pd_header_build_id *out = &body.u.header_build_id;

	out->pid = -1;
	out->build_id_len = id->len;
	memcpy(out->build_id, id->bytes, sizeof(out->build_id));
	out->filename = (struct pd_str){ row->path, strlen(row->path) };
	pd_body_write(b, row->cpumode | PD_MISC_BUILD_ID_SIZE, &body);
}

void rec_build_id_table_write(const struct rec_build_id_table *table,
			      struct pd_buf *b,
			      struct rec_build_id_stats *stats)
{
	for (size_t i = 0; i < table->nr; i++) {
		const struct rec_build_id_row *row = &table->rows[i];
		const struct rec_build_id *id;
		bool mixed, recorded_mixed;

		count(row, stats);
		/* Files whose records lack it are first: they need the row. */
		id = common_id(row, false, &mixed);
		if (!id && !mixed)
			id = common_id(row, true, &recorded_mixed);
		stats->mixed_nr += mixed;
		if (id)
			write_row(b, row, id);
	}
	stats->is_full |= table->is_full;
}
