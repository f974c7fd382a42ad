/* layout.h: the numbers of the format: types, bits, sizes.
 *
 * These are constants of our own, so that the reader knows what is newer than
 * the kernel headers of the machine that builds it.  record/event/abi_check.c
 * compares them with <linux/perf_event.h>.
 * Source: Linux v6.19 include/uapi/linux/perf_event.h for what the kernel
 * emits, tools/lib/perf/include/perf/event.h and tools/perf/util/header.h for
 * what perf adds.
 */
#ifndef PD_LAYOUT_H
#define PD_LAYOUT_H

#include <stdint.h>

#define PD_BIT(n) (UINT64_C(1) << (n))

/* FORMAT.md "File header" */
#define PD_MAGIC2	       UINT64_C(0x32454c4946524550) /* "PERFILE2", little endian */
#define PD_MAGIC1	       UINT64_C(0x454c494646524550) /* "PERFFILE" */
#define PD_FILE_HEADER_LEN     104u
#define PD_FILE_HEADER_LEN_OLD 72u /* without the feature bitmap */
#define PD_PIPE_HEADER_LEN     16u

/* FORMAT.md "Attributes": attr.size of each ABI version */
#define PD_ATTR_LEN_VER0      64u
#define PD_ATTR_LEN_VER1      72u  /* config2 */
#define PD_ATTR_LEN_VER2      80u  /* branch_sample_type */
#define PD_ATTR_LEN_VER3      96u  /* sample_regs_user .. clockid */
#define PD_ATTR_LEN_VER4      104u /* sample_regs_intr */
#define PD_ATTR_LEN_VER5      112u /* aux_watermark, sample_max_stack */
#define PD_ATTR_LEN_VER6      120u /* aux_sample_size, aux_action */
#define PD_ATTR_LEN_VER7      128u /* sig_data */
#define PD_ATTR_LEN_VER8      136u /* config3 */
#define PD_ATTR_LEN_VER9      144u /* config4 */
#define PD_ATTR_LEN_MAX_KNOWN PD_ATTR_LEN_VER9

/* attr.type */
enum {
	PD_TYPE_HARDWARE = 0,
	PD_TYPE_SOFTWARE = 1,
	PD_TYPE_TRACEPOINT = 2,
	PD_TYPE_HW_CACHE = 3,
	PD_TYPE_RAW = 4,
	PD_TYPE_BREAKPOINT = 5,
};

/* Flags of an attr: bits of its bit field.  PRECISE_IP is two bits wide. */
#define PD_ATTR_DISABLED		 PD_BIT(0)
#define PD_ATTR_INHERIT			 PD_BIT(1)
#define PD_ATTR_PINNED			 PD_BIT(2)
#define PD_ATTR_EXCLUSIVE		 PD_BIT(3)
#define PD_ATTR_EXCLUDE_USER		 PD_BIT(4)
#define PD_ATTR_EXCLUDE_KERNEL		 PD_BIT(5)
#define PD_ATTR_EXCLUDE_HV		 PD_BIT(6)
#define PD_ATTR_EXCLUDE_IDLE		 PD_BIT(7)
#define PD_ATTR_MMAP			 PD_BIT(8)
#define PD_ATTR_COMM			 PD_BIT(9)
#define PD_ATTR_FREQ			 PD_BIT(10)
#define PD_ATTR_INHERIT_STAT		 PD_BIT(11)
#define PD_ATTR_ENABLE_ON_EXEC		 PD_BIT(12)
#define PD_ATTR_TASK			 PD_BIT(13)
#define PD_ATTR_WATERMARK		 PD_BIT(14)
#define PD_ATTR_PRECISE_IP_SHIFT	 15
#define PD_ATTR_PRECISE_IP_MASK		 (PD_BIT(15) | PD_BIT(16))
#define PD_ATTR_MMAP_DATA		 PD_BIT(17)
#define PD_ATTR_SAMPLE_ID_ALL		 PD_BIT(18)
#define PD_ATTR_EXCLUDE_HOST		 PD_BIT(19)
#define PD_ATTR_EXCLUDE_GUEST		 PD_BIT(20)
#define PD_ATTR_EXCLUDE_CALLCHAIN_KERNEL PD_BIT(21)
#define PD_ATTR_EXCLUDE_CALLCHAIN_USER	 PD_BIT(22)
#define PD_ATTR_MMAP2			 PD_BIT(23)
#define PD_ATTR_COMM_EXEC		 PD_BIT(24)
#define PD_ATTR_USE_CLOCKID		 PD_BIT(25)
#define PD_ATTR_CONTEXT_SWITCH		 PD_BIT(26)
#define PD_ATTR_WRITE_BACKWARD		 PD_BIT(27)
#define PD_ATTR_NAMESPACES		 PD_BIT(28)
#define PD_ATTR_KSYMBOL			 PD_BIT(29)
#define PD_ATTR_BPF_EVENT		 PD_BIT(30)
#define PD_ATTR_AUX_OUTPUT		 PD_BIT(31)
#define PD_ATTR_CGROUP			 PD_BIT(32)
#define PD_ATTR_TEXT_POKE		 PD_BIT(33)
#define PD_ATTR_BUILD_ID		 PD_BIT(34)
#define PD_ATTR_INHERIT_THREAD		 PD_BIT(35)
#define PD_ATTR_REMOVE_ON_EXEC		 PD_BIT(36)
#define PD_ATTR_SIGTRAP			 PD_BIT(37)
#define PD_ATTR_DEFER_CALLCHAIN		 PD_BIT(38)
#define PD_ATTR_DEFER_OUTPUT		 PD_BIT(39)

