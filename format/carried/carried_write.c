#include "format/carried/carried_write.h"

#include "format/base/hash.h"
#include "format/base/limits.h"
#include "format/base/zstd_block.h"
#include "format/carried/carried_frames.h"
#include "format/carried/carried_jit.h"
#include "format/carried/carried_raw.h"
#include "format/carried/carried_section.h"

/* Names are packed once, at the end: a level that takes some 10 ms for 100 KB.
 */
enum { LEVEL = 12 };

static void write_text(struct pd_buf *b, struct pd_str text)
{
	pd_buf_varint(b, text.len);
	pd_buf_bytes(b, text.ptr, text.len);
}

static void write_file(struct pd_buf *b, const struct pd_carried_file *f,
		       uint64_t names_len)
{
	pd_buf_varint(b, f->kind);
	pd_buf_varint(b, f->reason);
	write_text(b, f->path);
	write_text(b, (struct pd_str){ (const char *)f->build_id,
				       f->build_id_len });
	pd_buf_varint(b, (f->is_64 ? PD_CARRIED_IS_64 : 0) |
				 (f->is_big_endian ? PD_CARRIED_IS_BIG : 0));
	pd_buf_varint(b, f->machine);
	pd_buf_varint(b, f->type);
	pd_buf_varint(b, f->pid);
	pd_buf_varint(b, f->hit_nr);
	pd_buf_varint(b, f->named_nr);
	pd_buf_varint(b, f->segment_nr);
	for (uint32_t i = 0; i < f->segment_nr; i++) {
		pd_buf_varint(b, f->segments[i].off);
		pd_buf_varint(b, f->segments[i].addr);
		pd_buf_varint(b, f->segments[i].len);
	}
	pd_buf_varint(b, f->name_nr);
	pd_buf_varint(b, names_len);
}

/* Columns compress better than rows. */
static void write_names(struct pd_buf *b, const struct pd_carried_file *f)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < f->name_nr; i++) {
		pd_buf_varint(b, f->names[i].start - last);
		last = f->names[i].start;
	}
	for (uint32_t i = 0; i < f->name_nr; i++)
		pd_buf_varint(b, f->names[i].len);
	for (uint32_t i = 0; i < f->name_nr; i++)
		pd_buf_u8(b, f->names[i].source);
	for (uint32_t i = 0; i < f->name_nr; i++)
		pd_buf_u8(b, f->names[i].info);
	for (uint32_t i = 0; i < f->name_nr; i++) {
		pd_buf_bytes(b, f->names[i].text.ptr, f->names[i].text.len);
		pd_buf_u8(b, 0);
	}
}

static void write_account(struct pd_buf *b,
			  const struct pd_carried_account *account)
{
	pd_buf_varint(b, account->sample_nr);
	pd_buf_varint(b, account->address_nr);
	pd_buf_varint(b, account->unmapped_nr);
	pd_buf_varint(b, account->is_cut);
	pd_buf_varint(b, account->cpu_ns);
	pd_buf_varint(b, account->wall_ns);
}

/* Return true if readers take the text only as it is: they believe no ratio
 * beyond their limit. */
static bool is_too_dense(uint64_t plain_len, uint64_t len)
{
	return plain_len > PD_LIMIT_CARRIED_FREE + len * PD_LIMIT_CARRIED_RATIO;
}

static void write_section(struct pd_buf *b, uint64_t off, uint32_t kind,
			  const struct pd_buf *plain,
			  struct pd_trailer_section *ret)
{
	size_t start = b->len;
	/* What xz packed is not packed again. */
	uint32_t flags = kind == PD_CARRIED_RAW ? 0 : PD_SECTION_IS_ZSTD;

	if (pd_buf_status(plain))
		b->status = pd_buf_status(plain);
	if (!flags)
		pd_buf_bytes(b, plain->data, plain->len);
	else
		pd_zstd_block_write(b, LEVEL, plain->data, plain->len);
	if (pd_buf_status(b))
		return;
	if (is_too_dense(plain->len, b->len - start)) {
		flags = 0;
		b->len = start;
		pd_buf_bytes(b, plain->data, plain->len);
	}
	if (pd_buf_status(b))
		return;
	*ret = (struct pd_trailer_section){
		.kind = kind,
		.flags = flags,
		.off = off + start,
		.len = b->len - start,
		.plain_len = plain->len,
		.hash = pd_hash_of(b->data + start, b->len - start),
	};
}

void pd_carried_write(struct pd_buf *b, uint64_t off,
		      const struct pd_carried_file *files, uint32_t file_nr,
		      const struct pd_carried_account *account,
		      struct pd_carried_sections *ret_sections)
{
	struct pd_trailer_section *ret = ret_sections->items;
	size_t *ret_nr = &ret_sections->nr;
	struct pd_buf list = PD_BUF_INIT, names = PD_BUF_INIT,
		      sums = PD_BUF_INIT, frames = PD_BUF_INIT,
		      jit = PD_BUF_INIT, raw = PD_BUF_INIT;

	pd_buf_varint(&list, file_nr);
	for (uint32_t i = 0; i < file_nr; i++) {
		size_t start = names.len;

		write_names(&names, &files[i]);
		write_file(&list, &files[i], names.len - start);
	}
	write_account(&sums, account);
	write_section(b, off, PD_CARRIED_FILES, &list, &ret[0]);
	write_section(b, off, PD_CARRIED_NAMES, &names, &ret[1]);
	write_section(b, off, PD_CARRIED_ACCOUNT, &sums, &ret[2]);
	pd_carried_frames_write(&frames, files, file_nr);
	if (frames.len || pd_buf_status(&frames))
		write_section(b, off, PD_CARRIED_CFI, &frames, &ret[3]);
	*ret_nr = 3 + (frames.len > 0);
	pd_carried_jit_write(&jit, files, file_nr);
	if (jit.len || pd_buf_status(&jit))
		write_section(b, off, PD_CARRIED_JIT, &jit, &ret[(*ret_nr)++]);
	pd_carried_raw_write(&raw, files, file_nr);
	if (raw.len || pd_buf_status(&raw))
		write_section(b, off, PD_CARRIED_RAW, &raw, &ret[(*ret_nr)++]);
	if (pd_buf_status(b))
		*ret_nr = 0;
	pd_buf_release(&raw);
	pd_buf_release(&jit);
	pd_buf_release(&frames);
	pd_buf_release(&list);
	pd_buf_release(&names);
	pd_buf_release(&sums);
}

void pd_carried_text_write(struct pd_buf *b, uint64_t off, uint32_t kind,
			   const struct pd_buf *plain,
			   struct pd_carried_sections *sections)
{
	if (plain->len > PD_LIMIT_CARRIED_LEN ||
	    sections->nr == PD_CARRIED_SECTIONS_MAX)
		b->status = -EFBIG;
	write_section(b, off, kind, plain, &sections->items[sections->nr]);
	sections->nr += !pd_buf_status(b);
}
