#include "report/cli/output_file.h"

#include "report/cli/command_options.h"
#include "report/cli/output_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int rpt_parse_page_size(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	uint64_t *len = conf;

	(void)unset;
	if (sup_parse_size(arg, len) || !*len)
		return pd_err_set(err, -EINVAL,
				  "option --page-size: '%s' is no size, as 16M",
				  arg);
	return 0;
}

int rpt_parse_page_code(void *conf, const char *arg, bool unset,
			struct pd_err *err)
{
	static const struct rpt_option_word words[] = {
		{ "none", RPT_PAGE_CODE_NONE },
		{ "instructions", RPT_PAGE_CODE_INSTRUCTIONS },
		{ "source", RPT_PAGE_CODE_SOURCE },
		{ NULL, 0 },
	};

	(void)unset;
	return rpt_option_word("--page-code", words, arg, conf, err);
}

char *rpt_page_title(const char *const *inputs, size_t input_nr)
{
	char *title = NULL;
	size_t len;
	FILE *out = open_memstream(&title, &len);

	for (size_t i = 0; i < input_nr; i++) {
		const char *slash = strrchr(inputs[i], '/');

		fprintf(out, "%s%s", i ? ", " : "",
			slash ? slash + 1 : inputs[i]);
	}
	fclose(out);
	return title;
}

int rpt_output_file_open(struct rpt_output_file *ret, const char *path,
			 const char *const *inputs, size_t input_nr,
			 struct pd_err *err)
{
	struct rpt_output_args out = { .path = path };
	struct pd_err why = PD_ERR_INIT;
	int rc = 0;

	*ret = (struct rpt_output_file){ .file.fd = -1, .old_stdout = -1 };
	if (!path)
		return 0;
	for (size_t i = 0; i < input_nr && !rc; i++)
		rc = rpt_output_check(&out, inputs[i], err);
	if (rc)
		return rc;
	rc = sup_new_file_open(&ret->file, path, 0666, true, &why);
	if (rc) {
		pd_err_set(err, rc, "%s: %s", path, why.text);
		pd_err_hint(err, "%s", why.hint);
		return rc;
	}
	fflush(stdout);
	ret->old_stdout = dup(STDOUT_FILENO);
	if (ret->old_stdout < 0 || dup2(ret->file.fd, STDOUT_FILENO) < 0)
		return pd_err_set(err, -errno, "%s", strerror(errno));
	return 0;
}

int rpt_output_file_end(struct rpt_output_file *file, int rc,
			struct pd_err *err)
{
	if (file->old_stdout >= 0) {
		if (!rc && (fflush(stdout) || ferror(stdout)))
			rc = pd_err_set(err, -EIO, "it could not be written");
		if (!rc)
			rc = sup_new_file_name(&file->file, err);
		dup2(file->old_stdout, STDOUT_FILENO);
		close(file->old_stdout);
	}
	if (file->file.fd >= 0)
		sup_new_file_release(&file->file);
	return rc;
}
