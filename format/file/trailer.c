#include "format/file/trailer.h"

#include "format/base/fields.h"
#include "format/base/limits.h"
#include "format/file/layout.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* FORMAT.md "Trailer": a body, then a footer of FOOTER_LEN bytes at the end of
 * the file. */
#define FOOTER_LEN     32u
#define FOOTER_SUM_OFF 20u
#define VERSION	       1u
#define MAGIC	       UINT64_C(0x4c49525452494150) /* "PAIRTRIL" */

#define FRAME_HAS_SIDEBAND 1u
#define FRAME_IS_PLAIN	   2u
#define FRAME_SAMPLES_BIT  2u  /* from this bit up: samples + 1; 0: unknown */
#define COMMAND_BIT	   32u /* of the word with the threads */

#define LIST(type, fields) PD_LIST(type, fields, PD_LIMIT_FRAMES, true)

static const struct pd_field frame_fields[] = {
	PD_FIELD(U64, pd_trailer_frame, file_off),
	PD_FIELD(U64, pd_trailer_frame, file_len),
	PD_FIELD(U64, pd_trailer_frame, plain_len),
	PD_FIELD(U64, pd_trailer_frame, plain_hash),
	PD_FIELD(U64, pd_trailer_frame, record_nr),
	PD_FIELD(U64, pd_trailer_frame, time_lo_ns),
	PD_FIELD(U64, pd_trailer_frame, time_hi_ns),
	PD_FIELD(U32, pd_trailer_frame, cpu),
	PD_FIELD(U32, pd_trailer_frame, file_flags),
};
static const struct pd_list frame_list = LIST(pd_trailer_frame, frame_fields);

static const struct pd_field loss_fields[] = {
	PD_FIELD(U32, pd_trailer_loss, cpu),
	PD_FIELD(U32, pd_trailer_loss, event_idx),
	PD_FIELD(U64, pd_trailer_loss, lost_nr),
	PD_FIELD(U64, pd_trailer_loss, time_lo_ns),
	PD_FIELD(U64, pd_trailer_loss, time_hi_ns),
};
static const struct pd_list loss_list = LIST(pd_trailer_loss, loss_fields);

static const struct pd_field rate_fields[] = {
	PD_FIELD(U32, pd_trailer_rate, event_idx),
	PD_FIELD(U32, pd_trailer_rate, flags),
	PD_FIELD(U64, pd_trailer_rate, time_ns),
	PD_FIELD(U64, pd_trailer_rate, value),
};
static const struct pd_list rate_list = LIST(pd_trailer_rate, rate_fields);

static const struct pd_field sum_fields[] = {
	PD_FIELD(U64, pd_trailer_sum, off),
	PD_FIELD(U64, pd_trailer_sum, len),
	PD_FIELD(U64, pd_trailer_sum, hash),
	PD_FIELD(U32, pd_trailer_sum, part),
	PD_FIELD_SKIP(4),
};
static const struct pd_list sum_list = LIST(pd_trailer_sum, sum_fields);

static const struct pd_field section_fields[] = {
	PD_FIELD(U32, pd_trailer_section, kind),
	PD_FIELD(U32, pd_trailer_section, flags),
	PD_FIELD(U64, pd_trailer_section, off),
	PD_FIELD(U64, pd_trailer_section, len),
	PD_FIELD(U64, pd_trailer_section, plain_len),
	PD_FIELD(U64, pd_trailer_section, hash),
	PD_FIELD_SKIP(8),
};
static const struct pd_list section_list =
	LIST(pd_trailer_section, section_fields);

static const struct pd_field unwound_fields[] = {
	PD_FIELD(U32, pd_trailer_unwound, event_idx),
	PD_FIELD_SKIP(4),
};
static const struct pd_list unwound_list =
	LIST(pd_trailer_unwound, unwound_fields);

