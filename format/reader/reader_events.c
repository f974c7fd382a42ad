#include "format/file/feature.h"
#include "format/reader/reader_impl.h"

#include <stdlib.h>
#include <string.h>

/* Add the event of an attr at off.  One over a limit is reported and skipped,
 * and so are its samples; the others are not affected.  Return 0 or -ENOMEM. */
static int add_event(struct pd_reader *r, const struct pd_attr *attr,
		     const struct pd_u64s *ids, uint64_t off)
{
	struct pd_err why = PD_ERR_INIT;
	int rc = pd_event_set_add(&r->events, attr, ids, &why);

	if (rc != -EFBIG)
		return rc;
	why.has_off = true;
	why.off = off;
	pd_damage_add(&r->damage, PD_DAMAGE_ATTRS, 0, &why);
	return 0;
}

/* Report that the ids of an event cannot be read, and return none.  The event
 * is added without them: if it is the only one, it needs none.  off is the
 * place of the file that says where the ids are. */
static struct pd_u64s lose_ids(struct pd_reader *r, uint64_t off, int code,
			       const char *what)
{
	struct pd_err why = PD_ERR_INIT;

	pd_err_at(&why, code, off, "the ids of event %zu %s", r->events.nr,
		  what);
	pd_damage_add(&r->damage, PD_DAMAGE_IDS, 0, &why);
	r->has_lost_ids = true;
	return (struct pd_u64s){ .nr = 0 };
}

static struct pd_u64s read_ids(struct pd_reader *r,
			       const struct pd_section *ids, uint64_t off)
{
	if (ids->off > r->len || ids->len > r->len - ids->off)
		return lose_ids(r, off, -ENODATA, "are not in the file");
	/* No byte is an id of two events: else a small file could give the
	 * same ids to each of thousands. */
	if (ids->len > r->len - r->ids_len)
		return lose_ids(r, off, -EBADMSG,
				"and of others are more than the file holds");
	r->ids_len += ids->len;
	return (struct pd_u64s){
		.raw = r->base + ids->off,
		.nr = (size_t)(ids->len / 8),
		.swap = r->header.swap,
	};
}

/* Return whether an attr may be as long as it says in an entry for one of
 * entry_len bytes: as long, or shorter with zeros behind it, as simpleperf
 * writes them.  An entry of zeros alone was overwritten. */
static bool is_attr_of_entry(const struct pd_cursor *c, uint32_t len,
			     uint64_t entry_len)
{
	static const uint8_t zeros[4];

	if (len > entry_len)
		return false;
	for (uint64_t i = len; i < entry_len; i++)
		if (c->data[i])
			return false;
	return len == entry_len ||
	       memcmp(c->data + 4, zeros, sizeof(zeros)) != 0;
}

/* Read one entry of the attr section: the attr, and where its ids are.  *why
 * becomes what is wrong with an entry that could be read. */
static int read_attr_entry(struct pd_reader *r, uint64_t off,
			   struct pd_err *why, struct pd_err *err)
{
	uint64_t attr_len = r->header.attr_entry_len - 16;
	struct pd_section ids;
	struct pd_u64s list;
	struct pd_attr attr;
	struct pd_cursor c;
	int rc;

	pd_cursor_init(&c, r->base + off, (size_t)r->header.attr_entry_len, off,
		       "attr section");
	c.swap = r->header.swap;
	c.err = err;
	rc = pd_attr_read(&c, &attr);
	if (rc)
		return rc;
	if (!is_attr_of_entry(&c, attr.attr_len, attr_len) && !why->code)
		pd_err_at(why, -EBADMSG, off,
			  "an attr of %u bytes in an entry for one of %llu",
			  attr.attr_len, (unsigned long long)attr_len);
	c.pos = (size_t)attr_len;
	ids.off = pd_cursor_u64(&c);
	ids.len = pd_cursor_u64(&c);
	list = read_ids(r, &ids, off + attr_len);
	rc = add_event(r, &attr, &list, off);
	return rc ? pd_err_set(err, rc, "out of memory") : 0;
}

static bool is_entry_len(uint64_t len)
{
	return len >= PD_ATTR_LEN_VER0 + 16 && len <= PD_RECORD_LEN_MAX;
}

/* Take the length of the first attr for that of all entries.  Return true if
 * the section then is a whole number of them. */
