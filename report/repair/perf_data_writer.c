#include "report/repair/perf_data_writer.h"

#include "report/base/memory.h"
#include "report/base/shortage.h"

#include "format/file/feature.h"
#include "format/records/record.h"
#include "format/support/whole_io.h"
#include "report/base/temp_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PENDING_LEN = 1 << 18,
	FRAME_LEN = 1 << 20,
	FRAME_LEN_LEAST = 1 << 16, /* before a round may end it */
	SECTION_LEN = 16,
};

int rpt_perf_data_writer_open(struct rpt_perf_data_writer *file,
			      const char *path, bool force, struct pd_err *err)
{
	int rc;

	*file = (struct rpt_perf_data_writer){ .fd = -1 };
	rc = sup_new_file_open(&file->out, path, 0600, force, err);
	if (rc)
		return rc;
	rpt_shortage_unlinks(file->out.temp);
	/* The header is written last: not straight into a stream. */
	file->fd = file->out.is_stream ? rpt_temp_file_open() : file->out.fd;
	if (file->fd < 0)
		return pd_err_set(err, -errno, "a temporary file: %s",
				  strerror(errno));
	return 0;
}

static void latch(struct rpt_perf_data_writer *file, int code)
{
	if (!file->status)
		file->status = code;
}

static void flush(struct rpt_perf_data_writer *file)
{
	if (!file->status)
		latch(file, sup_write(file->fd, file->pending.data,
				      file->pending.len));
	pd_buf_reset(&file->pending);
}

static void append(struct rpt_perf_data_writer *file, const void *data,
		   size_t len)
{
	pd_buf_bytes(&file->pending, data, len);
	file->len += len;
	if (file->pending.len >= PENDING_LEN)
		flush(file);
}

static void append_part(struct rpt_perf_data_writer *file, uint32_t part,
			const struct pd_buf *b)
{
	pd_file_sums_add(&file->sums, part, file->len, b->data, b->len);
	append(file, b->data, b->len);
}

/* Append what is in no frame. */
static void append_rest(struct rpt_perf_data_writer *file, const void *data,
			size_t len)
{
	pd_hash_add(file->rest, data, len);
	append(file, data, len);
}

static void mark_unwound(struct pd_trailer *t, size_t idx, size_t event_nr)
{
	if (!t->unwound)
		t->unwound = rpt_alloc_zeroed(event_nr, sizeof(*t->unwound));
	t->unwound[t->unwound_nr++].event_idx = (uint32_t)idx;
}

static void write_attrs(struct rpt_perf_data_writer *file,
			const struct pd_event_set *events, uint32_t attr_len)
{
	struct pd_buf ids = { .swap = file->swap }, b = { .swap = file->swap };

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_event *event = &events->events[i];
		struct pd_attr attr = event->attr;

		attr.attr_len = attr_len;
		pd_attr_write(&b, &attr);
		if (event->is_unwound)
			mark_unwound(&file->trailer, i, events->nr);
		pd_buf_u64(&b, PD_FILE_HEADER_LEN + ids.len);
		pd_buf_u64(&b, 8 * event->id_nr);
		for (size_t k = 0; k < event->id_nr; k++)
			pd_buf_u64(&ids, event->ids[k]);
	}
	append_part(file, PD_PART_IDS, &ids);
	file->header.attr_entry_len = attr_len + SECTION_LEN;
	file->header.attrs = (struct pd_section){ file->len, b.len };
	append_part(file, PD_PART_ATTRS, &b);
	pd_buf_release(&ids);
	pd_buf_release(&b);
}

void rpt_perf_data_writer_begin(struct rpt_perf_data_writer *file,
				const struct pd_event_set *events,
				uint32_t attr_len, bool swap, int level)
{
	static const uint8_t no_header[PD_FILE_HEADER_LEN];

	file->swap = swap;
	file->auxtrace.swap = swap;
	file->header.version = 2;
	file->rest = pd_hash_new();
	file->run = pd_hash_new();
	append(file, no_header, sizeof(no_header));
	file->sums.nr = 1;
	write_attrs(file, events, attr_len);
	file->header.data.off = file->len;
	file->frame = PD_TRAILER_FRAME_INIT;
	if (!level)
		return;
	file->zstd = pd_zstd_compress_new(level, FRAME_LEN + PD_RECORD_LEN_MAX);
	pd_zstd_compress_set_swap(file->zstd, swap);
}