static const struct pd_field cost_fields[] = {
	PD_FIELD(U64, pd_trailer_cost, user_ns),
	PD_FIELD(U64, pd_trailer_cost, system_ns),
	PD_FIELD(U64, pd_trailer_cost, peak_rss_len),
	PD_FIELD(U64, pd_trailer_cost, wakeup_nr),
	PD_FIELD(U64, pd_trailer_cost, sample_nr),
	PD_FIELD(U64, pd_trailer_cost, throttle_nr),
	PD_FIELD(U64, pd_trailer_cost, plain_len),
	PD_FIELD(U64, pd_trailer_cost, written_len),
	PD_FIELD(U64, pd_trailer_cost, startup_ns),
};

/* The fields of cost that later recorders write. */
static const struct pd_field more_cost_fields[] = {
	PD_FIELD(U64, pd_trailer_cost, recorded_ns),
	PD_FIELD(U64, pd_trailer_cost, thread_nr),
	PD_FIELD(U64, pd_trailer_cost, spilled_len),
	PD_FIELD(U64, pd_trailer_cost, cut_nr),
	PD_FIELD(U64, pd_trailer_cost, dropped_nr),
	PD_FIELD(U64, pd_trailer_cost, max_rate_before_hz),
	PD_FIELD(U64, pd_trailer_cost, max_rate_after_hz),
};
enum { COST_NR = 9, MORE_COST_NR = 7 };

uint64_t pd_trailer_last_ns(const struct pd_trailer *t)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < t->frame_nr; i++)
		if (t->frames[i].time_hi_ns > last_ns)
			last_ns = t->frames[i].time_hi_ns;
	return last_ns;
}

void pd_trailer_release(struct pd_trailer *t)
{
	if (!t)
		return;
	free(t->frames);
	free(t->losses);
	free(t->rates);
	free(t->sums);
	free(t->sections);
	free(t->unwound);
	*t = (struct pd_trailer){ .frames = NULL };
}

void pd_trailer_frame_add(struct pd_trailer_frame *frame, uint32_t type,
			  size_t len, uint64_t time_ns)
{
	frame->record_nr++;
	frame->plain_len += len;
	frame->sample_nr += type == PD_RECORD_SAMPLE;
	frame->has_sideband |= type != PD_RECORD_SAMPLE;
	if (time_ns && time_ns < frame->time_lo_ns)
		frame->time_lo_ns = time_ns;
	if (time_ns > frame->time_hi_ns)
		frame->time_hi_ns = time_ns;
}

static void read_frames(struct pd_cursor *c, struct pd_trailer *t)
{
	t->frames = pd_list_read(c, &frame_list, &t->frame_nr);
	for (size_t i = 0; i < t->frame_nr; i++) {
		struct pd_trailer_frame *f = &t->frames[i];
		uint32_t sample_nr = f->file_flags >> FRAME_SAMPLES_BIT;

		f->has_sideband = f->file_flags & FRAME_HAS_SIDEBAND;
		f->is_plain = f->file_flags & FRAME_IS_PLAIN;
		f->has_sample_nr = sample_nr;
		f->sample_nr = sample_nr ? sample_nr - 1 : 0;
	}
}

static void write_frames(struct pd_buf *b, const struct pd_trailer *t)
{
	pd_buf_u64(b, t->frame_nr);
	for (size_t i = 0; i < t->frame_nr; i++) {
		struct pd_trailer_frame f = t->frames[i];

		f.file_flags = f.has_sideband ? FRAME_HAS_SIDEBAND : 0;
		if (f.is_plain)
			f.file_flags |= FRAME_IS_PLAIN;
		if (f.has_sample_nr &&
		    f.sample_nr < UINT32_MAX >> FRAME_SAMPLES_BIT)
			f.file_flags |= (f.sample_nr + 1) << FRAME_SAMPLES_BIT;
		pd_list_write_items(b, &frame_list, &f, 1);
	}
}

/* Read the rest of the cost and the changes of rates, which older files lack.
 */