static bool find_entry_len(struct pd_reader *r)
{
	const struct pd_section *attrs = &r->header.attrs;
	struct pd_err err = PD_ERR_INIT;
	struct pd_cursor c;
	uint64_t len;

	pd_cursor_init(&c, r->base + attrs->off, (size_t)attrs->len, attrs->off,
		       "attr section");
	c.swap = r->header.swap;
	pd_cursor_u32(&c);
	len = (uint64_t)pd_cursor_u32(&c) + 16;
	if (pd_cursor_status(&c) || !is_entry_len(len) || attrs->len % len)
		return false;
	pd_err_at(&err, -EBADMSG, 16,
		  "attr entries of %llu bytes; they have %llu",
		  (unsigned long long)r->header.attr_entry_len,
		  (unsigned long long)len);
	pd_damage_add(&r->damage, PD_DAMAGE_ATTRS, 0, &err);
	r->header.attr_entry_len = len;
	return true;
}

int pd_reader_read_attrs(struct pd_reader *r, struct pd_err *why,
			 struct pd_err *err)
{
	const struct pd_section *attrs = &r->header.attrs;
	uint64_t entry_len = r->header.attr_entry_len;

	if (attrs->off > r->len || attrs->len > r->len - attrs->off)
		return pd_err_at(err, -ENODATA, 24,
				 "the attr section is beyond the file");
	if (!is_entry_len(entry_len) && !find_entry_len(r))
		return pd_err_at(err, -EBADMSG, 16,
				 "attr entries of %llu bytes",
				 (unsigned long long)entry_len);
	entry_len = r->header.attr_entry_len;
	for (uint64_t at = 0; attrs->len - at >= entry_len; at += entry_len) {
		int rc = read_attr_entry(r, attrs->off + at, why, err);

		if (rc)
			return rc;
	}
	return 0;
}

int pd_reader_read_descs(struct pd_reader *r)
{
	struct pd_event_set events = { .nr = 0 };
	struct pd_event_descs descs;
	struct pd_cursor c;
	int rc = 0;

	if (!pd_reader_feature(r, PD_FEATURE_EVENT_DESC, &c) ||
	    pd_feature_event_desc_read(&c, &descs))
		return -ENOENT;
	if (!descs.nr || descs.nr < r->events.nr) {
		pd_event_descs_release(&descs);
		return -ENOENT;
	}
	for (size_t i = 0; i < descs.nr && !rc; i++)
		rc = pd_event_set_add(&events, &descs.items[i].attr,
				      &descs.items[i].ids, NULL);
	pd_event_descs_release(&descs);
	if (rc) {
		pd_event_set_release(&events);
		return rc == -ENOMEM ? rc : -ENOENT;
	}
	pd_event_set_release(&r->events);
	r->events = events;
	return 0;
}

static int read_header_attr(struct pd_reader *r, const struct pd_record *rec,
			    const struct pd_header_attr *body,
			    struct pd_err *err)
{
	int rc = r->header.is_pipe
			 ? add_event(r, &body->attr, &body->ids, rec->file_off)
			 : 0;

	return rc ? pd_err_set(err, rc, "out of memory") : 0;
}

static int set_text(char **field, struct pd_str s)
{
	char *text = pd_str_dup(s);

	if (!text)
		return -ENOMEM;
	free(*field);
	*field = text;
	return 0;
}

int pd_reader_name_event(struct pd_reader *r, size_t idx, struct pd_str name)
{
	return set_text(&r->events.events[idx].name, name);
}

static int read_update(struct pd_reader *r, const struct pd_body *body)
{
	const struct pd_event_update *u = &body->u.event_update;
	struct pd_event *event = pd_event_set_by_id(&r->events, u->id);

	if (!event)
		return 0;
	switch (u->what) {
	case 0:
		return set_text(&event->unit, u->text);
	case 1:
		event->scale = u->scale;
		return 0;
	case 2:
		return set_text(&event->name, u->text);
	default:
		return 0;
	}
}

static void read_feature_record(struct pd_reader *r, const struct pd_body *body)
{
	const struct pd_header_feature *f = &body->u.header_feature;

	if (f->feature >= PD_FEATURE_BITS || r->features[f->feature].data ||
	    (!f->payload_len && f->feature >= PD_FEATURE_NR))
		return;
	r->features[f->feature] = (struct pd_payload){
		.data = f->payload,
		.len = f->payload_len,
		.off = f->payload_off,
	};
}

