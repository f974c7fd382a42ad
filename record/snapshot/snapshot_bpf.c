#include "record/snapshot/snapshot_put.h"

#include "record/snapshot/btf_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The commands and parts of structures of bpf(2) that are used here.  Source:
 * Linux v6.1 include/uapi/linux/bpf.h, union bpf_attr and struct bpf_prog_info.
 */
enum {
	CMD_PROG_GET_NEXT_ID = 11,
	CMD_PROG_GET_FD_BY_ID = 13,
	CMD_OBJ_GET_INFO_BY_FD = 15,
	CMD_BTF_GET_FD_BY_ID = 19,
	BTF_LEN_MAX = 16 << 20, /* the kernel's own limit, BTF_MAX_SIZE */
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

/* Large: the kernel's struct, member by member.  The kernel fills what it
 * knows; pointers are requested by setting them and their counts. */
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

struct btf_info {
	uint64_t btf;
	uint32_t btf_size;
	uint32_t id;
};

struct func_info {
	uint32_t insn_off;
	uint32_t type_id;
};

/* The functions of one program: the program first, then those it calls. */
struct prog_funcs {
	uint64_t addrs[FUNC_NR_MAX];
	uint32_t lens[FUNC_NR_MAX];
	uint8_t tags[FUNC_NR_MAX][TAG_LEN];
	struct func_info types[FUNC_NR_MAX];
	uint32_t nr;
	uint8_t *btf; /* owned; NULL: the program has none */
	uint32_t btf_len;
};

static int bpf(unsigned cmd, void *attr, size_t attr_len)
{
	return (int)syscall(SYS_bpf, cmd, attr, attr_len);
}

static bool get_info(int fd, void *info, uint32_t info_len)
{
	struct attr_info attr = {
		.bpf_fd = (uint32_t)fd,
		.info_len = info_len,
		.info = (uint64_t)(uintptr_t)info,
	};

	return bpf(CMD_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) == 0;
}

/* Ask twice: for the length, then for the bytes. */
static void read_btf(uint32_t btf_id, struct prog_funcs *funcs)
{
	struct attr_get_id id = { .start_id = btf_id };
	struct btf_info info = { .btf = 0 };
	int fd;

	funcs->btf = NULL;
	funcs->btf_len = 0;
	if (btf_id == 0)
		return;
	fd = bpf(CMD_BTF_GET_FD_BY_ID, &id, sizeof(id));
	if (fd < 0)
		return;
	if (get_info(fd, &info, sizeof(info)) && info.btf_size > 0 &&
	    info.btf_size <= BTF_LEN_MAX)
		funcs->btf = malloc(info.btf_size);
	info.btf = (uint64_t)(uintptr_t)funcs->btf;
	if (funcs->btf && get_info(fd, &info, sizeof(info)))
		funcs->btf_len = info.btf_size;
	close(fd);
}

/* Ask twice: for the counts, then for the arrays. */
static bool read_program(int fd, struct prog_info *info,
			 struct prog_funcs *funcs)
{
	struct prog_info counts = { .type = 0 };
	bool has_types;

	if (!get_info(fd, &counts, sizeof(counts)))
		return false;
	funcs->nr = counts.nr_jited_ksyms;
	if (funcs->nr == 0 || funcs->nr > FUNC_NR_MAX ||
	    counts.nr_jited_func_lens != funcs->nr ||
	    counts.nr_prog_tags != funcs->nr)
		return false;
	has_types = counts.btf_id && counts.nr_func_info == funcs->nr;
	*info = (struct prog_info){
		.nr_jited_ksyms = funcs->nr,
		.nr_jited_func_lens = funcs->nr,
		.nr_prog_tags = funcs->nr,
		.jited_ksyms = (uint64_t)(uintptr_t)funcs->addrs,
		.jited_func_lens = (uint64_t)(uintptr_t)funcs->lens,
		.prog_tags = (uint64_t)(uintptr_t)funcs->tags,
	};
	if (has_types) {
		info->nr_func_info = funcs->nr;
		info->func_info_rec_size = sizeof(funcs->types[0]);
		info->func_info = (uint64_t)(uintptr_t)funcs->types;
	}
	if (!get_info(fd, info, sizeof(*info)) ||
	    info->nr_jited_ksyms != funcs->nr)
		return false;
	read_btf(has_types ? info->btf_id : 0, funcs);
	return true;
}

/* Return the name after the tag; empty: none.  Without BTF only the program
 * itself has one, and the functions that it calls are all "F", as in the
 * kernel's records. */
static struct pd_str function_name(const struct prog_info *info,
				   const struct prog_funcs *funcs, uint32_t idx)
{
	struct pd_str name = { "F", 1 };

	if (funcs->btf_len)
		return rec_btf_name(funcs->btf, funcs->btf_len,
				    funcs->types[idx].type_id);
	if (idx == 0)
		name = (struct pd_str){ info->name,
					strnlen(info->name, NAME_LEN) };
	return name;
}

/* Append the record with the kernel's own KSYMBOL name: bpf_prog_TAG_NAME. */
static void put_function(const struct rec_snapshot_conf *conf,
			 const struct prog_info *info,
			 const struct prog_funcs *funcs, uint32_t idx,
			 struct pd_buf *out)
{
	struct pd_body body = { .type = PD_RECORD_KSYMBOL };
	const struct pd_str func = function_name(info, funcs, idx);
	char name[512]; /* KSYM_NAME_LEN */
	size_t len = strlen("bpf_prog_");

	memcpy(name, "bpf_prog_", len + 1);
	for (unsigned i = 0; i < TAG_LEN; i++, len += 2)
		snprintf(name + len, 3, "%02x", funcs->tags[idx][i]);
	if (func.len && func.len < sizeof(name) - len - 1) {
		name[len++] = '_';
		memcpy(name + len, func.ptr, func.len);
		len += func.len;
	}
	body.u.ksymbol = (struct pd_ksymbol){
		.addr = funcs->addrs[idx],
		.sym_len = funcs->lens[idx],
		.ksym_type = KSYMBOL_TYPE_BPF,
		.name = { name, len },
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

		if (fd >= 0 && read_program(fd, &info, funcs)) {
			put_program(conf, &info, funcs, out);
			free(funcs->btf);
		}
		if (fd >= 0)
			close(fd);
		next = (struct attr_get_id){ .start_id = next.next_id };
	}
	free(funcs);
}
