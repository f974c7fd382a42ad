#include "report/symbols/jitdump.h"

#include "report/base/memory.h"
#include "report/base/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC	     0x4a695444u /* "JiTD" */
#define HEAD_LEN     40
#define RECORD_LEN   16 /* of a record's head */
#define CPU_TIMES    UINT64_C(1)
#define BODY_MAX_LEN 8192 /* of a record without its code; cuts long names */

enum jit_record {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_CLOSE = 3,
};

bool rpt_is_jitdump(struct pd_str name)
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

/* Fill dump->body with the next len bytes.  Return false if there are fewer. */
static bool read_body(struct rpt_jitdump *dump, size_t len)
{
	return fread(dump->body, 1, len, dump->file) == len;
}

static int read_head(struct rpt_jitdump *dump, struct pd_err *err)
{
	struct pd_cursor c;
	uint32_t magic, version, head_len;
	uint64_t flags;

	if (!read_body(dump, HEAD_LEN))
		return pd_err_set(err, -EBADMSG, "is no jitdump");
	pd_cursor_init(&c, dump->body, HEAD_LEN, 0, "jitdump header");
	magic = pd_cursor_u32(&c);
	dump->swap = c.swap = magic == __builtin_bswap32(MAGIC);
	version = pd_cursor_u32(&c);
	head_len = pd_cursor_u32(&c);
	pd_cursor_skip(&c, 4 + 4 + 4 + 8); /* machine, padding, pid, time */
	flags = pd_cursor_u64(&c);
	if ((magic != MAGIC && !dump->swap) || version != 1 ||
	    head_len < HEAD_LEN || head_len > dump->file_len)
		return pd_err_set(err, -EBADMSG, "is no jitdump of version 1");
	dump->has_cpu_times = flags & CPU_TIMES;
	return fseeko(dump->file, head_len, SEEK_SET)
		       ? pd_err_set(err, -errno, "%s", strerror(errno))
		       : 0;
}

int rpt_jitdump_open(struct rpt_jitdump *dump, const char *path,
		     struct pd_err *err)
{
	int fd = rpt_whole_file_open(path);
	int rc = fd < 0 ? fd : 0;
	struct stat st;

	*dump = (struct rpt_jitdump){ 0 };
	if (!rc && fstat(fd, &st) != 0)
		rc = -errno;
	if (!rc) {
		dump->file_len = (uint64_t)st.st_size;
		dump->file_id[0] = st.st_dev;
		dump->file_id[1] = st.st_ino;
		dump->body = rpt_alloc(BODY_MAX_LEN);
		dump->file = fdopen(fd, "r");
		rc = dump->file ? 0 : -errno;
	}
	if (!dump->file && fd >= 0)
		close(fd);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc))
		  : read_head(dump, err);
}

void rpt_jitdump_close(struct rpt_jitdump *dump)
{
	if (dump->file)
		fclose(dump->file);
	free(dump->body);
	*dump = (struct rpt_jitdump){ 0 };
}

/* Both kinds begin with pid, tid and a linked address, which are skipped. */
static void read_code(struct pd_cursor *c, bool is_load,
		      struct rpt_jit_code *ret)
{
	pd_cursor_skip(c, 4 + 4 + 8);
	if (!is_load)
		pd_cursor_skip(c, 8); /* the old address */
	ret->addr = pd_cursor_u64(c);
	ret->len = pd_cursor_u64(c);
	ret->idx = pd_cursor_u64(c);
	ret->name = is_load ? pd_cursor_cstr(c) : (struct pd_str){ "", 0 };
}

/* Read a record's head, and as much of its body as is used.  Return false at
 * the end. */
static bool read_record(struct rpt_jitdump *dump, uint32_t *ret_kind,
			uint32_t *ret_len, struct pd_cursor *ret_body)
{
	struct pd_cursor c;
	size_t body_len;

	if (!read_body(dump, RECORD_LEN))
		return false;
	pd_cursor_init(&c, dump->body, RECORD_LEN, 0, "jitdump record");
	c.swap = dump->swap;
	*ret_kind = pd_cursor_u32(&c);
	*ret_len = pd_cursor_u32(&c);
	if (*ret_len < RECORD_LEN)
		return true;
	body_len = *ret_len - RECORD_LEN;
	if (body_len > BODY_MAX_LEN - RECORD_LEN)
		body_len = BODY_MAX_LEN - RECORD_LEN;
	if (fread(dump->body + RECORD_LEN, 1, body_len, dump->file) != body_len)
		return false;
	pd_cursor_init(ret_body, dump->body, RECORD_LEN + body_len, 0,
		       "jitdump record");
	ret_body->swap = dump->swap;
	pd_cursor_skip(ret_body, 8);
	body_len = *ret_len - RECORD_LEN - body_len;
	return !body_len || !fseeko(dump->file, (off_t)body_len, SEEK_CUR);
}

int rpt_jitdump_next(struct rpt_jitdump *dump, struct rpt_jit_code *ret)
{
	uint32_t kind, len, max_len;
	struct pd_cursor c;

	while (read_record(dump, &kind, &len, &c)) {
		if (len < RECORD_LEN)
			return -EBADMSG;
		if (kind == JIT_CODE_CLOSE)
			return 0;
		if (kind != JIT_CODE_LOAD && kind != JIT_CODE_MOVE)
			continue;
		ret->time_ns = pd_cursor_u64(&c);
		read_code(&c, kind == JIT_CODE_LOAD, ret);
		if (pd_cursor_status(&c))
			return -EBADMSG;
		max_len = kind == JIT_CODE_LOAD ? len : UINT32_MAX;
		if (ret->len && ret->len <= max_len &&
		    ret->addr + ret->len > ret->addr)
			return 1;
	}
	return 0;
}
