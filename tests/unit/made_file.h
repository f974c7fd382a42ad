/* made_file.h: small files for tests of the reader, by the writers.
 *
 *	made_whole(&m);
 * or	made_head(&m, &h);
 *	made_frame(), made_plain(), ...		what there is of data
 *	made_end(&m, &h, has_features);
 */
#ifndef MADE_FILE_H
#define MADE_FILE_H

#include "format/file/feature.h"
#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "format/records/zstd_compress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A file of ours, small: one event with id 7, a frame, a marker, a frame, the
 * features HOSTNAME, EVENT_DESC and COMPRESSED, a trailer. */
enum { SAMPLE_LEN = 24, FRAME_SAMPLE_NR = 5, EVENT_ID = 7 };

struct made {
	struct pd_buf file;
	uint64_t data_off;
	uint64_t data_end;
	struct pd_trailer_frame frames[2];
};

static const struct pd_attr the_attr = {
	.type = PD_TYPE_SOFTWARE,
	.attr_len = PD_ATTR_LEN_VER7,
	.sample_period = 1,
	.sample_type = PD_SAMPLE_IP | PD_SAMPLE_TIME,
};

static inline struct pd_str made_str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static inline void made_sample(struct pd_buf *b, uint64_t ip, uint64_t time_ns)
{
	size_t start = pd_record_begin(b, PD_RECORD_SAMPLE, 2);

	pd_buf_u64(b, ip);
	pd_buf_u64(b, time_ns);
	pd_record_end(b, start);
}

static inline void made_plain(struct pd_buf *b, uint64_t time_ns)
{
	for (unsigned i = 0; i < FRAME_SAMPLE_NR; i++)
		made_sample(b, 0x1000 + i, time_ns + i);
}

static inline void made_frame(struct made *m, size_t idx, uint64_t time_ns)
{
	struct pd_trailer_frame *f = &m->frames[idx];
	struct pd_zstd_compress *z = pd_zstd_compress_new(1, 1 << 16);
	struct pd_buf plain = PD_BUF_INIT;
	const struct pd_buf *records;

	made_plain(&plain, time_ns);
	*f = (struct pd_trailer_frame){
		.file_off = m->file.len,
		.plain_len = plain.len,
		.record_nr = FRAME_SAMPLE_NR,
		.time_lo_ns = time_ns,
		.time_hi_ns = time_ns + FRAME_SAMPLE_NR - 1,
	};
	assert_int_equal(pd_zstd_compress_add(z, plain.data, plain.len), 0);
	assert_int_equal(pd_zstd_compress_end(z, &records, &f->plain_hash), 0);
	pd_buf_bytes(&m->file, records->data, records->len);
	f->file_len = m->file.len - f->file_off;
	pd_zstd_compress_free(z);
	pd_buf_release(&plain);
}

static inline void made_marker(struct pd_buf *b)
{
	pd_record_end(b, pd_record_begin(b, PD_RECORD_FINISHED_ROUND, 0));
}

static inline void made_section(struct pd_buf *b, uint64_t off, uint64_t len)
{
	pd_buf_u64(b, off);
	pd_buf_u64(b, len);
}

static inline void made_tail(struct made *m)
{
	struct pd_buf payload[3] = { PD_BUF_INIT, PD_BUF_INIT, PD_BUF_INIT };
	uint64_t id = EVENT_ID,
		 off = m->file.len + sizeof(payload) / sizeof(payload[0]) * 16;
	struct pd_event_desc desc = {
		.attr = the_attr,
		.name = made_str("cpu-clock"),
		.ids = { .raw = (const uint8_t *)&id, .nr = 1 },
	};
	struct pd_event_descs descs = { .items = &desc, .nr = 1 };
	struct pd_compression z = { .type = 1,
				    .level = 1,
				    .ratio = 1,
				    .mmap_len = PD_ZSTD_COMPRESS_MMAP_LEN };
	struct pd_trailer trailer = { .frames = m->frames, .frame_nr = 2 };

	pd_buf_string(&payload[0], made_str("here"));
	pd_feature_event_desc_write(&payload[1], &descs);
	pd_feature_compressed_write(&payload[2], &z);
	for (size_t i = 0; i < 3; i++) {
		made_section(&m->file, off, payload[i].len);
		off += payload[i].len;
	}
	for (size_t i = 0; i < 3; i++) {
		pd_buf_bytes(&m->file, payload[i].data, payload[i].len);
		pd_buf_release(&payload[i]);
	}
	pd_trailer_write(&m->file, &trailer);
}

/* [header][attr, ids section][id]; the header is written again at the end. */
static inline void made_head(struct made *m, struct pd_file_header *ret)
{
	uint64_t ids_off = PD_FILE_HEADER_LEN + the_attr.attr_len + 16;

	*ret = (struct pd_file_header){
		.version = 2,
		.attr_entry_len = the_attr.attr_len + 16,
		.attrs = { PD_FILE_HEADER_LEN, the_attr.attr_len + 16 },
	};
	pd_file_header_write(&m->file, ret);
	pd_attr_write(&m->file, &the_attr);
	made_section(&m->file, ids_off, 8);
	pd_buf_u64(&m->file, EVENT_ID);
	m->data_off = m->file.len;
}

static inline void made_header_again(struct made *m,
				     const struct pd_file_header *h)
{
	struct pd_buf head = PD_BUF_INIT;

	pd_file_header_write(&head, h);
	memcpy(m->file.data, head.data, head.len);
	pd_buf_release(&head);
}

static inline void made_end(struct made *m, struct pd_file_header *h,
			    bool has_features)
{
	m->data_end = m->file.len;
	h->data = (struct pd_section){ m->data_off, m->data_end - m->data_off };
	if (has_features) {
		pd_file_header_add(h, PD_FEATURE_HOSTNAME);
		pd_file_header_add(h, PD_FEATURE_EVENT_DESC);
		pd_file_header_add(h, PD_FEATURE_COMPRESSED);
		made_tail(m);
	}
	made_header_again(m, h);
	assert_int_equal(pd_buf_status(&m->file), 0);
}

static inline void made_whole(struct made *m)
{
	struct pd_file_header h;

	*m = (struct made){ .file = PD_BUF_INIT };
	made_head(m, &h);
	made_frame(m, 0, 100);
	made_marker(&m->file);
	made_frame(m, 1, 200);
	made_end(m, &h, true);
}

#endif
