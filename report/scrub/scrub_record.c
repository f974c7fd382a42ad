/* Records other than samples.  Each is decoded and written again, so that
 * nothing stands in the new file that has no meaning; the text in it is
 * changed on the way.  A type without a row is left out. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/search.h"
#include "format/file/tracepoint_formats.h"
#include "format/records/callchain.h"
#include "format/records/event_set.h"
#include "format/records/leaf_words.h"
#include "format/records/sample_id.h"
#include "report/base/memory.h"
#include "report/events/event_name.h"
#include "report/events/tracepoint.h"
#include "report/scrub/scrub_impl.h"

/* Takes fields out of samples.  Every field has a row in the order of the
 * record: FORMAT.md "Samples". */

/* The parts of a field. */
enum shape { WORD, COUNT, CHAIN, RAW, BRANCHES, USER, STACK, INTR, BLOB };

static const struct field {
	uint64_t bits; /* of sample_type: any of them */
	enum shape shape;
	bool is_taken;
	uint8_t kind; /* enum rpt_scrub_kind, if it is taken */
} fields[] = {
	{ PD_SAMPLE_IDENTIFIER, WORD, false, 0 },
	{ PD_SAMPLE_IP, WORD, false, 0 },
	{ PD_SAMPLE_TID, WORD, false, 0 },
	{ PD_SAMPLE_TIME, WORD, false, 0 },
	{ PD_SAMPLE_ADDR, WORD, true, RPT_SCRUB_ADDRESSES },
	{ PD_SAMPLE_ID, WORD, false, 0 },
	{ PD_SAMPLE_STREAM_ID, WORD, false, 0 },
	{ PD_SAMPLE_CPU, WORD, false, 0 },
	{ PD_SAMPLE_PERIOD, WORD, false, 0 },
	{ PD_SAMPLE_READ, COUNT, false, 0 },
	{ PD_SAMPLE_CALLCHAIN, CHAIN, false, 0 },
	{ PD_SAMPLE_RAW, RAW, true, RPT_SCRUB_RAW },
	{ PD_SAMPLE_BRANCH_STACK, BRANCHES, false, 0 },
	{ PD_SAMPLE_REGS_USER, USER, true, RPT_SCRUB_REGISTERS },
	{ PD_SAMPLE_STACK_USER, STACK, true, RPT_SCRUB_STACKS },
	{ PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT, WORD, false, 0 },
	{ PD_SAMPLE_DATA_SRC, WORD, false, 0 },
	{ PD_SAMPLE_TRANSACTION, WORD, false, 0 },
	{ PD_SAMPLE_REGS_INTR, INTR, true, RPT_SCRUB_REGISTERS },
	{ PD_SAMPLE_PHYS_ADDR, WORD, true, RPT_SCRUB_ADDRESSES },
	{ PD_SAMPLE_CGROUP, WORD, false, 0 },
	{ PD_SAMPLE_DATA_PAGE_SIZE, WORD, false, 0 },
	{ PD_SAMPLE_CODE_PAGE_SIZE, WORD, false, 0 },
	{ PD_SAMPLE_AUX, BLOB, true, RPT_SCRUB_TRACES },
};

static bool is_taken(const struct rpt_scrub *scrub, const struct field *f)
{
	return f->is_taken &&
	       !rpt_scrub_keeps(scrub, (enum rpt_scrub_kind)f->kind);
}

/* The bits of sample_type that the new file has. */
static uint64_t scrub_sample_type(const struct rpt_scrub *scrub,
				  uint64_t sample_type)
{
	uint64_t kept = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!is_taken(scrub, &fields[i]))
			kept |= fields[i].bits;
	return sample_type & kept;
}

static uint64_t bit_nr(uint64_t bits)
{
	return (uint64_t)__builtin_popcountll(bits);
}

static void skip_words(struct pd_cursor *c, uint64_t nr)
{
	(void)pd_cursor_u64s(c, nr);
}

