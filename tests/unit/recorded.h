/* recorded.h: a small recording in memory, counted into a profile, for the
 * tests of what works on counts.
 *
 *	recorded_start(&r);
 *	recorded_comm(&r, 5, "shell");
 *	recorded_map(&r, 5, 0x1000, "/bin/shell");
 *	recorded_sample(&r, EVENT_A, &(struct taken){ ... });
 *	recorded_count(&r, &conf);		r.profile
 *	recorded_end(&r);
 *
 * RECORDED_WITH_FRAMES, defined before it is included, adds r.frames: for tests
 * of rooms that may use callchain.
 */
#ifndef TEST_RECORDED_H
#define TEST_RECORDED_H

#include "report/profile/profile.h"

#include "format/file/file_header.h"
#include "format/records/record_body.h"
#include "format/records/sample_id.h"
#include "tests/unit/made_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef RECORDED_WITH_FRAMES
#include "report/callchain/frames.h"
#endif

enum { EVENT_A, EVENT_B, EVENT_NR };
enum { HEADER_LEN = 104, ATTR_LEN = 64, ENTRY_LEN = ATTR_LEN + 16 };

/* What one sample says; chain ends at 0.  raw: where samples have raw data. */
struct taken {
	uint32_t pid;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t ip;
	uint64_t period;
	uint64_t chain[4];
	const char *raw;
};

struct recorded {
	struct pd_buf data;
	struct pd_buf file;
	struct pd_attr attr;
	struct pd_sample_layout layout;
	struct pd_reader *reader;
	struct rpt_symbols *symbols;
	struct rpt_timeline *timeline;
	struct rpt_profile profile;
#ifdef RECORDED_WITH_FRAMES
	struct rpt_frames frames;
#endif
};

static inline uint64_t recorded_id(unsigned event)
{
	return 71 + event;
}

/* In the other byte order: r->data.swap and r->file.swap are set behind
 * this. */
static inline void recorded_start_with(struct recorded *r, uint64_t more_type)
{
	memset(r, 0, sizeof(*r));
	r->attr = (struct pd_attr){
		.type = PD_TYPE_SOFTWARE,
		.attr_len = ATTR_LEN,
		.sample_period = 1,
		.sample_type = PD_SAMPLE_IDENTIFIER | PD_SAMPLE_IP |
			       PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_CPU |
			       PD_SAMPLE_PERIOD | PD_SAMPLE_CALLCHAIN |
			       more_type,
		.flags = PD_ATTR_SAMPLE_ID_ALL,
	};
	pd_sample_layout_init(&r->layout, &r->attr);
}

static inline void recorded_start(struct recorded *r)
{
	recorded_start_with(r, 0);
}

static inline void recorded_body(struct recorded *r, uint16_t misc,
				 const struct pd_body *body)
{
	struct pd_sample_id id = { .present = r->attr.sample_type,
				   .id = recorded_id(EVENT_A) };
	size_t start = pd_record_begin(&r->data, body->type, misc);

	pd_body_write_fields(&r->data, body);
	pd_sample_id_write(&r->data, &r->layout, &id);
	pd_record_end(&r->data, start);
}

static inline struct pd_str recorded_str(const char *text)
{
	return (struct pd_str){ text, strlen(text) };
}

static inline void recorded_comm(struct recorded *r, uint32_t pid,
				 const char *comm)
{
	struct pd_body body = { .type = PD_RECORD_COMM };

	body.u.comm = (struct pd_comm){ pid, pid, recorded_str(comm) };
	recorded_body(r, PD_CPUMODE_USER, &body);
}

static inline void recorded_map(struct recorded *r, uint32_t pid, uint64_t addr,
				const char *name)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };

	body.u.mmap = (struct pd_mmap){
		.pid = pid,
		.tid = pid,
		.addr = addr,
		.map_len = 0x1000,
		.prot = 4,
		.filename = recorded_str(name),
	};
	recorded_body(r, PD_CPUMODE_USER, &body);
}

