/* The records that perf adds: FORMAT.md "Records". */
#include "format/records/record_layout.h"

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

static const struct pd_body_row
	rows[PD_RECORD_USER_NR - PD_RECORD_USER_START] = {
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

const struct pd_body_row *pd_body_user_row(uint32_t type)
{
	uint32_t idx = type - PD_RECORD_USER_START;

	if (idx >= PD_RECORD_USER_NR - PD_RECORD_USER_START || !rows[idx].what)
		return NULL;
	return &rows[idx];
}
