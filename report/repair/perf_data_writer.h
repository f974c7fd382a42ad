/* perf_data_writer.h: writes a perf.data file: attrs, records, features, index.
 *
 *	rpt_perf_data_writer_open(&file, path, force, &err)
 *	rpt_perf_data_writer_begin(&file, events, attr_len, swap, level)
 *	rpt_perf_data_writer_record(&file, &written)	each record
 *	rpt_perf_data_writer_round(&file)		each FINISHED_ROUND
 *	rpt_perf_data_writer_feature(&file, bit)	a buffer to fill
 *	rpt_perf_data_writer_finish(&file, &err)
 *	rpt_perf_data_writer_release(&file)
 *
 * The file is written to a temporary file beside path, of mode 0600, which
 * takes its name at the end; if it is released earlier, nothing stays.  If path
 * is not a regular file, it gets a copy (new_file.h).  The first failure
 * latches: calls between open and finish need no check.
 *
 * The trailer has checksums of all bytes.  With a level, records of the
 * kernel's types go into zstd frames of 1 MiB with an index in the trailer, the
 * others between them; without a level, into runs of plain records, also with
 * an index: FORMAT.md "Compressed frames", "Trailer".
 */
#ifndef RPT_PERF_DATA_WRITER_H
#define RPT_PERF_DATA_WRITER_H

#include "format/base/buf.h"
#include "format/base/hash.h"
#include "format/carried/carried.h"
#include "format/file/file_header.h"
#include "format/file/file_sums.h"
#include "format/file/trailer.h"
#include "format/records/event_set.h"
#include "format/records/zstd_compress.h"
#include "format/support/new_file.h"

struct rpt_perf_data_writer {
	struct sup_new_file out;
	int fd;	    /* out's, or a temporary file's if out is a stream */
	int status; /* the first failure */
	bool swap;
	uint64_t len; /* written and pending */
	struct pd_buf pending;
	struct pd_file_header header;
	struct pd_zstd_compress *zstd; /* owned; NULL: plain */
	struct pd_trailer_frame frame; /* the one that is open */
	struct pd_trailer trailer;     /* frames owned */
	uint32_t frame_cap;
	struct pd_hash *run;  /* owned; of the open frame, if it is plain */
	struct pd_hash *rest; /* owned; of the records that are in no frame */
	struct pd_file_sums sums; /* the first is the header's */
	struct pd_buf auxtrace;	  /* the entries of that feature */
	struct pd_buf carried;	  /* sections of carried names */
	struct pd_trailer_section sections[PD_CARRIED_SECTIONS_MAX];
	struct pd_buf features[PD_FEATURE_BITS];
};

struct rpt_written {
	uint32_t type;
	const uint8_t *data; /* the whole record, in the file's byte order */
	size_t len;
	const uint8_t *behind; /* trace data, which is no record */
	size_t behind_len;
	uint64_t time_ns; /* 0: none */
};

/* Open the temporary file.  -EEXIST: path exists, and force is false. */
int rpt_perf_data_writer_open(struct rpt_perf_data_writer *file,
			      const char *path, bool force, struct pd_err *err);

/* Write header and attrs; attrs longer than attr_len are cut.  level is zstd's,
 * 1 to 22; 0: plain.  The trailer says which events are unwound. */
void rpt_perf_data_writer_begin(struct rpt_perf_data_writer *file,
				const struct pd_event_set *events,
				uint32_t attr_len, bool swap, int level);
void rpt_perf_data_writer_record(struct rpt_perf_data_writer *file,
				 const struct rpt_written *rec);
/* Write a FINISHED_ROUND marker, unless the frame that it ends is short. */
void rpt_perf_data_writer_round(struct rpt_perf_data_writer *file);

/* Add a feature and return the buffer for its payload.  The writer makes
 * COMPRESSED and AUXTRACE itself. */
struct pd_buf *rpt_perf_data_writer_feature(struct rpt_perf_data_writer *file,
					    unsigned bit);

/* Add a section of carried names (format/carried/carried.h), as it stands in
 * another file. */
void rpt_perf_data_writer_section(struct rpt_perf_data_writer *file,
				  const struct pd_trailer_section *section,
				  const uint8_t *data);

/* Take over what another file's recorder said of itself: cost, losses, changes
 * of rates, the whole command.  from must live until the file is finished. */
void rpt_perf_data_writer_facts(struct rpt_perf_data_writer *file,
				const struct pd_trailer *from);

/* Write the rest and give the file its name. */
int rpt_perf_data_writer_finish(struct rpt_perf_data_writer *file,
				struct pd_err *err);
void rpt_perf_data_writer_release(struct rpt_perf_data_writer *file);

#endif
