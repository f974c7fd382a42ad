#include "report/input/carried_file.h"

#include <errno.h>
#include <string.h>

#include "report/input/file_source.h"

int rpt_carried_file_read(const char *path, const struct pd_reader *recording,
			  struct pd_carried *ret, bool *ret_is_own,
			  struct pd_err *err)
{
	struct pd_reader *reader = NULL;
	struct rpt_file_source source;
	struct pd_err why = PD_ERR_INIT;
	int rc;

	*ret = (struct pd_carried){ 0 };
	rc = rpt_file_source_open(&source, path, &why);
	if (!rc) {
		rc = rpt_file_source_reader(&source, NULL, &reader, &why);
		if (!rc)
			rc = pd_reader_carried(reader, ret, &why);
		if (!rc)
			rc = pd_reader_names_are_of(reader, recording,
						    ret_is_own, &why);
		if (!rc && !ret->file_nr)
			rc = pd_err_set(&why, -ENOENT, "it carries no names");
		pd_reader_close(reader);
		rpt_file_source_close(&source);
	}
	if (!rc)
		return 0;
	pd_carried_release(ret);
	pd_err_set(&why, rc, "%s", strerror(-rc));
	return pd_err_set(err, rc, "option --carried: %s: %s", path, why.text);
}