static void read_more(struct pd_cursor *c, struct pd_trailer *t)
{
	if (pd_cursor_status(c) || !pd_cursor_left(c))
		return;
	pd_fields_read(c, more_cost_fields, MORE_COST_NR, &t->cost);
	t->whole_command = (uint32_t)(t->cost.thread_nr >> COMMAND_BIT);
	t->cost.thread_nr &= UINT32_MAX;
	t->rates = pd_list_read(c, &rate_list, &t->rate_nr);
}

static void write_more(struct pd_buf *b, const struct pd_trailer *t)
{
	struct pd_trailer_cost cost = t->cost;

	cost.thread_nr &= UINT32_MAX;
	cost.thread_nr |= (uint64_t)t->whole_command << COMMAND_BIT;
	pd_fields_write(b, more_cost_fields, MORE_COST_NR, &cost);
	pd_list_write(b, &rate_list, t->rates, t->rate_nr);
}

static void read_start(struct pd_cursor *c, struct pd_trailer_start *start)
{
	const uint8_t *boot_id;

	start->wall_ns = pd_cursor_u64(c);
	start->mono_ns = pd_cursor_u64(c);
	boot_id = pd_cursor_bytes(c, sizeof(start->boot_id));
	if (boot_id)
		memcpy(start->boot_id, boot_id, sizeof(start->boot_id));
}

static void write_start(struct pd_buf *b, const struct pd_trailer_start *start)
{
	pd_buf_u64(b, start->wall_ns);
	pd_buf_u64(b, start->mono_ns);
	pd_buf_bytes(b, start->boot_id, sizeof(start->boot_id));
}

static void read_sums(struct pd_cursor *c, struct pd_trailer *t)
{
	if (pd_cursor_status(c) || !pd_cursor_left(c))
		return;
	t->has_sums = true;
	t->rest_hash = pd_cursor_u64(c);
	t->sums = pd_list_read(c, &sum_list, &t->sum_nr);
	if (!pd_cursor_status(c) && pd_cursor_left(c))
		t->sections = pd_list_read(c, &section_list, &t->section_nr);
	if (!pd_cursor_status(c) && pd_cursor_left(c))
		t->unwound = pd_list_read(c, &unwound_list, &t->unwound_nr);
	if (pd_cursor_status(c) || !pd_cursor_left(c))
		return;
	t->left_task_nr = pd_cursor_u64(c);
	t->left_record_nr = pd_cursor_u64(c);
	if (!pd_cursor_status(c) && pd_cursor_left(c))
		read_start(c, &t->start);
}

/* A list is left out if neither it nor what is behind it has items. */
static void write_sums(struct pd_buf *b, const struct pd_trailer *t)
{
	bool has_start = t->start.wall_ns;
	bool has_left = has_start || t->left_task_nr || t->left_record_nr;

	pd_buf_u64(b, t->rest_hash);
	pd_list_write(b, &sum_list, t->sums, t->sum_nr);
	if (t->section_nr || t->unwound_nr || has_left)
		pd_list_write(b, &section_list, t->sections, t->section_nr);
	if (t->unwound_nr || has_left)
		pd_list_write(b, &unwound_list, t->unwound, t->unwound_nr);
	if (has_left) {
		pd_buf_u64(b, t->left_task_nr);
		pd_buf_u64(b, t->left_record_nr);
	}
	if (has_start)
		write_start(b, &t->start);
}

static int read_body(struct pd_cursor *c, struct pd_trailer *t)
{
	pd_fields_read(c, cost_fields, COST_NR, &t->cost);
	read_frames(c, t);
	t->losses = pd_list_read(c, &loss_list, &t->loss_nr);
	read_more(c, t);
	read_sums(c, t);
	return pd_cursor_status(c);
}

struct footer {
	uint64_t body_len;
	uint64_t hash;
	uint32_t version;
	bool swap;
	bool is_sound;
};

/* Return the checksum of the footer up to its own place.  It tells a damaged
 * version from a newer one. */
