#include "record/service/metrics_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/support/new_file.h"
#include "format/support/whole_io.h"
#include "record/base/runtime.h"

enum { MODE = 0644, WAIT_MS = 1000 };

/* Replace the file; text NULL: only see whether that is possible. */
static int write_text(const char *path, const struct pd_buf *text,
		      struct pd_err *err)
{
	struct sup_new_file file;
	int rc = sup_new_file_open(&file, path, MODE, true, err);

	/* The umask is for recordings; some file systems have no modes. */
	if (!rc && !file.is_stream)
		(void)!fchmod(file.fd, MODE);
	if (!rc && text)
		rc = sup_write(file.fd, text->data, text->len);
	if (!rc && text)
		rc = sup_new_file_name(&file, err);
	if (rc)
		pd_err_set(err, rc, "%s", strerror(-rc));
	sup_new_file_release(&file);
	return rc;
}

static void *write_main(void *arg)
{
	struct rec_metrics_file *file = arg;
	struct pd_err err = PD_ERR_INIT;

	if (write_text(file->path, &file->text, &err) && !file->err.code)
		file->err = err;
	__atomic_store_n(&file->phase, REC_METRICS_DONE, __ATOMIC_RELEASE);
	return NULL;
}

static int explain(const char *path, int rc, const struct pd_err *why,
		   struct pd_err *err)
{
	if (!rc)
		return 0;
	pd_err_set(err, rc, "--metrics: %s: %s", path, why->text);
	pd_err_hint(err, "%s", why->hint);
	return rc;
}

int rec_metrics_file_check(const char *path, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;

	return explain(path, write_text(path, NULL, &why), &why, err);
}

int rec_metrics_file_open(struct rec_metrics_file *file, const char *path,
			  const struct pd_buf *text, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	int rc = pd_buf_status(text);

	if (!rc)
		rc = write_text(path, text, &why);
	*file = (struct rec_metrics_file){ .path = path };
	return explain(path, rc, &why, err);
}

bool rec_metrics_file_is_ready(struct rec_metrics_file *file,
			       struct pd_err *err)
{
	int phase = __atomic_load_n(&file->phase, __ATOMIC_ACQUIRE);

	if (phase == REC_METRICS_WRITES)
		return false;
	if (phase == REC_METRICS_IDLE)
		return true;
	pthread_join(file->thread, NULL);
	pd_buf_release(&file->text);
	file->phase = REC_METRICS_IDLE;
	*err = file->err;
	return true;
}

void rec_metrics_file_put(struct rec_metrics_file *file, struct pd_buf *text)
{
	file->text = *text;
	*text = (struct pd_buf)PD_BUF_INIT;
	file->phase = REC_METRICS_WRITES;
	if (rec_thread_start(&file->thread, "metrics", write_main, file)) {
		pd_buf_release(&file->text);
		file->phase = REC_METRICS_IDLE;
	}
}

void rec_metrics_file_close(struct rec_metrics_file *file)
{
	struct pd_err err = PD_ERR_INIT;

	for (int i = 0; file->path && i < WAIT_MS; i++) {
		if (rec_metrics_file_is_ready(file, &err)) {
			file->path = NULL;
			return;
		}
		usleep(1000);
	}
}
