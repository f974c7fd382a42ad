#include "report/header/header_rows.h"

#include "format/support/safe_text.h"

#include <inttypes.h>
#include <string.h>

/* Offsets in the kernel's struct bpf_prog_info (Linux v5.2 and later; what is
 * beyond info_len is 0), and in struct btf_header and struct btf_type.  The
 * pointers in it are offsets in the data behind it. */
enum {
	INFO_ID = 4,
	INFO_NAME = 64,
	INFO_NAME_LEN = 16,
	INFO_KSYMS_NR = 104,
	INFO_LENS_NR = 108,
	INFO_KSYMS = 112,
	INFO_LENS = 120,
	INFO_BTF_ID = 128,
	INFO_FUNC_REC_LEN = 132,
	INFO_FUNCS = 136,
	INFO_TAGS_NR = 180,
	INFO_TAGS = 184,
};

enum { TAG_LEN = 8, BTF_KIND_NR = 20 };

/* Finding a name skips all types before it, for each part of each program.
 * After so many steps, a second's work, names are left out: a program has some
 * thousand types and a few parts. */
#define BTF_STEP_NR ((uint64_t)1 << 23)

struct blob {
	const uint8_t *data;
	size_t len;
	bool swap;
};

struct prog {
	struct blob info;
	struct blob data;
};

static uint64_t number_at(const struct blob *b, uint64_t off, size_t len)
{
	struct pd_cursor c;

	if (off > b->len)
		return 0;
	pd_cursor_init(&c, b->data + off, b->len - (size_t)off, 0, "BPF data");
	c.swap = b->swap;
	return len == 8 ? pd_cursor_u64(&c) : pd_cursor_u32(&c);
}

static struct blob take_blob(struct pd_cursor *c, uint32_t len)
{
	return (struct blob){ pd_cursor_bytes(c, len), len, c->swap };
}

static bool may_step(struct rpt_header_ctx *ctx)
{
	return ctx->btf_step_nr++ < BTF_STEP_NR;
}

/* Get the BTF of that id from its own section, or return false. */
static bool find_btf(struct rpt_header_ctx *ctx, uint32_t id, struct blob *ret)
{
	struct pd_cursor c;
	uint32_t nr;

	if (!id || !pd_reader_feature(ctx->reader, PD_FEATURE_BPF_BTF, &c))
		return false;
	nr = pd_cursor_u32(&c);
	for (uint32_t i = 0; i < nr && !pd_cursor_status(&c); i++) {
		uint32_t this_id = pd_cursor_u32(&c);

		if (!may_step(ctx))
			return false;
		*ret = take_blob(&c, pd_cursor_u32(&c));
		if (ret->data && this_id == id)
			return true;
	}
	return false;
}

/* Bytes after the 12 that all types have: fixed, and per member. */
static const struct {
	uint8_t fixed_len;
	uint8_t member_len;
} btf_kinds[BTF_KIND_NR] = {
	[1] = { 4, 0 },	 [3] = { 12, 0 },  [4] = { 0, 12 }, [5] = { 0, 12 },
	[6] = { 0, 8 },	 [13] = { 0, 8 },  [14] = { 4, 0 }, [15] = { 0, 12 },
	[17] = { 4, 0 }, [19] = { 0, 12 },
};

/* Return the name of a type by its number, from 1 on. */
static struct pd_str btf_name(struct rpt_header_ctx *ctx,
			      const struct blob *btf, uint32_t type_id)
{
	uint64_t head_len = number_at(btf, 4, 4);
	uint64_t at = head_len + number_at(btf, 8, 4);
	uint64_t end = at + number_at(btf, 12, 4), name_at;
	struct pd_cursor c;

	for (uint32_t id = 1; id < type_id && at < end; id++) {
		uint64_t info = number_at(btf, at + 4, 4);
		uint64_t kind = info >> 24 & 0x1f;

		if (kind >= BTF_KIND_NR || !may_step(ctx))
			return (struct pd_str){ 0 };
		at += 12 + btf_kinds[kind].fixed_len +
		      btf_kinds[kind].member_len * (info & 0xffff);
	}
	name_at = head_len + number_at(btf, 16, 4) + number_at(btf, at, 4);
	if (at >= end || name_at >= btf->len)
		return (struct pd_str){ 0 };
	pd_cursor_init(&c, btf->data + name_at, btf->len - (size_t)name_at, 0,
		       "BTF name");
	return pd_cursor_cstr(&c);
}

