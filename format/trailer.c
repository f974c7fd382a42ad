#include "format/trailer.h"

#include "format/limits.h"

#include <stdlib.h>
#include <xxhash.h>

/* FORMAT.md "Trailer": body, then a footer of FOOTER_LEN bytes at the end of
 * the file: body length, XXH3-64 of the body, version, magic. */
#define FOOTER_LEN     32u
#define FOOTER_SUM_OFF 20u
#define VERSION	       1u
#define MAGIC	       UINT64_C(0x4c49525452494150) /* "PAIRTRIL" */

#define FRAME_LEN	   64u
#define LOSS_LEN	   32u
#define FRAME_HAS_SIDEBAND 1u
#define FRAME_IS_PLAIN	   2u
#define FRAME_SAMPLES_BIT  2u /* from there up: samples and 1; 0: not said */
#define SUM_LEN		   32u
#define RATE_LEN	   24u
#define COMMAND_BIT	   32u /* of the word with the threads */
#define RATE_IS_FREQ	   1u

void pd_trailer_release(struct pd_trailer *t)
{
	if (!t)
		return;
	free(t->frames);
	free(t->losses);
	free(t->rates);
	free(t->sums);
	*t = (struct pd_trailer){ .frames = NULL };
}

static void read_frame(struct pd_cursor *c, struct pd_trailer_frame *f)
{
	uint32_t flags;

	f->file_off = pd_cursor_u64(c);
	f->file_len = pd_cursor_u64(c);
	f->plain_len = pd_cursor_u64(c);
	f->plain_hash = pd_cursor_u64(c);
	f->record_nr = pd_cursor_u64(c);
	f->time_lo_ns = pd_cursor_u64(c);
	f->time_hi_ns = pd_cursor_u64(c);
	f->cpu = pd_cursor_u32(c);
	flags = pd_cursor_u32(c);
	f->has_sideband = flags & FRAME_HAS_SIDEBAND;
	f->is_plain = flags & FRAME_IS_PLAIN;
	f->has_sample_nr = flags >> FRAME_SAMPLES_BIT;
	if (f->has_sample_nr)
		f->sample_nr = (flags >> FRAME_SAMPLES_BIT) - 1;
}

static uint32_t frame_flags(const struct pd_trailer_frame *f)
{
	uint32_t flags = f->has_sideband ? FRAME_HAS_SIDEBAND : 0;

	if (f->is_plain)
		flags |= FRAME_IS_PLAIN;
	if (f->has_sample_nr && f->sample_nr < UINT32_MAX >> FRAME_SAMPLES_BIT)
		flags |= (f->sample_nr + 1) << FRAME_SAMPLES_BIT;
	return flags;
}

static void write_frame(struct pd_buf *b, const struct pd_trailer_frame *f)
{
	pd_buf_u64(b, f->file_off);
	pd_buf_u64(b, f->file_len);
	pd_buf_u64(b, f->plain_len);
	pd_buf_u64(b, f->plain_hash);
	pd_buf_u64(b, f->record_nr);
	pd_buf_u64(b, f->time_lo_ns);
	pd_buf_u64(b, f->time_hi_ns);
	pd_buf_u32(b, f->cpu);
	pd_buf_u32(b, frame_flags(f));
}

static void read_loss(struct pd_cursor *c, struct pd_trailer_loss *l)
{
	l->cpu = pd_cursor_u32(c);
	l->event_idx = pd_cursor_u32(c);
	l->lost_nr = pd_cursor_u64(c);
	l->time_lo_ns = pd_cursor_u64(c);
	l->time_hi_ns = pd_cursor_u64(c);
}

static void write_loss(struct pd_buf *b, const struct pd_trailer_loss *l)
{
	pd_buf_u32(b, l->cpu);
	pd_buf_u32(b, l->event_idx);
	pd_buf_u64(b, l->lost_nr);
	pd_buf_u64(b, l->time_lo_ns);
	pd_buf_u64(b, l->time_hi_ns);
}

