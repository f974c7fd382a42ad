#include "format/carried/carried.h"

#include <stdlib.h>

#include "format/base/hash.h"
#include "format/base/limits.h"
#include "format/base/zstd_block.h"
#include "format/carried/carried_cfi.h"
#include "format/carried/carried_identity.h"
#include "format/carried/carried_jit.h"
#include "format/carried/carried_raw.h"
#include "format/carried/carried_section.h"

/* The shortest file takes 13 bytes, a segment 3, a name 5. */
enum { FILE_LEN_MIN = 13, SEGMENT_LEN_MIN = 3, NAME_LEN_MIN = 5 };

static const struct pd_trailer_section *find_section(const struct pd_trailer *t,
						     uint32_t kind)
{
	for (size_t i = 0; i < t->section_nr; i++)
		if (t->sections[i].kind == kind)
			return &t->sections[i];
	return NULL;
}

static const char *kind_name(uint32_t kind)
{
	switch (kind) {
	case PD_CARRIED_FILES:
		return "the list of carried files";
	case PD_CARRIED_CFI:
		return "carried call frame information";
	case PD_CARRIED_JIT:
		return "carried JIT code";
	case PD_CARRIED_RAW:
		return "carried .gnu_debugdata";
	case PD_CARRIED_IDENTITY:
		return "the identity of carried files";
	case PD_CARRIED_ACCOUNT:
		return "the account of carried names";
	case PD_CARRIED_LINES:
		return "the section of carried lines";
	case PD_CARRIED_BYTES:
		return "the carried code";
	case PD_CARRIED_SOURCES:
		return "the carried source text";
	default:
		return "the text of carried names";
	}
}

static int check_section(const struct pd_trailer_section *s, uint64_t len,
			 struct pd_err *err)
{
	if (s->off > len || s->len > len - s->off)
		return pd_err_at(err, -EBADMSG, s->off,
				 "%s is behind the end of the file",
				 kind_name(s->kind));
	if (s->plain_len > PD_LIMIT_CARRIED_LEN ||
	    s->plain_len >
		    PD_LIMIT_CARRIED_FREE + s->len * PD_LIMIT_CARRIED_RATIO)
		return pd_err_at(err, -EFBIG, s->off, "%s has %llu bytes",
				 kind_name(s->kind),
				 (unsigned long long)s->plain_len);
	return 0;
}

/* Return the section's plain text, which the caller frees. */
static int read_section(const uint8_t *base, uint64_t len,
			const struct pd_trailer_section *s, uint8_t **ret,
			struct pd_err *err)
{
	int rc = check_section(s, len, err);

	if (rc)
		return rc;
	if (pd_hash_of(base + s->off, (size_t)s->len) != s->hash)
		return pd_err_at(err, -EBADMSG, s->off,
				 "%s does not have its checksum",
				 kind_name(s->kind));
	if (!(s->flags & PD_SECTION_IS_ZSTD) && s->plain_len != s->len)
		return pd_err_at(err, -EBADMSG, s->off, "%s has two lengths",
				 kind_name(s->kind));
	*ret = malloc((size_t)s->plain_len + 1);
	if (!*ret)
		return pd_err_set(err, -ENOMEM, "out of memory");
	(*ret)[s->plain_len] = 0; /* the last text need not end */
	if (!(s->flags & PD_SECTION_IS_ZSTD))
		memcpy(*ret, base + s->off, (size_t)s->len);
	else
		rc = pd_zstd_block_read(base + s->off, (size_t)s->len, *ret,
					(size_t)s->plain_len);
	if (!rc)
		return 0;
	free(*ret);
	*ret = NULL;
	return pd_err_at(err, rc, s->off, "%s is damaged", kind_name(s->kind));
}

/* Return a number that is at most max. */
static uint64_t read_below(struct pd_cursor *c, uint64_t max)
{
	uint64_t v = pd_cursor_varint(c);

	if (v <= max)
		return v;
	pd_cursor_fail(c, -EBADMSG, "%llu, which is over %llu",
		       (unsigned long long)v, (unsigned long long)max);
	return 0;
}

