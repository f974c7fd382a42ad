#include "format/symtab/jit_code.h"

#include <stdlib.h>

#define MAGIC	  0x4a695444u /* "JiTD" */
#define CPU_TIMES UINT64_C(1)

enum {
	HEAD_LEN = 40,
	RECORD_LEN = 16, /* of a record's head */
	/* The fields of a record, without its code; long names are cut. */
	BODY_LEN_MAX = 8192,
	BLOCK_LEN = 64 * 1024,
	UNWINDING_LEN_MAX = 32 * 1024, /* of a record of that kind */
};

enum kind {
	LOAD = 0,
	MOVE = 1,
	CLOSE = 3,     /* nothing follows */
	UNWINDING = 4, /* of the function that the next LOAD tells of */
};

bool pd_is_jitdump(struct pd_str name)
{
	static const char prefix[] = "jit-", suffix[] = ".dump";
	size_t len = name.len, suffix_len = sizeof(suffix) - 1;
	size_t digits_nr = 0;

	if (len < suffix_len ||
	    memcmp(name.ptr + len - suffix_len, suffix, suffix_len) != 0)
		return false;
	len -= suffix_len;
	while (len && name.ptr[len - 1] >= '0' && name.ptr[len - 1] <= '9') {
		len--;
		digits_nr++;
	}
	return digits_nr && len > sizeof(prefix) - 1 &&
	       memcmp(name.ptr + len - 4, prefix, 4) == 0 &&
	       name.ptr[len - 5] == '/';
}

bool pd_jit_code_is_sound(const struct pd_jit_code *code)
{
	return code->len && code->len <= UINT32_MAX &&
	       code->addr + code->len > code->addr;
}

/* Point ret to len bytes at off, which stay until the next call.  Return 1, 0
 * if the file has fewer, or what the reading says. */
static int bytes_at(struct pd_jitdump *dump, uint64_t off, size_t len,
		    const uint8_t **ret)
{
	const struct pd_read_at *from = &dump->from;
	uint64_t left = off < dump->file_len ? dump->file_len - off : 0;
	size_t block_len = left < BLOCK_LEN ? (size_t)left : BLOCK_LEN;
	int rc = 0;

	if (off < dump->block_off || off - dump->block_off > dump->block_len ||
	    len > dump->block_len - (size_t)(off - dump->block_off)) {
		if (len > left)
			return 0;
		rc = from->read(from->ctx, off, dump->block, block_len);
		/* it may have been cut, or a limit lie in it */
		if (rc) {
			block_len = len;
			rc = from->read(from->ctx, off, dump->block, len);
		}
		dump->block_off = off;
		dump->block_len = rc ? 0 : block_len;
	}
	*ret = dump->block + (off - dump->block_off);
	return rc == -EBADMSG ? 0 : rc ? rc : 1;
}

static int read_head(struct pd_jitdump *dump, struct pd_err *err)
{
	uint32_t magic, version;
	const uint8_t *data;
	struct pd_cursor c;
	int rc = bytes_at(dump, 0, HEAD_LEN, &data);

	if (rc <= 0)
		return rc ? rc : pd_err_set(err, -EBADMSG, "is no jitdump");
	pd_cursor_init(&c, data, HEAD_LEN, 0, "jitdump header");
	magic = pd_cursor_u32(&c);
	dump->swap = c.swap = magic == __builtin_bswap32(MAGIC);
	version = pd_cursor_u32(&c);
	dump->head_len = pd_cursor_u32(&c);
	dump->machine = (uint16_t)pd_cursor_u32(&c);
	pd_cursor_skip(&c, 4 + 4 + 8); /* padding, pid, time */
	dump->has_cpu_times = pd_cursor_u64(&c) & CPU_TIMES;
	if ((magic != MAGIC && !dump->swap) || version != 1 ||
	    dump->head_len < HEAD_LEN || dump->head_len > dump->file_len)
		return pd_err_set(err, -EBADMSG, "is no jitdump of version 1");
	pd_jitdump_rewind(dump);
	return 0;
}

int pd_jitdump_open(struct pd_jitdump *dump, struct pd_read_at from,
		    uint64_t file_len, struct pd_err *err)
{
	*dump = (struct pd_jitdump){
		.from = from,
		.file_len = file_len,
		.block = malloc(BLOCK_LEN),
	};
	return dump->block ? read_head(dump, err) : -ENOMEM;
}

void pd_jitdump_rewind(struct pd_jitdump *dump)
{
	dump->off = dump->head_len;
	pd_buf_reset(&dump->eh_frame);
}

void pd_jitdump_close(struct pd_jitdump *dump)
{
	free(dump->block);
	pd_buf_release(&dump->eh_frame);
	*dump = (struct pd_jitdump){ .block = NULL };
}

