#include "format/records/record_body.h"

#include "format/base/fields.h"

/* The body of a record as a list of fields.
 *
 * A row of the tables kernel_rows and user_rows says which
 * fields a type of record has and where in struct pd_body each lies.  What a
 * list cannot say (a union, a length that depends on what was read before) is a
 * pair of functions, which read and write what follows the fields. */

#define PD_BODY(kind, member) PD_FIELD(kind, pd_body, u.member)
#define PD_BODY_LEN(kind, member, len)                                      \
	{                                                                   \
		PD_FIELD_##kind, len, offsetof(struct pd_body, u.member), 0 \
	}
#define PD_BODY_NR(kind, nr, member, len)                                 \
	{                                                                 \
		PD_FIELD_##kind, len, offsetof(struct pd_body, u.member), \
			offsetof(struct pd_body, u.nr)                    \
	}

#define PD_FIELDS_MAX 8

/* The fields of a row, and how many there are. */
#define PD_FIELDS(...)                                                 \
	.fields = { __VA_ARGS__ },                                     \
	.field_nr = sizeof((const struct pd_field[]){ __VA_ARGS__ }) / \
		    sizeof(struct pd_field)

struct body_row {
	const char *what; /* NULL: there is no such type */
	struct pd_field fields[PD_FIELDS_MAX];
	uint8_t field_nr;
	bool is_unpadded; /* its length is that of its payload */
	/* Read and write what follows the fields; NULL: nothing does. */
	void (*read_rest)(struct pd_cursor *c, struct pd_body *ret);
	void (*write_rest)(struct pd_buf *b, const struct pd_body *body);
};

/* The records that the kernel writes: FORMAT.md "Records". */

#define BUILD_ID_SKIP 3u /* between the length and the bytes */
#define PROT_OF_CODE  4u /* PROT_EXEC */
#define NAME_ALIGN    8u /* a name is padded to so many bytes */

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
 * wrote it, before MMAP2 had prot and flags.  Padding alone follows a name, so
 * what ends before that is a prot of unset memory, as hiperf writes it. */
static bool has_no_prot(const struct pd_cursor *c)
{
	struct pd_cursor look = *c;
	struct pd_str name = pd_cursor_cstr(&look);

	return name.len > 1 &&
	       begin_name((uint8_t)name.ptr[0], (uint8_t)name.ptr[1]) &&
	       pd_cursor_left(&look) < NAME_ALIGN;
}

/* Return whether a prot is text, in either order of bytes: no rights are. */
static bool is_text(uint32_t prot)
{
	return begin_name(prot & 0xff, prot >> 8 & 0xff) ||
	       begin_name(prot >> 24, prot >> 16 & 0xff);
}

