/* What a tracepoint's fields and a sample's numbers say, as one number. */
#include "report/rows/rows_impl.h"

#include "format/buf.h"

/* Each field with its length, so that none runs into the next. */
int64_t rpt_rows_number_fields(struct rpt_rows *rows,
			       const struct rpt_row_source *source,
			       size_t field_nr, size_t value_nr)
{
	static const uint8_t none[1];
	const struct rpt_rows_input *input = source->input;
	struct pd_buf bytes = PD_BUF_INIT;
	int64_t idx;

	for (size_t i = 0; i < field_nr; i++) {
		const struct rpt_trace_field *f = &input->trace_fields[i];
		struct pd_str b = { NULL, 0 };

		if (f->event_idx == source->event_idx)
			b = rpt_trace_field_bytes(input->tracepoints, f,
						  source->raw);
		pd_buf_u64(&bytes, b.len);
		pd_buf_bytes(&bytes, b.ptr, b.len);
	}
	for (size_t i = 0; i < value_nr; i++)
		pd_buf_u64(&bytes, rpt_value_key(rows->conf.values[i],
						 source->values[i]));
	idx = pd_buf_status(&bytes);
	if (!idx)
		idx = rpt_intern(&rows->fields, bytes.len ? bytes.data : none,
				 bytes.len);
	pd_buf_release(&bytes);
	return idx;
}