static void read_build_id(struct pd_cursor *c, struct pd_carried_file *f)
{
	struct pd_str id = pd_cursor_text(c);

	if (id.len > sizeof(f->build_id)) {
		pd_cursor_fail(c, -EBADMSG, "build-id of %zu bytes", id.len);
		return;
	}
	memcpy(f->build_id, id.ptr, id.len);
	f->build_id_len = (uint8_t)id.len;
}

static void read_segments(struct pd_cursor *c, struct pd_carried_file *f)
{
	uint64_t nr = read_below(c, PD_ELF_SEGMENTS_MAX);

	if (pd_cursor_status(c) || !nr)
		return;
	if (nr > pd_cursor_left(c) / SEGMENT_LEN_MIN) {
		pd_cursor_short(c);
		return;
	}
	f->segments = calloc((size_t)nr, sizeof(*f->segments));
	if (!f->segments) {
		pd_cursor_fail(c, -ENOMEM, "out of memory");
		return;
	}
	f->segment_nr = (uint32_t)nr;
	for (uint64_t i = 0; i < nr; i++) {
		f->segments[i].off = pd_cursor_varint(c);
		f->segments[i].addr = pd_cursor_varint(c);
		f->segments[i].len = pd_cursor_varint(c);
	}
}

/* Return how many bytes its names take. */
static uint64_t read_file(struct pd_cursor *c, struct pd_carried_file *f)
{
	uint64_t flags, names_len;

	f->kind = (enum pd_carried_kind)read_below(c, PD_CARRIED_KIND_NR - 1);
	f->reason =
		(enum pd_carried_reason)read_below(c, PD_CARRIED_REASON_NR - 1);
	f->path = pd_cursor_text(c);
	read_build_id(c, f);
	flags = pd_cursor_varint(c);
	f->is_64 = flags & PD_CARRIED_IS_64;
	f->is_big_endian = flags & PD_CARRIED_IS_BIG;
	f->machine = (uint16_t)read_below(c, UINT16_MAX);
	f->type = (uint16_t)read_below(c, UINT16_MAX);
	f->pid = (uint32_t)read_below(c, UINT32_MAX);
	f->hit_nr = pd_cursor_varint(c);
	f->named_nr = pd_cursor_varint(c);
	read_segments(c, f);
	f->name_nr = (uint32_t)read_below(c, UINT32_MAX);
	names_len = pd_cursor_varint(c);
	if (f->name_nr > names_len / NAME_LEN_MIN)
		pd_cursor_fail(c, -EBADMSG, "%u names in %llu bytes",
			       f->name_nr, (unsigned long long)names_len);
	return names_len;
}

static int read_files(struct pd_carried *carried, struct pd_cursor *c)
{
	uint64_t nr, off = 0;

	carried->files =
		pd_carried_list(c, FILE_LEN_MIN, sizeof(*carried->files), &nr);
	if (!carried->files)
		return pd_cursor_status(c);
	carried->name_offs = calloc((size_t)nr + 1, sizeof(uint64_t));
	if (!carried->name_offs)
		return pd_cursor_fail(c, -ENOMEM, "out of memory");
	for (uint64_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		uint64_t len;

		carried->file_nr++; /* so that its segments are freed */
		len = read_file(c, &carried->files[i]);
		if (len > carried->name_text_len - off)
			pd_cursor_fail(c, -EBADMSG,
				       "more names than are carried");
		off += pd_cursor_status(c) ? 0 : len;
		carried->name_offs[i + 1] = off;
	}
	return pd_cursor_status(c);
}

static int read_account(const uint8_t *base, uint64_t len,
			const struct pd_trailer *trailer,
			struct pd_carried_account *ret, struct pd_err *err)
{
	const struct pd_trailer_section *s =
		find_section(trailer, PD_CARRIED_ACCOUNT);
	struct pd_cursor c;
	uint8_t *text = NULL;
	int rc = s ? read_section(base, len, s, &text, err) : -ENOENT;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	pd_cursor_init(&c, text, (size_t)s->plain_len, s->off,
		       "account of carried names");
	c.err = err;
	ret->sample_nr = pd_cursor_varint(&c);
	ret->address_nr = pd_cursor_varint(&c);
	ret->unmapped_nr = pd_cursor_varint(&c);
	ret->is_cut = pd_cursor_varint(&c);
	ret->cpu_ns = pd_cursor_varint(&c);
	ret->wall_ns = pd_cursor_varint(&c);
	free(text);
	return pd_cursor_status(&c);
}

