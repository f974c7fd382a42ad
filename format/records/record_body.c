#include "format/records/record_body.h"

#include "format/records/record_layout.h"

#define THREAD_COMM_LEN	 16u
#define THREAD_ENTRY_LEN (8u + THREAD_COMM_LEN)

static const struct pd_body_row *row_of(uint32_t type)
{
	return type < PD_RECORD_USER_START ? pd_body_kernel_row(type)
					   : pd_body_user_row(type);
}

int pd_body_read(const struct pd_record *rec, size_t id_len,
		 struct pd_body *ret, struct pd_err *err)
{
	const struct pd_body_row *row = row_of(rec->type);
	struct pd_cursor c;

	if (!row)
		return pd_err_at(err, -ENOTSUP, rec->file_off,
				 "record of type %u is not known", rec->type);
	memset(ret, 0, sizeof(*ret));
	ret->type = rec->type;
	ret->misc = rec->misc;
	c = pd_record_body(rec, row->what, err);
	if (id_len > c.len)
		return pd_cursor_short(&c);
	c.len -= id_len;
	pd_fields_read(&c, row->fields, row->field_nr, ret);
	if (row->read_rest)
		row->read_rest(&c, ret);
	ret->fields_len = PD_RECORD_HEADER_LEN + c.pos;
	return pd_cursor_status(&c);
}

void pd_body_write_fields(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_body_row *row = row_of(body->type);

	if (!row) {
		if (!b->status)
			b->status = -ENOTSUP;
		return;
	}
	pd_fields_write(b, row->fields, row->field_nr, body);
	if (row->write_rest)
		row->write_rest(b, body);
}

uint16_t pd_body_misc(const struct pd_body *body)
{
	if (body->type == PD_RECORD_MMAP2 && body->u.mmap.build_id_len)
		return PD_MISC_MMAP_BUILD_ID;
	if (body->type == PD_RECORD_HEADER_BUILD_ID)
		return PD_MISC_BUILD_ID_SIZE;
	return 0;
}

void pd_body_write(struct pd_buf *b, uint16_t misc, const struct pd_body *body)
{
	const struct pd_body_row *row = row_of(body->type);
	size_t start;

	/* Only the body decides on this flag: an inode is no build-id. */
	if (body->type == PD_RECORD_MMAP2)
		misc &= (uint16_t)~PD_MISC_MMAP_BUILD_ID;
	start = pd_record_begin(b, body->type, misc | pd_body_misc(body));
	pd_body_write_fields(b, body);
	if (row && row->is_unpadded)
		pd_record_end_unpadded(b, start);
	else
		pd_record_end(b, start);
}

struct pd_thread_map_entry pd_thread_map_at(const struct pd_thread_map *map,
					    size_t idx, bool swap)
{
	struct pd_cursor c;
	struct pd_thread_map_entry entry;

	pd_cursor_init(&c, map->entries + idx * THREAD_ENTRY_LEN,
		       THREAD_ENTRY_LEN, 0, "thread map entry");
	c.swap = swap;
	entry.tid = pd_cursor_u64(&c);
	entry.comm = pd_cursor_field(&c, THREAD_COMM_LEN);
	return entry;
}

uint64_t pd_cpu_map_at(const struct pd_cpu_map *map, size_t idx)
{
	size_t word_len = map->mask_word_len ? map->mask_word_len : 2u;
	struct pd_cursor c;

	pd_cursor_init(&c, map->words + idx * word_len, word_len, 0, "cpu map");
	c.swap = map->swap;
	if (word_len == 2)
		return pd_cursor_u16(&c);
	return word_len == 4 ? pd_cursor_u32(&c) : pd_cursor_u64(&c);
}

uint32_t pd_cpu_map_place_nr(const struct pd_cpu_map *map)
{
	if (map->map_type != PD_CPU_MAP_RANGE)
		return map->map_type == PD_CPU_MAP_MASK
			       ? map->nr * map->mask_word_len * 8u
			       : map->nr;
	return map->end_cpu < map->start_cpu
		       ? map->any_cpu
		       : map->end_cpu - map->start_cpu + 1u + map->any_cpu;
}

bool pd_cpu_map_cpu(const struct pd_cpu_map *map, uint32_t place, int32_t *ret)
{
	uint32_t bits = map->mask_word_len * 8u;

	switch (map->map_type) {
	case PD_CPU_MAP_RANGE:
		*ret = map->any_cpu && !place
			       ? -1
			       : (int32_t)(place + map->start_cpu) -
					 map->any_cpu;
		return true;
	case PD_CPU_MAP_MASK:
		*ret = (int32_t)place;
		return pd_cpu_map_at(map, place / bits) >> place % bits & 1;
	default:
		*ret = (int16_t)pd_cpu_map_at(map, place);
		return true;
	}
}