struct record {
	uint32_t kind; /* enum kind, or another */
	uint32_t len;
	size_t body_len; /* of what is read of it */
	const uint8_t *body;
};

/* Return 1, or as pd_jitdump_next(). */
static int read_record(struct pd_jitdump *dump, struct record *ret)
{
	size_t len_max;
	struct pd_cursor c;
	int rc = bytes_at(dump, dump->off, RECORD_LEN, &ret->body);

	if (rc <= 0)
		return rc;
	pd_cursor_init(&c, ret->body, RECORD_LEN, 0, "jitdump record");
	c.swap = dump->swap;
	ret->kind = pd_cursor_u32(&c);
	ret->len = pd_cursor_u32(&c);
	if (ret->len < RECORD_LEN)
		return -EBADMSG;
	len_max = ret->kind == UNWINDING ? UNWINDING_LEN_MAX : BODY_LEN_MAX;
	ret->body_len = ret->len < len_max ? ret->len : len_max;
	rc = bytes_at(dump, dump->off, ret->body_len, &ret->body);
	dump->off += ret->len;
	return rc;
}

/* Return whether what unwinds a function begins with a table of its entries,
 * .eh_frame_hdr, as the specification has it; programs put it behind them. */
static bool is_table_first(const uint8_t *data, uint64_t table_len)
{
	static const uint8_t version_and_forms[] = { 1, 0x1b, 3, 0x3b };

	return table_len >= sizeof(version_and_forms) &&
	       !memcmp(data, version_and_forms, sizeof(version_and_forms));
}

/* Keep .eh_frame for the next function; what is too long counts as none. */
static int keep_eh_frame(struct pd_jitdump *dump, const struct record *record)
{
	uint64_t len, table_len;
	const uint8_t *data;
	struct pd_cursor c;

	pd_buf_reset(&dump->eh_frame);
	pd_cursor_init(&c, record->body, record->body_len, 0, "jitdump record");
	c.swap = dump->swap;
	pd_cursor_skip(&c, RECORD_LEN);
	len = pd_cursor_u64(&c);
	table_len = pd_cursor_u64(&c);
	pd_cursor_u64(&c); /* how much of it was mapped */
	data = record->body + c.pos;
	if (pd_cursor_status(&c) || len > pd_cursor_left(&c) || table_len > len)
		return 0;
	if (is_table_first(data, table_len))
		data += table_len;
	pd_buf_bytes(&dump->eh_frame, data, (size_t)(len - table_len));
	return pd_buf_status(&dump->eh_frame);
}

/* Return 1; 0 if the record tells of no code; or -EBADMSG if it is too short.
 * Both kinds begin with pid, tid and a linked address, which are skipped. */
static int read_code(struct pd_jitdump *dump, const struct record *record,
		     struct pd_jit_code *ret)
{
	bool is_load = record->kind == LOAD;
	struct pd_cursor c;

	if (!is_load && record->kind != MOVE)
		return 0;
	pd_cursor_init(&c, record->body, record->body_len, 0, "jitdump record");
	c.swap = dump->swap;
	pd_cursor_skip(&c, 8);
	ret->time_ns = pd_cursor_u64(&c);
	pd_cursor_skip(&c, 4 + 4 + 8);
	if (!is_load)
		pd_cursor_skip(&c, 8); /* the old address */
	ret->addr = pd_cursor_u64(&c);
	ret->len = pd_cursor_u64(&c);
	ret->idx = pd_cursor_u64(&c);
	ret->name = is_load ? pd_cursor_cstr(&c) : (struct pd_str){ "", 0 };
	ret->eh_frame = (struct pd_str){ "", 0 };
	ret->machine = dump->machine;
	if (is_load && dump->eh_frame.len)
		ret->eh_frame =
			(struct pd_str){ (const char *)dump->eh_frame.data,
					 dump->eh_frame.len };
	dump->is_frame_taken = is_load;
	if (pd_cursor_status(&c))
		return -EBADMSG;
	return pd_jit_code_is_sound(ret) &&
	       (!is_load || ret->len <= record->len);
}

int pd_jitdump_next(struct pd_jitdump *dump, struct pd_jit_code *ret)
{
	struct record record;
	int rc;

	do {
		if (dump->is_frame_taken)
			pd_buf_reset(&dump->eh_frame);
		dump->is_frame_taken = false;
		rc = read_record(dump, &record);
		if (rc <= 0 || record.kind == CLOSE)
			return rc < 0 ? rc : 0;
		rc = record.kind == UNWINDING ? keep_eh_frame(dump, &record)
					      : read_code(dump, &record, ret);
	} while (!rc);
	return rc;
}