static void read_mmap2(struct pd_cursor *c, struct pd_body *ret)
{
	struct pd_mmap *m = &ret->u.mmap;
	bool is_known = false;

	if (has_build_id(c, ret->misc))
		read_build_id(c, m);
	else
		read_inode(c, m);
	if (!has_no_prot(c)) {
		m->prot = pd_cursor_u32(c);
		m->flags = pd_cursor_u32(c);
		is_known = !is_text(m->prot);
	}
	if (!is_known)
		m->prot = ret->misc & PD_MISC_MMAP_DATA ? 0 : PROT_OF_CODE;
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

static const struct body_row kernel_rows[PD_RECORD_KERNEL_NR] = {
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

/* Return the row of a type; NULL if there is none. */
static const struct body_row *body_kernel_row(uint32_t type)
{
	if (type >= PD_RECORD_KERNEL_NR || !kernel_rows[type].what)
		return NULL;
	return &kernel_rows[type];
}

/* The records that perf adds: FORMAT.md "Records". */

static void read_header_attr(struct pd_cursor *c, struct pd_body *ret)
{
	struct pd_header_attr *h = &ret->u.header_attr;

	if (pd_attr_read(c, &h->attr))
		return;
	h->ids = pd_cursor_u64s(c, pd_cursor_left(c) / sizeof(uint64_t));
}

static void write_header_attr(struct pd_buf *b, const struct pd_body *body)
{
	pd_attr_write(b, &body->u.header_attr.attr);
	pd_buf_u64s(b, &body->u.header_attr.ids);
}

/* Records from before Linux 5.11 do not say how long the build-id is; it counts
 * as 20 bytes long. */
static void read_header_build_id(struct pd_cursor *c, struct pd_body *ret)
{
	struct pd_header_build_id *h = &ret->u.header_build_id;
	const uint8_t *bytes = pd_cursor_bytes(c, PD_BUILD_ID_LEN_MAX);
	uint8_t len = pd_cursor_u8(c);

	pd_cursor_skip(c, 3);
	if (!(ret->misc & PD_MISC_BUILD_ID_SIZE))
		len = PD_BUILD_ID_LEN_MAX;
	if (len > PD_BUILD_ID_LEN_MAX) {
		pd_cursor_fail(c, -EBADMSG, "build-id of %u bytes", len);
		return;
	}
	h->filename = pd_cursor_cstr(c);
	if (!bytes || pd_cursor_status(c))
		return;
	h->build_id_len = len;
	memcpy(h->build_id, bytes, len);
}

static void write_header_build_id(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_header_build_id *h = &body->u.header_build_id;

	pd_buf_bytes(b, h->build_id, PD_BUILD_ID_LEN_MAX);
	pd_buf_u8(b, h->build_id_len);
	pd_buf_zero(b, 3);
	pd_buf_cstr_pad(b, h->filename, 8);
}

/* A record of fmt 0 has no time, one below fmt 2 does not name a guest. */
static const struct pd_field error_rest[] = {
	PD_BODY(U64, auxtrace_error.time_ns),
	PD_BODY_LEN(CHARS, auxtrace_error.msg, 64),
	PD_BODY(U32, auxtrace_error.machine_pid),
	PD_BODY(U32, auxtrace_error.vcpu),
};

static void read_auxtrace_error(struct pd_cursor *c, struct pd_body *ret)
{
	uint32_t fmt = ret->u.auxtrace_error.fmt;
	size_t first = fmt ? 0 : 1, end = fmt < 2 ? 2 : 4;

	pd_fields_read(c, error_rest + first, end - first, ret);
}

static void write_auxtrace_error(struct pd_buf *b, const struct pd_body *body)
{
	uint32_t fmt = body->u.auxtrace_error.fmt;
	size_t first = fmt ? 0 : 1, end = fmt < 2 ? 2 : 4;

	pd_fields_write(b, error_rest + first, end - first, body);
}

static void read_mask(struct pd_cursor *c, struct pd_cpu_map *m)
{
	uint16_t nr = pd_cursor_u16(c);
	uint16_t word_len = pd_cursor_u16(c);

	if (pd_cursor_status(c))
		return;
	if (word_len != 4 && word_len != 8) {
		pd_cursor_fail(c, -EBADMSG, "CPU mask of words of %u bytes",
			       word_len);
		return;
	}
	if (word_len == 8)
		pd_cursor_skip(c, 4);
	m->words = pd_cursor_bytes(c, (uint64_t)nr * word_len);
	m->mask_word_len = word_len;
	m->nr = m->words ? nr : 0;
}

static void read_cpus(struct pd_cursor *c, struct pd_cpu_map *m)
{
	uint16_t nr;

	m->swap = c->swap;
	m->map_type = pd_cursor_u16(c);
	switch (m->map_type) {
	case PD_CPU_MAP_LIST:
		nr = pd_cursor_u16(c);
		m->words = pd_cursor_bytes(c, (uint64_t)nr * 2);
		m->nr = m->words ? nr : 0;
		return;
	case PD_CPU_MAP_MASK:
		read_mask(c, m);
		return;
	case PD_CPU_MAP_RANGE:
		m->any_cpu = pd_cursor_u8(c);
		pd_cursor_skip(c, 1);
		m->start_cpu = pd_cursor_u16(c);
		m->end_cpu = pd_cursor_u16(c);
		return;
	default:
		pd_cursor_fail(c, -ENOTSUP, "CPU map of type %u is not known",
			       m->map_type);
	}
}

static void write_mask(struct pd_buf *b, const struct pd_cpu_map *m)
{
	pd_buf_u16(b, m->nr);
	pd_buf_u16(b, m->mask_word_len);
	if (m->mask_word_len == 8)
		pd_buf_zero(b, 4);
	for (size_t i = 0; i < m->nr; i++) {
		if (m->mask_word_len == 8)
			pd_buf_u64(b, pd_cpu_map_at(m, i));
		else
			pd_buf_u32(b, (uint32_t)pd_cpu_map_at(m, i));
	}
}

static void write_cpus(struct pd_buf *b, const struct pd_cpu_map *m)
{
	pd_buf_u16(b, m->map_type);
	switch (m->map_type) {
	case PD_CPU_MAP_LIST:
		pd_buf_u16(b, m->nr);
		for (size_t i = 0; i < m->nr; i++)
			pd_buf_u16(b, (uint16_t)pd_cpu_map_at(m, i));
		return;
	case PD_CPU_MAP_MASK:
		write_mask(b, m);
		return;
	default:
		pd_buf_u8(b, m->any_cpu);
		pd_buf_u8(b, 0);
		pd_buf_u16(b, m->start_cpu);
		pd_buf_u16(b, m->end_cpu);
	}
}

static void read_cpu_map(struct pd_cursor *c, struct pd_body *ret)
{
	read_cpus(c, &ret->u.cpu_map);
}

static void write_cpu_map(struct pd_buf *b, const struct pd_body *body)
{
	write_cpus(b, &body->u.cpu_map);
}

/* A double has the byte order of the file, as a u64 has. */
static void read_event_update(struct pd_cursor *c, struct pd_body *ret)
{
	struct pd_event_update *u = &ret->u.event_update;
	uint64_t bits;

	switch (u->what) {
	case PD_UPDATE_UNIT:
	case PD_UPDATE_NAME:
		u->text = pd_cursor_cstr(c);
		return;
	case PD_UPDATE_SCALE:
		bits = pd_cursor_u64(c);
		memcpy(&u->scale, &bits, sizeof(bits));
		return;
	case PD_UPDATE_CPUS:
		read_cpus(c, &u->cpus);
		return;
	default:
		pd_cursor_fail(c, -ENOTSUP, "event update %llu is not known",
			       (unsigned long long)u->what);
	}
}

static void write_event_update(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_event_update *u = &body->u.event_update;
	uint64_t bits;

	switch (u->what) {
	case PD_UPDATE_SCALE:
		memcpy(&bits, &u->scale, sizeof(bits));
		pd_buf_u64(b, bits);
		return;
	case PD_UPDATE_CPUS:
		write_cpus(b, &u->cpus);
		return;
	default:
		pd_buf_cstr_pad(b, u->text, 8);
	}
}

static const struct pd_field time_conv_rest[] = {
	PD_BODY(U64, time_conv.time_cycles),
	PD_BODY(U64, time_conv.time_mask),
	PD_BODY(U8, time_conv.cap_user_time_zero),
	PD_BODY(U8, time_conv.cap_user_time_short),
	PD_FIELD_SKIP(6),
};
enum { TIME_CONV_REST_NR = sizeof(time_conv_rest) / sizeof(time_conv_rest[0]) };

static void read_time_conv(struct pd_cursor *c, struct pd_body *ret)
{
	if (pd_cursor_left(c)) /* before Linux 5.10 nothing follows */
		pd_fields_read(c, time_conv_rest, TIME_CONV_REST_NR, ret);
}

static void write_time_conv(struct pd_buf *b, const struct pd_body *body)
{
	pd_fields_write(b, time_conv_rest, TIME_CONV_REST_NR, body);
}

static void read_header_feature(struct pd_cursor *c, struct pd_body *ret)
{
	struct pd_header_feature *f = &ret->u.header_feature;

	f->payload_off = c->file_off + c->pos;
	f->payload_len = pd_cursor_left(c);
	f->payload = pd_cursor_bytes(c, f->payload_len);
}

static void write_header_feature(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_header_feature *f = &body->u.header_feature;

	pd_buf_bytes(b, f->payload, f->payload_len);
}

static void read_compressed(struct pd_cursor *c, struct pd_body *ret)
{
	struct pd_compressed *z = &ret->u.compressed;

	z->payload_len = pd_cursor_left(c);
	z->payload = pd_cursor_bytes(c, z->payload_len);
}

/* The length that perf 6.16 to 7.1 wrote can be that of a whole flush; it
 * counts only if it fits the record. */
static void read_compressed2(struct pd_cursor *c, struct pd_body *ret)
{
	uint64_t len = pd_cursor_u64(c);
	size_t left = pd_cursor_left(c);

	read_compressed(c, ret);
	if (len <= left && left - len < 8)
		ret->u.compressed.payload_len = (size_t)len;
}

static void write_compressed(struct pd_buf *b, const struct pd_body *body)
{
	const struct pd_compressed *z = &body->u.compressed;

	pd_buf_bytes(b, z->payload, z->payload_len);
}

static void write_compressed2(struct pd_buf *b, const struct pd_body *body)
{
	pd_buf_u64(b, body->u.compressed.payload_len);
	write_compressed(b, body);
}

#define ROW(type) [(type)-PD_RECORD_USER_START]

static const struct body_row
	user_rows[PD_RECORD_USER_NR - PD_RECORD_USER_START] = {
	ROW(PD_RECORD_HEADER_ATTR) = {
		.what = "attr record",
		.read_rest = read_header_attr,
		.write_rest = write_header_attr,
	},
	ROW(PD_RECORD_HEADER_EVENT_TYPE) = {
		.what = "event type record",
		PD_FIELDS(PD_BODY(U64, header_event_type.event_id),
			  PD_BODY(TEXT, header_event_type.name)),
	},
	ROW(PD_RECORD_HEADER_TRACING_DATA) = {
		.what = "tracing data record",
		PD_FIELDS(PD_BODY(U32, tracing_data.blob_len)),
	},
	ROW(PD_RECORD_HEADER_BUILD_ID) = {
		.what = "build-id record",
		PD_FIELDS(PD_BODY(U32, header_build_id.pid)),
		.read_rest = read_header_build_id,
		.write_rest = write_header_build_id,
	},
	ROW(PD_RECORD_FINISHED_ROUND) = {
		.what = "round marker",
	},
	ROW(PD_RECORD_ID_INDEX) = {
		.what = "id index record",
		PD_FIELDS(PD_BODY_NR(LIST, id_index.nr, id_index.entries,
					4),
			  PD_BODY(WORDS, id_index.guests)),
	},
	ROW(PD_RECORD_AUXTRACE_INFO) = {
		.what = "auxtrace info record",
		PD_FIELDS(PD_BODY(U32, auxtrace_info.auxtrace_type),
			  PD_FIELD_SKIP(4),
			  PD_BODY(WORDS, auxtrace_info.priv)),
	},
	ROW(PD_RECORD_AUXTRACE) = {
		.what = "auxtrace record",
		PD_FIELDS(PD_BODY(U64, auxtrace.trace_len),
			  PD_BODY(U64, auxtrace.offset),
			  PD_BODY(U64, auxtrace.reference),
			  PD_BODY(U32, auxtrace.idx),
			  PD_BODY(U32, auxtrace.tid),
			  PD_BODY(U32, auxtrace.cpu), PD_FIELD_SKIP(4)),
	},
	ROW(PD_RECORD_AUXTRACE_ERROR) = {
		.what = "auxtrace error record",
		PD_FIELDS(PD_BODY(U32, auxtrace_error.error_type),
			  PD_BODY(U32, auxtrace_error.code),
			  PD_BODY(U32, auxtrace_error.cpu),
			  PD_BODY(U32, auxtrace_error.pid),
			  PD_BODY(U32, auxtrace_error.tid),
			  PD_BODY(U32, auxtrace_error.fmt),
			  PD_BODY(U64, auxtrace_error.ip)),
		.read_rest = read_auxtrace_error,
		.write_rest = write_auxtrace_error,
	},
	ROW(PD_RECORD_THREAD_MAP) = {
		.what = "thread map record",
		PD_FIELDS(PD_BODY_NR(ITEMS, thread_map.nr,
					thread_map.entries, 24)),
	},
	ROW(PD_RECORD_CPU_MAP) = {
		.what = "cpu map record",
		.read_rest = read_cpu_map,
		.write_rest = write_cpu_map,
	},
	ROW(PD_RECORD_STAT_CONFIG) = {
		.what = "stat config record",
		PD_FIELDS(PD_BODY_NR(LIST, stat_config.nr,
					stat_config.entries, 2)),
	},
	ROW(PD_RECORD_STAT) = {
		.what = "stat record",
		PD_FIELDS(PD_BODY(U64, stat.id), PD_BODY(U32, stat.cpu),
			  PD_BODY(U32, stat.thread),
			  PD_BODY(U64, stat.value),
			  PD_BODY(U64, stat.enabled),
			  PD_BODY(U64, stat.running)),
	},
	ROW(PD_RECORD_STAT_ROUND) = {
		.what = "stat round record",
		PD_FIELDS(PD_BODY(U64, stat_round.round_type),
			  PD_BODY(U64, stat_round.time_ns)),
	},
	ROW(PD_RECORD_EVENT_UPDATE) = {
		.what = "event update record",
		PD_FIELDS(PD_BODY(U64, event_update.what),
			  PD_BODY(U64, event_update.id)),
		.read_rest = read_event_update,
		.write_rest = write_event_update,
	},
	ROW(PD_RECORD_TIME_CONV) = {
		.what = "time conversion record",
		PD_FIELDS(PD_BODY(U64, time_conv.time_shift),
			  PD_BODY(U64, time_conv.time_mult),
			  PD_BODY(U64, time_conv.time_zero)),
		.read_rest = read_time_conv,
		.write_rest = write_time_conv,
	},
	ROW(PD_RECORD_HEADER_FEATURE) = {
		.what = "feature record",
		PD_FIELDS(PD_BODY(U64, header_feature.feature)),
		.is_unpadded = true,
		.read_rest = read_header_feature,
		.write_rest = write_header_feature,
	},
	ROW(PD_RECORD_COMPRESSED) = {
		.what = "compressed record",
		.is_unpadded = true,
		.read_rest = read_compressed,
		.write_rest = write_compressed,
	},
	ROW(PD_RECORD_FINISHED_INIT) = {
		.what = "end of the start-up records",
	},
	ROW(PD_RECORD_COMPRESSED2) = {
		.what = "compressed record",
		.read_rest = read_compressed2,
		.write_rest = write_compressed2,
	},
	ROW(PD_RECORD_BPF_METADATA) = {
		.what = "bpf metadata record",
		PD_FIELDS(PD_BODY_LEN(CHARS, bpf_metadata.prog_name, 512),
			  PD_BODY_NR(ITEMS, bpf_metadata.nr,
					bpf_metadata.entries, 320)),
	},
};

static const struct body_row *body_user_row(uint32_t type)
{
	uint32_t idx = type - PD_RECORD_USER_START;

	if (idx >= PD_RECORD_USER_NR - PD_RECORD_USER_START ||
	    !user_rows[idx].what)
		return NULL;
	return &user_rows[idx];
}

#define THREAD_COMM_LEN	 16u
#define THREAD_ENTRY_LEN (8u + THREAD_COMM_LEN)

static const struct body_row *row_of(uint32_t type)
{
	return type < PD_RECORD_USER_START ? body_kernel_row(type)
					   : body_user_row(type);
}

int pd_body_read(const struct pd_record *rec, size_t id_len,
		 struct pd_body *ret, struct pd_err *err)
{
	const struct body_row *row = row_of(rec->type);
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
	const struct body_row *row = row_of(body->type);

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
	const struct body_row *row = row_of(body->type);
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
