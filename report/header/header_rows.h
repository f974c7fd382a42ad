/* header_rows.h: functions for header_text.c, each for a feature section. */
#ifndef RPT_HEADER_ROWS_H
#define RPT_HEADER_ROWS_H

#include "format/file/feature.h"
#include "format/reader/reader.h"

#include <stdbool.h>
#include <stdio.h>

struct rpt_header_ctx {
	FILE *out;
	struct pd_reader *reader;
	struct pd_cursor payload;
	enum pd_perf perf;
	const char *label; /* of the feature, if several have one function */
	bool is_full;
	uint64_t btf_step_nr; /* types of BTF that were skipped */
};

/* header_host.c: the parts of the machine */
void rpt_header_cpu_topology(struct rpt_header_ctx *ctx);
void rpt_header_numa_topology(struct rpt_header_ctx *ctx);
void rpt_header_pmu_mappings(struct rpt_header_ctx *ctx);
void rpt_header_cache(struct rpt_header_ctx *ctx);
void rpt_header_mem_topology(struct rpt_header_ctx *ctx);
void rpt_header_cpu_pmu_caps(struct rpt_header_ctx *ctx);
void rpt_header_hybrid_topology(struct rpt_header_ctx *ctx);
void rpt_header_cpu_domains(struct rpt_header_ctx *ctx);
void rpt_header_pmu_caps(struct rpt_header_ctx *ctx);

/* header_bpf.c: BPF programs and their types */
void rpt_header_bpf_prog_info(struct rpt_header_ctx *ctx);
void rpt_header_bpf_btf(struct rpt_header_ctx *ctx);

/* header_cost.c: what our recorder says of itself in the trailer */
void rpt_header_recorder(struct rpt_header_ctx *ctx);
void rpt_header_steps(struct rpt_header_ctx *ctx); /* of a constant period */

#endif
