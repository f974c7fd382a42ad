/* What the trailer says about the data section: the number of samples, and the
 * checksum of the records that are in no frame. */
#include "format/base/hash.h"
#include "format/reader/reader.h"
#include "format/reader/reader_impl.h"

/* True if the checksum of a frame covers the record at pos.  *idx is the first
 * frame that may end behind pos; it moves on with pos. */
static bool is_of_frame(const struct pd_trailer *t, size_t *idx, uint64_t pos,
			uint32_t type)
{
	const struct pd_trailer_frame *f;

	while (*idx < t->frame_nr &&
	       t->frames[*idx].file_off + t->frames[*idx].file_len <= pos)
		++*idx;
	if (*idx == t->frame_nr || pos < t->frames[*idx].file_off)
		return false;
	f = &t->frames[*idx];
	return f->is_plain || type == PD_RECORD_COMPRESSED ||
	       type == PD_RECORD_COMPRESSED2;
}

static int add_rest(struct pd_reader *r, struct pd_hash *hash)
{
	uint64_t pos = r->data.off, end = pos + r->data.len, next;
	struct pd_record rec;
	size_t idx = 0;

	while (pos < end) {
		if (pd_reader_raw_record(r, pos, end, &rec, &next, NULL))
			return -EBADMSG;
		if (!is_of_frame(&r->trailer, &idx, pos, rec.type))
			pd_hash_add(hash, r->base + pos, (size_t)(next - pos));
		pos = next;
	}
	return 0;
}

uint64_t pd_reader_sample_nr(const struct pd_reader *r)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < r->trailer.frame_nr; i++) {
		if (!r->trailer.frames[i].has_sample_nr)
			return 0;
		nr += r->trailer.frames[i].sample_nr;
	}
	return nr;
}

int pd_reader_check_rest(struct pd_reader *r)
{
	struct pd_hash *hash;
	int rc;

	if (!r->has_trailer || !r->trailer.rest_hash)
		return -ENOENT;
	hash = pd_hash_new();
	if (!hash)
		return -ENOMEM;
	rc = add_rest(r, hash);
	if (!rc && pd_hash_get(hash) != r->trailer.rest_hash)
		rc = -EBADMSG;
	pd_hash_free(hash);
	return rc;
}