static void skip_counts(struct pd_cursor *c, uint64_t format)
{
	const uint64_t times_bits =
		PD_READ_TOTAL_TIME_ENABLED | PD_READ_TOTAL_TIME_RUNNING;
	uint64_t times = bit_nr(format & times_bits);
	uint64_t member = 1 + bit_nr(format & (PD_READ_ID | PD_READ_LOST));
	uint64_t nr = 1;

	if (format & PD_READ_GROUP)
		nr = pd_cursor_u64(c);
	skip_words(c, times);
	if (nr > PD_RECORD_LEN_MAX) /* as in sample.c: too short */
		nr = PD_RECORD_LEN_MAX;
	skip_words(c, nr * member);
}

static void skip_branches(struct pd_cursor *c, uint64_t format)
{
	uint64_t nr = pd_cursor_u64(c);

	if (format & PD_BRANCH_HW_INDEX)
		skip_words(c, 1);
	if (nr > PD_RECORD_LEN_MAX)
		nr = PD_RECORD_LEN_MAX;
	skip_words(c, 3 * nr);
	if (format & PD_BRANCH_COUNTERS)
		skip_words(c, nr);
}

static void skip_regs(struct pd_cursor *c, uint64_t mask)
{
	if (pd_cursor_u64(c) != PD_REGS_ABI_NONE)
		skip_words(c, bit_nr(mask));
}

static void skip_bytes(struct pd_cursor *c, uint64_t len)
{
	(void)pd_cursor_bytes(c, len);
}

static void skip(struct pd_cursor *c, enum shape shape,
		 const struct pd_event *event)
{
	const struct pd_sample_layout *l = &event->layout;
	uint64_t len;

	switch (shape) {
	case WORD:
		skip_words(c, 1);
		return;
	case COUNT:
		skip_counts(c, l->read_format);
		return;
	case CHAIN:
		skip_words(c, pd_cursor_u64(c));
		return;
	case RAW:
		len = pd_cursor_u32(c);
		skip_bytes(c, len + (-(4 + len) & 7));
		return;
	case BRANCHES:
		/* repair has taken out what the attr does not have */
		skip_branches(c, event->attr.branch_sample_type);
		return;
	case USER:
		skip_regs(c, l->regs_user_mask);
		return;
	case INTR:
		skip_regs(c, l->regs_intr_mask);
		return;
	case STACK:
		len = pd_cursor_u64(c);
		skip_bytes(c, len ? len + 8 : 0);
		return;
	case BLOB:
		skip_bytes(c, pd_cursor_u64(c));
		return;
	}
}

/* Return whether a word of a chain may be anything that lay on the stack. */
static bool is_strange(struct rpt_scrub *scrub, uint64_t word, uint64_t mark)
{
	bool is_user = mark != PD_CONTEXT_KERNEL && mark != PD_CONTEXT_HV &&
		       mark != PD_CONTEXT_GUEST_KERNEL &&
		       mark != PD_CONTEXT_GUEST;

	return is_user && word && !rpt_scrub_is_code(scrub, word);
}

/* Copy a chain; words that are no code become 0. */
static void put_chain(struct rpt_scrub *scrub, const struct pd_record *rec,
		      const struct pd_sample *s, struct pd_buf *b)
{
	uint64_t mark = (rec->misc & PD_MISC_CPUMODE_MASK) == PD_CPUMODE_KERNEL
				? PD_CONTEXT_KERNEL
				: PD_CONTEXT_USER;

	pd_buf_u64(b, s->callchain.nr);
	for (size_t i = 0; i < s->callchain.nr; i++) {
		uint64_t word = pd_u64s_at(&s->callchain, i);

		if (word >= PD_CONTEXT_MAX) {
			mark = word;
		} else if (word != s->ip && is_strange(scrub, word, mark)) {
			rpt_scrub_count(scrub, RPT_SCRUB_WORDS, true);
			word = 0;
		}
		pd_buf_u64(b, word);
	}
}

/* Copy the words behind the fields of a sample, which end at the cursor; those
 * that are no code are left out. */
static void put_leaf_words(struct rpt_scrub *scrub, const struct pd_record *rec,
			   const struct pd_cursor *c, struct pd_buf *b)
{
	const struct pd_sample s = {
		.fields_len = PD_RECORD_HEADER_LEN + c->pos,
	};
	const struct pd_u64s words = pd_leaf_words(rec, &s);

	for (size_t i = 0; i < words.nr; i++) {
		uint64_t word = pd_u64s_at(&words, i);

		if (rpt_scrub_keeps(scrub, RPT_SCRUB_WORDS) ||
		    rpt_scrub_is_code(scrub, pd_leaf_word_addr(word)))
			pd_buf_u64(b, word);
		else
			rpt_scrub_count(scrub, RPT_SCRUB_WORDS, true);
	}
}

