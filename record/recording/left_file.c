#include "record/recording/left_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "format/base/limits.h"
#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "format/records/zstd_decompress.h"
#include "format/support/whole_io.h"
#include "record/base/read_file.h"
#include "record/carry/carry.h"
#include "record/describe/feature_table.h"
#include "record/recording/file_features.h"

enum {
	WINDOW_LEN = 64 << 10, /* a record fits */
	FIRST_LEN = 4096,      /* of the records, for the mark */
	HEAD_LEN_MAX = 16 << 20,
	ENTRY_LEN = 16,		 /* of the feature table */
	ROOM_LEN_MIN = 64 << 20, /* free for an end, or */
	ROOM_SHARE = 4,		 /* that part of a small disk */
	FOOTER_LEN = 32, /* of a trailer; it starts with the body's length */
};

/* As a normal end may wait for them; nobody waits for this one. */
static const uint64_t wait_ids_ns = 5000000000;

/* The start of a file that was left. */

/* Read the header of a file as a recorder begins it: ids, attrs, formats, data,
 * in this order. */
static int read_header(int fd, struct pd_file_header *ret)
{
	uint8_t bytes[PD_FILE_HEADER_LEN];
	ssize_t len = sup_read_at(fd, bytes, sizeof(bytes), 0);
	struct pd_cursor c;

	if (len < 0)
		return (int)len;
	pd_cursor_init(&c, bytes, (size_t)len, 0, "file header");
	if (pd_file_header_read(&c, ret) || ret->version != 2 || ret->swap ||
	    ret->is_pipe || ret->header_len != PD_FILE_HEADER_LEN ||
	    ret->attrs.off < PD_FILE_HEADER_LEN ||
	    ret->data.off > INT64_MAX / 2 || ret->data.len > INT64_MAX / 2 ||
	    ret->attrs.off > ret->data.off ||
	    ret->attrs.len > ret->data.off - ret->attrs.off)
		return -ENOENT;
	return 0;
}

int rec_left_file_mark(int fd, struct rec_slice_mark *ret)
{
	struct pd_file_header header = { .version = 0 };
	struct pd_record record = { .len = 0 };
	uint8_t bytes[FIRST_LEN];
	size_t at = 0;
	ssize_t len;
	int rc = read_header(fd, &header);

	if (rc)
		return rc;
	len = sup_read_at(fd, bytes, sizeof(bytes), header.data.off);
	if (len < 0)
		return (int)len;
	/* COMPRESSED stands before it, if there is one. */
	for (int i = 0; i < 2; i++, at += record.len) {
		if (pd_record_read(bytes + at, (size_t)len - at, 0, false,
				   &record, NULL))
			return -ENOENT;
		rc = rec_slice_mark_read(&record, ret);
		if (rc != -ENOENT)
			return rc;
	}
	return -ENOENT;
}

/* Take the sections before the records, and their checksums. */
static void take_parts(struct rec_left_file *left,
		       const struct pd_file_header *header)
{
	const uint64_t off = PD_FILE_HEADER_LEN;
	const struct pd_section *attrs = &header->attrs;
	uint64_t attrs_end = attrs->off + attrs->len;
	struct rec_output *out = &left->out;

	pd_file_sums_add(&out->sums, PD_PART_IDS, off, left->head_bytes + off,
			 attrs->off - off);
	pd_file_sums_add(&out->sums, PD_PART_ATTRS, attrs->off,
			 left->head_bytes + attrs->off, attrs->len);
	pd_file_sums_add(&out->sums, PD_FEATURE_TRACING_DATA, attrs_end,
			 left->head_bytes + attrs_end,
			 header->data.off - attrs_end);
	/* With what fills it up to 8 bytes: the table, which has its length,
	 * may be gone. */
	if (pd_file_header_has(header, PD_FEATURE_TRACING_DATA))
		out->formats =
			(struct pd_section){ attrs_end,
					     header->data.off - attrs_end };
	if (pd_file_header_has(header, PD_FEATURE_COMPRESSED))
		out->compressed.len = 1;
	if (pd_file_header_has(header, PD_FEATURE_HOSTNAME))
		out->hostname.len = 1;
	if (rec_output_has_table(out) &&
	    header->data.len >= PD_RECORD_HEADER_LEN)
		out->mark_off = header->data.off + header->data.len -
				PD_RECORD_HEADER_LEN;
}

