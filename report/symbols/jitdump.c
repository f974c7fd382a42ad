#include "report/symbols/jitdump.h"

#include "report/base/memory.h"
#include "report/base/whole_file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fill dump->body with the next len bytes.  Return false if there are fewer. */
static bool read_body(struct rpt_jitdump *dump, size_t len)
{
	return fread(dump->body, 1, len, dump->file) == len;
}

static int read_head(struct rpt_jitdump *dump, struct pd_err *err)
{
	int rc;

	if (!read_body(dump, PD_JITDUMP_HEAD_LEN))
		return pd_err_set(err, -EBADMSG, "is no jitdump");
	rc = pd_jitdump_head(&dump->head, dump->body, dump->file_len, err);
	if (rc || !fseeko(dump->file, dump->head.head_len, SEEK_SET))
		return rc;
	return pd_err_set(err, -errno, "%s", strerror(errno));
}

int rpt_jitdump_open(struct rpt_jitdump *dump, const char *path,
		     struct pd_err *err)
{
	int fd = rpt_whole_file_open(path);
	int rc = fd < 0 ? fd : 0;
	struct stat st;

	*dump = (struct rpt_jitdump){ 0 };
	if (!rc && fstat(fd, &st) != 0)
		rc = -errno;
	if (!rc) {
		dump->file_len = (uint64_t)st.st_size;
		dump->file_id[0] = st.st_dev;
		dump->file_id[1] = st.st_ino;
		dump->body = rpt_alloc(PD_JITDUMP_BODY_LEN_MAX);
		dump->file = fdopen(fd, "r");
		rc = dump->file ? 0 : -errno;
	}
	if (!dump->file && fd >= 0)
		close(fd);
	return rc ? pd_err_set(err, rc, "%s", strerror(-rc))
		  : read_head(dump, err);
}

void rpt_jitdump_close(struct rpt_jitdump *dump)
{
	if (dump->file)
		fclose(dump->file);
	free(dump->body);
	*dump = (struct rpt_jitdump){ 0 };
}

/* Read a record's head, and as much behind it as is used.  Return 1, 0 at the
 * end, or -EBADMSG. */
static int read_record(struct rpt_jitdump *dump, struct pd_jitdump_record *ret)
{
	size_t len;

	if (!read_body(dump, PD_JITDUMP_RECORD_LEN))
		return 0;
	if (pd_jitdump_record(&dump->head, dump->body, ret))
		return -EBADMSG;
	len = pd_jitdump_body_len(ret) - PD_JITDUMP_RECORD_LEN;
	if (fread(dump->body + PD_JITDUMP_RECORD_LEN, 1, len, dump->file) !=
	    len)
		return 0;
	len = ret->len - pd_jitdump_body_len(ret);
	return !len || !fseeko(dump->file, (off_t)len, SEEK_CUR);
}

int rpt_jitdump_next(struct rpt_jitdump *dump, struct pd_jit_code *ret)
{
	struct pd_jitdump_record record;
	int rc;

	while ((rc = read_record(dump, &record)) > 0) {
		if (record.kind == PD_JITDUMP_CLOSE)
			return 0;
		rc = pd_jitdump_code(&dump->head, dump->body, &record, ret);
		if (rc)
			return rc;
	}
	return rc;
}