static void lose_names(struct pd_carried *carried)
{
	for (uint32_t i = 0; i < carried->file_nr; i++)
		carried->files[i].name_nr = 0;
}

static void lose_frames(struct pd_carried *carried)
{
	free(carried->frames);
	free(carried->frame_text);
	carried->frames = NULL;
	carried->frames_nr = 0;
	carried->frame_text = NULL;
	carried->frame_text_len = 0;
}

static void lose_jit(struct pd_carried *carried)
{
	free(carried->jits);
	free(carried->jit_text);
	carried->jits = NULL;
	carried->jit_nr = 0;
	carried->jit_text = NULL;
	carried->jit_text_len = 0;
}

/* The sections that are of some files, each in a file of its own here: lose
 * forgets what was read of a damaged one, if read does not. */
static const struct part {
	uint32_t kind;
	int (*read)(struct pd_carried *carried, uint8_t *text, size_t len,
		    uint64_t file_off, struct pd_err *err);
	void (*lose)(struct pd_carried *carried);
	void (*write)(struct pd_buf *b, const struct pd_carried_file *files,
		      uint32_t file_nr);
} parts[] = {
	{ PD_CARRIED_CFI, pd_carried_cfi_read, lose_frames,
	  pd_carried_cfi_write },
	{ PD_CARRIED_JIT, pd_carried_jit_read, lose_jit, pd_carried_jit_write },
	{ PD_CARRIED_RAW, pd_carried_raw_read, NULL, pd_carried_raw_write },
	{ PD_CARRIED_IDENTITY, pd_carried_identity_read, NULL,
	  pd_carried_identity_write },
};

enum { PART_NR = sizeof(parts) / sizeof(parts[0]) };

static int read_part(const struct part *part, const uint8_t *base, uint64_t len,
		     const struct pd_trailer *trailer, struct pd_carried *ret,
		     struct pd_err *err)
{
	const struct pd_trailer_section *s = find_section(trailer, part->kind);
	uint8_t *text = NULL;
	int rc = s ? read_section(base, len, s, &text, err) : -ENOENT;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = part->read(ret, text, (size_t)s->plain_len, s->off, err);
	if (rc && part->lose)
		part->lose(ret);
	return rc;
}

static int read_list(const uint8_t *base, uint64_t len,
		     const struct pd_trailer_section *files,
		     struct pd_carried *ret, struct pd_err *err)
{
	int rc = read_section(base, len, files, &ret->file_text, err);
	struct pd_cursor c;

	if (rc)
		return rc;
	pd_cursor_init(&c, ret->file_text, (size_t)files->plain_len, files->off,
		       "list of carried files");
	c.err = err;
	return read_files(ret, &c);
}

/* Note that a section is damaged; the first one's error is what is told. */
static int lose(struct pd_carried *carried, uint32_t kind, int rc, int first)
{
	if (rc)
		carried->lost_kinds |= UINT32_C(1) << kind;
	return first ? first : rc;
}

static int read_all(const uint8_t *base, uint64_t len,
		    const struct pd_trailer *trailer, struct pd_carried *ret,
		    struct pd_err *err)
{
	const struct pd_trailer_section *files, *names;
	struct pd_carried_account account = { 0 };
	int first, rc;