/* Set the feature of a pipe whose payload follows its record. */
static void read_tracing_data(struct pd_reader *r, const struct pd_record *rec,
			      uint64_t next)
{
	uint64_t off = rec->file_off + rec->len;

	if (next <= off)
		return;
	r->features[PD_FEATURE_TRACING_DATA] = (struct pd_payload){
		.data = r->base + off,
		.len = (size_t)(next - off),
		.off = off,
	};
}

static bool is_head_record(uint32_t type)
{
	return type == PD_RECORD_HEADER_ATTR ||
	       type == PD_RECORD_EVENT_UPDATE ||
	       type == PD_RECORD_HEADER_FEATURE;
}

bool pd_reader_has_damage_in(const struct pd_reader *r,
			     const struct pd_record *rec)
{
	return is_head_record(rec->type) && rec->file_off < r->head_end;
}

static int read_head_record(struct pd_reader *r, const struct pd_record *rec,
			    uint64_t next, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	struct pd_body body;
	int rc;

	if (rec->type == PD_RECORD_HEADER_TRACING_DATA)
		read_tracing_data(r, rec, next);
	if (!is_head_record(rec->type))
		return 0;
	rc = pd_body_read(rec, 0, &body, &why);
	if (rc == -ENOTSUP)
		return 0; /* newer than this program, not damaged */
	if (rc) {
		pd_damage_add(&r->damage, PD_DAMAGE_HEAD, rec->len, &why);
		return 0;
	}
	if (rec->type == PD_RECORD_HEADER_ATTR)
		return read_header_attr(r, rec, &body.u.header_attr, err);
	if (rec->type == PD_RECORD_EVENT_UPDATE)
		return read_update(r, &body);
	read_feature_record(r, &body);
	return 0;
}

/* True if the head ends at a record of that type: it comes from a ring. */
static bool is_past_head(uint32_t type)
{
	return type == PD_RECORD_SAMPLE || type == PD_RECORD_COMPRESSED ||
	       type == PD_RECORD_COMPRESSED2 ||
	       type == PD_RECORD_FINISHED_ROUND;
}

/* Return the offset of the next record behind a damaged one at pos, which
 * pd_records will report; end if none is near. */
static uint64_t skip_damage(const struct pd_reader *r, uint64_t pos,
			    uint64_t end)
{
	const uint64_t limit =
		end - pos > PD_RECORD_LEN_MAX ? pos + PD_RECORD_LEN_MAX : end;

	pos = pd_reader_find_row(r, pos, limit, end, NULL);
	return pos < limit ? pos : end;
}

int pd_reader_read_head(struct pd_reader *r, struct pd_err *err)
{
	uint64_t pos = r->data.off, end = r->data.off + r->data.len, next;
	struct pd_record rec;

	while (pos < end) {
		int rc;

		if (pd_reader_raw_record(r, pos, end, &rec, &next, NULL)) {
			pos = skip_damage(r, pos, end);
			continue;
		}
		r->has_compressed2 = rec.type == PD_RECORD_COMPRESSED2;
		if (is_past_head(rec.type))
			return 0;
		rc = read_head_record(r, &rec, next, err);
		if (rc)
			return rc;
		r->head_end = pos = next;
	}
	return 0;
}

/* Return the event of a description: the one with its first id, else the one at
 * its place in the list. */
static struct pd_event *
event_of_desc(struct pd_reader *r, const struct pd_event_desc *desc, size_t idx)
{
	struct pd_event *event = NULL;

	if (desc->ids.nr)
		event = pd_event_set_by_id(&r->events,
					   pd_u64s_at(&desc->ids, 0));
	if (!event && idx < r->events.nr)
		event = &r->events.events[idx];
	return event;
}

static void name_by_descs(struct pd_reader *r)
{
	struct pd_err why = PD_ERR_INIT;
	struct pd_event_descs descs;
	struct pd_cursor c;

	if (!pd_reader_feature(r, PD_FEATURE_EVENT_DESC, &c))
		return;
	c.err = &why;
	if (pd_feature_event_desc_read(&c, &descs)) {
		pd_damage_add(&r->damage, PD_DAMAGE_DESC, 0, &why);
		return;
	}
	for (size_t i = 0; i < descs.nr; i++) {
		struct pd_event *event = event_of_desc(r, &descs.items[i], i);

		if (event && !event->name)
			set_text(&event->name, descs.items[i].name);
	}
	pd_event_descs_release(&descs);
}

