#include "format/records/build_id.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "[kernel.kallsyms]" of a record without a pid, read as if it had one. */
#define KERNEL_NAME_CUT "nel.kallsyms]"

static int read_with_pid(const struct pd_record *rec,
			 struct pd_header_build_id *ret, struct pd_err *err)
{
	struct pd_record typed = *rec;
	struct pd_body body;
	int rc;

	typed.type = PD_RECORD_HEADER_BUILD_ID; /* perf leaves it 0 */
	rc = pd_body_read(&typed, 0, &body, err);
	if (!rc)
		*ret = body.u.header_build_id;
	return rc;
}

static int read_without_pid(const struct pd_record *rec,
			    struct pd_header_build_id *ret, struct pd_err *err)
{
	struct pd_cursor c = pd_record_body(rec, "build-id record", err);
	const uint8_t *id = pd_cursor_bytes(&c, PD_BUILD_ID_LEN_MAX);

	pd_cursor_skip(&c, 4);
	*ret = (struct pd_header_build_id){
		.pid = -1,
		.build_id_len = PD_BUILD_ID_LEN_MAX,
		.filename = pd_cursor_cstr(&c),
	};
	if (id && !pd_cursor_status(&c))
		memcpy(ret->build_id, id, PD_BUILD_ID_LEN_MAX);
	return pd_cursor_status(&c);
}

int pd_build_ids_next(struct pd_build_ids *it, struct pd_build_id_entry *ret,
		      struct pd_err *err)
{
	size_t left = pd_cursor_left(&it->c);
	struct pd_record rec;
	int rc;

	if (!left)
		return 0;
	rc = pd_record_read(it->c.data + it->c.pos, left,
			    it->c.file_off + it->c.pos, it->c.swap, &rec, err);
	if (rc)
		return rc;
	ret->misc = rec.misc;
	rc = it->has_pid ? read_with_pid(&rec, &ret->id, err)
			 : read_without_pid(&rec, &ret->id, err);
	if (rc)
		return rc;
	pd_cursor_skip(&it->c, rec.len);
	return 1;
}

void pd_build_ids_init(struct pd_build_ids *it, const struct pd_cursor *payload)
{
	struct pd_build_ids look = { .c = *payload, .has_pid = true };
	struct pd_build_id_entry entry = { .misc = 0 };

	*it = look;
	look.c.err = NULL;
	while (pd_build_ids_next(&look, &entry, NULL) > 0)
		if (pd_str_eq(entry.id.filename, KERNEL_NAME_CUT))
			it->has_pid = false;
}

void pd_build_id_write(struct pd_buf *b, const struct pd_build_id_entry *entry)
{
	const struct pd_body body = {
		.type = PD_RECORD_HEADER_BUILD_ID,
		.u.header_build_id = entry->id,
	};
	size_t start =
		pd_record_begin(b, 0, entry->misc | PD_MISC_BUILD_ID_SIZE);

	pd_body_write_fields(b, &body);
	pd_record_end(b, start);
}

int pd_build_id_map(const struct pd_record *rec, size_t id_len,
		    struct pd_mmap *ret)
{
	bool is_map =
		rec->type == PD_RECORD_MMAP || rec->type == PD_RECORD_MMAP2;
	const struct pd_header_build_id *id;
	struct pd_body body;
	int rc;

	if (!is_map && rec->type != PD_RECORD_HEADER_BUILD_ID)
		return -ENOTSUP;
	rc = pd_body_read(rec, is_map ? id_len : 0, &body, NULL);
	if (rc)
		return rc;
	*ret = body.u.mmap;
	if (is_map)
		return 0;
	id = &body.u.header_build_id;
	*ret = (struct pd_mmap){ .build_id_len = id->build_id_len,
				 .filename = id->filename };
	memcpy(ret->build_id, id->build_id, sizeof(ret->build_id));
	return 0;
}

void pd_build_id_hex(const uint8_t *id, size_t len,
		     char ret[static PD_BUILD_ID_HEX_LEN])
{
	static const char digits[] = "0123456789abcdef";
	char *to = ret;

	for (size_t i = 0; i < len && i < PD_BUILD_ID_LEN_MAX; i++) {
		*to++ = digits[id[i] >> 4];
		*to++ = digits[id[i] & 15];
	}
	*to = '\0';
}

bool pd_build_id_path(char *ret, size_t cap, const char *dir, const uint8_t *id,
		      size_t len, const char *file)
{
	char hex[PD_BUILD_ID_HEX_LEN];
	int path_len;

	if (len < 2 || len > PD_BUILD_ID_LEN_MAX)
		return false;
	pd_build_id_hex(id, len, hex);
	path_len = snprintf(ret, cap, "%s/.build-id/%.2s/%s%s%s", dir, hex,
			    hex + 2, file[0] == '.' ? "" : "/", file);
	return path_len > 0 && (size_t)path_len < cap;
}