static void close_frame(struct rpt_perf_data_writer *file)
{
	struct pd_trailer_frame *frame = &file->frame;
	struct pd_trailer *t = &file->trailer;
	const struct pd_buf *records;

	if (!frame->record_nr)
		return;
	frame->is_plain = !file->zstd;
	if (file->zstd) {
		latch(file, pd_zstd_compress_end(file->zstd, &records,
						 &frame->plain_hash));
		append(file, records->data, records->len);
		frame->file_len = records->len;
	} else {
		frame->plain_hash = pd_hash_get(file->run);
		frame->file_len = frame->plain_len;
		pd_hash_reset(file->run);
	}
	frame->file_off = file->len - frame->file_len;
	t->frames = rpt_grow(t->frames, &file->frame_cap, (uint32_t)t->frame_nr,
			     sizeof(*t->frames));
	t->frames[t->frame_nr++] = *frame;
	*frame = PD_TRAILER_FRAME_INIT;
}

static void add_to_frame(struct rpt_perf_data_writer *file,
			 const struct rpt_written *rec)
{
	if (file->zstd) {
		latch(file,
		      pd_zstd_compress_add(file->zstd, rec->data, rec->len));
	} else {
		pd_hash_add(file->run, rec->data, rec->len);
		append(file, rec->data, rec->len);
	}
	pd_trailer_frame_add(&file->frame, rec->type, rec->len, rec->time_ns);
	if (file->frame.plain_len >= FRAME_LEN)
		close_frame(file);
}

void rpt_perf_data_writer_record(struct rpt_perf_data_writer *file,
				 const struct rpt_written *rec)
{
	if (rec->type < PD_RECORD_USER_START) {
		add_to_frame(file, rec);
		return;
	}
	close_frame(file);
	if (rec->type == PD_RECORD_AUXTRACE) {
		pd_buf_u64(&file->auxtrace, file->len);
		pd_buf_u64(&file->auxtrace, rec->len);
	}
	append_rest(file, rec->data, rec->len);
	append_rest(file, rec->behind, rec->behind_len);
}

/* Any marker may be left out: not each is worth a frame of its own. */
void rpt_perf_data_writer_round(struct rpt_perf_data_writer *file)
{
	struct pd_buf b = { .swap = file->swap };

	if (file->zstd && file->frame.record_nr &&
	    file->frame.plain_len < FRAME_LEN_LEAST)
		return;
	close_frame(file);
	pd_record_end(&b, pd_record_begin(&b, PD_RECORD_FINISHED_ROUND, 0));
	append_rest(file, b.data, b.len);
	pd_buf_release(&b);
}

struct pd_buf *rpt_perf_data_writer_feature(struct rpt_perf_data_writer *file,
					    unsigned bit)
{
	struct pd_buf *b = &file->features[bit];

	pd_buf_reset(b);
	b->swap = file->swap;
	pd_file_header_add(&file->header, bit);
	return b;
}

static void add_own_features(struct rpt_perf_data_writer *file)
{
	const struct pd_compression z = {
		.type = 1,
		.level = 1,
		.ratio = 1,
		.mmap_len = PD_ZSTD_COMPRESS_MMAP_LEN,
	};
	struct pd_buf *b;

	if (file->zstd && file->trailer.frame_nr)
		pd_feature_compressed_write(
			rpt_perf_data_writer_feature(file,
						     PD_FEATURE_COMPRESSED),
			&z);
	if (!file->auxtrace.len)
		return;
	b = rpt_perf_data_writer_feature(file, PD_FEATURE_AUXTRACE);
	pd_buf_u64(b, file->auxtrace.len / SECTION_LEN);
	pd_buf_bytes(b, file->auxtrace.data, file->auxtrace.len);
}

static void write_features(struct rpt_perf_data_writer *file)
{
	struct pd_buf table = { .swap = file->swap };
	uint64_t off = file->len;

	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++)
		if (pd_file_header_has(&file->header, bit))
			off += SECTION_LEN;
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++) {
		if (!pd_file_header_has(&file->header, bit))
			continue;
		pd_buf_u64(&table, off);
		pd_buf_u64(&table, file->features[bit].len);
		off += file->features[bit].len;
	}
	append_part(file, PD_PART_TABLE, &table);
	pd_buf_release(&table);
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++)
		if (pd_file_header_has(&file->header, bit))
			append_part(file, bit, &file->features[bit]);
}