/* Write a sample without what is taken out of it.  Return false if it cannot be
 * read. */
static bool put_sample(struct rpt_scrub *scrub, const struct pd_event *event,
		       const struct pd_record *rec, struct pd_buf *b)
{
	const uint64_t type = event->layout.sample_type;
	struct pd_cursor c = pd_record_body(rec, "sample", NULL);
	size_t at = pd_record_begin(b, PD_RECORD_SAMPLE, rec->misc);
	struct pd_sample s = { .ip = 0 };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct field *f = &fields[i];
		size_t start = c.pos;

		if (!(type & f->bits))
			continue;
		skip(&c, f->shape, event);
		if (pd_cursor_status(&c))
			return false;
		if (f->bits == PD_SAMPLE_IP)
			s.ip = pd_record_word(
				rec, (int)(start + PD_RECORD_HEADER_LEN));
		if (is_taken(scrub, f)) {
			rpt_scrub_count(scrub, (enum rpt_scrub_kind)f->kind,
					true);
		} else if (f->shape == CHAIN &&
			   !rpt_scrub_keeps(scrub, RPT_SCRUB_WORDS)) {
			s.callchain = (struct pd_u64s){
				.raw = c.data + start + 8,
				.nr = (c.pos - start) / 8 - 1,
				.swap = c.swap,
			};
			put_chain(scrub, rec, &s, b);
		} else {
			pd_buf_bytes(b, c.data + start, c.pos - start);
		}
	}
	put_leaf_words(scrub, rec, &c, b);
	pd_record_end(b, at);
	return !pd_buf_status(b);
}

bool rpt_scrub_sample(void *ctx, const struct pd_event_set *events,
		      const struct pd_record *rec, struct pd_buf *b)
{
	struct rpt_scrub *scrub = ctx;
	const struct pd_event *event = pd_event_set_of_record(events, rec);

	scrub->is_counted = true;
	return event && put_sample(scrub, event, rec, b);
}

static struct pd_str text_of(const struct pd_buf *b)
{
	return (struct pd_str){ (const char *)b->data, b->len };
}

static bool plain(struct rpt_scrub *scrub, struct pd_body *body)
{
	(void)scrub;
	(void)body;
	return true;
}

static bool leave_out(struct rpt_scrub *scrub, struct pd_body *body)
{
	(void)body;
	rpt_scrub_count(scrub, RPT_SCRUB_RECORDS, true);
	return false;
}

static bool trace(struct rpt_scrub *scrub, struct pd_body *body)
{
	(void)body;
	rpt_scrub_count(scrub, RPT_SCRUB_TRACES, true);
	return false;
}

static bool is_kernel_mode(uint16_t misc)
{
	uint32_t mode = misc & PD_MISC_CPUMODE_MASK;

	return mode == PD_CPUMODE_KERNEL || mode == PD_CPUMODE_GUEST_KERNEL;
}

static bool map(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_note_code(scrub, body);
	rpt_scrub_path(scrub, body->u.mmap.filename, is_kernel_mode(body->misc),
		       &scrub->text);
	body->u.mmap.filename = text_of(&scrub->text);
	return true;
}

static bool comm(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_comm(scrub, body->u.comm.comm, &scrub->text);
	body->u.comm.comm = text_of(&scrub->text);
	return true;
}

static bool ksymbol(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_ksymbol(scrub, body->u.ksymbol.name, &scrub->text);
	body->u.ksymbol.name = text_of(&scrub->text);
	return true;
}

static bool cgroup(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_cgroup(scrub, body->u.cgroup.path, &scrub->text);
	body->u.cgroup.path = text_of(&scrub->text);
	return true;
}

static bool build_id(struct rpt_scrub *scrub, struct pd_body *body)
{
	rpt_scrub_path(scrub, body->u.header_build_id.filename,
		       is_kernel_mode(body->misc), &scrub->text);
	body->u.header_build_id.filename = text_of(&scrub->text);
	return true;
}