/* sample_type */
#define PD_SAMPLE_IP		 PD_BIT(0)
#define PD_SAMPLE_TID		 PD_BIT(1)
#define PD_SAMPLE_TIME		 PD_BIT(2)
#define PD_SAMPLE_ADDR		 PD_BIT(3)
#define PD_SAMPLE_READ		 PD_BIT(4)
#define PD_SAMPLE_CALLCHAIN	 PD_BIT(5)
#define PD_SAMPLE_ID		 PD_BIT(6)
#define PD_SAMPLE_CPU		 PD_BIT(7)
#define PD_SAMPLE_PERIOD	 PD_BIT(8)
#define PD_SAMPLE_STREAM_ID	 PD_BIT(9)
#define PD_SAMPLE_RAW		 PD_BIT(10)
#define PD_SAMPLE_BRANCH_STACK	 PD_BIT(11)
#define PD_SAMPLE_REGS_USER	 PD_BIT(12)
#define PD_SAMPLE_STACK_USER	 PD_BIT(13)
#define PD_SAMPLE_WEIGHT	 PD_BIT(14)
#define PD_SAMPLE_DATA_SRC	 PD_BIT(15)
#define PD_SAMPLE_IDENTIFIER	 PD_BIT(16)
#define PD_SAMPLE_TRANSACTION	 PD_BIT(17)
#define PD_SAMPLE_REGS_INTR	 PD_BIT(18)
#define PD_SAMPLE_PHYS_ADDR	 PD_BIT(19)
#define PD_SAMPLE_AUX		 PD_BIT(20)
#define PD_SAMPLE_CGROUP	 PD_BIT(21)
#define PD_SAMPLE_DATA_PAGE_SIZE PD_BIT(22)
#define PD_SAMPLE_CODE_PAGE_SIZE PD_BIT(23)
#define PD_SAMPLE_WEIGHT_STRUCT	 PD_BIT(24)
#define PD_SAMPLE_KNOWN		 (PD_BIT(25) - 1)

/* read_format */
#define PD_READ_TOTAL_TIME_ENABLED PD_BIT(0)
#define PD_READ_TOTAL_TIME_RUNNING PD_BIT(1)
#define PD_READ_ID		   PD_BIT(2)
#define PD_READ_GROUP		   PD_BIT(3)
#define PD_READ_LOST		   PD_BIT(4)