static inline void recorded_sample(struct recorded *r, unsigned event,
				   const struct taken *taken)
{
	struct pd_sample sample = {
		.present = r->attr.sample_type,
		.misc = PD_CPUMODE_USER,
		.id = recorded_id(event),
		.ip = taken->ip,
		.pid = taken->pid,
		.tid = taken->pid,
		.time_ns = taken->time_ns,
		.cpu = taken->cpu,
		.period = taken->period,
		.raw = (const uint8_t *)taken->raw,
		.raw_len = taken->raw ? (uint32_t)strlen(taken->raw) : 0,
	};

	while (sample.callchain.nr < 4 && taken->chain[sample.callchain.nr])
		sample.callchain.nr++;
	sample.callchain.raw = (const uint8_t *)taken->chain;
	made_sample_write(&r->data, &r->layout, &sample);
}

static inline void recorded_write_file(struct recorded *r)
{
	uint64_t attrs_off = HEADER_LEN + EVENT_NR * sizeof(uint64_t);
	struct pd_file_header h = {
		.version = 2,
		.header_len = HEADER_LEN,
		.attr_entry_len = ENTRY_LEN,
		.attrs = { attrs_off, EVENT_NR * ENTRY_LEN },
		.data = { attrs_off + EVENT_NR * ENTRY_LEN, r->data.len },
	};

	pd_file_header_write(&r->file, &h);
	for (unsigned i = 0; i < EVENT_NR; i++)
		pd_buf_u64(&r->file, recorded_id(i));
	for (unsigned i = 0; i < EVENT_NR; i++) {
		pd_attr_write(&r->file, &r->attr);
		pd_buf_u64(&r->file, HEADER_LEN + i * sizeof(uint64_t));
		pd_buf_u64(&r->file, sizeof(uint64_t));
	}
	pd_buf_bytes(&r->file, r->data.data, r->data.len);
}

/* Opens what was recorded and finds out its tasks and maps. */
static inline void recorded_load(struct recorded *r,
				 struct rpt_file_chunks *pieces)
{
	static const struct rpt_symbols_conf nowhere = {
		.symfs = "/nowhere",
		.kallsyms = "/nowhere/kallsyms",
	};

	recorded_write_file(r);
	assert_int_equal(pd_reader_open(&r->reader, r->file.data, r->file.len,
					NULL, NULL),
			 0);
	r->symbols = rpt_symbols_new(&nowhere);
	r->timeline = rpt_timeline_new(r->symbols);
	assert_non_null(r->timeline);
	assert_int_equal(
		rpt_timeline_load(r->timeline, r->reader, pieces, NULL), 0);
}

/* Opens it and counts it; conf's reader and timeline are filled in here. */
static inline void recorded_count(struct recorded *r,
				  const struct rpt_profile_conf *conf)
{
	struct rpt_profile_conf full = *conf;
	struct rpt_file_chunks pieces = { .jobs = 1 };

	recorded_load(r, &pieces);
	full.reader = r->reader;
	full.timeline = r->timeline;
	rpt_profile_init(&r->profile, &full);
	assert_int_equal(rpt_profile_add_chunk(&r->profile,
					       pd_reader_data(r->reader), NULL),
			 0);
#ifdef RECORDED_WITH_FRAMES
	rpt_frames_init(&r->frames, r->timeline,
			&(struct rpt_frames_conf){ 0 });
#endif
}

static inline void recorded_end(struct recorded *r)
{
#ifdef RECORDED_WITH_FRAMES
	rpt_frames_release(&r->frames);
#endif
	rpt_profile_release(&r->profile);
	rpt_timeline_free(r->timeline);
	rpt_symbols_free(r->symbols);
	pd_reader_close(r->reader);
	pd_buf_release(&r->data);
	pd_buf_release(&r->file);
}

#endif