/* The names of events are in EVENT_DESC. */
static bool update(struct rpt_scrub *scrub, struct pd_body *body)
{
	return body->u.event_update.what == PD_UPDATE_NAME
		       ? leave_out(scrub, body)
		       : true;
}

static bool thread_map(struct rpt_scrub *scrub, struct pd_body *body)
{
	enum { COMM_LEN = 16 };
	const struct pd_thread_map *map = &body->u.thread_map;
	struct pd_buf *b = &scrub->text;

	for (size_t i = 0; i < map->nr; i++) {
		struct pd_thread_map_entry e =
			pd_thread_map_at(map, i, b->swap);
		size_t start;

		pd_buf_u64(b, e.tid);
		start = b->len;
		rpt_scrub_comm(scrub, e.comm, b);
		if (b->len - start > COMM_LEN)
			return false;
		pd_buf_zero(b, COMM_LEN - (b->len - start));
	}
	body->u.thread_map.entries = b->data;
	return !pd_buf_status(b);
}

static bool (*const rows[PD_RECORD_USER_NR])(struct rpt_scrub *scrub,
					     struct pd_body *body) = {
	[PD_RECORD_MMAP] = map,
	[PD_RECORD_LOST] = plain,
	[PD_RECORD_COMM] = comm,
	[PD_RECORD_EXIT] = plain,
	[PD_RECORD_THROTTLE] = plain,
	[PD_RECORD_UNTHROTTLE] = plain,
	[PD_RECORD_FORK] = plain,
	[PD_RECORD_READ] = plain,
	[PD_RECORD_MMAP2] = map,
	[PD_RECORD_AUX] = trace,
	[PD_RECORD_ITRACE_START] = trace,
	[PD_RECORD_LOST_SAMPLES] = plain,
	[PD_RECORD_SWITCH] = plain,
	[PD_RECORD_SWITCH_CPU_WIDE] = plain,
	[PD_RECORD_NAMESPACES] = plain,
	[PD_RECORD_KSYMBOL] = ksymbol,
	[PD_RECORD_BPF_EVENT] = plain,
	[PD_RECORD_CGROUP] = cgroup,
	[PD_RECORD_AUX_OUTPUT_HW_ID] = trace,
	[PD_RECORD_HEADER_BUILD_ID] = build_id,
	[PD_RECORD_ID_INDEX] = plain,
	[PD_RECORD_AUXTRACE_INFO] = trace,
	[PD_RECORD_AUXTRACE] = trace,
	[PD_RECORD_AUXTRACE_ERROR] = trace,
	[PD_RECORD_THREAD_MAP] = thread_map,
	[PD_RECORD_CPU_MAP] = plain,
	[PD_RECORD_STAT_CONFIG] = plain,
	[PD_RECORD_STAT] = plain,
	[PD_RECORD_STAT_ROUND] = plain,
	[PD_RECORD_EVENT_UPDATE] = update,
	[PD_RECORD_TIME_CONV] = plain,
	[PD_RECORD_FINISHED_INIT] = plain,
};

/* Write body to b, with the sample_id trailer of rec. */
static bool put_body(const struct pd_event *event, const struct pd_record *rec,
		     const struct pd_body *body, struct pd_buf *b)
{
	struct pd_sample_id id;
	size_t at;

	if (rec->type >= PD_RECORD_USER_START) {
		pd_body_write(b, rec->misc, body);
		return !pd_buf_status(b);
	}
	if (pd_sample_id_read(&event->layout, rec, &id, NULL))
		return false;
	at = pd_record_begin(b, rec->type, rec->misc | pd_body_misc(body));
	pd_body_write_fields(b, body);
	pd_sample_id_write(b, &event->layout, &id);
	pd_record_end(b, at);
	return !pd_buf_status(b);
}

bool rpt_scrub_record(void *ctx, const struct pd_event_set *events,
		      bool is_second, const struct pd_record *rec,
		      struct pd_buf *b)
{
	struct rpt_scrub *scrub = ctx;
	const struct pd_event *event = pd_event_set_of_record(events, rec);
	struct pd_record mine = *rec;
	struct pd_body body;

