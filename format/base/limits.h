/* limits.h: the limits on numbers that come out of a file, each with its
 * reason.  What is over one of them fails with -EFBIG. */
#ifndef PD_LIMITS_H
#define PD_LIMITS_H

#include <stdint.h>

/* The most attrs in one file: perf of v7.2 takes no more.  All tracepoints of a
 * large subsystem are a few hundred. */
#define PD_LIMIT_EVENTS 65536u

/* The most ids of one event, CPUs times threads: perf of v7.2 takes no more. */
#define PD_LIMIT_IDS (16u << 20)

/* The most items of the other lists in features (nodes, PMUs, caches, groups):
 * perf of v7.2 takes 4096 NUMA nodes and PMUs; a CPU has a few caches. */
#define PD_LIMIT_HEADER_ITEMS (1u << 20)

/* How many plain bytes one byte of COMPRESSED records may become.  zstd can
 * make 32768 of it.  2322 were seen in a recording with stack copies (perf
 * record -z10 --call-graph dwarf,65528 of a loop), 20 in those without.
 * pd_reader_set_ratio() raises it. */
#define PD_LIMIT_ZSTD_RATIO 8192u

/* A decompressed record counts as at least so many bytes, since even a short
 * one costs time.  This allows 4 records for each byte in the file; less than
 * 1 was seen. */
#define PD_LIMIT_ZSTD_RECORD_LEN 2048u

/* Eight bytes of plain text that is no record count as so many, since every
 * one of them is looked at.  This allows 256 times the compressed length. */
#define PD_LIMIT_ZSTD_STEP_LEN 256u

/* The largest zstd window: 2^27, the default of zstd's decoder, which is enough
 * for level 22 with --long. */
#define PD_LIMIT_ZSTD_WINDOW_LOG 27

/* How much memory zstd's window may take while a small file is read.  The
 * windows of levels up to 19 (8 MiB) fit, with what zstd has beside them; those
 * of levels 20 to 22 (32 to 128 MiB) only as long as there is little text.  For
 * a larger file it is 1 / PD_LIMIT_WINDOW_SHARE of the text that the file may
 * become. */
#define PD_LIMIT_WINDOW_LEN   (UINT64_C(24) << 20)
#define PD_LIMIT_WINDOW_SHARE 512u

/* How much memory the content of records may take: so much (_PLAIN_ for a file
 * without compressed records), and PD_LIMIT_MEMORY_RATIO bytes more for each
 * byte of the file beyond a MiB.  A small hostile file can have half a million
 * records that all differ, or thousands of 64 KiB.  47 bytes for each byte of
 * the file were seen with the page faults of 1500 short processes, 20 with
 * anything else.  pd_reader_set_ratio() raises this, too. */
#define PD_LIMIT_MEMORY_LEN	  (UINT64_C(34) << 20)
#define PD_LIMIT_MEMORY_PLAIN_LEN (UINT64_C(52) << 20)
#define PD_LIMIT_MEMORY_RATIO	  128u

/* How many bytes of records may wait on disk until they can be sorted, in a
 * recording without rounds (a directory of perf record --threads -z): so many,
 * or, for a longer file, 1 / PD_LIMIT_SPILL_SHARE of the text that it may
 * become. */
#define PD_LIMIT_SPILL_LEN   (UINT64_C(1) << 30)
#define PD_LIMIT_SPILL_SHARE 32u

/* Files and sections that are packed by xz, gzip or zstd (kernel modules,
 * .gnu_debugdata): at most PACKED_LEN bytes packed (the largest modules have
 * 20 MiB) and UNPACK_LEN plain, plus UNPACK_RATIO for each packed byte; 9 for
 * one were seen.  The compressed debug sections of all files that are open
 * together share UNPACK_ALL_LEN, plus UNPACK_RATIO for each packed byte.  The
 * window is a little more than that of xz -9; only plain bytes fill it. */
#define PD_LIMIT_PACKED_LEN	((size_t)32 << 20)
#define PD_LIMIT_UNPACK_LEN	((size_t)4 << 20)
#define PD_LIMIT_UNPACK_RATIO	24u
#define PD_LIMIT_UNPACK_ALL_LEN ((size_t)64 << 20)
#define PD_LIMIT_UNPACK_WINDOW	(UINT64_C(72) << 20)

/* Tables of an ELF file: each (symbols, relocations) at most so many bytes, and
 * PD_LIMIT_ELF_RATIO more for each byte that the file really takes: a hole of
 * any length costs nobody anything.  File systems that compress make up to 5 of
 * one.  Some have no number for it: their files may have 699,000 symbols.
 * Section headers, each of which costs libelf some 300 bytes, are limited
 * alike: so many, and one for each that can really be there.  Blocks that are
 * reserved without data count as there, so headers and the names of sections
 * have a ceiling, too. */
#define PD_LIMIT_ELF_LEN	  (UINT64_C(16) << 20)
#define PD_LIMIT_ELF_RATIO	  8u
#define PD_LIMIT_ELF_SECTIONS	  16384u
#define PD_LIMIT_ELF_SECTIONS_ALL (UINT32_C(1) << 20)
#define PD_LIMIT_ELF_NAMES_LEN	  (UINT64_C(64) << 20)

/* Plain text of one section of carried names: so many bytes, and no more than
 * PD_LIMIT_CARRIED_FREE and PD_LIMIT_CARRIED_RATIO for each of its bytes.  The
 * recorder writes 16 MiB at most; names were seen to take 7 for one. */
#define PD_LIMIT_CARRIED_LEN   ((size_t)64 << 20)
#define PD_LIMIT_CARRIED_FREE  ((size_t)1 << 20)
#define PD_LIMIT_CARRIED_RATIO 24u

/* By how many numbers all carried files together may be named: the recorder's
 * budget is enough for a tenth of them. */
#define PD_LIMIT_CARRIED_KEYS (1u << 20)

/* Functions of one jitdump that are carried: the recorder's budget is enough
 * for a quarter of them. */
#define PD_LIMIT_CARRIED_CODES (1u << 20)

/* How long an .eh_frame of which pieces are carried may be, and all of them
 * together: the reader puts them where they were, in memory that is not touched
 * between them.  Browsers have 40 MiB. */
#define PD_LIMIT_CARRIED_SPAN  (UINT64_C(256) << 20)
#define PD_LIMIT_CARRIED_SPANS (UINT64_C(1) << 30)

/* The most frames in a trailer's index: with one for each MiB that is 4 TiB of
 * plain text. */
#define PD_LIMIT_FRAMES (4u << 20)

#endif
