#include "record/names/jitdump_codes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/base/read_file.h"
#include "record/base/runtime.h"
#include "record/names/hit_set.h"
#include "record/names/perf_map_place.h"

/* A dump has the code itself, too, which is passed over. */
#define DUMP_LEN_MAX (UINT64_C(256) << 20)
#define IDXS_LEN_MAX ((size_t)4 << 20)

/* The bytes that malloc() takes beside a text. */
enum { MALLOC_LEN = 16 };

/* A dump, while it is read. */
struct source {
	int fd;
	const struct rec_jitdump_conf *conf;
	struct pd_jitdump dump;
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
	return rec_jit_file_judge(&st, user);
}

/* As pd_read_at has it, until it is too late. */
static int read_in_time(void *ctx, uint64_t off, void *ret, size_t len)
{
	const struct source *from = ctx;
	const struct pd_read_at file = rec_read_at(from->fd);

	if (off + len > DUMP_LEN_MAX)
		return -EFBIG;
	if (rec_now_ns() >= from->conf->until_ns)
		return -ETIME;
	return file.read(file.ctx, off, ret, len);
}

/* Call visit with each code, until it returns an error. */
static int each_code(struct source *from,
		     int (*visit)(struct source *from,
				  const struct pd_jit_code *code))
{
	struct pd_jit_code code;
	int rc;

	pd_jitdump_rewind(&from->dump);
	while ((rc = pd_jitdump_next(&from->dump, &code)) > 0) {
		rc = visit(from, &code);
		if (rc)
			break;
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

/* Bytes may be NUL. */
static char *copy_of(struct pd_str bytes)
{
	char *copy = malloc(bytes.len);

	return copy ? memcpy(copy, bytes.ptr, bytes.len) : NULL;
}

/* Return the bytes that a code takes of the budget. */
static size_t len_of(const struct pd_jit_code *code)
{
	size_t frame_len =
		code->eh_frame.len ? code->eh_frame.len + MALLOC_LEN : 0;

	return sizeof(*code) + code->name.len + 1 + MALLOC_LEN + frame_len;
}

int rec_jit_codes_add(struct rec_jit_codes *codes,
		      const struct pd_jit_code *code)
{
	struct pd_jit_code copy = *code;
	uint32_t nr = codes->jit.code_nr;
	char *name, *frame;

	if (!codes->with_frames)
		copy.eh_frame = (struct pd_str){ "", 0 };
	if (len_of(&copy) > *codes->budget)
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
	frame = copy.eh_frame.len ? copy_of(copy.eh_frame) : NULL;
	if (!name || (copy.eh_frame.len && !frame)) {
		free(name);
		free(frame);
		return -ENOMEM;
	}
	copy.name.ptr = name;
	copy.eh_frame.ptr = frame;
	*codes->budget -= len_of(&copy);
	codes->items[nr] = copy;
	codes->jit.code_nr++;
	codes->jit.codes = codes->items;
	return 0;
}

static int take(struct source *from, const struct pd_jit_code *code)
{
	if (!is_hit(from, code))
		return is_wanted(from, code)
			       ? rec_jit_codes_add(from->ret, code)
			       : 0;
	rec_unnamed_hits_name(from->conf->unnamed, code->addr, code->len);
	return rec_jit_codes_add(from->ret, code);
}

/* Code found before an error counts: a reader has it of the dump, too. */
static int read_codes(struct source *from)
{
	const struct pd_read_at in_time = { .read = read_in_time, .ctx = from };
	struct stat st;
	int rc, later;

	if (fstat(from->fd, &st))
		return -errno;
	rc = pd_jitdump_open(&from->dump, in_time, (uint64_t)st.st_size, NULL);
	if (rc)
		return rc;
	from->ret->is_there = true;
	from->ret->jit.has_cpu_times = from->dump.has_cpu_times;
	rc = each_code(from, note_hit);
	from->idxs = rec_hit_set_sort(&from->found);
	later = each_code(from, take);
	return rc ? rc : later;
}

int rec_jitdump_codes(int fd, const struct rec_jitdump_conf *conf,
		      struct rec_jit_codes *ret)
{
	struct source from = {
		.fd = fd,
		.conf = conf,
		.found_budget = IDXS_LEN_MAX,
		.ret = ret,
	};
	int rc = read_codes(&from);

	rec_hit_set_release(&from.found);
	pd_jitdump_close(&from.dump);
	ret->jit.is_cut = rc != 0;
	return rc;
}

void rec_jit_codes_release(struct rec_jit_codes *codes)
{
	for (uint32_t i = 0; i < codes->jit.code_nr; i++) {
		*codes->budget += len_of(&codes->items[i]);
		free((char *)(uintptr_t)codes->items[i].name.ptr);
		free((char *)(uintptr_t)codes->items[i].eh_frame.ptr);
	}
	free(codes->items);
	*codes = (struct rec_jit_codes){ .budget = codes->budget,
					 .with_frames = codes->with_frames };
}
