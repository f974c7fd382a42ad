/* scrub_impl.h: the parts of a scrub.
 *
 * Texts are hidden by functions that append the new text to a buffer.  Each
 * counts in the result what it hid and what it kept, if is_counted is set.
 */
#ifndef RPT_SCRUB_IMPL_H
#define RPT_SCRUB_IMPL_H

#include "format/records/record_body.h"
#include "report/repair/repair_edit.h"
#include "report/scrub/scrub.h"

struct rpt_scrub_range {
	uint64_t start;
	uint64_t end;
};

struct rpt_scrub {
	const struct rpt_scrub_conf *conf;
	struct rpt_scrub_result *result;
	struct pd_reader *reader;
	bool is_counted;    /* in this walk */
	struct pd_buf text; /* a hidden name, while it is used */
	/* what is mapped to be executed, in any process: disjoint and sorted
	 * when the second walk begins */
	struct rpt_scrub_range *ranges;
	uint32_t range_nr;
	uint32_t range_cap;
	bool is_sorted;
};

static inline bool rpt_scrub_keeps(const struct rpt_scrub *scrub,
				   enum rpt_scrub_kind kind)
{
	return scrub->conf->actions[kind] == RPT_SCRUB_KEEP;
}

static inline void rpt_scrub_count(struct rpt_scrub *scrub,
				   enum rpt_scrub_kind kind, bool is_taken)
{
	if (!scrub->is_counted)
		return;
	if (is_taken)
		scrub->result->taken_nr[kind]++;
	else
		scrub->result->kept_nr[kind]++;
}

/* is_kernel: mapped by the kernel, so that a name in brackets is that of one of
 * its modules. */
void rpt_scrub_path(struct rpt_scrub *scrub, struct pd_str path, bool is_kernel,
		    struct pd_buf *to);
/* Return true if a path is neither of the system nor the kernel's. */
bool rpt_scrub_is_private(struct pd_str path);
void rpt_scrub_comm(struct rpt_scrub *scrub, struct pd_str comm,
		    struct pd_buf *to);
void rpt_scrub_cgroup(struct rpt_scrub *scrub, struct pd_str path,
		      struct pd_buf *to);
void rpt_scrub_ksymbol(struct rpt_scrub *scrub, struct pd_str name,
		       struct pd_buf *to);
void rpt_scrub_symbol(struct rpt_scrub *scrub, struct pd_str name,
		      bool is_private, struct pd_buf *to);
void rpt_scrub_group(struct rpt_scrub *scrub, struct pd_str name,
		     struct pd_buf *to);

/* The members of struct rpt_repair_edit. */
void rpt_scrub_event(void *ctx, const struct pd_event *in,
		     struct pd_event *out);
bool rpt_scrub_record(void *ctx, const struct pd_event_set *events,
		      bool is_second, const struct pd_record *rec,
		      struct pd_buf *b);
bool rpt_scrub_sample(void *ctx, const struct pd_event_set *events,
		      const struct pd_record *rec, struct pd_buf *b);
bool rpt_scrub_feature(void *ctx, unsigned bit, struct pd_buf *payload);
void rpt_scrub_carried(void *ctx, const struct pd_carried *carried,
		       struct rpt_perf_data_writer *file);

/* Note what rec, of type MMAP or MMAP2, maps to be executed. */
void rpt_scrub_note_code(struct rpt_scrub *scrub, const struct pd_body *body);
/* Return true if something that is executed may lie at addr. */
bool rpt_scrub_is_code(struct rpt_scrub *scrub, uint64_t addr);

/* Names that many machines have, so that they tell nothing: lists of words with
 * a space between them. */
extern const char rpt_known_folders[];	/* parts of paths */
extern const char rpt_known_maps[];	/* "[vdso]" */
extern const char rpt_known_comms[];	/* programs, kernel threads */
extern const char rpt_numbered_comms[]; /* "ksoftirqd/", of each CPU */
extern const char rpt_known_slices[];	/* of cgroups */
extern const char rpt_known_systems[];	/* of tracepoints */
extern const char rpt_known_events[];	/* perf's, and terms of PMUs */

/* Return true if the name is a word of the list. */
bool rpt_is_known(const char *list, struct pd_str name);

/* Return the length of the entry that name starts with; 0: none. */
size_t rpt_known_start(const char *list, struct pd_str name);

#endif