static uint32_t footer_sum(const uint8_t *footer)
{
	return (uint32_t)XXH3_64bits(footer, FOOTER_SUM_OFF);
}

/* True if only the magic of the footer is damaged. */
static bool has_lost_magic(const uint8_t *footer)
{
	uint32_t sum, is = footer_sum(footer);

	memcpy(&sum, footer + FOOTER_SUM_OFF, sizeof(sum));
	return sum && (sum == is || sum == __builtin_bswap32(is));
}

/* Read the footer, in the byte order that its magic shows. */
static int read_footer(const uint8_t *base, uint64_t len, struct footer *ret)
{
	struct pd_cursor c;
	uint64_t magic;
	uint32_t sum;

	if (len < FOOTER_LEN)
		return -ENOENT;
	memcpy(&magic, base + len - sizeof(magic), sizeof(magic));
	if (magic != MAGIC && __builtin_bswap64(magic) != MAGIC)
		return has_lost_magic(base + len - FOOTER_LEN) ? -EBADMSG
							       : -ENOENT;
	pd_cursor_init(&c, base + len - FOOTER_LEN, FOOTER_LEN,
		       len - FOOTER_LEN, "trailer footer");
	c.swap = ret->swap = magic != MAGIC;
	ret->body_len = pd_cursor_u64(&c);
	ret->hash = pd_cursor_u64(&c);
	ret->version = pd_cursor_u32(&c);
	sum = pd_cursor_u32(&c);
	ret->is_sound = !sum || sum == footer_sum(c.data);
	return 0;
}

int pd_trailer_read(const uint8_t *base, uint64_t len, struct pd_trailer *ret,
		    struct pd_err *err)
{
	struct pd_trailer t = { .frames = NULL };
	struct footer footer;
	struct pd_cursor c;
	uint64_t body_off;
	int rc = read_footer(base, len, &footer);

	if (rc == -EBADMSG)
		return pd_err_at(err, rc, len - FOOTER_LEN,
				 "trailer's magic is damaged");
	if (rc)
		return rc;
	if (!footer.is_sound)
		return pd_err_at(err, -EBADMSG, len - FOOTER_LEN,
				 "trailer's footer does not have its checksum");
	if (footer.version != VERSION)
		return pd_err_at(err, -ENOTSUP, len - FOOTER_LEN,
				 "trailer of version %u", footer.version);
	if (footer.body_len > len - FOOTER_LEN)
		return pd_err_at(err, -EBADMSG, len - FOOTER_LEN,
				 "trailer longer than the file");
	body_off = len - FOOTER_LEN - footer.body_len;
	if (XXH3_64bits(base + body_off, (size_t)footer.body_len) !=
	    footer.hash)
		return pd_err_at(err, -EBADMSG, body_off,
				 "trailer does not have its checksum");
	pd_cursor_init(&c, base + body_off, (size_t)footer.body_len, body_off,
		       "trailer");
	c.swap = footer.swap;
	c.err = err;
	rc = read_body(&c, &t);
	if (rc)
		pd_trailer_release(&t);
	else
		*ret = t;
	return rc;
}

void pd_trailer_write(struct pd_buf *b, const struct pd_trailer *t)
{
	size_t start = b->len, body_len;

	pd_fields_write(b, cost_fields, COST_NR, &t->cost);
	write_frames(b, t);
	pd_list_write(b, &loss_list, t->losses, t->loss_nr);
	write_more(b, t);
	if (t->has_sums)
		write_sums(b, t);
	if (pd_buf_status(b))
		return;
	body_len = b->len - start;
	pd_buf_u64(b, body_len);
	pd_buf_u64(b, XXH3_64bits(b->data + start, body_len));
	pd_buf_u32(b, VERSION);
	if (pd_buf_status(b))
		return;
	pd_buf_u32(b, footer_sum(b->data + start + body_len));
	pd_buf_u64(b, MAGIC);
}