	scrub->is_counted = is_second;
	if (!event)
		event = &events->events[0];
	if (rec->type == PD_RECORD_MMAP2)
		mine.misc = pd_event_set_misc(events, rec);
	pd_buf_reset(&scrub->text);
	scrub->text.swap = rec->swap;
	if (rec->type >= PD_RECORD_USER_NR || !rows[rec->type] ||
	    pd_body_read(&mine,
			 rec->type < PD_RECORD_USER_START ? event->layout.id_len
							  : 0,
			 &body, NULL))
		return leave_out(scrub, NULL);
	return rows[rec->type](scrub, &body) &&
	       put_body(event, &mine, &body, b);
}

/* Events: what their samples lose, and which names are hidden. */

/* Return whether the format of that number is of a probe that a user made; also
 * if it has no format. */
static bool is_probe(const struct rpt_scrub *scrub, uint64_t id)
{
	struct pd_trace_formats it;
	struct pd_trace_format format;
	struct pd_trace_head head;
	struct pd_cursor c;
	char line[40];
	size_t len =
		(size_t)snprintf(line, sizeof(line), "\nID: %" PRIu64 "\n", id);

	if (!pd_reader_feature(scrub->reader, PD_FEATURE_TRACING_DATA, &c) ||
	    pd_trace_head_read(&c, &head))
		return true;
	pd_trace_formats_init(&it, &c);
	while (pd_trace_formats_next(&it, &format) > 0)
		if (memmem(format.text.ptr, format.text.len, line, len))
			return memmem(format.text.ptr, format.text.len,
				      "__probe_", strlen("__probe_"));
	return true;
}

/* Return the name of a tracepoint by its format, which the caller frees; NULL
 * if it has none. */
static char *name_of_format(const struct rpt_scrub *scrub, uint64_t id)
{
	struct rpt_tracepoints *formats = NULL;
	char name[RPT_EVENT_NAME_LEN];
	struct pd_cursor c;
	char *ret = NULL;

	if (!pd_reader_feature(scrub->reader, PD_FEATURE_TRACING_DATA, &c) ||
	    rpt_tracepoints_new(&formats, &c, NULL))
		return NULL;
	if (rpt_tracepoint_name(formats, id, name, sizeof(name)))
		ret = rpt_alloc_text(name, strlen(name));
	rpt_tracepoints_free(formats);
	return ret;
}

static bool is_known_tracepoint(const struct rpt_scrub *scrub,
				const struct pd_event *in, const char *name)
{
	size_t len = strcspn(name, ":");

	return name[len] &&
	       rpt_is_known(rpt_known_systems, (struct pd_str){ name, len }) &&
	       !is_probe(scrub, in->attr.config);
}

static bool is_number(struct pd_str word)
{
	size_t at = word.len > 1 && word.ptr[0] == 'r' ? 1 : 0;

	if (word.len > 2 && word.ptr[0] == '0' && word.ptr[1] == 'x')
		at = 2;
	if (at == word.len)
		return false;
	while (at < word.len && isxdigit((unsigned char)word.ptr[at]))
		at++;
	return at == word.len;
}

/* Return whether all words of a name are perf's, or numbers with a digit. */
static bool is_known_event(const char *name)
{
	while (*name) {
		size_t len = strcspn(name, ":/,= {}");
		struct pd_str word = { name, len };

		if (len && !rpt_is_known(rpt_known_events, word) &&
		    !(is_number(word) && strcspn(name, "0123456789") < len))
			return false;
		name += len;
		name += *name ? 1 : 0;
	}
	return true;
}

/* Return whether the name is what perf makes of the attr. */
static bool is_usual_name(const struct pd_event *in, const char *name)
{
	struct pd_event nameless = *in;
	char usual[RPT_EVENT_NAME_LEN];

	nameless.name = NULL;
	return !strcmp(rpt_event_name(&nameless, usual), name);
}

static char *hidden_name(struct rpt_scrub *scrub, const struct pd_event *in,
			 const char *name)
{
	struct pd_buf *b = &scrub->text;
	char *ret;

	pd_buf_reset(b);
	pd_buf_bytes(b, in->attr.type == PD_TYPE_TRACEPOINT ? "hidden:" : "",
		     in->attr.type == PD_TYPE_TRACEPOINT ? 7 : 0);
	rpt_name_key_hide(&scrub->conf->key,
			  (struct pd_str){ name, strlen(name) }, b);
	ret = rpt_alloc_text((const char *)b->data, b->len);
	return ret;
}

