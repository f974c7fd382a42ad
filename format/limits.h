/* limits.h: the limits on numbers that come out of a file, each with its
 * reason.  Over one of them the answer is -EFBIG. */
#ifndef PD_LIMITS_H
#define PD_LIMITS_H

#include <stdint.h>

/* Attrs in one file: perf of v7.2 takes no more; a globbed tracepoint system
 * of today makes a few hundred. */
#define PD_LIMIT_EVENTS 65536u

/* Ids of one event, CPUs times threads: perf of v7.2 takes no more. */
#define PD_LIMIT_IDS (16u << 20)

/* CPUs that a topology may name: the kernel's own NR_CPUS_RANGE ends at
 * 8192; perf of v7.2 takes no more than this. */
#define PD_LIMIT_CPUS (1u << 20)

/* Items of the other header lists (nodes, PMUs, caches, groups): perf of v7.2
 * takes 4096 NUMA nodes and PMUs; caches are a few a CPU. */
#define PD_LIMIT_HEADER_ITEMS (1u << 20)

/* Plain text of one COMPRESSED record.  Stock perf maps comp_mmap_len for
 * each; 512 KiB is what it writes, -m 64M the most that has been seen. */
#define PD_LIMIT_INFLATED_RECORD (UINT64_C(256) << 20)

/* zstd windows: DStream's own default, 2^27. */
#define PD_LIMIT_ZSTD_WINDOW_LOG 27

/* Frames that a trailer may index: at one a MiB that is 4 TiB of plain
 * text. */
#define PD_LIMIT_FRAMES (4u << 20)

#endif
