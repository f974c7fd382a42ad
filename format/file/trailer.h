/* trailer.h: our index behind the last feature section.
 *
 * It is found by a magic at the end of the file, has a version and a checksum,
 * and is optional; perf ignores it.  FORMAT.md "Trailer".
 */
#ifndef PD_TRAILER_H
#define PD_TRAILER_H

#include "format/base/buf.h"

#define PD_TRAILER_ANY_CPU UINT32_MAX

/* One zstd frame, or one run of plain records, in the data section.  Between
 * the COMPRESSED records of a frame there may be others, which are no part. */
struct pd_trailer_frame {
	uint64_t file_off; /* of its first COMPRESSED record */
	uint64_t file_len; /* to the end of its last */
	uint64_t plain_len;
	uint64_t plain_hash; /* XXH3-64 of the plain text; 0: unknown */
	uint64_t record_nr;
	uint64_t time_lo_ns; /* lowest and highest time of its records; */
	uint64_t time_hi_ns; /* if lo > hi, none has a time */
	uint32_t cpu;	     /* PD_TRAILER_ANY_CPU: several */
	uint32_t file_flags; /* the members below, as in the file */
	uint32_t sample_nr;  /* how many records are samples */
	bool has_sample_nr;  /* sample_nr is known */
	bool has_sideband;   /* some records are no samples */
	bool is_plain;	     /* it is a run of plain records */
};

/* A frame without records. */
#define PD_TRAILER_FRAME_INIT              \
	((struct pd_trailer_frame){        \
		.time_lo_ns = UINT64_MAX,  \
		.cpu = PD_TRAILER_ANY_CPU, \
		.has_sample_nr = true,     \
	})

/* Count a record of that type, length and time (0: none) in the frame. */
void pd_trailer_frame_add(struct pd_trailer_frame *frame, uint32_t type,
			  size_t len, uint64_t time_ns);

/* The part that a checksum covers, if not the payload of a feature (0 to
 * 255). */
enum pd_trailer_part {
	PD_PART_HEADER = 256,
	PD_PART_IDS,
	PD_PART_ATTRS,
	PD_PART_TABLE,	     /* the feature table */
	PD_PART_OLD_TRAILER, /* the one before names were appended */
};

/* The checksum of a part of the file that is not the data section. */
struct pd_trailer_sum {
	uint64_t off;
	uint64_t len;
	uint64_t hash; /* XXH3-64 of its bytes */
	uint32_t part; /* the bit of a feature, or enum pd_trailer_part */
};

#define PD_SECTION_IS_ZSTD 1u /* one zstd frame, not plain bytes */

/* A section of carried names (carried.h), in front of the trailer. */
struct pd_trailer_section {
	uint32_t kind;	/* enum pd_carried_section */
	uint32_t flags; /* PD_SECTION_IS_ZSTD */
	uint64_t off;
	uint64_t len;
	uint64_t plain_len;
	uint64_t hash; /* XXH3-64 of its bytes in the file */
};

/* An event whose stack copies were unwound (pd_event.is_unwound). */
struct pd_trailer_unwound {
	uint32_t event_idx;
};

struct pd_trailer_loss {
	uint32_t cpu;
	uint32_t event_idx;
	uint64_t lost_nr;
	uint64_t time_lo_ns; /* they were lost between these times */
	uint64_t time_hi_ns;
};

/* The cost of the recording. */
struct pd_trailer_cost {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t peak_rss_len;
	uint64_t wakeup_nr;
	uint64_t sample_nr;
	uint64_t throttle_nr;
	uint64_t plain_len;   /* bytes out of the rings */
	uint64_t written_len; /* bytes they took in the file */
	uint64_t startup_ns;  /* from start to recording */

	/* 0 in older files: */
	uint64_t recorded_ns; /* from recording to the end */
	uint64_t thread_nr;   /* threads that emptied rings */
	uint64_t spilled_len; /* plain bytes in spare memory, full rings' */
	uint64_t cut_nr;      /* samples whose stack copies were cut */
	uint64_t dropped_nr;  /* that the recorder dropped; also losses */
	/* kernel.perf_event_max_sample_rate at the start and at the end */
	uint64_t max_rate_before_hz;
	uint64_t max_rate_after_hz;
};

#define PD_RATE_IS_FREQ	 1u
#define PD_RATE_IS_STACK 2u
#define PD_RATE_IS_NAMES 4u

/* A change of an event's rate by the recorder (--budget), or of the length to
 * which it cuts stack copies, or that no names are carried. */
struct pd_trailer_rate {
	uint32_t event_idx;
	uint32_t flags;	  /* PD_RATE_IS_FREQ: value is a frequency,
			   * PD_RATE_IS_STACK: bytes, PD_RATE_IS_NAMES: 0,
			   * else a period */
	uint64_t time_ns; /* of the newest record before; 0: none */
	uint64_t value;	  /* from then on */
};

/* When the recording began, by two clocks at one moment; all 0: unknown. */
struct pd_trailer_start {
	uint64_t wall_ns; /* since 1970 */
	uint64_t mono_ns; /* CLOCK_MONOTONIC, which counts from the boot on */
	uint8_t boot_id[16]; /* of the host's boot */
};

struct pd_trailer {
	struct pd_trailer_frame *frames; /* owned, in file order */
	size_t frame_nr;
	struct pd_trailer_loss *losses; /* owned */
	size_t loss_nr;
	struct pd_trailer_rate *rates; /* owned, in the order of time */
	size_t rate_nr;
	struct pd_trailer_cost cost;
	uint32_t whole_command; /* 1 + its index in CMDLINE; else 0 */
	/* Older files have no sums.  Every byte in front of the trailer is
	 * covered by a sum, a frame or rest_hash. */
	bool has_sums;
	uint64_t rest_hash; /* of the records in no frame; 0: unknown */
	struct pd_trailer_sum *sums; /* owned, in file order */
	size_t sum_nr;
	struct pd_trailer_section *sections; /* owned; with has_sums */
	size_t section_nr;
	struct pd_trailer_unwound *unwound; /* owned; the same */
	size_t unwound_nr;
	/* Threads without samples of which the file has no records, and how
	 * many these were: --sideband=sampled. */
	uint64_t left_task_nr;
	uint64_t left_record_nr;
	struct pd_trailer_start start;
};

void pd_trailer_release(struct pd_trailer *t);

/* Return true if the recorder was killed and another one gave the recording its
 * end: the cost is known of nothing but the records. */
static inline bool pd_trailer_is_adopted(const struct pd_trailer *t)
{
	return t->cost.written_len && !t->cost.peak_rss_len;
}

/* Return the time of the last record of all frames; 0: unknown. */
uint64_t pd_trailer_last_ns(const struct pd_trailer *t);

/* Read the trailer at the end of the file base[0..len).  Return 0 and *ret;
 * -ENOENT if there is none, -EBADMSG if it is damaged, -ENOTSUP if its version
 * is newer. */
int pd_trailer_read(const uint8_t *base, uint64_t len, struct pd_trailer *ret,
		    struct pd_err *err);

void pd_trailer_write(struct pd_buf *b, const struct pd_trailer *t);

#endif