static void read_cost(struct pd_cursor *c, struct pd_trailer_cost *cost)
{
	cost->user_ns = pd_cursor_u64(c);
	cost->system_ns = pd_cursor_u64(c);
	cost->peak_rss_len = pd_cursor_u64(c);
	cost->wakeup_nr = pd_cursor_u64(c);
	cost->sample_nr = pd_cursor_u64(c);
	cost->throttle_nr = pd_cursor_u64(c);
	cost->plain_len = pd_cursor_u64(c);
	cost->written_len = pd_cursor_u64(c);
	cost->startup_ns = pd_cursor_u64(c);
}

static void write_cost(struct pd_buf *b, const struct pd_trailer_cost *cost)
{
	pd_buf_u64(b, cost->user_ns);
	pd_buf_u64(b, cost->system_ns);
	pd_buf_u64(b, cost->peak_rss_len);
	pd_buf_u64(b, cost->wakeup_nr);
	pd_buf_u64(b, cost->sample_nr);
	pd_buf_u64(b, cost->throttle_nr);
	pd_buf_u64(b, cost->plain_len);
	pd_buf_u64(b, cost->written_len);
	pd_buf_u64(b, cost->startup_ns);
}

static void read_more_cost(struct pd_cursor *c, struct pd_trailer *t)
{
	struct pd_trailer_cost *cost = &t->cost;
	uint64_t threads;

	cost->recorded_ns = pd_cursor_u64(c);
	threads = pd_cursor_u64(c);
	cost->thread_nr = threads & UINT32_MAX;
	t->whole_command = (uint32_t)(threads >> COMMAND_BIT);
	cost->spilled_len = pd_cursor_u64(c);
	cost->cut_nr = pd_cursor_u64(c);
	cost->dropped_nr = pd_cursor_u64(c);
	cost->max_rate_before_hz = pd_cursor_u64(c);
	cost->max_rate_after_hz = pd_cursor_u64(c);
}

static void write_more_cost(struct pd_buf *b, const struct pd_trailer *t)
{
	const struct pd_trailer_cost *cost = &t->cost;

	pd_buf_u64(b, cost->recorded_ns);
	pd_buf_u64(b, (cost->thread_nr & UINT32_MAX) |
			      (uint64_t)t->whole_command << COMMAND_BIT);
	pd_buf_u64(b, cost->spilled_len);
	pd_buf_u64(b, cost->cut_nr);
	pd_buf_u64(b, cost->dropped_nr);
	pd_buf_u64(b, cost->max_rate_before_hz);
	pd_buf_u64(b, cost->max_rate_after_hz);
}

static void read_rate(struct pd_cursor *c, struct pd_trailer_rate *r)
{
	r->event_idx = pd_cursor_u32(c);
	r->is_freq = pd_cursor_u32(c) & RATE_IS_FREQ;
	r->time_ns = pd_cursor_u64(c);
	r->value = pd_cursor_u64(c);
}

static void write_rate(struct pd_buf *b, const struct pd_trailer_rate *r)
{
	pd_buf_u32(b, r->event_idx);
	pd_buf_u32(b, r->is_freq ? RATE_IS_FREQ : 0);
	pd_buf_u64(b, r->time_ns);
	pd_buf_u64(b, r->value);
}

static void read_sum(struct pd_cursor *c, struct pd_trailer_sum *s)
{
	s->off = pd_cursor_u64(c);
	s->len = pd_cursor_u64(c);
	s->hash = pd_cursor_u64(c);
	s->part = pd_cursor_u32(c);
	pd_cursor_u32(c);
}

static void write_sum(struct pd_buf *b, const struct pd_trailer_sum *s)
{
	pd_buf_u64(b, s->off);
	pd_buf_u64(b, s->len);
	pd_buf_u64(b, s->hash);
	pd_buf_u32(b, s->part);
	pd_buf_u32(b, 0);
}

