/* data_json.h: a recording as JSON, in the form of perf's linux-perf-json
 * version 1.
 *
 *	rpt_data_json_init(&data, &conf, out);
 *	rpt_data_json_sample(&data, &rec);		each sample, by time
 *	rpt_data_json_finish(&data);			what writing failed with
 *	rpt_data_json_release(&data);
 *
 *	{ "linux-perf-json-version": 1,
 *	  "headers": { "hostname": "vm", ... },
 *	  "samples": [ { "timestamp": ns, "pid": .., "tid": .., "cpu": ..,
 *	                 "comm": "..", "callchain": [ { "ip": "0x..",
 *	                 "symbol": "..", "dso": ".." }, .. ] }, .. ] }
 *
 * All items stand on lines of their own, as perf puts them.
 */
#ifndef RPT_DATA_JSON_H
#define RPT_DATA_JSON_H

#include "report/callchain/frames.h"
#include "report/events/read_values.h"
#include "report/base/json_text.h"

struct rpt_data_json_conf {
	struct pd_reader *reader;
	const struct rpt_timeline *timeline;
	int64_t captured_on_s; /* since 1970: when the file was changed last */
};

struct rpt_data_json {
	struct rpt_data_json_conf conf;
	const struct pd_event_set *events;
	uint64_t sample_type; /* what any of them records */
	struct rpt_frames frames;
	uint64_t frames_max_nr; /* then they are forgotten */
	struct rpt_read_values read_values;
	uint64_t sample_nr;
	uint64_t damaged_nr;  /* samples that could not be read */
	struct pd_err damage; /* the first of them */
	struct rpt_json json;
	struct rpt_text text;
};

/* data is large: keep it on the heap.  Writes all up to the samples. */
void rpt_data_json_init(struct rpt_data_json *data,
			const struct rpt_data_json_conf *conf, FILE *out);
void rpt_data_json_release(struct rpt_data_json *data);

/* 0, -ENOMEM, or what writing failed with. */
int rpt_data_json_sample(struct rpt_data_json *data,
			 const struct pd_record *rec);
int rpt_data_json_finish(struct rpt_data_json *data);

/* data_json_head.c: put the member "headers" of the whole. */
void rpt_data_json_headers(struct rpt_json *json,
			   const struct rpt_data_json_conf *conf);

#endif
