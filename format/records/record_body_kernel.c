/* The records that the kernel writes: FORMAT.md "Records". */
#include "format/records/record_layout.h"

#define BUILD_ID_SKIP 3u /* between the length and the bytes */
#define PROT_OF_CODE  4u /* PROT_EXEC */

/* True if the record has a build-id.  Its misc flag alone is not enough:
 * FORMAT.md "Records". */
static bool has_build_id(const struct pd_cursor *c, uint16_t misc)
{
	struct pd_cursor look = *c;
	uint8_t len = pd_cursor_u8(&look);
	const uint8_t *zeros = pd_cursor_bytes(&look, BUILD_ID_SKIP);

	return misc & PD_MISC_MMAP_BUILD_ID && zeros && len &&
	       len <= PD_BUILD_ID_LEN_MAX && !zeros[0] && !zeros[1] &&
	       !zeros[2];
}

static void read_build_id(struct pd_cursor *c, struct pd_mmap *m)
{
	uint8_t len = pd_cursor_u8(c);
	const uint8_t *bytes;

	pd_cursor_skip(c, BUILD_ID_SKIP);
	bytes = pd_cursor_bytes(c, PD_BUILD_ID_LEN_MAX);
	if (!bytes)
		return;
	m->build_id_len = len;
	memcpy(m->build_id, bytes, len);
}

static void read_inode(struct pd_cursor *c, struct pd_mmap *m)
{
	m->maj = pd_cursor_u32(c);
	m->min = pd_cursor_u32(c);
	m->ino = pd_cursor_u64(c);
	m->ino_generation = pd_cursor_u64(c);
}

/* Return whether two bytes begin a name, and not a prot: no prot has two
 * letters in its first two bytes, in either order of bytes. */
static bool begin_name(uint32_t first, uint32_t second)
{
	return first > ' ' && first <= '~' && second >= ' ';
}

/* Return whether the name follows the inode at once, as kernel 3.10 of RHEL 7.0
 * wrote it, before MMAP2 had prot and flags. */
static bool has_no_prot(const struct pd_cursor *c)
{
	struct pd_cursor look = *c;
	uint8_t first = pd_cursor_u8(&look), second = pd_cursor_u8(&look);

	return begin_name(first, second);
}

/* Read a prot.  One that would be a name in the other order of bytes is none.
 */
static uint32_t read_prot(struct pd_cursor *c)
{
	uint32_t prot = pd_cursor_u32(c);

	return begin_name(prot & 0xff, prot >> 8 & 0xff) ||
			       begin_name(prot >> 24, prot >> 16 & 0xff)
		       ? 0
		       : prot;
}

static void read_mmap2(struct pd_cursor *c, struct pd_body *ret)
{
	struct pd_mmap *m = &ret->u.mmap;

	if (has_build_id(c, ret->misc))
		read_build_id(c, m);
	else
		read_inode(c, m);
	if (has_no_prot(c)) {
		m->prot = ret->misc & PD_MISC_MMAP_DATA ? 0 : PROT_OF_CODE;
	} else {
		m->prot = read_prot(c);
		m->flags = pd_cursor_u32(c);
	}
	m->filename = pd_cursor_cstr(c);
}

static void write_build_id(struct pd_buf *b, const struct pd_mmap *m)
{
	pd_buf_u8(b, m->build_id_len);
	pd_buf_zero(b, BUILD_ID_SKIP);
	pd_buf_bytes(b, m->build_id, PD_BUILD_ID_LEN_MAX);
}

static void write_inode(struct pd_buf *b, const struct pd_mmap *m)
{
	pd_buf_u32(b, m->maj);
	pd_buf_u32(b, m->min);
	pd_buf_u64(b, m->ino);
	pd_buf_u64(b, m->ino_generation);
}

static void write_mmap2(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_mmap *m = &body->u.mmap;

	if (m->build_id_len)
		write_build_id(b, m);
	else
		write_inode(b, m);
	pd_buf_u32(b, m->prot);
	pd_buf_u32(b, m->flags);
	pd_buf_cstr_pad(b, m->filename, 8);
}

static size_t poke_len(const struct pd_text_poke *p)
{
	return (size_t)p->old_len + p->new_len;
}

static void read_text_poke(struct pd_cursor *c, struct pd_body *ret)
{
	ret->u.text_poke.bytes =
		pd_cursor_bytes(c, poke_len(&ret->u.text_poke));
}

/* The padding is part of the body, since the sample_id trailer follows it. */
static void write_text_poke(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_text_poke *p = &body->u.text_poke;
	size_t fields_len = 12; /* addr and the two lengths */

	pd_buf_bytes(b, p->bytes, poke_len(p));
	pd_buf_zero(b, (size_t) - (fields_len + poke_len(p)) % 8);
}

#define TASK_FIELDS                                              \
	PD_BODY(U32, task.pid), PD_BODY(U32, task.ppid),         \
		PD_BODY(U32, task.tid), PD_BODY(U32, task.ptid), \
		PD_BODY(U64, task.time_ns)
#define THROTTLE_FIELDS                                            \
	PD_BODY(U64, throttle.time_ns), PD_BODY(U64, throttle.id), \
		PD_BODY(U64, throttle.stream_id)

