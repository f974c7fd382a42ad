/* trailer.h: our index behind the last feature section.
 *
 * Found by a magic footer at the end of the file, versioned, checksummed and
 * optional; perf ignores it.  FORMAT.md "Trailer".
 */
#ifndef PD_TRAILER_H
#define PD_TRAILER_H

#include "format/buf.h"

#define PD_TRAILER_ANY_CPU UINT32_MAX

/* One zstd frame, or one run of plain records, of the data section.  Between
 * the COMPRESSED records of a frame there may be others, which are not of it.
 */
struct pd_trailer_frame {
	uint64_t file_off; /* of its first COMPRESSED record */
	uint64_t file_len; /* to the end of its last */
	uint64_t plain_len;
	uint64_t plain_hash; /* XXH3-64 of the plain text; 0: not said */
	uint64_t record_nr;
	uint64_t time_lo_ns; /* lowest and highest time of its records; */
	uint64_t time_hi_ns; /* lo > hi: none has one */
	uint32_t cpu;	     /* PD_TRAILER_ANY_CPU: several */
	uint32_t file_flags; /* as they stand in the file; set by the writer */
	uint32_t sample_nr;  /* of record_nr; with has_sample_nr */
	bool has_sample_nr;
	bool has_sideband; /* anything else than samples in it */
	bool is_plain;	   /* a run of plain records, said so */
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

/* What a sum is of, beside the payloads of features, 0 to 255. */
enum pd_trailer_part {
	PD_PART_HEADER = 256,
	PD_PART_IDS,
	PD_PART_ATTRS,
	PD_PART_TABLE, /* of features */
};

/* The checksum of a part of the file that is not the data section. */
struct pd_trailer_sum {
	uint64_t off;
	uint64_t len;
	uint64_t hash; /* XXH3-64 of its bytes */
	uint32_t part; /* bit of a feature, or enum pd_trailer_part */
};

struct pd_trailer_loss {
	uint32_t cpu;
	uint32_t event_idx;
	uint64_t lost_nr;
	uint64_t time_lo_ns; /* between these it was */
	uint64_t time_hi_ns;
};

/* What the recorder itself cost. */
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

	/* 0 in files of recorders that did not tell */
	uint64_t recorded_ns; /* from recording to the end */
	uint64_t thread_nr;   /* that drained */
	uint64_t spilled_len; /* plain bytes that a full ring's spare memory
				 took */
	uint64_t cut_nr;      /* samples whose stack copies were cut */
	uint64_t dropped_nr;  /* samples that the recorder dropped; they are
			       * losses too */
	/* kernel.perf_event_max_sample_rate at the start and at the end */
	uint64_t max_rate_before_hz;
	uint64_t max_rate_after_hz;
};

#define PD_RATE_IS_FREQ 1u

/* A change of an event's rate by the recorder (--cpu-limit). */
struct pd_trailer_rate {
	uint32_t event_idx;
	uint32_t flags;	  /* PD_RATE_IS_FREQ: value is a frequency, else a
			   * period */
	uint64_t time_ns; /* of the newest record before; 0: none */
	uint64_t value;	  /* from then on */
};

struct pd_trailer {
	struct pd_trailer_frame *frames; /* owned, in file order */
	size_t frame_nr;
	struct pd_trailer_loss *losses; /* owned */
	size_t loss_nr;
	struct pd_trailer_rate *rates; /* owned, in the order of time */
	size_t rate_nr;
	struct pd_trailer_cost cost;
	/* What was recorded is one command, from its start until it and all
	 * that it started ended by themselves, the command with exit status 0:
	 * where its first word stands in CMDLINE, and 1; else 0. */
	uint32_t whole_command;
	/* Of files since perfpair writes them; together with the frames every
	 * byte but the trailer's is under one. */
	bool has_sums;
	uint64_t rest_hash; /* XXH3-64 of the records in the data section that
			     * are of no frame; 0: not said */
	struct pd_trailer_sum *sums; /* owned, in file order */
	size_t sum_nr;
};

void pd_trailer_release(struct pd_trailer *t);

/* Looks for the footer at the end of base[0..len). 0 with ret filled, -ENOENT
 * where there is none, -EBADMSG where it is damaged, -ENOTSUP where its
 * version is newer. */
int pd_trailer_read(const uint8_t *base, uint64_t len, struct pd_trailer *ret,
		    struct pd_err *err);

void pd_trailer_write(struct pd_buf *b, const struct pd_trailer *t);

#endif
