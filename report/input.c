#include "report/input.h"

#include "format/support/message.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *default_path(void)
{
	struct stat st;

	if (access("perf.data", F_OK) != 0 && fstat(STDIN_FILENO, &st) == 0 &&
	    S_ISFIFO(st.st_mode))
		return "-";
	return "perf.data";
}

int rpt_input_open(struct rpt_input *in, const char *path)
{
	struct pd_err err = PD_ERR_INIT;
	int rc;

	*in = (struct rpt_input){ .path = path ? path : default_path() };
	rc = rpt_file_source_open(&in->source, in->path, &err);
	if (rc) {
		sup_message_err(in->path, &err);
		if (rc == -ENOENT && !path)
			sup_message("'perfpair record' makes one");
		return RPT_EXIT_FAILED;
	}
	rc = pd_reader_open(&in->reader, in->source.base, in->source.len, &err);
	if (!rc)
		return RPT_EXIT_OK;
	sup_message_err(in->path, &err);
	rpt_file_source_close(&in->source);
	return RPT_EXIT_FAILED;
}

void rpt_input_damage(struct rpt_input *in, const struct pd_damage *damage)
{
	if (!in->damage.first.code)
		in->damage.first = damage->first;
	in->damage.skipped_len += damage->skipped_len;
	in->damage.skipped_nr += damage->skipped_nr;
}

int rpt_input_close(struct rpt_input *in)
{
	rpt_input_damage(in, pd_reader_damage(in->reader));
	if (in->damage.first.code) {
		sup_message_err(in->path, &in->damage.first);
		sup_message("%s: %" PRIu64 " bytes at %" PRIu64
			    " places were passed over; the rest was read",
			    in->path, in->damage.skipped_len,
			    in->damage.skipped_nr);
		if (!in->exit_code)
			in->exit_code = RPT_EXIT_DAMAGED;
	}
	pd_reader_close(in->reader);
	rpt_file_source_close(&in->source);
	return in->exit_code;
}