static int read_head(struct rec_left_file *left,
		     const struct pd_file_header *header, struct pd_err *err)
{
	uint64_t len = header->data.off;
	ssize_t got;

	if (len > HEAD_LEN_MAX)
		return pd_err_set(err, -EFBIG, "its start is too long");
	left->head_bytes = malloc((size_t)len + 1);
	if (!left->head_bytes)
		return pd_err_set(err, -ENOMEM, "out of memory");
	got = sup_read_at(left->out.fd, left->head_bytes, (size_t)len, 0);
	if (got < 0 || (uint64_t)got < len)
		return pd_err_set(err, got < 0 ? (int)got : -ENODATA,
				  "its start cannot be read");
	return pd_reader_open(&left->head, left->head_bytes, len, NULL, err);
}

static int prepare(struct rec_left_file *left)
{
	static const struct pd_zstd_decompress_limits limits = {
		PD_LIMIT_ZSTD_RATIO, PD_LIMIT_WINDOW_LEN
	};

	left->window = malloc(WINDOW_LEN);
	left->plain = pd_hash_new();
	left->zstd = pd_zstd_decompress_new(&limits);
	left->whole = left->frame = PD_TRAILER_FRAME_INIT;
	left->seen = left->counts = REC_COUNTS_NONE;
	if (!left->window || !left->plain || !left->zstd)
		return -ENOMEM;
	return rec_frame_index_init(&left->index, NULL);
}

int rec_left_file_open(struct rec_left_file *left, int fd, const char *path,
		       const struct rec_left_knowledge *knows,
		       struct pd_err *err)
{
	const uint64_t at_checkpoint = PD_BIT(PD_FEATURE_TRACING_DATA) |
				       PD_BIT(PD_FEATURE_HOSTNAME) |
				       PD_BIT(PD_FEATURE_COMPRESSED);
	struct pd_file_header header = { .version = 0 };
	struct stat st;
	int rc = fstat(fd, &st) ? -errno : read_header(fd, &header);

	*left = (struct rec_left_file){ .knows = knows, .index.fd = -1 };
	if (rec_output_resume(&left->out, fd, path, &header))
		return pd_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		return pd_err_set(err, rc, "%s", strerror(-rc));
	left->written = st.st_mtim;
	left->out.sync = knows->sync;
	rc = rec_left_file_mark(fd, &left->mark);
	if (!rc)
		rc = prepare(left);
	if (!rc)
		rc = read_head(left, &header, err);
	if (rc)
		return pd_err_set(err, rc, "%s", strerror(-rc));
	left->is_finished = header.features[0] & ~at_checkpoint;
	take_parts(left, &header);
	left->pos = left->end = header.data.off;
	if (knows->wants_build_ids &&
	    rec_slice_mark_is_same_boot(&left->mark, &knows->mark))
		(void)!rec_build_id_reader_start(&left->build_ids, 0);
	return 0;
}

/* The records. */

static uint16_t mark_len(const struct rec_left_file *left)
{
	uint16_t len = PD_RECORD_HEADER_LEN;

	if (left->out.formats.len)
		len += ENTRY_LEN;
	if (left->out.hostname.len)
		len += ENTRY_LEN;
	return left->out.compressed.len ? len + ENTRY_LEN : len;
}

/* Read the record at window[at], pos in the file.  The last checkpoint's mark
 * becomes what it is once more follows. */
static int next_record(struct rec_left_file *left, size_t at, size_t len,
		       struct pd_record *ret)
{
	uint8_t *data = left->window + at;
	uint16_t all_len = mark_len(left);
	int rc = pd_record_read(data, len - at, left->pos, false, ret, NULL);

