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

/* Items of the other header lists (nodes, PMUs, caches, groups): perf of v7.2
 * takes 4096 NUMA nodes and PMUs; caches are a few a CPU. */
#define PD_LIMIT_HEADER_ITEMS (1u << 20)

/* Plain bytes that one byte of COMPRESSED records may become.  zstd can make
 * 32768 of it.  Recordings with stack copies were seen to make 2322 (perf
 * record -z10 --call-graph dwarf,65528 of a loop), those without 20.  The
 * reader's user can raise it: pd_reader_set_ratio(). */
#define PD_LIMIT_ZSTD_RATIO 8192u

/* A record out of them counts as so many bytes at least, as it costs time
 * whatever its length: 4 records a byte.  Seen: less than 1. */
#define PD_LIMIT_ZSTD_RECORD_LEN 2048u

/* Eight bytes of plain text that is no record count as so many: each is looked
 * at.  That leaves 256 times the compressed length. */
#define PD_LIMIT_ZSTD_STEP_LEN 256u

/* zstd windows: DStream's own default, 2^27, which is that of level 22 with
 * --long. */
#define PD_LIMIT_ZSTD_WINDOW_LOG 27

/* What of a window may fill in a small file: those of the levels to 19, 8 MiB,
 * and what zstd has beside it fit, those of 20 to 22 (32 to 128 MiB) as far as
 * little text goes by.  In a larger file 1 / PD_LIMIT_WINDOW_SHARE of the text
 * that it may become. */
#define PD_LIMIT_WINDOW_LEN   (UINT64_C(24) << 20)
#define PD_LIMIT_WINDOW_SHARE 512u

/* Memory that may be made of records: so much, in a file without compressed
 * ones a little more, and PD_LIMIT_KEPT_RATIO for each byte of it beyond a MiB.
 * A small hostile file can have half a million records that all differ, or
 * thousands of 64 KiB.  Seen: 47 bytes for a byte of page faults of 1500 short
 * processes, 20 of what else was tried.  The reader's user can raise it with
 * the ratio above. */
#define PD_LIMIT_KEPT_LEN	(UINT64_C(34) << 20)
#define PD_LIMIT_KEPT_PLAIN_LEN (UINT64_C(52) << 20)
#define PD_LIMIT_KEPT_RATIO	128u

/* What may wait on disk for its turn, of records that no round lets go (a
 * directory of perf record --threads -z, all of it): so many bytes, or, of a
 * longer file, 1 / PD_LIMIT_SPILL_SHARE of the text that it may become. */
#define PD_LIMIT_SPILL_LEN   (UINT64_C(1) << 30)
#define PD_LIMIT_SPILL_SHARE 32u

/* Files and sections that xz, gzip or zstd packed (kernel modules,
 * .gnu_debugdata): so many bytes packed (the largest modules have 20 MiB), and
 * plain so many, and so many more for each packed one.  Seen: 9 for one.
 * Compressed debug sections of all files that are open together have so many in
 * all, and so many more for each packed one.  The
 * window is that of xz -9 and a bit; it fills with plain bytes only. */
#define PD_LIMIT_PACKED_LEN	((size_t)32 << 20)
#define PD_LIMIT_UNPACK_LEN	((size_t)4 << 20)
#define PD_LIMIT_UNPACK_RATIO	24u
#define PD_LIMIT_UNPACK_ALL_LEN ((size_t)64 << 20)
#define PD_LIMIT_UNPACK_WINDOW	(UINT64_C(72) << 20)

/* Frames that a trailer may index: at one a MiB that is 4 TiB of plain
 * text. */
#define PD_LIMIT_FRAMES (4u << 20)

#endif
