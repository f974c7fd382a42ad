#include "report/script/script_line.h"

#include "report/base/memory.h"
#include "report/cli/output_options.h"

#include "format/support/new_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dump {
	char *path;
	struct sup_new_file out;
	FILE *file;
	uint64_t sample_nr;
};

struct rpt_per_event_dump {
	size_t nr;
	struct dump items[];
};

static int open_dump(struct dump *dump, const char *prefix, const char *name,
		     struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	size_t len = strlen(prefix) + strlen(name) + sizeof("..dump");
	int rc;

	dump->path = rpt_alloc(len);
	snprintf(dump->path, len, "%s.%s.dump", prefix, name);
	/* the name comes from the recording and can hold any bytes */
	for (char *p = dump->path + strlen(prefix); *p; p++)
		if (*p == '/')
			*p = '_';
	rc = rpt_output_refuse_input(dump->path, prefix, &why);
	if (!rc)
		rc = sup_new_file_open(&dump->out, dump->path, 0666, true,
				       &why);
	if (!rc)
		dump->file = fdopen(dump->out.fd, "w");
	if (!rc && !dump->file)
		rc = pd_err_set(&why, -errno, "%s", strerror(errno));
	if (rc)
		return pd_err_set(err, rc, "%s: %s", dump->path, why.text);
	dump->out.fd = -1;
	return 0;
}

int rpt_per_event_dump_new(struct rpt_per_event_dump **ret, const char *prefix,
			   char *const *names, size_t nr, struct pd_err *err)
{
	struct rpt_per_event_dump *dumps = rpt_alloc_zeroed(
		1, sizeof(*dumps) + nr * sizeof(dumps->items[0]));
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		dumps->nr = i + 1;
		rc = open_dump(&dumps->items[i], prefix, names[i], err);
	}
	if (rc)
		rpt_per_event_dump_free(dumps);
	else
		*ret = dumps;
	return rc;
}

void rpt_per_event_dump_free(struct rpt_per_event_dump *dumps)
{
	for (size_t i = 0; dumps && i < dumps->nr; i++) {
		if (dumps->items[i].file)
			fclose(dumps->items[i].file);
		sup_new_file_release(&dumps->items[i].out);
		free(dumps->items[i].path);
	}
	free(dumps);
}

FILE *rpt_per_event_dump_choose(struct rpt_per_event_dump *dumps, size_t idx)
{
	dumps->items[idx].sample_nr++;
	return dumps->items[idx].file;
}

int rpt_per_event_dump_close(struct rpt_per_event_dump *dumps, FILE *report)
{
	int rc = 0;

	for (size_t i = 0; i < dumps->nr; i++) {
		struct dump *dump = &dumps->items[i];
		long len = ftell(dump->file);

		if (fclose(dump->file) != 0 && !rc)
			rc = -errno;
		dump->file = NULL;
		if (!rc)
			rc = sup_new_file_name(&dump->out, NULL);
		fprintf(report,
			"[ perf script: Wrote %.3f MB %s (%" PRIu64
			" samples) ]\n",
			(double)len / 1024 / 1024, dump->path, dump->sample_nr);
	}
	return rc;
}
