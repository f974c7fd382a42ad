#include "format/carried/carried_identity.h"

#include <stdlib.h>

#include "format/base/limits.h"

/* An entry takes at least so many bytes, and a key. */
enum { ENTRY_LEN_MIN = 3, KEY_LEN = 4 };

/* Names of one start that are compared: one file has them in one order. */
enum { ALIASES_MAX = 64 };

/* Flags of an entry. */
enum { HAS_OWNER = 1, IS_KNOWN_BY_ID = 2 };

static bool has_identity(const struct pd_carried_file *f)
{
	return f->owner.is_known || f->is_known_by_id || f->key_nr;
}

static void write_entry(struct pd_buf *b, const struct pd_carried_file *f)
{
	pd_buf_varint(b, (f->owner.is_known ? HAS_OWNER : 0) |
				 (f->is_known_by_id ? IS_KNOWN_BY_ID : 0));
	if (f->owner.is_known) {
		pd_buf_varint(b, f->owner.uid);
		pd_buf_varint(b, f->owner.mode);
		pd_buf_varint(b, f->owner.file_len);
		pd_buf_varint(b, f->owner.mtime_ns);
	}
	pd_buf_varint(b, f->key_nr);
	for (uint32_t i = 0; i < f->key_nr; i++) {
		pd_buf_varint(b, f->keys[i].maj);
		pd_buf_varint(b, f->keys[i].min);
		pd_buf_varint(b, f->keys[i].ino);
		pd_buf_varint(b, f->keys[i].ino_generation);
	}
}

void pd_carried_identity_write(struct pd_buf *b,
			       const struct pd_carried_file *files,
			       uint32_t file_nr)
{
	uint32_t nr = 0, last = 0;

	for (uint32_t i = 0; i < file_nr; i++)
		nr += has_identity(&files[i]);
	if (!nr)
		return;
	pd_buf_varint(b, nr);
	for (uint32_t i = 0; i < file_nr; i++) {
		if (!has_identity(&files[i]))
			continue;
		pd_buf_varint(b, i - last);
		write_entry(b, &files[i]);
		last = i;
	}
}

static uint32_t read_u32(struct pd_cursor *c)
{
	uint64_t v = pd_cursor_varint(c);

	if (v > UINT32_MAX)
		pd_cursor_fail(c, -EBADMSG, "%llu, which is over %u",
			       (unsigned long long)v, UINT32_MAX);
	return (uint32_t)v;
}

/* Read the keys of f to the free ones of carried->keys. */
static void read_keys(struct pd_carried *carried, struct pd_carried_file *f,
		      uint32_t *nr, struct pd_cursor *c)
{
	uint64_t more = pd_cursor_varint(c);

	if (more > pd_cursor_left(c) / KEY_LEN)
		pd_cursor_short(c);
	if (pd_cursor_status(c))
		return;
	f->keys = carried->keys + *nr;
	f->key_nr = (uint32_t)more;
	*nr += f->key_nr;
	for (uint32_t i = 0; i < f->key_nr; i++) {
		f->keys[i].maj = read_u32(c);
		f->keys[i].min = read_u32(c);
		f->keys[i].ino = pd_cursor_varint(c);
		f->keys[i].ino_generation = pd_cursor_varint(c);
	}
}

static void read_entry(struct pd_carried *carried, struct pd_carried_file *f,
		       uint32_t *key_nr, struct pd_cursor *c)
{
	uint64_t flags = pd_cursor_varint(c);

	f->is_known_by_id = flags & IS_KNOWN_BY_ID;
	f->owner.is_known = flags & HAS_OWNER;
	if (f->owner.is_known) {
		f->owner.uid = read_u32(c);
		f->owner.mode = read_u32(c);
		f->owner.file_len = pd_cursor_varint(c);
		f->owner.mtime_ns = pd_cursor_varint(c);
	}
	read_keys(carried, f, key_nr, c);
}

static int read_list(struct pd_carried *carried, struct pd_cursor *c)
{
	uint64_t nr = pd_cursor_varint(c), idx = 0;
	uint32_t key_nr = 0;

	if (nr > pd_cursor_left(c) / ENTRY_LEN_MIN)
		return pd_cursor_short(c);
	if (pd_cursor_left(c) / KEY_LEN > PD_LIMIT_CARRIED_KEYS)
		return pd_cursor_fail(c, -EFBIG, "more than %u keys",
				      PD_LIMIT_CARRIED_KEYS);
	carried->keys =
		calloc(pd_cursor_left(c) / KEY_LEN + 1, sizeof(*carried->keys));
	if (!carried->keys)
		return pd_cursor_fail(c, -ENOMEM, "out of memory");
	for (uint64_t i = 0; i < nr && !pd_cursor_status(c); i++) {
		uint64_t more = pd_cursor_varint(c);

		if ((i && !more) || more >= carried->file_nr - idx)
			return pd_cursor_fail(c, -EBADMSG,
					      "identity of no file");
		idx += more;
		read_entry(carried, &carried->files[idx], &key_nr, c);
	}
	return pd_cursor_status(c);
}