static void join_group(struct pd_event_set *set, const struct pd_group_desc *g)
{
	size_t leader = g->leader_idx;

	if (g->member_nr < 2)
		return;
	set->events[leader].member_nr = g->member_nr;
	set_text(&set->events[leader].group_name, g->name);
	for (size_t i = 1; i < g->member_nr; i++)
		set->events[leader + i].leader_idx = (uint32_t)leader;
}

static void join_groups(struct pd_reader *r)
{
	struct pd_err why = PD_ERR_INIT;
	struct pd_group_descs groups;
	struct pd_cursor c;
	size_t end = 0;

	if (!pd_reader_feature(r, PD_FEATURE_GROUP_DESC, &c))
		return;
	c.err = &why;
	if (pd_feature_group_desc_read(&c, &groups)) {
		pd_damage_add(&r->damage, PD_DAMAGE_DESC, 0, &why);
		return;
	}
	for (size_t i = 0; i < groups.nr; i++)
		if (pd_group_desc_follows(&groups.items[i], r->events.nr, &end))
			join_group(&r->events, &groups.items[i]);
	pd_group_descs_release(&groups);
}

static bool is_string(unsigned bit)
{
	return bit == PD_FEATURE_HOSTNAME || bit == PD_FEATURE_OSRELEASE ||
	       bit == PD_FEATURE_VERSION || bit == PD_FEATURE_ARCH ||
	       bit == PD_FEATURE_CPUDESC || bit == PD_FEATURE_CPUID;
}

static bool is_readable(const struct pd_reader *r, unsigned bit)
{
	struct pd_str_list argv;
	struct pd_cursor c;
	struct pd_str s;

	if (!pd_reader_feature(r, bit, &c))
		return true;
	if (is_string(bit))
		return !pd_feature_string_read(&c, &s);
	if (bit != PD_FEATURE_CMDLINE)
		return true;
	if (pd_feature_cmdline_read(&c, &argv))
		return false;
	pd_str_list_release(&argv);
	return true;
}

/* True if perf reads EVENT_DESC.  It reads the features in the order of their
 * bits and stops at the first that it cannot read, for example the command line
 * of hiperf, which is one string; events are then named by their attrs. */
static bool is_desc_reached(const struct pd_reader *r)
{
	for (unsigned bit = 1; bit < PD_FEATURE_EVENT_DESC; bit++)
		if (!is_readable(r, bit))
			return false;
	return true;
}

void pd_reader_name_events(struct pd_reader *r)
{
	if (!is_desc_reached(r))
		return;
	name_by_descs(r);
	join_groups(r);
}

/* Features from here on are written by simpleperf only. */
#define SIMPLEPERF_FEATURES 128u

/* Return whether the file is simpleperf's, which writes record types of its own
 * into files that perf can read otherwise.  Old ones have no feature of its
 * own; all name the machine, and none the host, which perf never leaves out. */
static bool is_of_simpleperf(const struct pd_file_header *h)
{
	return h->features[SIMPLEPERF_FEATURES / 64] ||
	       h->features[SIMPLEPERF_FEATURES / 64 + 1] ||
	       (pd_file_header_has(h, PD_FEATURE_ARCH) &&
		!pd_file_header_has(h, PD_FEATURE_HOSTNAME));
}

static bool has_unknown_type(const struct pd_reader *r)
{
	uint64_t pos = r->data.off, end = pos + r->data.len, next;
	struct pd_record rec;

	while (pos < end &&
	       !pd_reader_raw_record(r, pos, end, &rec, &next, NULL)) {
		if (!pd_record_type_name(rec.type))
			return true;
		pos = next;
	}
	return false;
}

void pd_reader_find_needed_perf(struct pd_reader *r)
{
	enum pd_perf needed = PD_PERF_6_1;

	for (size_t i = 0; i < r->events.nr && !r->header.is_pipe; i++) {
		uint32_t len = r->events.events[i].attr.attr_len;

		if (len > PD_ATTR_LEN_VER7 && needed < PD_PERF_6_12)
			needed = PD_PERF_6_12;
		if (len > PD_ATTR_LEN_VER8)
			needed = PD_PERF_7_2;
	}
	if (r->has_compressed2 ||
	    (is_of_simpleperf(&r->header) && has_unknown_type(r)))
		needed = PD_PERF_7_2;
	for (size_t i = 0; i < r->events.nr; i++)
		r->events.events[i].needed_perf = needed;
}