/* Room for a list whose items each take item_len bytes of the rest of c. */
static void *list_for(struct pd_cursor *c, uint64_t nr, size_t item_len,
		      size_t struct_len)
{
	void *list;

	if (pd_cursor_status(c) || !nr)
		return NULL;
	if (nr > PD_LIMIT_FRAMES) {
		pd_cursor_fail(c, -EFBIG, "trailer of %llu entries",
			       (unsigned long long)nr);
		return NULL;
	}
	if (nr > pd_cursor_left(c) / item_len) {
		pd_cursor_short(c);
		return NULL;
	}
	list = calloc((size_t)nr, struct_len);
	if (!list)
		pd_cursor_fail(c, -ENOMEM, "out of memory");
	return list;
}

/* What recorders have told since; nothing, in older files. */
static void read_more(struct pd_cursor *c, struct pd_trailer *t)
{
	uint64_t rate_nr;

	if (pd_cursor_status(c) || !pd_cursor_left(c))
		return;
	read_more_cost(c, t);
	rate_nr = pd_cursor_u64(c);
	t->rates = list_for(c, rate_nr, RATE_LEN, sizeof(*t->rates));
	t->rate_nr = t->rates ? (size_t)rate_nr : 0;
	for (size_t i = 0; i < t->rate_nr; i++)
		read_rate(c, &t->rates[i]);
}

static void read_sums(struct pd_cursor *c, struct pd_trailer *t)
{
	uint64_t nr;

	if (pd_cursor_status(c) || !pd_cursor_left(c))
		return;
	t->has_sums = true;
	t->rest_hash = pd_cursor_u64(c);
	nr = pd_cursor_u64(c);
	t->sums = list_for(c, nr, SUM_LEN, sizeof(*t->sums));
	t->sum_nr = t->sums ? (size_t)nr : 0;
	for (size_t i = 0; i < t->sum_nr; i++)
		read_sum(c, &t->sums[i]);
}

static void write_sums(struct pd_buf *b, const struct pd_trailer *t)
{
	if (!t->has_sums)
		return;
	pd_buf_u64(b, t->rest_hash);
	pd_buf_u64(b, t->sum_nr);
	for (size_t i = 0; i < t->sum_nr; i++)
		write_sum(b, &t->sums[i]);
}

static int read_body(struct pd_cursor *c, struct pd_trailer *t)
{
	uint64_t frame_nr, loss_nr;

	read_cost(c, &t->cost);
	frame_nr = pd_cursor_u64(c);
	t->frames = list_for(c, frame_nr, FRAME_LEN, sizeof(*t->frames));
	t->frame_nr = t->frames ? (size_t)frame_nr : 0;
	for (size_t i = 0; i < t->frame_nr; i++)
		read_frame(c, &t->frames[i]);
	loss_nr = pd_cursor_u64(c);
	t->losses = list_for(c, loss_nr, LOSS_LEN, sizeof(*t->losses));
	t->loss_nr = t->losses ? (size_t)loss_nr : 0;
	for (size_t i = 0; i < t->loss_nr; i++)
		read_loss(c, &t->losses[i]);
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

/* Of what stands in the footer before it: a version that was changed is no
 * newer one. */
static uint32_t footer_sum(const uint8_t *footer)
{
	return (uint32_t)XXH3_64bits(footer, FOOTER_SUM_OFF);
}

/* A footer that is whole but for its magic. */
static bool has_lost_magic(const uint8_t *footer)
{
	uint32_t sum, is = footer_sum(footer);

	memcpy(&sum, footer + FOOTER_SUM_OFF, sizeof(sum));
	return sum && (sum == is || sum == __builtin_bswap32(is));
}

/* The footer is in the writer's byte order; the magic tells which. */
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

	write_cost(b, &t->cost);
	pd_buf_u64(b, t->frame_nr);
	for (size_t i = 0; i < t->frame_nr; i++)
		write_frame(b, &t->frames[i]);
	pd_buf_u64(b, t->loss_nr);
	for (size_t i = 0; i < t->loss_nr; i++)
		write_loss(b, &t->losses[i]);
	write_more_cost(b, t);
	pd_buf_u64(b, t->rate_nr);
	for (size_t i = 0; i < t->rate_nr; i++)
		write_rate(b, &t->rates[i]);
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