int pd_carried_identity_read(struct pd_carried *carried, uint8_t *text,
			     size_t len, uint64_t file_off, struct pd_err *err)
{
	struct pd_cursor c;
	int rc;

	pd_cursor_init(&c, text, len, file_off, "identity of carried files");
	c.err = err;
	rc = read_list(carried, &c);
	free(text);
	carried->has_identities = !rc;
	if (!rc)
		return 0;
	for (uint32_t i = 0; i < carried->file_nr; i++) {
		struct pd_carried_file *f = &carried->files[i];

		f->owner = (struct pd_file_owner){ .is_known = false };
		f->is_known_by_id = false;
		f->keys = NULL;
		f->key_nr = 0;
	}
	free(carried->keys);
	carried->keys = NULL;
	return rc;
}

bool pd_carried_is_preferred(const struct pd_carried_file *a,
			     const struct pd_carried_file *b)
{
	bool is_roots = a->owner.is_known && !a->owner.uid;

	if (is_roots != (b->owner.is_known && !b->owner.uid))
		return is_roots;
	return a->name_nr >= b->name_nr;
}

/* The names of one file, while two are compared. */
struct walk {
	struct pd_carried_name *names; /* owned; by start */
	uint32_t nr;
	uint32_t at;
	/* The end of the names that start where the other file has none. */
	uint64_t alone_end;
};

static bool walk_init(struct walk *w, const struct pd_carried *carried,
		      uint32_t idx)
{
	struct pd_carried_name *names =
		calloc(carried->files[idx].name_nr + (size_t)1, sizeof(*names));

	*w = (struct walk){ .names = names };
	if (!names || pd_carried_names(carried, idx, names, NULL))
		return false;
	/* bounds have no text, and slots of a PLT have no symbol around them */
	for (uint32_t i = 0; i < carried->files[idx].name_nr; i++)
		if (names[i].source == PD_CARRIED_SYMTAB && names[i].text.len)
			names[w->nr++] = names[i];
	return true;
}

/* Return the next start; UINT64_MAX behind the last. */
static uint64_t start_of(const struct walk *w)
{
	return w->at < w->nr ? w->names[w->at].start : UINT64_MAX;
}

/* Step over the names of one start.  Return the end of the longest. */
static uint64_t step(struct walk *w)
{
	uint64_t start = start_of(w), end = start;

	for (; w->at < w->nr && w->names[w->at].start == start; w->at++)
		if (w->names[w->at].len > end - start)
			end = start + w->names[w->at].len;
	return end;
}

static bool is_same(struct pd_str a, struct pd_str b)
{
	return a.len == b.len && !memcmp(a.ptr, b.ptr, a.len);
}

/* Return whether both have a name in common at one start. */
static bool has_common(const struct walk *a, const struct walk *b)
{
	uint64_t start = start_of(a);

	for (uint32_t i = 0; i < ALIASES_MAX * ALIASES_MAX; i++) {
		uint32_t x = a->at + i / ALIASES_MAX,
			 y = b->at + i % ALIASES_MAX;

		if (x < a->nr && y < b->nr && a->names[x].start == start &&
		    b->names[y].start == start &&
		    is_same(a->names[x].text, b->names[y].text))
			return true;
	}
	return false;
}

/* Step to the next start of either.  A symbol that reaches over another one is
 * carried with that, so in one file none starts inside of what is missing from
 * the names around it. */
static bool step_disagrees(struct walk *a, struct walk *b)
{
	uint64_t a_start = start_of(a), b_start = start_of(b);
	uint64_t start = a_start < b_start ? a_start : b_start, end;
	bool differs = false;

	if (a_start == b_start && !has_common(a, b))
		differs = true;
	if (a_start <= b_start && start < b->alone_end)
		differs = true;
	if (b_start <= a_start && start < a->alone_end)
		differs = true;
	if (a_start == b_start) {
		step(a);
		step(b);
		return differs;
	}
	if (a_start < b_start) {
		end = step(a);
		a->alone_end = end > a->alone_end ? end : a->alone_end;
	} else {
		end = step(b);
		b->alone_end = end > b->alone_end ? end : b->alone_end;
	}
	return differs;
}

bool pd_carried_disagree(const struct pd_carried *a, uint32_t a_idx,
			 const struct pd_carried *b, uint32_t b_idx)
{
	struct walk x, y = { .names = NULL };
	bool differs = false;

	if (walk_init(&x, a, a_idx) && walk_init(&y, b, b_idx))
		while (!differs && (x.at < x.nr || y.at < y.nr))
			differs = step_disagrees(&x, &y);
	free(x.names);
	free(y.names);
	return differs;
}