static void name_event(struct rpt_scrub *scrub, const struct pd_event *in,
		       char **name)
{
	bool is_tracepoint = in->attr.type == PD_TYPE_TRACEPOINT;
	bool is_kept;
	char *hidden;

	if (!*name && is_tracepoint)
		*name = name_of_format(scrub, in->attr.config);
	if (!*name)
		return;
	is_kept = rpt_scrub_keeps(scrub, RPT_SCRUB_EVENTS) ||
		  (is_tracepoint
			   ? is_known_tracepoint(scrub, in, *name)
			   : is_usual_name(in, *name) || is_known_event(*name));
	scrub->is_counted = true;
	rpt_scrub_count(scrub, RPT_SCRUB_EVENTS, !is_kept);
	scrub->is_counted = false;
	if (is_kept)
		return;
	hidden = hidden_name(scrub, in, *name);
	free(*name);
	*name = hidden;
}

void rpt_scrub_event(void *ctx, const struct pd_event *in, struct pd_event *out)
{
	struct rpt_scrub *scrub = ctx;
	struct pd_attr *attr = &out->attr;

	attr->sample_type = scrub_sample_type(scrub, attr->sample_type);
	if (!(attr->sample_type & PD_SAMPLE_REGS_USER))
		attr->sample_regs_user = 0;
	if (!(attr->sample_type & PD_SAMPLE_REGS_INTR))
		attr->sample_regs_intr = 0;
	if (!(attr->sample_type & PD_SAMPLE_STACK_USER))
		attr->sample_stack_user = 0;
	attr->aux_sample_size = 0;
	attr->aux_watermark = 0;
	attr->sig_data = 0;
	name_event(scrub, in, &out->name);
}

/* The ranges where code is mapped.  The kernel follows frame pointers on faith:
 * in code without them, a word of a call chain can be any word of the stack. */

enum { EXEC = 4, DATA_FLAG = 0x2000, RANGES_MAX = 1 << 22 };

void rpt_scrub_note_code(struct rpt_scrub *scrub, const struct pd_body *body)
{
	const struct pd_mmap *m = &body->u.mmap;
	struct rpt_scrub_range *last;
	bool is_code = body->type == PD_RECORD_MMAP2
			       ? (m->prot & EXEC) || !m->prot
			       : !(body->misc & DATA_FLAG);

	if (scrub->is_sorted || !is_code || scrub->range_nr == RANGES_MAX)
		return;
	last = scrub->range_nr ? &scrub->ranges[scrub->range_nr - 1] : NULL;
	if (last && last->start == m->addr && last->end == m->addr + m->map_len)
		return;
	scrub->ranges = rpt_grow(scrub->ranges, &scrub->range_cap,
				 scrub->range_nr, sizeof(*scrub->ranges));
	scrub->ranges[scrub->range_nr++] = (struct rpt_scrub_range){
		.start = m->addr,
		.end = m->map_len > UINT64_MAX - m->addr ? UINT64_MAX
							 : m->addr + m->map_len,
	};
}

static int compare(const void *a, const void *b)
{
	const struct rpt_scrub_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Sort the ranges, and join those that overlap. */
static void settle(struct rpt_scrub *scrub)
{
	struct rpt_scrub_range *r = scrub->ranges;
	uint32_t nr = 0;

	scrub->is_sorted = true;
	if (!scrub->range_nr)
		return;
	qsort(r, scrub->range_nr, sizeof(*r), compare);
	for (uint32_t i = 1; i < scrub->range_nr; i++) {
		if (r[i].start > r[nr].end)
			r[++nr] = r[i];
		else if (r[i].end > r[nr].end)
			r[nr].end = r[i].end;
	}
	scrub->range_nr = nr + 1;
}

bool rpt_scrub_is_code(struct rpt_scrub *scrub, uint64_t addr)
{
	uint32_t at;

	if (!scrub->is_sorted)
		settle(scrub);
	PD_FIND_FIRST(at, scrub->range_nr, scrub->ranges[at].end >= addr);
	/* a return address may stand right behind the last call */
	return at < scrub->range_nr && addr >= scrub->ranges[at].start;
}