	if (rc || left->pos != left->out.mark_off)
		return rc;
	if (ret->type != PD_RECORD_FINISHED_INIT ||
	    (ret->len != PD_RECORD_HEADER_LEN && ret->len != all_len))
		return -EBADMSG;
	if (all_len > len - at)
		return -ENODATA;
	memcpy(data + PD_RECORD_HEADER_LEN - sizeof(all_len), &all_len,
	       sizeof(all_len));
	return pd_record_read(data, len - at, left->pos, false, ret, NULL);
}

static void count(struct rec_left_file *left, const struct pd_record *record,
		  uint64_t time_ns)
{
	struct rec_counts *seen = &left->seen;

	seen->plain_len += record->len;
	seen->throttle_nr += record->type == PD_RECORD_THROTTLE;
	if (record->type == PD_RECORD_SAMPLE) {
		seen->sample_nr++;
		if (time_ns && time_ns < seen->time_lo_ns)
			seen->time_lo_ns = time_ns;
		if (time_ns > seen->time_hi_ns)
			seen->time_hi_ns = time_ns;
	}
	if (left->build_ids.is_on)
		rec_build_id_reader_see(&left->build_ids, record);
}

/* All up to there is whole. */
static void note_whole(struct rec_left_file *left, uint64_t end)
{
	left->end = end;
	left->counts = left->seen;
	left->whole = left->frame;
	if (left->frame.record_nr)
		left->whole.plain_hash = pd_hash_get(left->plain);
}

static void close_frame(struct rec_left_file *left)
{
	if (left->whole.record_nr)
		rec_frame_index_add(&left->index, &left->whole);
	left->whole = left->frame = PD_TRAILER_FRAME_INIT;
	pd_hash_reset(left->plain);
}

/* Take the records in a COMPRESSED one.  Return false if they are damaged. */
static bool take_packed(struct rec_left_file *left,
			const struct pd_record *record)
{
	const struct pd_event_set *events = pd_reader_events(left->head);
	struct pd_zstd_decompress_skip skip;
	const struct pd_compressed *z;
	struct pd_record plain;
	struct pd_body body;
	int rc;

	if (pd_body_read(record, 0, &body, NULL))
		return false;
	z = &body.u.compressed;
	if (pd_zstd_decompress_starts_frame(z->payload, z->payload_len)) {
		if (pd_zstd_decompress_left(left->zstd))
			return false;
		close_frame(left);
		left->frame.file_off = left->pos;
	} else if (!left->frame.file_off) {
		return false;
	}
	pd_zstd_decompress_feed(left->zstd, z->payload, z->payload_len,
				left->pos);
	while ((rc = pd_zstd_decompress_next(left->zstd, false, &plain, &skip,
					     NULL)) > 0) {
		uint64_t time_ns = pd_event_set_time_of(events, &plain);

		pd_hash_add(left->plain, plain.data, plain.len);
		pd_trailer_frame_add(&left->frame, plain.type, plain.len,
				     time_ns);
		count(left, &plain, time_ns);
	}
	left->frame.file_len = left->pos + record->len - left->frame.file_off;
	return !rc;
}

/* COMPRESSED is the only feature that is taken from among the records. */
static bool take_compression(struct rec_left_file *left,
			     const struct pd_record *record)
{
	struct pd_cursor c = pd_record_body(record, "feature", NULL);

	return pd_cursor_u64(&c) == PD_FEATURE_COMPRESSED &&
	       !pd_feature_compressed_read(&c, &left->compression);
}

/* Return false if it is none that a recorder writes: what follows is not whole.
 */
static bool take(struct rec_left_file *left, const struct pd_record *record)
{
	const struct pd_event_set *events = pd_reader_events(left->head);

	if (record->type == PD_RECORD_COMPRESSED) {
		if (!take_packed(left, record))
			return false;
		if (!pd_zstd_decompress_left(left->zstd))
			note_whole(left, left->pos + record->len);
		return true;
	}
	if (!pd_record_type_name(record->type) ||
	    record->type == PD_RECORD_COMPRESSED2 ||
	    record->type == PD_RECORD_AUXTRACE ||
	    record->type == PD_RECORD_HEADER_TRACING_DATA ||
	    pd_zstd_decompress_left(left->zstd))
		return false;
	if (record->type == PD_RECORD_HEADER_FEATURE &&
	    !take_compression(left, record))
		return false;
	if (REC_IS_BIG_ENDIAN && record->type == PD_RECORD_FINISHED_INIT)
		(void)take_compression(left, record);
	if (record->type < PD_RECORD_USER_START)
		count(left, record, pd_event_set_time_of(events, record));
	pd_hash_add(left->out.rest, record->data, record->len);
	note_whole(left, left->pos + record->len);
	return true;
}