/* branch_sample_type */
#define PD_BRANCH_USER	     PD_BIT(0)
#define PD_BRANCH_KERNEL     PD_BIT(1)
#define PD_BRANCH_HV	     PD_BIT(2)
#define PD_BRANCH_ANY	     PD_BIT(3)
#define PD_BRANCH_ANY_CALL   PD_BIT(4)
#define PD_BRANCH_ANY_RETURN PD_BIT(5)
#define PD_BRANCH_IND_CALL   PD_BIT(6)
#define PD_BRANCH_ABORT_TX   PD_BIT(7)
#define PD_BRANCH_IN_TX	     PD_BIT(8)
#define PD_BRANCH_NO_TX	     PD_BIT(9)
#define PD_BRANCH_COND	     PD_BIT(10)
#define PD_BRANCH_CALL_STACK PD_BIT(11)
#define PD_BRANCH_IND_JUMP   PD_BIT(12)
#define PD_BRANCH_CALL	     PD_BIT(13)
#define PD_BRANCH_NO_FLAGS   PD_BIT(14)
#define PD_BRANCH_NO_CYCLES  PD_BIT(15)
#define PD_BRANCH_TYPE_SAVE  PD_BIT(16)
#define PD_BRANCH_HW_INDEX   PD_BIT(17)
#define PD_BRANCH_PRIV_SAVE  PD_BIT(18)
#define PD_BRANCH_COUNTERS   PD_BIT(19)

/* The abi of registers in a sample */
enum {
	PD_REGS_ABI_NONE = 0,
	PD_REGS_ABI_32 = 1,
	PD_REGS_ABI_64 = 2,
};

/* The link register of aarch64 in sample_regs_user (Linux v6.12
 * arch/arm64/include/uapi/asm/perf_regs.h). */
#define PD_REGS_AARCH64_LR PD_BIT(30)

/* Words of a call chain from PD_CONTEXT_MAX up are context marks. */
#define PD_CONTEXT_MAX		 UINT64_C(0xfffffffffffff001) /* (u64)-4095 */
#define PD_CONTEXT_HV		 ((uint64_t)-32)
#define PD_CONTEXT_KERNEL	 ((uint64_t)-128)
#define PD_CONTEXT_USER		 ((uint64_t)-512)
#define PD_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PD_CONTEXT_GUEST	 ((uint64_t)-2048)
#define PD_CONTEXT_GUEST_KERNEL	 ((uint64_t)-2176)
#define PD_CONTEXT_GUEST_USER	 ((uint64_t)-2560)

/* misc of a record header */
#define PD_MISC_CPUMODE_MASK 0x7u
enum {
	PD_CPUMODE_UNKNOWN = 0,
	PD_CPUMODE_KERNEL = 1,
	PD_CPUMODE_USER = 2,
	PD_CPUMODE_HYPERVISOR = 3,
	PD_CPUMODE_GUEST_KERNEL = 4,
	PD_CPUMODE_GUEST_USER = 5,
};
#define PD_MISC_PROC_MAP_PARSE_TIMEOUT 0x1000u
#define PD_MISC_MMAP_DATA	       0x2000u
#define PD_MISC_COMM_EXEC	       0x2000u
#define PD_MISC_FORK_EXEC	       0x2000u
#define PD_MISC_SWITCH_OUT	       0x2000u
#define PD_MISC_EXACT_IP	       0x4000u
#define PD_MISC_SWITCH_OUT_PREEMPT     0x4000u
#define PD_MISC_MMAP_BUILD_ID	       0x4000u
#define PD_MISC_BUILD_ID_SIZE	       0x8000u /* in records of type BUILD_ID */
#define PD_MISC_LOST_SAMPLES_BPF       0x8000u

/* Record types */
enum pd_record_type {
	/* written by the kernel */
	PD_RECORD_MMAP = 1,
	PD_RECORD_LOST = 2,
	PD_RECORD_COMM = 3,
	PD_RECORD_EXIT = 4,
	PD_RECORD_THROTTLE = 5,
	PD_RECORD_UNTHROTTLE = 6,
	PD_RECORD_FORK = 7,
	PD_RECORD_READ = 8,
	PD_RECORD_SAMPLE = 9,
	PD_RECORD_MMAP2 = 10,
	PD_RECORD_AUX = 11,
	PD_RECORD_ITRACE_START = 12,
	PD_RECORD_LOST_SAMPLES = 13,
	PD_RECORD_SWITCH = 14,
	PD_RECORD_SWITCH_CPU_WIDE = 15,
	PD_RECORD_NAMESPACES = 16,
	PD_RECORD_KSYMBOL = 17,
	PD_RECORD_BPF_EVENT = 18,
	PD_RECORD_CGROUP = 19,
	PD_RECORD_TEXT_POKE = 20,
	PD_RECORD_AUX_OUTPUT_HW_ID = 21,
	PD_RECORD_CALLCHAIN_DEFERRED = 22,
	PD_RECORD_KERNEL_NR, /* one past the last known */

