#include "record/build_id_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS_AT_FIRST = 256 };

void rec_build_id_table_release(struct rec_build_id_table *table)
{
	for (size_t i = 0; i < table->nr; i++)
		free(table->rows[i].path);
	free(table->rows);
	free(table->slots);
	memset(table, 0, sizeof(*table));
}

/* FNV-1a */
static uint32_t hash_of(struct pd_str path)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < path.len; i++)
		hash = (hash ^ (uint8_t)path.ptr[i]) * 16777619u;
	return hash;
}

/* The slot that has the path, or the free one where it belongs. */
static uint32_t *find_slot(const struct rec_build_id_table *table,
			   struct pd_str path)
{
	size_t at = hash_of(path) & (table->slot_nr - 1);

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

/* "[kernel.kallsyms]_text" is the map of "[kernel.kallsyms]". */
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

/* Memory without a file has no build-id: "//anon", "[heap]", "[vdso]". */
static bool has_file(struct pd_str path, uint16_t cpumode)
{
	if (!path.len)
		return false;
	if (cpumode == PD_CPUMODE_KERNEL)
		return true;
	return path.ptr[0] == '/' && !(path.len > 1 && path.ptr[1] == '/');
}

static int append(struct rec_build_id_table *table, struct pd_str path,
		  uint16_t cpumode, const struct pd_mmap *map)
{
	struct rec_build_id_row row = { .path = pd_str_dup(path),
					.cpumode = cpumode };

	if (!row.path)
		return -ENOMEM;
	row.id.len = map->build_id_len;
	memcpy(row.id.bytes, map->build_id, sizeof(row.id.bytes));
	table->rows[table->nr++] = row;
	return 0;
}

/* The kernel's maps, told by the snapshot, have no protection. */
static bool is_executable(const struct pd_record *rec,
			  const struct pd_mmap *map)
{
	if ((rec->misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_KERNEL)
		return true;
	if (rec->type == PD_RECORD_MMAP2)
		return map->prot & PROT_EXEC;
	return !(rec->misc & PD_MISC_MMAP_DATA);
}

int rec_build_id_table_note(struct rec_build_id_table *table,
			    const struct pd_record *rec, size_t id_len)
{
	uint16_t cpumode = rec->misc & PD_MISC_CPUMODE_MASK;
	const struct pd_mmap *map;
	struct pd_body body;
	struct pd_str path;
	uint32_t *slot;

	if (pd_body_read(rec, id_len, &body, NULL))
		return 0; /* the reader will say so */
	map = &body.u.mmap;
	path = file_of(map->filename, cpumode);
	if (!has_file(path, cpumode) || !is_executable(rec, map))
		return 0;
	if (table->nr == table->cap && grow(table))
		return -ENOMEM;
	slot = find_slot(table, path);
	if (*slot)
		return 0;
	if (append(table, path, cpumode, map))
		return -ENOMEM;
	*slot = (uint32_t)table->nr;
	return 0;
}

static bool ask_file(const char *path, struct rec_build_id *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool found;

	if (fd < 0)
		return false;
	found = rec_elf_build_id(fd, ret);
	close(fd);
	return found;
}

void rec_build_id_table_write(const struct rec_build_id_table *table,
			      struct pd_buf *b)
{
	for (size_t i = 0; i < table->nr; i++) {
		const struct rec_build_id_row *row = &table->rows[i];
		struct rec_build_id id = row->id;
		struct pd_body body = { .type = PD_RECORD_HEADER_BUILD_ID };
		struct pd_header_build_id *out = &body.u.header_build_id;

		if (!id.len && !ask_file(row->path, &id))
			continue;
		out->pid = -1;
		out->build_id_len = id.len;
		memcpy(out->build_id, id.bytes, sizeof(out->build_id));
		out->filename = (struct pd_str){ row->path, strlen(row->path) };
		pd_body_write(b, row->cpumode | PD_MISC_BUILD_ID_SIZE, &body);
	}
}
