#include "record/snapshot/snapshot_put.h"

#include "record/snapshot/kernel_map.h"

#include <stdio.h>

#define PID_OF_KERNEL UINT32_MAX /* -1 */

struct put_ctx {
	const struct rec_snapshot_conf *conf;
	struct pd_buf *out;
};

/* Append MMAP, or MMAP2 if there is a build-id and it is wanted. */
static void put_kernel_map(const struct put_ctx *ctx,
			   const struct pd_mmap *mmap,
			   const struct rec_build_id *id)
{
	struct pd_body body = { .type = PD_RECORD_MMAP, .u.mmap = *mmap };
	uint16_t misc = PD_CPUMODE_KERNEL;

	if (ctx->conf->build_id && id->len) {
		body.type = PD_RECORD_MMAP2;
		misc |= PD_MISC_MMAP_BUILD_ID;
		body.u.mmap.build_id_len = id->len;
		memcpy(body.u.mmap.build_id, id->bytes, id->len);
	}
	rec_put_body(ctx->out, ctx->conf->id_len, misc, &body);
}

static int put_module(void *arg, const struct rec_module *module,
		      const char *path, const struct rec_build_id *id)
{
	const struct pd_mmap mmap = {
		.pid = PID_OF_KERNEL,
		.addr = module->start,
		.map_len = module->end - module->start,
		.filename = { path, strlen(path) },
	};

	put_kernel_map(arg, &mmap, id);
	return 0;
}

void rec_put_kernel_maps(const struct rec_snapshot_conf *conf,
			 struct rec_snapshot_stats *stats, struct pd_buf *out)
{
	struct put_ctx ctx = { .conf = conf, .out = out };
	struct rec_kernel_map map = { .start = 0 };
	struct pd_mmap mmap = { .pid = PID_OF_KERNEL };
	char name[64];
	int rc;

	rc = rec_kernel_map_read(&conf->roots, &map);
	stats->kernel_hidden = rc == -EACCES || rc == -EPERM;
	if (rc)
		return;
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", map.symbol);
	mmap.addr = map.start;
	mmap.map_len = map.end - map.start;
	mmap.pgoff = map.start;
	mmap.filename = (struct pd_str){ name, strlen(name) };
	put_kernel_map(&ctx, &mmap, &map.build_id);
	rec_modules_walk(&conf->roots, put_module, &ctx);
}
