/* file_sums.h: checksums of the parts of a file outside its data section.
 *
 *	pd_file_sums_add(&sums, PD_PART_IDS, off, data, len)   each, in order
 *	pd_file_sums_add_tail(&sums, ...)	feature table and payloads
 *	trailer.sums = sums.items
 *
 * A reader calls pd_file_sum_holds() for each.  FORMAT.md "Trailer".
 */
#ifndef PD_FILE_SUMS_H
#define PD_FILE_SUMS_H

#include "format/file/file_header.h"
#include "format/file/trailer.h"

enum { PD_FILE_SUMS_MAX = PD_FEATURE_BITS + 8 };

struct pd_file_sums {
	struct pd_trailer_sum items[PD_FILE_SUMS_MAX];
	size_t nr;
};

/* Add a checksum of data[0..len), which stands at off; none if len is 0. */
void pd_file_sums_add(struct pd_file_sums *sums, uint32_t part, uint64_t off,
		      const void *data, uint64_t len);

/* Add checksums of the feature table, which starts tail[0..len) and stands at
 * off, and of those payloads that lie in tail. */
void pd_file_sums_add_tail(struct pd_file_sums *sums,
			   const struct pd_file_header *header,
			   const uint8_t *tail, size_t len, uint64_t off);

/* Return true if the file at base[0..len) has the sum. */
bool pd_file_sum_holds(const struct pd_trailer_sum *sum, const uint8_t *base,
		       uint64_t len);

/* Write what the sum is of: "the file header", "feature EVENT_DESC". */
void pd_file_sum_name(const struct pd_trailer_sum *sum, char *ret,
		      size_t ret_len);

#endif
