#include "report/profile/repeat_sample.h"

#include <string.h>

void rpt_repeat_sample_set(struct rpt_repeat_sample *repeat,
			   const struct pd_record *rec,
			   const struct pd_sample_layout *layout,
			   const struct pd_sample *sample, bool by_raw,
			   const struct rpt_repeat_sample_place *place)
{
	repeat->data = NULL;
	if (rec->len > RPT_REPEAT_SAMPLE_LEN || layout->time_off < 0)
		return;
	/* what was compressed is gone with the next record */
	repeat->data = rec->data;
	if (rec->plain_off != PD_RECORD_NOT_COMPRESSED)
		repeat->data = memcpy(repeat->room, rec->data, rec->len);
	repeat->like = rpt_sample_equal_of(rec, layout->time_off, sample->raw,
					   by_raw ? 0 : sample->raw_len);
	repeat->layout = layout;
	repeat->place = *place;
}