void rpt_perf_data_writer_section(struct rpt_perf_data_writer *file,
				  const struct pd_trailer_section *section,
				  const uint8_t *data)
{
	struct pd_trailer *t = &file->trailer;

	if (t->section_nr == PD_CARRIED_SECTIONS_MAX)
		return;
	t->sections = file->sections;
	file->sections[t->section_nr] = *section;
	/* from the start of the first one, until that is known */
	file->sections[t->section_nr++].off = file->carried.len;
	pd_buf_bytes(&file->carried, data, (size_t)section->len);
}

void rpt_perf_data_writer_facts(struct rpt_perf_data_writer *file,
				const struct pd_trailer *from)
{
	struct pd_trailer *t = &file->trailer;

	t->cost = from->cost;
	t->losses = from->losses;
	t->loss_nr = from->loss_nr;
	t->rates = from->rates;
	t->rate_nr = from->rate_nr;
	t->whole_command = from->whole_command;
	t->left_task_nr = from->left_task_nr;
	t->left_record_nr = from->left_record_nr;
	t->start = from->start;
}

static void write_sections(struct rpt_perf_data_writer *file)
{
	for (size_t i = 0; i < file->trailer.section_nr; i++)
		file->sections[i].off += file->len;
	append(file, file->carried.data, file->carried.len);
}

/* Append the trailer, which has the header's checksum, and put the header in
 * its place. */
static void write_trailer_and_header(struct rpt_perf_data_writer *file)
{
	struct pd_buf header = { .swap = file->swap };
	struct pd_buf b = { .swap = file->swap };

	pd_file_header_write(&header, &file->header);
	file->sums.items[0] = (struct pd_trailer_sum){
		.len = header.len,
		.hash = pd_hash_of(header.data, header.len),
		.part = PD_PART_HEADER,
	};
	file->trailer.has_sums = true;
	file->trailer.rest_hash = pd_hash_get(file->rest);
	file->trailer.sums = file->sums.items;
	file->trailer.sum_nr = file->sums.nr;
	pd_trailer_write(&b, &file->trailer);
	append(file, b.data, b.len);
	flush(file);
	if (!file->status &&
	    pwrite(file->fd, header.data, header.len, 0) != (ssize_t)header.len)
		latch(file, errno ? -errno : -EIO);
	pd_buf_release(&header);
	pd_buf_release(&b);
}

/* Copy what was written to the temporary file into the stream. */
static int copy_out(struct rpt_perf_data_writer *file)
{
	char piece[1 << 14];
	ssize_t n;
	int rc = 0;

	if (lseek(file->fd, 0, SEEK_SET) < 0)
		return -errno;
	while (!rc && (n = read(file->fd, piece, sizeof(piece)))) {
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			rc = sup_write(file->out.fd, piece, (size_t)n);
	}
	return rc;
}

int rpt_perf_data_writer_finish(struct rpt_perf_data_writer *file,
				struct pd_err *err)
{
	if (!file->status)
		close_frame(file);
	if (file->len == file->header.data.off)
		rpt_perf_data_writer_round(file); /* perf wants some data */
	file->header.data.len = file->len - file->header.data.off;
	add_own_features(file);
	write_features(file);
	write_sections(file);
	write_trailer_and_header(file);
	if (!file->status && file->out.is_stream)
		latch(file, copy_out(file));
	rpt_shortage_unlinks(NULL); /* before its path is freed */
	if (!file->status)
		latch(file, sup_new_file_name(&file->out, err));
	if (file->status)
		return pd_err_set(err, file->status, "%s",
				  strerror(-file->status));
	return 0;
}

void rpt_perf_data_writer_release(struct rpt_perf_data_writer *file)
{
	if (file->fd >= 0 && file->fd != file->out.fd)
		close(file->fd);
	rpt_shortage_unlinks(NULL);
	sup_new_file_release(&file->out);
	free(file->trailer.frames);
	free(file->trailer.unwound);
	pd_hash_free(file->rest);
	pd_hash_free(file->run);
	pd_zstd_compress_free(file->zstd);
	pd_buf_release(&file->pending);
	pd_buf_release(&file->auxtrace);
	pd_buf_release(&file->carried);
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++)
		pd_buf_release(&file->features[bit]);
	*file = (struct rpt_perf_data_writer){ .fd = -1, .out.fd = -1 };
}
