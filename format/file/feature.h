/* feature.h: the feature sections that describe the recording; those of the
 * machine are in feature_host.h.  FORMAT.md "Feature sections".
 *
 * A feature has one struct, pd_feature_X_read() and pd_feature_X_write().  The
 * cursor of a reader comes from pd_reader_feature().  Strings that were read
 * point into the bytes of the file.  Lists are allocated; the _release() below
 * each struct frees them.
 *
 * Reads return 0, -ENODATA, -EBADMSG, -EFBIG (limits.h) or -ENOMEM, with the
 * reason in the err of the cursor.
 */
#ifndef PD_FEATURE_H
#define PD_FEATURE_H

#include "format/file/attr.h"
#include "format/file/layout.h"

/* Return the name of a bit, as "HOSTNAME"; NULL if it is unknown. */
const char *pd_feature_name(unsigned bit);

/* HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID: one string each, which
 * pd_buf_string() writes. */
int pd_feature_string_read(struct pd_cursor *c, struct pd_str *ret);

struct pd_str_list {
	struct pd_str *items; /* owned, the strings are not */
	size_t nr;
};
void pd_str_list_release(struct pd_str_list *list);

struct pd_nrcpus {
	uint32_t available;
	uint32_t online;
};
int pd_feature_nrcpus_read(struct pd_cursor *c, struct pd_nrcpus *ret);
void pd_feature_nrcpus_write(struct pd_buf *b, const struct pd_nrcpus *n);

/* TOTAL_MEM in KiB; CLOCKID's resolution in ns: one u64 each, which
 * pd_buf_u64() writes. */
int pd_feature_u64_read(struct pd_cursor *c, uint64_t *ret);

/* CMDLINE: the arguments of the recorder; argv[0] is its path. */
int pd_feature_cmdline_read(struct pd_cursor *c, struct pd_str_list *ret);
void pd_feature_cmdline_write(struct pd_buf *b, const struct pd_str_list *argv);

/* EVENT_DESC: the events again, with their names. */
struct pd_event_desc {
	struct pd_attr attr;
	struct pd_str name;
	struct pd_u64s ids;
};
struct pd_event_descs {
	struct pd_event_desc *items; /* owned */
	size_t nr;
};
int pd_feature_event_desc_read(struct pd_cursor *c, struct pd_event_descs *ret);
void pd_feature_event_desc_write(struct pd_buf *b,
				 const struct pd_event_descs *descs);
void pd_event_descs_release(struct pd_event_descs *descs);

struct pd_group_desc {
	struct pd_str name; /* "{anon_group}" */
	uint32_t leader_idx;
	uint32_t member_nr; /* the leader included */
};
struct pd_group_descs {
	struct pd_group_desc *items; /* owned */
	size_t nr;
};
int pd_feature_group_desc_read(struct pd_cursor *c, struct pd_group_descs *ret);
void pd_feature_group_desc_write(struct pd_buf *b,
				 const struct pd_group_descs *g);
void pd_group_descs_release(struct pd_group_descs *g);
/* Return true if the events of g exist and lie behind those of the groups in
 * front of it, as perf lists them; then move *end, at first 0, behind them. */
bool pd_group_desc_follows(const struct pd_group_desc *g, size_t event_nr,
			   size_t *end);

/* SAMPLE_TIME */
struct pd_sample_time {
	uint64_t first_ns;
	uint64_t last_ns;
};
/* Widen t, which begins as { UINT64_MAX, 0 }, to time_ns; 0 is no time. */
static inline void pd_sample_time_add(struct pd_sample_time *t,
				      uint64_t time_ns)
{
	if (time_ns && time_ns < t->first_ns)
		t->first_ns = time_ns;
	if (time_ns > t->last_ns)
		t->last_ns = time_ns;
}
int pd_feature_sample_time_read(struct pd_cursor *c,
				struct pd_sample_time *ret);
void pd_feature_sample_time_write(struct pd_buf *b,
				  const struct pd_sample_time *t);

struct pd_clock_data {
	uint32_t clockid;
	uint64_t wall_clock_ns;
	uint64_t clockid_ns; /* the time of clockid at the same moment */
};
int pd_feature_clock_data_read(struct pd_cursor *c, struct pd_clock_data *ret);
void pd_feature_clock_data_write(struct pd_buf *b,
				 const struct pd_clock_data *d);

/* COMPRESSED */
struct pd_compression {
	uint32_t version; /* perf writes 0 */
	uint32_t type;	  /* 1: zstd */
	uint32_t level;
	uint32_t ratio;
	uint32_t mmap_len; /* the most plain bytes of one record */
};
int pd_feature_compressed_read(struct pd_cursor *c, struct pd_compression *ret);
void pd_feature_compressed_write(struct pd_buf *b,
				 const struct pd_compression *z);

#endif
