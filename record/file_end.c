/* file_end.c: what was lost, what the machine is, and the last header. */
#include "record/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/file_features.h"

/* Asks the kernel what each event lost; those that lost something get a
 * record. */
static int write_losses(struct rec_recording *rec)
{
	struct pd_buf b = PD_BUF_INIT;
	int code;

	rec->losses = calloc(rec->open.nr, sizeof(*rec->losses));
	if (!rec->losses)
		return -ENOMEM;
	for (size_t i = 0; i < rec->open.nr; i++) {
		const struct rec_open_fd *fd = &rec->open.fds[i];
		const struct rec_event *event =
			&rec->args->events.events[fd->event_idx];
		struct rec_loss *loss = &rec->losses[rec->loss_nr];

		if (!rec_loss_read(event, fd, loss))
			continue;
		rec->losses_known = true;
		if (!loss->lost_nr)
			continue;
		rec_loss_write(&b, event, loss);
		rec->loss_nr++;
	}
	code = rec_append_records(rec, &b);
	pd_buf_release(&b);
	return code;
}

static int write_tail(struct rec_recording *rec, struct pd_err *err)
{
	uint64_t features[PD_FEATURE_BITS / 64] = { 0 };
	struct pd_buf tail = PD_BUF_INIT;
	int code = rec_features_write(rec, &tail, rec->out.len, features, err);

	if (!code)
		code = rec_output_finish(&rec->out, features, &tail);
	pd_buf_release(&tail);
	return code;
}

int rec_file_end(struct rec_recording *rec, struct pd_err *err)
{
	int code = write_losses(rec);

	if (!code && !rec->out.is_pipe)
		code = write_tail(rec, err);
	if (code)
		pd_err_set(err, code, "the file's end: %s", strerror(-code));
	return code;
}
