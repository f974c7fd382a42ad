#include "report/carry/carried_copy.h"

#include "report/base/memory.h"
#include "report/base/temp_file.h"

#include "format/base/hash.h"
#include "format/support/new_file.h"
#include "format/support/whole_io.h"

#include <stdlib.h>

/* The footer of a trailer: FORMAT.md "Trailer". */
enum { FOOTER_LEN = 32 };

static int refuse(struct pd_err *err, const char *why, const char *hint)
{
	pd_err_set(err, -EINVAL, "%s", why);
	pd_err_hint(err, "%s", hint);
	return -EINVAL;
}

/* Return the length of the trailer that ends the file. */
static uint64_t trailer_len(const uint8_t *base, uint64_t len, bool swap)
{
	struct pd_cursor c;

	pd_cursor_init(&c, base + len - FOOTER_LEN, FOOTER_LEN,
		       len - FOOTER_LEN, "trailer footer");
	c.swap = swap;
	return pd_cursor_u64(&c) + FOOTER_LEN;
}

/* Return the end of what the trailer's sums and frames cover. */
static uint64_t covered_end(const struct pd_trailer *t,
			    const struct pd_section *data)
{
	uint64_t end = data->off + data->len;

	for (size_t i = 0; i < t->sum_nr; i++)
		if (t->sums[i].off + t->sums[i].len > end)
			end = t->sums[i].off + t->sums[i].len;
	return end;
}

/* Find the trailer that the recording had without sections, or else where its
 * sections start. */
static int find_front(struct rpt_carried_copy *copy, uint64_t len, bool swap,
		      struct pd_err *err)
{
	const struct pd_trailer *t = pd_reader_trailer(copy->reader);
	const struct pd_section data = pd_reader_data_section(copy->reader);

	copy->front_len = len;
	if (!t)
		return 0;
	for (size_t i = 0; i < t->sum_nr; i++)
		if (t->sums[i].part == PD_PART_OLD_TRAILER) {
			copy->has_old_sum = true;
			copy->front_len = t->sums[i].off + t->sums[i].len;
			return 0;
		}
	if (!t->section_nr) {
		copy->old_len = trailer_len(copy->base, len, swap);
		copy->old_trailer = len - copy->old_len;
		return 0;
	}
	for (size_t i = 0; i < t->section_nr; i++)
		if (t->sections[i].off < copy->front_len)
			copy->front_len = t->sections[i].off;
	if (copy->front_len >= covered_end(t, &data))
		return 0;
	return refuse(err, "its carried names stand amid the rest",
		      "perfpair repair writes a file to which they can be "
		      "added");
}

int rpt_carried_copy_find(struct rpt_carried_copy *ret, const uint8_t *base,
			  uint64_t len, const struct pd_reader *reader,
			  struct pd_err *err)
{
	const struct pd_file_header *header = pd_reader_header(reader);
	const struct pd_damage *damage = pd_reader_damage(reader);

	*ret = (struct rpt_carried_copy){ .base = base, .reader = reader };
	if (header->is_pipe)
		return refuse(err, "a stream has no place for names",
			      "perfpair repair makes a file of it");
	if (damage->skipped_nr) {
		*err = damage->first;
		pd_err_hint(err,
			    "perfpair repair writes a clean file, to which "
			    "names can be added");
		return -EINVAL;
	}
	ret->tail.swap = header->swap;
	return find_front(ret, len, header->swap, err);
}

static bool is_replaced(const struct pd_carried_sections *sections,
			uint32_t kind)
{
	for (size_t i = 0; i < sections->nr; i++)
		if (sections->items[i].kind == kind)
			return true;
	return false;
}

void rpt_carried_copy_keep(struct rpt_carried_copy *copy)
{
	const struct pd_trailer *t = pd_reader_trailer(copy->reader);
	struct pd_carried_sections *sections = &copy->sections;

	for (size_t i = 0; t && i < t->section_nr; i++) {
		struct pd_trailer_section *s = &sections->items[sections->nr];

		if (sections->nr == PD_CARRIED_SECTIONS_MAX ||
		    is_replaced(sections, t->sections[i].kind))
			continue;
		*s = t->sections[i];
		s->off = copy->front_len + copy->tail.len;
		pd_buf_bytes(&copy->tail, copy->base + t->sections[i].off,
			     (size_t)t->sections[i].len);
		sections->nr++;
	}
}

/* Append the trailer: that of the recording with the new sections. */
static void write_trailer(struct rpt_carried_copy *copy)
{
	const struct pd_trailer *old = pd_reader_trailer(copy->reader);
	struct pd_trailer t = old ? *old : (struct pd_trailer){ .frame_nr = 0 };
	struct pd_trailer_sum *sums =
		rpt_alloc_zeroed(t.sum_nr + 1, sizeof(*sums));

	if (t.sum_nr)
		memcpy(sums, t.sums, t.sum_nr * sizeof(*sums));
	if (copy->old_len)
		sums[t.sum_nr++] = (struct pd_trailer_sum){
			.off = copy->old_trailer,
			.len = copy->old_len,
			.hash = pd_hash_of(copy->base + copy->old_trailer,
					   (size_t)copy->old_len),
			.part = PD_PART_OLD_TRAILER,
		};
	t.has_sums = true;
	t.sums = sums;
	t.sections = copy->sections.items;
	t.section_nr = copy->sections.nr;
	pd_trailer_write(&copy->tail, &t);
	free(sums);
}

int rpt_carried_copy_write(struct rpt_carried_copy *copy, const char *path,
			   bool force, struct pd_err *err)
{
	struct sup_new_file file;
	int rc;

	/* before there is a file: memory that is short ends the program */
	write_trailer(copy);
	rc = pd_buf_status(&copy->tail);
	if (rc)
		return pd_err_set(err, rc, "%s", strerror(-rc));
	rc = sup_new_file_open(&file, path, 0600, force, err);
	if (rc)
		return rc;
	rc = sup_write(file.fd, copy->base, (size_t)copy->front_len);
	if (!rc)
		rc = sup_write(file.fd, copy->tail.data, copy->tail.len);
	if (rc)
		pd_err_set(err, rc, "%s", strerror(-rc));
	else
		rc = sup_new_file_name(&file, err);
	copy->len = copy->front_len + copy->tail.len;
	sup_new_file_release(&file);
	return rc;
}

void rpt_carried_copy_release(struct rpt_carried_copy *copy)
{
	pd_buf_release(&copy->tail);
}
