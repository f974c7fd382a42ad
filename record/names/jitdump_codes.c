#include "record/names/jitdump_codes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/base/runtime.h"
#include "record/names/hit_set.h"
#include "record/names/perf_map_place.h"

/* A dump has the code itself, too, which is passed over. */
#define DUMP_LEN_MAX (UINT64_C(256) << 20)
#define IDXS_LEN_MAX ((size_t)4 << 20)

enum {
	BLOCK_LEN = 64 * 1024,
	MALLOC_LEN = 16, /* what malloc() takes beside a text */
};

/* A dump, while it is read. */
struct source {
	int fd;
	int rc; /* why reading ended before its end */
	const struct rec_jitdump_conf *conf;
	struct pd_jitdump head;
	uint8_t *block; /* owned; what stands from block_off on */
	uint64_t block_off;
	size_t block_len;
	struct rec_hit_set found; /* numbers of functions that were hit */
	size_t found_budget;
	const uint64_t *idxs; /* the same, ascending */
	struct rec_jit_codes *ret;
};

int rec_jitdump_judge(int proc_fd, uint32_t pid, int fd)
{
	struct stat st;
	uid_t user;

	if (fstat(fd, &st))
		return -errno;
	if (rec_process_user(proc_fd, pid, &user))
		user = geteuid(); /* it has ended */
	return S_ISREG(st.st_mode) && (st.st_uid == user || !st.st_uid)
		       ? 0
		       : -EPERM;
}

/* Return len bytes at off; NULL if there are fewer, or it is too late. */
static const uint8_t *bytes_at(struct source *from, uint64_t off, size_t len)
{
	ssize_t got;

	if (off >= from->block_off &&
	    off - from->block_off <= from->block_len &&
	    len <= from->block_len - (size_t)(off - from->block_off))
		return from->block + (off - from->block_off);
	if (off + len > DUMP_LEN_MAX)
		from->rc = -EFBIG;
	else if (rec_now_ns() >= from->conf->until_ns)
		from->rc = -ETIME;
	if (from->rc)
		return NULL;
	do {
		got = pread(from->fd, from->block, BLOCK_LEN, (off_t)off);
	} while (got < 0 && errno == EINTR);
	from->block_off = off;
	from->block_len = got > 0 ? (size_t)got : 0;
	return len <= from->block_len ? from->block : NULL;
}

/* Call visit with each code, until it returns an error. */
static int each_code(struct source *from,
		     int (*visit)(struct source *from,
				  const struct pd_jit_code *code))
{
	struct pd_jitdump_record record;
	struct pd_jit_code code;
	const uint8_t *data;
	int rc = 0;

	for (uint64_t off = from->head.head_len; rc >= 0; off += record.len) {
		data = bytes_at(from, off, PD_JITDUMP_RECORD_LEN);
		if (!data)
			return from->rc;
		if (pd_jitdump_record(&from->head, data, &record))
			return -EBADMSG;
		data = bytes_at(from, off, pd_jitdump_body_len(&record));
		if (!data || record.kind == PD_JITDUMP_CLOSE)
			return from->rc;
		rc = pd_jitdump_code(&from->head, data, &record, &code);
		if (rc > 0)
			rc = visit(from, &code);
	}
	return rc;
}

static bool is_hit(const struct source *from, const struct pd_jit_code *code)
{
	const struct rec_jitdump_conf *conf = from->conf;
	size_t first = rec_hits_below(conf->hits, conf->hit_nr, code->addr);

	return first < conf->hit_nr &&
	       conf->hits[first] - code->addr < code->len;
}

static int note_hit(struct source *from, const struct pd_jit_code *code)
{
	if (code->idx == UINT64_MAX || !is_hit(from, code))
		return 0;
	return rec_hit_set_add(&from->found, code->idx, &from->found_budget)
		       ? 0
		       : -EFBIG;
}

/* Return whether the code names a function that was hit at another place. */
static bool is_wanted(const struct source *from, const struct pd_jit_code *code)
{
	size_t i = rec_hits_below(from->idxs, from->found.nr, code->idx);

	return code->name.len && i < from->found.nr &&
	       from->idxs[i] == code->idx;
}

static int add(struct rec_jit_codes *codes, const struct pd_jit_code *code)
{
	size_t len = sizeof(*code) + code->name.len + 1 + MALLOC_LEN;
	uint32_t nr = codes->jit.code_nr;
	char *name;

	if (len > *codes->budget)
		return -EFBIG;
	if (nr == codes->cap) {
		uint32_t cap = nr ? 2 * nr : 16;
		struct pd_jit_code *items =
			reallocarray(codes->items, cap, sizeof(*items));

		if (!items)
			return -ENOMEM;
		codes->items = items;
		codes->cap = cap;
	}
	name = pd_str_dup(code->name);
	if (!name)
		return -ENOMEM;
	*codes->budget -= len;
	codes->items[nr] = *code;
	codes->items[nr].name.ptr = name;
	codes->jit.code_nr++;
	return 0;
}

static int take(struct source *from, const struct pd_jit_code *code)
{
	if (!is_hit(from, code))
		return is_wanted(from, code) ? add(from->ret, code) : 0;
	rec_unnamed_hits_name(from->conf->unnamed, code->addr, code->len);
	return add(from->ret, code);
}

static int read_head(struct source *from)
{
	const uint8_t *data = bytes_at(from, 0, PD_JITDUMP_HEAD_LEN);
	struct stat st;

	if (!data)
		return from->rc ? from->rc : -EBADMSG;
	if (fstat(from->fd, &st))
		return -errno;
	return pd_jitdump_head(&from->head, data, (uint64_t)st.st_size, NULL);
}

/* What is found until an error counts, as a reader has it of the dump. */
static int read_codes(struct source *from)
{
	int rc = read_head(from), later;

	if (rc)
		return rc;
	from->ret->is_there = true;
	from->ret->jit.has_cpu_times = from->head.has_cpu_times;
	rc = each_code(from, note_hit);
	from->idxs = rec_hit_set_sort(&from->found);
	from->rc = 0;
	later = each_code(from, take);
	return rc ? rc : later;
}

int rec_jitdump_codes(int fd, const struct rec_jitdump_conf *conf,
		      struct rec_jit_codes *ret)
{
	struct source from = {
		.fd = fd,
		.conf = conf,
		.block = malloc(BLOCK_LEN),
		.found_budget = IDXS_LEN_MAX,
		.ret = ret,
	};
	int rc = from.block ? read_codes(&from) : -ENOMEM;

	rec_hit_set_release(&from.found);
	free(from.block);
	ret->jit.codes = ret->items;
	ret->jit.is_cut = rc != 0;
	return rc;
}

void rec_jit_codes_release(struct rec_jit_codes *codes)
{
	for (uint32_t i = 0; i < codes->jit.code_nr; i++)
		free((char *)(uintptr_t)codes->items[i].name.ptr);
	free(codes->items);
	*codes = (struct rec_jit_codes){ .budget = codes->budget };
}
