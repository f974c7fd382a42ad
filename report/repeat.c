#include "report/repeat.h"

#include <string.h>

void rpt_repeat_set(struct rpt_repeat *repeat, const struct pd_record *rec,
		    const struct pd_sample_layout *layout,
		    const struct rpt_repeat_place *place)
{
	repeat->data = NULL;
	if (rec->len > RPT_REPEAT_LEN || layout->time_off < 0)
		return;
	/* what was compressed is gone with the next record */
	repeat->data = rec->data;
	if (rec->plain_off != PD_RECORD_NOT_COMPRESSED)
		repeat->data = memcpy(repeat->room, rec->data, rec->len);
	repeat->len = rec->len;
	repeat->layout = layout;
	repeat->place = *place;
}

bool rpt_repeat_is(const struct rpt_repeat *repeat, const struct pd_record *rec)
{
	size_t head_len, tail_off;

	if (!repeat->data || rec->len != repeat->len)
		return false;
	head_len = (size_t)repeat->layout->time_off;
	tail_off = head_len + sizeof(uint64_t);
	return !memcmp(rec->data, repeat->data, head_len) &&
	       !memcmp(rec->data + tail_off, repeat->data + tail_off,
		       rec->len - tail_off);
}
