#include "record/snapshot_kernel.h"

#include "record/snapshot_put.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* bpf(2), commands and the parts of its structures that are used here.
 * Source: Linux v6.1 include/uapi/linux/bpf.h, union bpf_attr and struct
 * bpf_prog_info. */
enum {
	CMD_PROG_GET_NEXT_ID = 11,
	CMD_PROG_GET_FD_BY_ID = 13,
	CMD_OBJ_GET_INFO_BY_FD = 15,
	TAG_LEN = 8,
	NAME_LEN = 16,
	FUNC_NR_MAX = 4096,
	KSYMBOL_TYPE_BPF = 1,
	BPF_EVENT_LOAD = 1,
};

struct attr_get_id {
	uint32_t start_id; /* or prog_id */
	uint32_t next_id;
	uint32_t open_flags;
};

struct attr_info {
	uint32_t bpf_fd;
	uint32_t info_len;
	uint64_t info;
};

/* The kernel fills what it has and we ask for; pointers are asked for by
 * setting them and their counts. */
struct prog_info {
	uint32_t type;
	uint32_t id;
	uint8_t tag[TAG_LEN];
	uint32_t jited_prog_len;
	uint32_t xlated_prog_len;
	uint64_t jited_prog_insns;
	uint64_t xlated_prog_insns;
	uint64_t load_time;
	uint32_t created_by_uid;
	uint32_t nr_map_ids;
	uint64_t map_ids;
	char name[NAME_LEN];
	uint32_t ifindex;
	uint32_t gpl_compatible;
	uint64_t netns_dev;
	uint64_t netns_ino;
	uint32_t nr_jited_ksyms;
	uint32_t nr_jited_func_lens;
	uint64_t jited_ksyms;
	uint64_t jited_func_lens;
	uint32_t btf_id;
	uint32_t func_info_rec_size;
	uint64_t func_info;
	uint32_t nr_func_info;
	uint32_t nr_line_info;
	uint64_t line_info;
	uint64_t jited_line_info;
	uint32_t nr_jited_line_info;
	uint32_t line_info_rec_size;
	uint32_t jited_line_info_rec_size;
	uint32_t nr_prog_tags;
	uint64_t prog_tags;
};

/* Functions of one program: the program itself first, then what it calls. */
struct prog_funcs {
	uint64_t addrs[FUNC_NR_MAX];
	uint32_t lens[FUNC_NR_MAX];
	uint8_t tags[FUNC_NR_MAX][TAG_LEN];
	uint32_t nr;
};

static int bpf(unsigned cmd, void *attr, size_t attr_len)
{
	return (int)syscall(SYS_bpf, cmd, attr, attr_len);
}

static bool get_info(int fd, struct prog_info *info)
{
	struct attr_info attr = {
		.bpf_fd = (uint32_t)fd,
		.info_len = sizeof(*info),
		.info = (uint64_t)(uintptr_t)info,
	};

	return bpf(CMD_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) == 0;
}

/* Twice: for the counts, then for the arrays. */
static bool read_program(int fd, struct prog_info *info,
			 struct prog_funcs *funcs)
{
	struct prog_info counts = { .type = 0 };

	if (!get_info(fd, &counts))
		return false;
	funcs->nr = counts.nr_jited_ksyms;
	if (funcs->nr == 0 || funcs->nr > FUNC_NR_MAX ||
	    counts.nr_jited_func_lens != funcs->nr ||
	    counts.nr_prog_tags != funcs->nr)
		return false;
	*info = (struct prog_info){
		.nr_jited_ksyms = funcs->nr,
		.nr_jited_func_lens = funcs->nr,
		.nr_prog_tags = funcs->nr,
		.jited_ksyms = (uint64_t)(uintptr_t)funcs->addrs,
		.jited_func_lens = (uint64_t)(uintptr_t)funcs->lens,
		.prog_tags = (uint64_t)(uintptr_t)funcs->tags,
	};
	return get_info(fd, info) && info->nr_jited_ksyms == funcs->nr;
}

/* As the kernel names it in its own KSYMBOL records: bpf_prog_TAG_NAME; of the
 * functions that a program calls only the tag is known without its BTF, and
 * "F" stands for the name. */
static void put_function(const struct rec_snapshot_conf *conf,
			 const struct prog_info *info,
			 const struct prog_funcs *funcs, uint32_t idx,
			 struct pd_buf *out)
{
	struct pd_body body = { .type = PD_RECORD_KSYMBOL };
	const uint8_t *tag = funcs->tags[idx];
	char name[64];
	int n = snprintf(name, sizeof(name), "bpf_prog_");

	for (unsigned i = 0; i < TAG_LEN; i++)
		n += snprintf(name + n, sizeof(name) - (size_t)n, "%02x",
			      tag[i]);
	if (funcs->nr > 1 && idx > 0)
		n += snprintf(name + n, sizeof(name) - (size_t)n, "_F");
	else if (info->name[0])
		n += snprintf(name + n, sizeof(name) - (size_t)n, "_%.*s",
			      NAME_LEN, info->name);
	body.u.ksymbol = (struct pd_ksymbol){
		.addr = funcs->addrs[idx],
		.sym_len = funcs->lens[idx],
		.ksym_type = KSYMBOL_TYPE_BPF,
		.name = { name, (size_t)n },
	};
	rec_put_body(out, conf->id_len, 0, &body);
}

static void put_program(const struct rec_snapshot_conf *conf,
			const struct prog_info *info,
			const struct prog_funcs *funcs, struct pd_buf *out)
{
	struct pd_body body = { .type = PD_RECORD_BPF_EVENT };

	for (uint32_t i = 0; i < funcs->nr; i++)
		if (funcs->addrs[i])
			put_function(conf, info, funcs, i, out);
	body.u.bpf_event.event_type = BPF_EVENT_LOAD;
	body.u.bpf_event.prog_id = info->id;
	memcpy(body.u.bpf_event.tag, info->tag, TAG_LEN);
	rec_put_body(out, conf->id_len, 0, &body);
}

void rec_put_bpf_programs(const struct rec_snapshot_conf *conf,
			  struct pd_buf *out)
{
	struct attr_get_id next = { .start_id = 0 };
	struct prog_funcs *funcs = malloc(sizeof(*funcs));
	struct prog_info info;

	while (funcs && bpf(CMD_PROG_GET_NEXT_ID, &next, sizeof(next)) == 0) {
		struct attr_get_id id = { .start_id = next.next_id };
		const int fd = bpf(CMD_PROG_GET_FD_BY_ID, &id, sizeof(id));

		if (fd >= 0 && read_program(fd, &info, funcs))
			put_program(conf, &info, funcs, out);
		if (fd >= 0)
			close(fd);
		next = (struct attr_get_id){ .start_id = next.next_id };
	}
	free(funcs);
}
