/* data_json.h: a recording as JSON, in the form of perf's linux-perf-json
 * version 1.
 *
 *	rpt_json_init(&json, &conf, out);
 *	rpt_json_sample(&json, &rec);		each sample, by time
 *	rpt_json_finish(&json);			what writing failed with
 *	rpt_json_release(&json);
 *
 *	{ "linux-perf-json-version": 1,
 *	  "headers": { "hostname": "vm", ... },
 *	  "samples": [ { "timestamp": ns, "pid": .., "tid": .., "cpu": ..,
 *	                 "comm": "..", "callchain": [ { "ip": "0x..",
 *	                 "symbol": "..", "dso": ".." }, .. ] }, .. ] }
 *
 * Strings out of the file are made valid JSON: control characters and quotes
 * are escaped, what is no UTF-8 becomes U+FFFD.
 */
#ifndef RPT_DATA_JSON_H
#define RPT_DATA_JSON_H

#include "report/callchain/frames.h"
#include "report/events/read_values.h"
#include "report/base/text_out.h"

struct rpt_json_conf {
	struct pd_reader *reader;
	const struct rpt_timeline *timeline;
	int64_t captured_on_s; /* since 1970: when the file was changed last */
};

struct rpt_json {
	struct rpt_json_conf conf;
	const struct pd_event_set *events;
	uint64_t sample_type; /* what any of them records */
	struct rpt_frames frames;
	uint64_t frames_max_nr; /* then they are forgotten */
	struct rpt_read_values read_values;
	uint64_t sample_nr;
	uint64_t damaged_nr;  /* samples that could not be read */
	struct pd_err damage; /* the first of them */
	bool is_first;	      /* of an object or list: no comma yet */
	struct rpt_text text;
};

/* json is large: keep it on the heap.  Writes all up to the samples. */
void rpt_json_init(struct rpt_json *json, const struct rpt_json_conf *conf,
		   FILE *out);
void rpt_json_release(struct rpt_json *json);

/* 0, -ENOMEM, or what writing failed with. */
int rpt_json_sample(struct rpt_json *json, const struct pd_record *rec);
int rpt_json_finish(struct rpt_json *json);

/* data_json_text.c: the pieces of the text; depth counts tabs. */
void rpt_json_key(struct rpt_json *json, unsigned depth, const char *key);
void rpt_json_string(struct rpt_json *json, struct pd_str s);
void rpt_json_u64(struct rpt_json *json, unsigned depth, const char *key,
		  uint64_t v);
void rpt_json_open(struct rpt_json *json, char bracket);
void rpt_json_close(struct rpt_json *json, unsigned depth, char bracket);
/* The next item of a list starts on a line of its own. */
void rpt_json_item(struct rpt_json *json, unsigned depth);

/* data_json_head.c */
void rpt_json_headers(struct rpt_json *json);

#endif