int rec_left_file_read(struct rec_left_file *left)
{
	ssize_t len =
		sup_read_at(left->out.fd, left->window, WINDOW_LEN, left->pos);
	struct pd_record record = { .len = 0 };
	size_t at = 0;

	if (len < 0 || left->is_finished)
		return len < 0 ? (int)len : 0;
	while (at < (size_t)len) {
		int rc = next_record(left, at, (size_t)len, &record);

		if (rc == -ENODATA && at && len == WINDOW_LEN)
			return 1;
		if (rc || !take(left, &record))
			return 0;
		at += record.len;
		left->pos += record.len;
	}
	return len == WINDOW_LEN;
}

/* The end. */

/* As the file's first record has it, with the ratio that came out. */
static int write_compressed(const struct rec_left_file *left, struct pd_buf *b)
{
	const uint64_t packed_len = left->end - left->out.data_off;
	struct pd_compression z = left->compression;

	if (!left->out.compressed.len)
		return -ENOENT;
	z.ratio = packed_len ? (uint32_t)(left->counts.plain_len / packed_len)
			     : 1;
	pd_feature_compressed_write(b, &z);
	return 0;
}

/* Names are those of our events, which are the same, ids are the file's. */
static int write_event_desc(const struct rec_left_file *left, struct pd_buf *b)
{
	const struct pd_buf *ours =
		&left->knows->options[PD_FEATURE_EVENT_DESC];
	const uint8_t *ids = left->head_bytes + PD_FILE_HEADER_LEN;
	uint64_t ids_len = left->out.header.attrs.off - PD_FILE_HEADER_LEN;
	struct pd_event_descs descs = { .nr = 0 };
	struct pd_cursor c;
	uint64_t nr = 0;
	int rc;

	pd_cursor_init(&c, ours->data, ours->len, 0, "EVENT_DESC");
	rc = pd_feature_event_desc_read(&c, &descs);
	for (size_t i = 0; i < descs.nr; i++) {
		descs.items[i].ids.raw = ids + nr * sizeof(uint64_t);
		nr += descs.items[i].ids.nr;
	}
	if (!rc && nr * sizeof(uint64_t) != ids_len)
		rc = -ENOENT;
	if (!rc)
		pd_feature_event_desc_write(b, &descs);
	pd_event_descs_release(&descs);
	return rc;
}

static int put_payload(void *ctx, const struct rec_host_facts *facts,
		       unsigned bit, struct pd_buf *b)
{
	struct rec_left_file *left = ctx;
	const struct rec_left_knowledge *knows = left->knows;
	bool same_boot = rec_slice_mark_is_same_boot(&left->mark, &knows->mark);
	bool same_options = left->mark.options_hash == knows->mark.options_hash;
	size_t start = b->len;

	if (bit == PD_FEATURE_SAMPLE_TIME)
		return rec_sample_time_write(&left->counts, b);
	if (bit == PD_FEATURE_COMPRESSED)
		return write_compressed(left, b);
	if (bit == PD_FEATURE_EVENT_DESC)
		return same_options ? write_event_desc(left, b) : -ENOENT;
	if (bit == PD_FEATURE_BUILD_ID && left->build_ids.is_on)
		rec_build_id_reader_write(&left->build_ids, wait_ids_ns, b);
	else if (knows->has_option[bit] && same_options &&
		 (same_boot || bit != PD_FEATURE_CLOCK_DATA))
		pd_buf_bytes(b, knows->options[bit].data,
			     knows->options[bit].len);
	else if (bit == PD_FEATURE_VERSION ? same_options : same_boot)
		(void)!rec_host_feature_write(facts, bit, b);
	return b->len > start || (bit == PD_FEATURE_BRANCH_STACK &&
				  same_options && knows->has_option[bit])
		       ? 0
		       : -ENOENT;
}

