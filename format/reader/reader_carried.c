/* reader_carried.c: what a recording carries besides names, and for whom. */
#include "format/reader/reader_impl.h"

#include "format/carried/carried_stream.h"

bool pd_reader_names_are_of(const struct pd_reader *names,
			    const struct pd_reader *recording)
{
	return recording->header.is_pipe &&
	       pd_carried_stream_is_of(names->base, names->len, &names->trailer,
				       recording->base, recording->len);
}

int pd_reader_carried_text(const struct pd_reader *r, uint32_t kind,
			   struct pd_carried_text *ret, struct pd_err *err)
{
	return pd_carried_text_read(r->base, r->len, &r->trailer, kind, ret,
				    err);
}
