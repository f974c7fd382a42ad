#include "format/symtab/jit_code.h"

#define MAGIC	  0x4a695444u /* "JiTD" */
#define CPU_TIMES UINT64_C(1)

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

int pd_jitdump_head(struct pd_jitdump *ret, const uint8_t *data,
		    uint64_t file_len, struct pd_err *err)
{
	struct pd_cursor c;
	uint32_t magic, version;

	pd_cursor_init(&c, data, PD_JITDUMP_HEAD_LEN, 0, "jitdump header");
	magic = pd_cursor_u32(&c);
	ret->swap = c.swap = magic == __builtin_bswap32(MAGIC);
	version = pd_cursor_u32(&c);
	ret->head_len = pd_cursor_u32(&c);
	pd_cursor_skip(&c, 4 + 4 + 4 + 8); /* machine, padding, pid, time */
	ret->has_cpu_times = pd_cursor_u64(&c) & CPU_TIMES;
	if ((magic != MAGIC && !ret->swap) || version != 1 ||
	    ret->head_len < PD_JITDUMP_HEAD_LEN || ret->head_len > file_len)
		return pd_err_set(err, -EBADMSG, "is no jitdump of version 1");
	return 0;
}

int pd_jitdump_record(const struct pd_jitdump *dump, const uint8_t *data,
		      struct pd_jitdump_record *ret)
{
	struct pd_cursor c;

	pd_cursor_init(&c, data, PD_JITDUMP_RECORD_LEN, 0, "jitdump record");
	c.swap = dump->swap;
	ret->kind = pd_cursor_u32(&c);
	ret->len = pd_cursor_u32(&c);
	return ret->len < PD_JITDUMP_RECORD_LEN ? -EBADMSG : 0;
}

size_t pd_jitdump_body_len(const struct pd_jitdump_record *record)
{
	return record->len < PD_JITDUMP_BODY_LEN_MAX ? record->len
						     : PD_JITDUMP_BODY_LEN_MAX;
}

/* Both kinds begin with pid, tid and a linked address, which are skipped. */
static void read_code(struct pd_cursor *c, bool is_load,
		      struct pd_jit_code *ret)
{
	pd_cursor_skip(c, 4 + 4 + 8);
	if (!is_load)
		pd_cursor_skip(c, 8); /* the old address */
	ret->addr = pd_cursor_u64(c);
	ret->len = pd_cursor_u64(c);
	ret->idx = pd_cursor_u64(c);
	ret->name = is_load ? pd_cursor_cstr(c) : (struct pd_str){ "", 0 };
}

int pd_jitdump_code(const struct pd_jitdump *dump, const uint8_t *data,
		    const struct pd_jitdump_record *record,
		    struct pd_jit_code *ret)
{
	bool is_load = record->kind == PD_JITDUMP_LOAD;
	uint64_t len_max = is_load ? record->len : UINT32_MAX;
	struct pd_cursor c;

	if (!is_load && record->kind != PD_JITDUMP_MOVE)
		return 0;
	pd_cursor_init(&c, data, pd_jitdump_body_len(record), 0,
		       "jitdump record");
	c.swap = dump->swap;
	pd_cursor_skip(&c, 8);
	ret->time_ns = pd_cursor_u64(&c);
	read_code(&c, is_load, ret);
	if (pd_cursor_status(&c))
		return -EBADMSG;
	return ret->len && ret->len <= len_max &&
	       ret->addr + ret->len > ret->addr;
}