	/* added by perf */
	PD_RECORD_USER_START = 64,
	PD_RECORD_HEADER_ATTR = 64,
	PD_RECORD_HEADER_EVENT_TYPE = 65,
	PD_RECORD_HEADER_TRACING_DATA = 66,
	PD_RECORD_HEADER_BUILD_ID = 67,
	PD_RECORD_FINISHED_ROUND = 68,
	PD_RECORD_ID_INDEX = 69,
	PD_RECORD_AUXTRACE_INFO = 70,
	PD_RECORD_AUXTRACE = 71,
	PD_RECORD_AUXTRACE_ERROR = 72,
	PD_RECORD_THREAD_MAP = 73,
	PD_RECORD_CPU_MAP = 74,
	PD_RECORD_STAT_CONFIG = 75,
	PD_RECORD_STAT = 76,
	PD_RECORD_STAT_ROUND = 77,
	PD_RECORD_EVENT_UPDATE = 78,
	PD_RECORD_TIME_CONV = 79,
	PD_RECORD_HEADER_FEATURE = 80,
	PD_RECORD_COMPRESSED = 81,
	PD_RECORD_FINISHED_INIT = 82,
	PD_RECORD_COMPRESSED2 = 83,
	PD_RECORD_BPF_METADATA = 84,
	PD_RECORD_SCHEDSTAT_CPU = 85,
	PD_RECORD_SCHEDSTAT_DOMAIN = 86,
	PD_RECORD_USER_NR, /* one past the last known */
};

/* FORMAT.md "Feature sections": bits of the bitmap in the file header */
enum pd_feature {
	PD_FEATURE_TRACING_DATA = 1,
	PD_FEATURE_BUILD_ID = 2,
	PD_FEATURE_HOSTNAME = 3,
	PD_FEATURE_OSRELEASE = 4,
	PD_FEATURE_VERSION = 5,
	PD_FEATURE_ARCH = 6,
	PD_FEATURE_NRCPUS = 7,
	PD_FEATURE_CPUDESC = 8,
	PD_FEATURE_CPUID = 9,
	PD_FEATURE_TOTAL_MEM = 10,
	PD_FEATURE_CMDLINE = 11,
	PD_FEATURE_EVENT_DESC = 12,
	PD_FEATURE_CPU_TOPOLOGY = 13,
	PD_FEATURE_NUMA_TOPOLOGY = 14,
	PD_FEATURE_BRANCH_STACK = 15,
	PD_FEATURE_PMU_MAPPINGS = 16,
	PD_FEATURE_GROUP_DESC = 17,
	PD_FEATURE_AUXTRACE = 18,
	PD_FEATURE_STAT = 19,
	PD_FEATURE_CACHE = 20,
	PD_FEATURE_SAMPLE_TIME = 21,
	PD_FEATURE_MEM_TOPOLOGY = 22,
	PD_FEATURE_CLOCKID = 23,
	PD_FEATURE_DIR_FORMAT = 24,
	PD_FEATURE_BPF_PROG_INFO = 25,
	PD_FEATURE_BPF_BTF = 26,
	PD_FEATURE_COMPRESSED = 27,
	PD_FEATURE_CPU_PMU_CAPS = 28,
	PD_FEATURE_CLOCK_DATA = 29,
	PD_FEATURE_HYBRID_TOPOLOGY = 30,
	PD_FEATURE_PMU_CAPS = 31,
	PD_FEATURE_CPU_DOMAIN_INFO = 32,
	PD_FEATURE_E_MACHINE = 33,
	PD_FEATURE_CLN_SIZE = 34,
	PD_FEATURE_NR, /* one past the last known */
	PD_FEATURE_BITS = 256,
};

#define PD_BUILD_ID_LEN_MAX 20u
#define PD_RECORD_LEN_MAX   65535u

#endif