	files = find_section(trailer, PD_CARRIED_FILES);
	names = find_section(trailer, PD_CARRIED_NAMES);
	if (!files)
		return 0;
	/* the list is held to the length of the text even if that is lost */
	ret->name_text_len = names ? (size_t)names->plain_len : SIZE_MAX;
	rc = read_list(base, len, files, ret, err);
	if (rc) {
		pd_carried_release(ret);
		return lose(ret, PD_CARRIED_FILES, rc, 0);
	}
	rc = names ? read_section(base, len, names, &ret->name_text, err) : 0;
	first = lose(ret, PD_CARRIED_NAMES, rc, 0);
	if (!ret->name_text)
		lose_names(ret);
	for (size_t i = 0; i < PART_NR; i++) {
		rc = read_part(&parts[i], base, len, trailer, ret, err);
		first = lose(ret, parts[i].kind, rc, first);
	}
	rc = read_account(base, len, trailer, &account, err);
	first = lose(ret, PD_CARRIED_ACCOUNT, rc, first);
	if (!rc)
		ret->account = account;
	for (uint32_t kind = PD_CARRIED_LINES; kind <= PD_CARRIED_SOURCES;
	     kind++) {
		rc = pd_carried_text_check(base, len, trailer, kind,
					   ret->file_nr, err);
		first = lose(ret, kind, rc, first);
	}
	return first;
}

int pd_carried_read(const uint8_t *base, uint64_t len,
		    const struct pd_trailer *trailer, struct pd_carried *ret,
		    struct pd_err *err)
{
	memset(ret, 0, sizeof(*ret));
	return read_all(base, len, trailer, ret, err);
}

void pd_carried_release(struct pd_carried *carried)
{
	for (uint32_t i = 0; i < carried->file_nr; i++)
		free(carried->files[i].segments);
	free(carried->files);
	free(carried->file_text);
	free(carried->name_text);
	free(carried->name_offs);
	lose_frames(carried);
	lose_jit(carried);
	free(carried->raw_text);
	free(carried->keys);
	memset(carried, 0, sizeof(*carried));
}

int pd_carried_names(const struct pd_carried *carried, uint32_t idx,
		     struct pd_carried_name *ret, struct pd_err *err)
{
	uint64_t off = carried->name_offs[idx], start = 0;
	uint32_t nr = carried->files[idx].name_nr;
	struct pd_cursor c;

	if (!nr) /* maybe the text is lost */
		return 0;
	pd_cursor_init(&c, carried->name_text + off,
		       (size_t)(carried->name_offs[idx + 1] - off), off,
		       "carried names");
	c.err = err;
	for (uint32_t i = 0; i < nr; i++) {
		start += pd_cursor_varint(&c);
		ret[i].start = start;
	}
	for (uint32_t i = 0; i < nr; i++)
		ret[i].len = pd_cursor_varint(&c);
	for (uint32_t i = 0; i < nr; i++)
		ret[i].source = (uint8_t)pd_cursor_u8(&c);
	for (uint32_t i = 0; i < nr; i++)
		ret[i].info = pd_cursor_u8(&c);
	for (uint32_t i = 0; i < nr; i++)
		ret[i].text = pd_cursor_cstr(&c);
	return pd_cursor_status(&c);
}

int pd_carried_text_read(const uint8_t *base, uint64_t len,
			 const struct pd_trailer *trailer, uint32_t kind,
			 struct pd_carried_text *ret, struct pd_err *err)
{
	const struct pd_trailer_section *s = find_section(trailer, kind);

	*ret = (struct pd_carried_text){ .data = NULL };
	if (!s)
		return 0;
	ret->len = (size_t)s->plain_len;
	ret->off = s->off;
	return read_section(base, len, s, &ret->data, err);
}

/* Names are packed at the end of each slice.  Of 24 KB level 4 makes 11,409
 * bytes at 40 MB/s; 6 makes 11,067 at 11 to 14 MB/s and 12 11,022 at 4 MB/s,
 * which takes 50 MB of memory for 4 MB. */
enum { LEVEL = 4 };

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
	/* Bytes that xz packed are not packed again. */
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
		      sums = PD_BUF_INIT;

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
	*ret_nr = 3;
	for (size_t i = 0; i < PART_NR; i++) {
		struct pd_buf plain = PD_BUF_INIT;

		parts[i].write(&plain, files, file_nr);
		if (plain.len || pd_buf_status(&plain))
			write_section(b, off, parts[i].kind, &plain,
				      &ret[(*ret_nr)++]);
		pd_buf_release(&plain);
	}
	if (pd_buf_status(b))
		*ret_nr = 0;
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