static void put_name(struct rpt_header_ctx *ctx, const struct prog *p,
		     uint32_t sub, uint32_t sub_nr)
{
	uint64_t tag = number_at(&p->info, INFO_TAGS, 8) + sub * TAG_LEN;
	uint64_t func = number_at(&p->info, INFO_FUNCS, 8) +
			sub * number_at(&p->info, INFO_FUNC_REC_LEN, 4);
	struct pd_str name = { 0 };
	struct blob btf;
	struct pd_cursor c;

	fputs("bpf_prog_", ctx->out);
	for (uint64_t i = tag; i < tag + TAG_LEN && i < p->data.len; i++)
		fprintf(ctx->out, "%02x", p->data.data[i]);
	if (find_btf(ctx, (uint32_t)number_at(&p->info, INFO_BTF_ID, 4),
		     &btf)) {
		name = btf_name(ctx, &btf,
				(uint32_t)number_at(&p->data, func + 4, 4));
	} else if (sub_nr == 1 && p->info.len >= INFO_NAME + INFO_NAME_LEN) {
		pd_cursor_init(&c, p->info.data + INFO_NAME, INFO_NAME_LEN, 0,
			       "BPF name");
		name = pd_cursor_cstr(&c);
	} else if (sub_nr > 1) {
		name = (struct pd_str){ "F", 1 };
	}
	if (!name.len)
		return;
	fputc('_', ctx->out);
	sup_put_safe(ctx->out, name);
}

static void print_prog(struct rpt_header_ctx *ctx, const struct prog *p)
{
	uint64_t nr = number_at(&p->info, INFO_KSYMS_NR, 4);
	uint64_t ksyms = number_at(&p->info, INFO_KSYMS, 8);
	uint64_t lens = number_at(&p->info, INFO_LENS, 8);
	uint32_t id = (uint32_t)number_at(&p->info, INFO_ID, 4);

	if (nr != number_at(&p->info, INFO_TAGS_NR, 4) ||
	    nr != number_at(&p->info, INFO_LENS_NR, 4) || nr > p->data.len / 8)
		return;
	fprintf(ctx->out, "# bpf_prog_info %" PRIu32 ":%s", id,
		nr == 1 ? " " : "\n");
	for (uint32_t i = 0; i < nr; i++) {
		if (nr > 1)
			fprintf(ctx->out, "# \tsub_prog %" PRIu32 ": ", i);
		put_name(ctx, p, i, (uint32_t)nr);
		fprintf(ctx->out, " addr 0x%" PRIx64 " size %" PRIu64 "\n",
			number_at(&p->data, ksyms + i * 8, 8),
			number_at(&p->data, lens + i * 4, 4));
	}
}

/* Read how many there are.  perf 7.2 and later prints that there are none. */
static uint32_t read_nr(struct rpt_header_ctx *ctx, const char *what)
{
	uint32_t nr = pd_cursor_u32(&ctx->payload);

	if (!nr && ctx->perf >= PD_PERF_7_2)
		fprintf(ctx->out, "# %s empty\n", what);
	return nr;
}

void rpt_header_bpf_prog_info(struct rpt_header_ctx *ctx)
{
	struct pd_cursor *c = &ctx->payload;
	uint32_t nr = read_nr(ctx, "bpf_prog_info");

	for (uint32_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		uint32_t info_len = pd_cursor_u32(c);
		uint32_t data_len = pd_cursor_u32(c);
		struct prog p;

		pd_cursor_skip(c, 8); /* the set of arrays */
		p.info = take_blob(c, info_len);
		p.data = take_blob(c, data_len);
		if (!pd_cursor_status(c))
			print_prog(ctx, &p);
	}
}

void rpt_header_bpf_btf(struct rpt_header_ctx *ctx)
{
	struct pd_cursor *c = &ctx->payload;
	uint32_t nr = read_nr(ctx, "btf info");

	for (uint32_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		uint32_t id = pd_cursor_u32(c);

		pd_cursor_skip(c, pd_cursor_u32(c));
		if (!pd_cursor_status(c))
			fprintf(ctx->out, "# btf info of id %" PRIu32 "\n", id);
	}
}
