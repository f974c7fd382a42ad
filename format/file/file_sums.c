#include "format/file/file_sums.h"

#include "format/base/hash.h"
#include "format/file/feature.h"

#include <stdio.h>

enum { ENTRY_LEN = 16 };

void pd_file_sums_add(struct pd_file_sums *sums, uint32_t part, uint64_t off,
		      const void *data, uint64_t len)
{
	if (!len || sums->nr == PD_FILE_SUMS_MAX)
		return;
	sums->items[sums->nr++] = (struct pd_trailer_sum){
		.off = off,
		.len = len,
		.hash = pd_hash_of(data, (size_t)len),
		.part = part,
	};
}

void pd_file_sums_add_tail(struct pd_file_sums *sums,
			   const struct pd_file_header *header,
			   const uint8_t *tail, size_t len, uint64_t off)
{
	uint64_t table_len = 0;
	struct pd_cursor c;

	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++)
		if (pd_file_header_has(header, bit))
			table_len += ENTRY_LEN;
	if (table_len > len)
		return;
	pd_file_sums_add(sums, PD_PART_TABLE, off, tail, table_len);
	pd_cursor_init(&c, tail, (size_t)table_len, off, "feature table");
	c.swap = header->swap;
	for (unsigned bit = 0; bit < PD_FEATURE_BITS; bit++) {
		uint64_t at, part_len;

		if (!pd_file_header_has(header, bit))
			continue;
		at = pd_cursor_u64(&c);
		part_len = pd_cursor_u64(&c);
		if (at >= off && at - off <= len &&
		    part_len <= len - (at - off))
			pd_file_sums_add(sums, bit, at, tail + (at - off),
					 part_len);
	}
}

bool pd_file_sum_holds(const struct pd_trailer_sum *sum, const uint8_t *base,
		       uint64_t len)
{
	return sum->off <= len && sum->len <= len - sum->off &&
	       pd_hash_of(base + sum->off, (size_t)sum->len) == sum->hash;
}

void pd_file_sum_name(const struct pd_trailer_sum *sum, char *ret,
		      size_t ret_len)
{
	static const char *const names[] = {
		"the file header",   "the ids of the events",
		"the attr section",  "the feature table",
		"the first trailer",
	};
	const size_t nr = sizeof(names) / sizeof(names[0]);
	const char *name;

	if (sum->part >= PD_PART_HEADER && sum->part - PD_PART_HEADER < nr) {
		snprintf(ret, ret_len, "%s", names[sum->part - PD_PART_HEADER]);
		return;
	}
	name = sum->part < PD_FEATURE_BITS ? pd_feature_name(sum->part) : NULL;
	if (name)
		snprintf(ret, ret_len, "feature %s", name);
	else
		snprintf(ret, ret_len, "part %u", sum->part);
}