static const struct pd_body_row rows[PD_RECORD_KERNEL_NR] = {
	[PD_RECORD_MMAP] = {
		.what = "mmap record",
		PD_FIELDS(PD_BODY(U32, mmap.pid), PD_BODY(U32, mmap.tid),
			  PD_BODY(U64, mmap.addr),
			  PD_BODY(U64, mmap.map_len),
			  PD_BODY(U64, mmap.pgoff),
			  PD_BODY(TEXT, mmap.filename)),
	},
	[PD_RECORD_LOST] = {
		.what = "lost record",
		PD_FIELDS(PD_BODY(U64, lost.id),
			  PD_BODY(U64, lost.lost_nr)),
	},
	[PD_RECORD_COMM] = {
		.what = "comm record",
		PD_FIELDS(PD_BODY(U32, comm.pid), PD_BODY(U32, comm.tid),
			  PD_BODY(TEXT, comm.comm)),
	},
	[PD_RECORD_EXIT] = {
		.what = "exit record",
		PD_FIELDS(TASK_FIELDS),
	},
	[PD_RECORD_THROTTLE] = {
		.what = "throttle record",
		PD_FIELDS(THROTTLE_FIELDS),
	},
	[PD_RECORD_UNTHROTTLE] = {
		.what = "unthrottle record",
		PD_FIELDS(THROTTLE_FIELDS),
	},
	[PD_RECORD_FORK] = {
		.what = "fork record",
		PD_FIELDS(TASK_FIELDS),
	},
	[PD_RECORD_READ] = {
		.what = "read record",
		PD_FIELDS(PD_BODY(U32, read.pid), PD_BODY(U32, read.tid),
			  PD_BODY(WORDS, read.words)),
	},
	[PD_RECORD_MMAP2] = {
		.what = "mmap2 record",
		PD_FIELDS(PD_BODY(U32, mmap.pid), PD_BODY(U32, mmap.tid),
			  PD_BODY(U64, mmap.addr),
			  PD_BODY(U64, mmap.map_len),
			  PD_BODY(U64, mmap.pgoff)),
		.read_rest = read_mmap2,
		.write_rest = write_mmap2,
	},
	[PD_RECORD_AUX] = {
		.what = "aux record",
		PD_FIELDS(PD_BODY(U64, aux.aux_offset),
			  PD_BODY(U64, aux.aux_len),
			  PD_BODY(U64, aux.flags)),
	},
	[PD_RECORD_ITRACE_START] = {
		.what = "itrace start record",
		PD_FIELDS(PD_BODY(U32, itrace_start.pid),
			  PD_BODY(U32, itrace_start.tid)),
	},
	[PD_RECORD_LOST_SAMPLES] = {
		.what = "lost samples record",
		PD_FIELDS(PD_BODY(U64, lost_samples.lost_nr)),
	},
	[PD_RECORD_SWITCH] = {
		.what = "switch record",
	},
	[PD_RECORD_SWITCH_CPU_WIDE] = {
		.what = "cpu-wide switch record",
		PD_FIELDS(PD_BODY(U32, cpu_switch.next_prev_pid),
			  PD_BODY(U32, cpu_switch.next_prev_tid)),
	},
	[PD_RECORD_NAMESPACES] = {
		.what = "namespaces record",
		PD_FIELDS(PD_BODY(U32, namespaces.pid),
			  PD_BODY(U32, namespaces.tid),
			  PD_BODY_NR(LIST, namespaces.nr, namespaces.links,
					2)),
	},
	[PD_RECORD_KSYMBOL] = {
		.what = "ksymbol record",
		PD_FIELDS(PD_BODY(U64, ksymbol.addr),
			  PD_BODY(U32, ksymbol.sym_len),
			  PD_BODY(U16, ksymbol.ksym_type),
			  PD_BODY(U16, ksymbol.flags),
			  PD_BODY(TEXT, ksymbol.name)),
	},
	[PD_RECORD_BPF_EVENT] = {
		.what = "bpf record",
		PD_FIELDS(PD_BODY(U16, bpf_event.event_type),
			  PD_BODY(U16, bpf_event.flags),
			  PD_BODY(U32, bpf_event.prog_id),
			  PD_BODY_LEN(BYTES, bpf_event.tag, 8)),
	},
	[PD_RECORD_CGROUP] = {
		.what = "cgroup record",
		PD_FIELDS(PD_BODY(U64, cgroup.cgroup_id),
			  PD_BODY(TEXT, cgroup.path)),
	},
	[PD_RECORD_TEXT_POKE] = {
		.what = "text poke record",
		PD_FIELDS(PD_BODY(U64, text_poke.addr),
			  PD_BODY(U16, text_poke.old_len),
			  PD_BODY(U16, text_poke.new_len)),
		.read_rest = read_text_poke,
		.write_rest = write_text_poke,
	},
	[PD_RECORD_AUX_OUTPUT_HW_ID] = {
		.what = "aux output hardware id record",
		PD_FIELDS(PD_BODY(U64, aux_output_hw_id.hw_id)),
	},
	[PD_RECORD_CALLCHAIN_DEFERRED] = {
		.what = "deferred callchain record",
		PD_FIELDS(PD_BODY(U64, callchain_deferred.cookie),
			  PD_BODY_LEN(LIST, callchain_deferred.ips, 1)),
	},
};

const struct pd_body_row *pd_body_kernel_row(uint32_t type)
{
	if (type >= PD_RECORD_KERNEL_NR || !rows[type].what)
		return NULL;
	return &rows[type];
}
