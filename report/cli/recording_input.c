#include "report/cli/recording_input.h"

#include "format/support/message.h"
#include "format/support/safe_text.h"
#include "report/symbols/carried_names.h"
#include "report/symbols/kernel_origin.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *rpt_recording_input_default_path(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)
		       ? "-"
		       : RPT_DEFAULT_FILE;
}

void rpt_warn_unread(const char *path, struct pd_err *err)
{
	struct stat st;

	if (path && !strcmp(path, "-") && err->code != -EINVAL &&
	    fstat(STDIN_FILENO, &st) == 0 && S_ISFIFO(st.st_mode) &&
	    access(RPT_DEFAULT_FILE, F_OK) == 0)
		pd_err_hint(err, "standard input is a pipe, which counts; "
				 "-i " RPT_DEFAULT_FILE " reads the file");
	if (path && err->code == -ENOENT && !strcmp(path, RPT_DEFAULT_FILE))
		pd_err_hint(err, "'perfpair record COMMAND' makes one, "
				 "'perfpair record -a -g --duration 5s' one of "
				 "all that runs");
	if (path && err->code == -ENOENT && !strcmp(path, RPT_OLD_FILE))
		pd_err_hint(err, "'perfpair diff OLD NEW' compares any two "
				 "recordings");
	sup_message_err(path, err);
}

int rpt_recording_input_open(struct rpt_recording_input *in, const char *path)
{
	struct pd_err err = PD_ERR_INIT;
	int rc;

	*in = (struct rpt_recording_input){
		.path = path ? path : rpt_recording_input_default_path()
	};
	rc = rpt_file_source_open(&in->source, in->path, &err);
	if (rc) {
		rpt_warn_unread(in->path, &err);
		return RPT_EXIT_FAILED;
	}
	rc = rpt_file_source_reader(&in->source, NULL, &in->reader, &err);
	if (!rc)
		return RPT_EXIT_OK;
	rpt_warn_unread(in->path, &err);
	rpt_file_source_close(&in->source);
	return RPT_EXIT_FAILED;
}

int rpt_warn_failed(const char *path, int rc, struct pd_err *err)
{
	bool is_input = rc == -EBADMSG || rc == -ENODATA || err->has_off;

	pd_err_set(err, rc, "%s", strerror(-rc));
	rpt_warn_unread(ferror(stdout) && !is_input ? "stdout" : path, err);
	return rc == -EINVAL ? RPT_EXIT_USAGE : RPT_EXIT_FAILED;
}

static char *why_text(const char *name, const char *why)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	sup_put_safe_text(out, name);
	fputs(": ", out);
	sup_put_safe_text(out, why);
	fclose(out);
	return text;
}

char *rpt_problem_text(const struct rpt_dso *dso)
{
	return why_text(rpt_dso_name(dso), rpt_dso_problem(dso));
}

void rpt_warn_dispute(const char *path, const struct rpt_symbols *symbols)
{
	char *text = rpt_symbols_dispute(symbols);

	if (text)
		sup_message("%s: %s", path, text);
	free(text);
}

void rpt_warn_withheld(const struct rpt_symbols *symbols)
{
	const char *why = symbols ? rpt_symbols_withheld(symbols) : NULL;
	char *text = why ? why_text("[kernel.kallsyms]", why) : NULL;

	if (text)
		sup_message("%s", text);
	free(text);
}

/* Print an error with the file of a directory that it is in, and its offset in
 * that. */
static void warn_at(const char *path, const struct rpt_file_source *source,
		    struct pd_err *err)
{
	const struct rpt_dir_file *file;
	char name[PATH_MAX];

	if (!source->dir.file_nr || !err->has_off) {
		sup_message_err(path, err);
		return;
	}
	file = rpt_dir_source_at(&source->dir, err->off);
	err->off -= file->off;
	snprintf(name, sizeof(name), "%s/%s", path, file->name);
	sup_message_err(name, err);
}

void rpt_warn_damage(const char *path, const struct rpt_file_source *source,
		     const struct pd_damage *damage)
{
	uint64_t len = damage->skipped_len, nr = damage->skipped_nr;
	struct pd_err err = damage->first;
	char *end = err.text + strlen(err.text);
	size_t room = sizeof(err.text) - (size_t)(end - err.text);

	if (!nr)
		return;
	if (len && nr == 1)
		snprintf(end, room, "; %" PRIu64 " byte%s passed over", len,
			 len == 1 ? "" : "s");
	else if (len)
		snprintf(end, room,
			 "; %" PRIu64 " bytes in %" PRIu64
			 " places passed over",
			 len, nr);
	else if (nr > 1)
		snprintf(end, room, "; and %" PRIu64 " more such place%s",
			 nr - 1, nr == 2 ? "" : "s");
	warn_at(path, source, &err);
}

bool rpt_warn_missing(const char *path, const struct pd_reader *reader,
		      uint64_t read_nr)
{
	uint64_t nr = pd_reader_sample_nr(reader);

	if (read_nr >= nr)
		return false;
	sup_message("%s: %" PRIu64 " of %" PRIu64 " samples are missing", path,
		    nr - read_nr, nr);
	return true;
}

void rpt_recording_input_tell(struct rpt_recording_input *in)
{
	struct pd_damage damage = *pd_reader_damage(in->reader);

	pd_damage_merge(&damage, &in->damage);
	if (!in->is_damage_told)
		rpt_warn_damage(in->path, &in->source, &damage);
	in->is_damage_told = damage.skipped_nr;
	if (damage.skipped_nr && !in->exit_code)
		in->exit_code = RPT_EXIT_DAMAGED;
}

int rpt_recording_input_close(struct rpt_recording_input *in)
{
	rpt_recording_input_tell(in);
	pd_reader_close(in->reader);
	rpt_file_source_close(&in->source);
	return in->exit_code;
}
