/* fuzz_stat_file.c: prints the input as perfpair stat report does: as text,
 * with -A, --per-node and --per-thread, with -x and -j. */
#include "record/stat/stat_report.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/support/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static FILE *nowhere;
	const struct rec_stat_args ways[] = {
		{ .big_num = true },
		{ .no_aggr = true },
		{ .per_node = true },
		{ .per_thread = true },
		{ .sep = "," },
		{ .json = true, .per_core = true },
		{ .metric_only = true, .no_aggr = true },
	};
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[64];

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	assert(nowhere && fd >= 0);
	sup_message_to(nowhere);
	assert(write(fd, data, len) == (ssize_t)len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct rec_stat_args args = ways[i];
		struct pd_err err = PD_ERR_INIT;
		int rc;

		args.input = path;
		args.output = "/dev/null";
		rc = rec_stat_report(&args, &err);
		assert(rc == 0 || rc == 3 || (rc < 0 && err.text[0]));
	}
	close(fd);
	return 0;
}
