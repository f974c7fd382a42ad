/* fuzz_check.c: a whole file through rpt_check() and rpt_repair().  What the
 * repair makes has no fault that the check knows, and repaired again it stays
 * as it is. */
#include "format/base/limits.h"
#include "report/check/check.h"
#include "report/repair/repair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void show(void *ctx, const struct rpt_finding *finding)
{
	(void)ctx;
	must(finding->text[0] && rpt_finding_name(finding->kind));
}

static uint64_t check(const struct rpt_file_source *source)
{
	struct rpt_findings findings = { .show = show, .cap = 20 };
	struct rpt_check_totals totals;
	int rc = rpt_check(source, PD_LIMIT_ZSTD_RATIO, &findings, &totals);

	rpt_check_release(&totals);
	must(!rc || findings.nr[RPT_FINDING_UNREADABLE] == 1);
	/* several events whose samples have no id cannot be helped */
	return rpt_findings_count(&findings, true) -
	       findings.nr[RPT_FINDING_ATTR];
}

static bool repair(const struct rpt_file_source *source, const char *path,
		   uint64_t *ret_len)
{
	const struct rpt_repair_conf conf = {
		.path = path,
		.force = true,
		.level = -1,
		.max_ratio = PD_LIMIT_ZSTD_RATIO,
	};
	static struct rpt_repair_result result;
	struct pd_err err = PD_ERR_INIT;
	int rc = rpt_repair(source, &conf, &result, &err);

	must(!rc || err.text[0]);
	*ret_len = result.len;
	return !rc;
}

static void repair_again(const char *path, const char *again, uint64_t len)
{
	struct rpt_file_source source;
	uint64_t again_len;

	must(!rpt_file_source_open(&source, path, NULL));
	must(source.len == len);
	must(!check(&source));
	must(repair(&source, again, &again_len));
	must(again_len == len);
	rpt_file_source_close(&source);
	unlink(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct rpt_file_source source = { .base = data, .len = len };
	char path[64], again[80];
	uint64_t new_len;

	if (!len)
		return 0;
	snprintf(path, sizeof(path), "/tmp/fuzz_check.%d", (int)getpid());
	snprintf(again, sizeof(again), "%s.again", path);
	(void)check(&source);
	if (repair(&source, path, &new_len))
		repair_again(path, again, new_len);
	unlink(path);
	return 0;
}