static int write_features(struct rec_left_file *left, struct pd_buf *tail,
			  uint64_t *features, struct pd_err *err)
{
	struct pd_section sections[PD_FEATURE_NR] = { 0 };
	struct pd_buf payloads = PD_BUF_INIT;
	int rc = rec_features_collect(NULL, put_payload, left, &payloads,
				      sections, err);

	if (left->out.formats.len)
		sections[PD_FEATURE_TRACING_DATA] = left->out.formats;
	if (!rc)
		rec_feature_table_write(tail, left->out.len, sections,
					&payloads, left->out.formats.len,
					features);
	pd_buf_release(&payloads);
	return rc ? rc : pd_buf_status(tail);
}

static void make_trailer(struct rec_left_file *left, struct pd_file_sums *sums,
			 struct pd_trailer *ret)
{
	*ret = (struct pd_trailer){
		.cost = {
			.sample_nr = left->counts.sample_nr,
			.throttle_nr = left->counts.throttle_nr,
			.plain_len = left->counts.plain_len,
			.written_len = left->end - left->out.data_off,
		},
		.has_sums = true,
		.sums = sums->items,
		.sum_nr = sums->nr,
	};
	/* not modified */
	ret->frames = (struct pd_trailer_frame *)(uintptr_t)rec_frame_index_all(
		&left->index, &ret->frame_nr);
	if (ret->frames)
		ret->rest_hash = pd_hash_get(left->out.rest);
}

/* Append names, and the trailer again with them; old is the one that ends the
 * file.  If this fails, the file is still complete. */
static void carry_names(struct rec_left_file *left, struct pd_trailer *trailer,
			struct pd_file_sums *sums, struct pd_str old,
			const struct rec_carry_left *from)
{
	struct pd_carried_sections sections;
	uint64_t len = left->out.len;
	struct pd_buf b = PD_BUF_INIT;

	if (left->knows->carry.what &&
	    !rec_carry_collect_left(&left->knows->carry, from, left->out.fd,
				    len, &b, &sections)) {
		pd_file_sums_add(sums, PD_PART_OLD_TRAILER, len - old.len,
				 old.ptr, old.len);
		trailer->sums = sums->items;
		trailer->sum_nr = sums->nr;
		trailer->sections = sections.items;
		trailer->section_nr = sections.nr;
		pd_trailer_write(&b, trailer);
		trailer->sections = NULL;
		trailer->section_nr = 0;
		rec_output_append_end(&left->out, &b);
	}
	pd_buf_release(&b);
}

/* Return true if a trailer with names is the end. */
static bool ends_in_sections(const struct pd_buf *tail)
{
	struct pd_trailer last = { .frames = NULL };
	bool ret = !pd_trailer_read(tail->data, tail->len, &last, NULL) &&
		   last.section_nr;

	pd_trailer_release(&last);
	return ret;
}

/* Find the first trailer in the bytes behind the records, and read it.  Return
 * its bytes; none: there is none. */
static struct pd_str find_trailer(const struct pd_buf *tail,
				  struct pd_trailer *ret)
{
	static const char magic[] = "PAIRTRIL";
	const size_t magic_len = sizeof(magic) - 1;
	const uint8_t *at = tail->data, *end = at + tail->len;
	uint64_t body_len;

	while ((at = memmem(at, (size_t)(end - at), magic, magic_len))) {
		at += magic_len;
		if (pd_trailer_read(tail->data, (uint64_t)(at - tail->data),
				    ret, NULL))
			continue;
		memcpy(&body_len, at - FOOTER_LEN, sizeof(body_len));
		at -= body_len + FOOTER_LEN;
		return (struct pd_str){ (const char *)at,
					(size_t)body_len + FOOTER_LEN };
	}
	return (struct pd_str){ NULL, 0 };
}

/* The recorder was killed between the file's end and its names, if it has none
 * in a second trailer: add them. */
static int name_finished(struct rec_left_file *left,
			 const struct rec_carry_left *from)
{
	const struct pd_section *data = &left->out.header.data;
	const uint64_t off = data->off + data->len;
	struct pd_trailer trailer = { .frames = NULL };
	struct pd_file_sums sums = { .nr = 0 };
	struct pd_buf tail = PD_BUF_INIT;
	struct pd_str old = { NULL, 0 };
	int rc = 0;

	if (lseek(left->out.fd, (off_t)off, SEEK_SET) >= 0 &&
	    !rec_read_fd(left->out.fd, HEAD_LEN_MAX, &tail))
		old = find_trailer(&tail, &trailer);
	left->counts.sample_nr = trailer.cost.sample_nr;
	if (old.ptr && !ends_in_sections(&tail) &&
	    trailer.sum_nr < PD_FILE_SUMS_MAX) {
		for (size_t i = 0; i < trailer.sum_nr; i++)
			sums.items[sums.nr++] = trailer.sums[i];
		free(trailer.sums);
		trailer.sums = NULL;
		rc = rec_output_cut(
			&left->out,
			off + (uint64_t)((const uint8_t *)old.ptr - tail.data) +
				old.len);
		if (!rc)
			carry_names(left, &trailer, &sums, old, from);
		trailer.sums = NULL;
	}
	pd_trailer_release(&trailer);
	pd_buf_release(&tail);
	return rc;
}

/* Write the end as one piece, then the header. */
static int finish(struct rec_left_file *left, const struct rec_carry_left *from,
		  struct pd_err *err)
{
	uint64_t features[PD_FEATURE_BITS / 64] = { 0 };
	struct pd_buf tail = PD_BUF_INIT;
	struct pd_trailer trailer;
	struct pd_file_sums sums;
	struct pd_str old;
	int rc = write_features(left, &tail, features, err);

	rec_output_sum(&left->out, features, &tail, &sums);
	make_trailer(left, &sums, &trailer);
	old.len = tail.len;
	pd_trailer_write(&tail, &trailer);
	old.ptr = (const char *)tail.data + old.len;
	old.len = tail.len - old.len;
	if (!rc)
		rc = rec_output_finish(&left->out, features, &tail);
	if (!rc)
		carry_names(left, &trailer, &sums, old, from);
	pd_buf_release(&tail);
	return rc;
}

/* The last of a disk belongs to what is recorded now. */
static bool has_room(int fd)
{
	struct statvfs fs;
	uint64_t len, share;

	if (fstatvfs(fd, &fs))
		return true;
	len = (uint64_t)fs.f_bavail * fs.f_frsize;
	share = (uint64_t)fs.f_blocks * fs.f_frsize / ROOM_SHARE;
	return len >= (share < ROOM_LEN_MIN ? share : ROOM_LEN_MIN);
}

int rec_left_file_end(struct rec_left_file *left, bool (*may_go_on)(void *ctx),
		      void *ctx, struct pd_err *err)
{
	const struct rec_carry_left from = {
		.written = left->written,
		.is_same_boot = rec_slice_mark_is_same_boot(&left->mark,
							    &left->knows->mark),
		.may_go_on = may_go_on,
		.ctx = ctx,
	};
	int rc = has_room(left->out.fd) ? 0 : -ENOSPC;

	if (left->is_finished)
		return rc ? 0 : name_finished(left, &from);
	close_frame(left);
	if (left->end <= left->out.mark_off)
		left->out.mark_off = 0;
	if (!rc)
		rc = rec_output_cut(&left->out, left->end);
	if (!rc)
		rc = finish(left, &from, err);
	if (rc && left->out.err.code && !err->code)
		*err = left->out.err;
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc)) : 0;
}

void rec_left_file_release(struct rec_left_file *left)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
					  left->written };

	rec_build_id_reader_release(&left->build_ids);
	if (left->out.fd >= 0 && left->head)
		(void)!futimens(left->out.fd, times);
	rec_output_release(&left->out);
	rec_frame_index_release(&left->index);
	pd_zstd_decompress_free(left->zstd);
	pd_reader_close(left->head);
	pd_hash_free(left->plain);
	free(left->head_bytes);
	free(left->window);
}
