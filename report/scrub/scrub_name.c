/* The names of tasks, of the kernel's code, of functions and of groups
 * that are hidden. */
#include "report/scrub/scrub_impl.h"

#include <ctype.h>
#include <string.h>

static void put(struct rpt_scrub *scrub, enum rpt_scrub_kind kind,
		struct pd_str name, bool is_kept, struct pd_buf *to)
{
	if (is_kept)
		pd_buf_bytes(to, name.ptr, name.len);
	else
		rpt_name_key_hide(&scrub->conf->key, name, to);
	rpt_scrub_count(scrub, kind, !is_kept);
}

/* Return how much of the name of a numbered thread of the kernel is kept:
 * "kworker/0:1" of "kworker/0:1-events"; 0: it is none. */
static size_t numbered_len(struct pd_str comm)
{
	size_t start = rpt_known_start(rpt_numbered_comms, comm), at = start;

	while (start && at < comm.len &&
	       (isdigit((unsigned char)comm.ptr[at]) ||
		(at > start && strchr(":HI", comm.ptr[at]))))
		at++;
	if (at == start || (at < comm.len && !strchr("-+/", comm.ptr[at])))
		return 0;
	return at;
}

void rpt_scrub_comm(struct rpt_scrub *scrub, struct pd_str comm,
		    struct pd_buf *to)
{
	size_t len = numbered_len(comm);

	if (len && !rpt_scrub_keeps(scrub, RPT_SCRUB_COMMS))
		comm.len = len;
	put(scrub, RPT_SCRUB_COMMS, comm,
	    len || !comm.len || rpt_scrub_keeps(scrub, RPT_SCRUB_COMMS) ||
		    rpt_is_known(rpt_known_comms, comm),
	    to);
}

static size_t digits(struct pd_str name, size_t from, int (*is_digit)(int))
{
	size_t at = from;

	while (at < name.len && is_digit((unsigned char)name.ptr[at]))
		at++;
	return at - from;
}

/* A BPF program is bpf_prog_TAG_NAME; the tag is a checksum of its code. */
void rpt_scrub_ksymbol(struct rpt_scrub *scrub, struct pd_str name,
		       struct pd_buf *to)
{
	static const char numbered[] = "bpf_trampoline_";
	static const char fixed[] =
		"ftrace_trampoline kprobe_insn_page kprobe_optinsn_page";
	static const char programs[] = "bpf_prog_";
	enum { TAG_LEN = 16 };
	size_t start = rpt_known_start(programs, name);
	size_t end = start + TAG_LEN;

	if (!rpt_scrub_keeps(scrub, RPT_SCRUB_BPF) && start &&
	    digits(name, start, isxdigit) == TAG_LEN && name.len > end + 1 &&
	    name.ptr[end] == '_') {
		pd_buf_bytes(to, name.ptr, end + 1);
		name.ptr += end + 1;
		name.len -= end + 1;
		put(scrub, RPT_SCRUB_BPF, name, false, to);
		return;
	}
	start = rpt_known_start(numbered, name);
	put(scrub, RPT_SCRUB_BPF, name,
	    rpt_scrub_keeps(scrub, RPT_SCRUB_BPF) ||
		    rpt_is_known(fixed, name) ||
		    (start && start + digits(name, start, isdigit) == name.len),
	    to);
}

void rpt_scrub_symbol(struct rpt_scrub *scrub, struct pd_str name,
		      bool is_private, struct pd_buf *to)
{
	put(scrub, RPT_SCRUB_SYMBOLS, name,
	    !is_private || !name.len ||
		    rpt_scrub_keeps(scrub, RPT_SCRUB_SYMBOLS),
	    to);
}

void rpt_scrub_group(struct rpt_scrub *scrub, struct pd_str name,
		     struct pd_buf *to)
{
	put(scrub, RPT_SCRUB_EVENTS, name,
	    !name.len || pd_str_eq(name, "{anon_group}") ||
		    rpt_scrub_keeps(scrub, RPT_SCRUB_EVENTS),
	    to);
}

const char rpt_known_folders[] =
	"bin cache dev docker etc home lib lib64 libexec local media mnt "
	"opt overlay2 proc root run sbin share shm snap srv sys tmp usr "
	"user var zero anon_hugepage .debug jit build .build-id";

const char rpt_known_maps[] =
	"[kernel.kallsyms] [kernel.kallsyms]_text "
	"[kernel.kallsyms]_stext [guest.kernel.kallsyms] "
	"[guest.kernel.kallsyms]_text [guest.kernel.kallsyms]_stext "
	"[kernel] [kernel.vmlinux] [vdso] [vdso32] [vdsox32] [vsyscall] "
	"[vectors] [sigpage] [heap] [stack] [uprobes] [unknown] [bpf] "
	"[hypervisor] [aio] /[aio] //anon //toolong //enomem";

const char rpt_known_comms[] =
	"swapper kthreadd rcu_preempt rcu_sched rcu_bh rcu_gp rcu_par_gp "
	"rcu_exp_gp_kthr rcu_tasks_kthre rcu_tasks_rude_ rcu_tasks_trace "
	"rcu_exp_par_gp_ slub_flushwq netns mm_percpu_wq kdevtmpfs "
	"inet_frag_wq kauditd khungtaskd oom_reaper writeback ksmd "
	"khugepaged kintegrityd kblockd blkcg_punt_bio edac-poller "
	"devfreq_wq kthrotld pool_workqueue_ init systemd "
	"systemd-journal systemd-udevd systemd-logind systemd-network "
	"systemd-resolve systemd-timesyn dbus-daemon sshd cron rsyslogd "
	"containerd containerd-shim dockerd runc kubelet sh bash dash "
	"zsh sudo su ls cat cp mv rm grep sed awk find sort xargs tar "
	"gzip xz zstd sleep true false env dd make ninja cmake gcc g++ "
	"cc c++ cc1 cc1plus collect2 lto1 as ld ld.bfd ld.gold ld.lld "
	"clang clang++ rustc cargo go git perl python python3 ruby php "
	"node java perf perf-exec perfpair perfpair-record "
	"perfpair-recor gdb strace vim ssh scp rsync curl wget nginx "
	"postgres mysqld redis-server";

const char rpt_numbered_comms[] =
	"swapper/ ksoftirqd/ migration/ cpuhp/ idle_inject/ rcuc/ rcub/ "
	"rcuop/ rcuos/ rcuog/ watchdog/ kworker/R- kworker/u kworker/ "
	"kswapd kcompactd irq/ scsi_eh_ napi/ backlog_napi/ ktimers/ :";

const char rpt_known_slices[] =
	"system user init machine kubepods docker lxc session app "
	"background besteffort burstable kubepods-besteffort "
	"kubepods-burstable";

const char rpt_known_systems[] =
	"alarmtimer amd_cpu avc block bpf_test_run bpf_trace bridge "
	"btrfs capability cgroup clk compaction cpuhp csd damon dev "
	"devfreq devlink dma dma_fence drm error_report exceptions ext4 "
	"f2fs fib fib6 filelock filemap fs_dax ftrace fuse gpio "
	"huge_memory hugetlbfs hwmon hyperv i2c i915 icmp initcall "
	"intel_iommu io_uring iocost iomap iommu ipi irq irq_matrix "
	"irq_vectors jbd2 kmem ksm kvm kvmmmu kyber libata lock "
	"maple_tree mce mdio mei memcg migrate mlx5 mmap mmap_lock mmc "
	"module mptcp msr napi neigh net netlink nfs nfsd nmi notifier "
	"nvme oom page_isolation page_pool pagemap percpu power printk "
	"pwm qdisc ras raw_syscalls rcu regmap regulator resctrl rpm "
	"rseq rtc rwmmio sched scsi signal skb smbus sock spi sunrpc "
	"swiotlb sync_trace syscalls target task tcp thermal thp timer "
	"timer_migration timestamp tlb tls udp vmalloc vmscan vsock "
	"vsyscall watchdog wbt workqueue writeback x86_fpu xdp xen xfs "
	"xhci-hcd";

const char rpt_known_events[] =
	"cycles cpu-cycles instructions cache-references cache-misses "
	"branches branch-instructions branch-misses bus-cycles "
	"ref-cycles stalled-cycles-frontend stalled-cycles-backend "
	"idle-cycles-frontend idle-cycles-backend cpu-clock task-clock "
	"page-faults faults minor-faults major-faults context-switches "
	"cs cpu-migrations migrations alignment-faults emulation-faults "
	"dummy bpf-output cgroup-switches mem-loads mem-stores "
	"mem-loads-aux slots topdown-retiring topdown-bad-spec "
	"topdown-fe-bound topdown-be-bound tsc aperf mperf event umask "
	"config config1 config2 config3 edge inv cmask ldlat period freq "
	"offcore_rsp frontend pc any in_tx in_tx_cp cpu cpu_core "
	"cpu_atom msr power software energy-pkg energy-cores energy-ram "
	"ibs_op ibs_fetch cnt_ctl armv8_pmuv3_0 armv8_pmuv3 arm_spe_0 "
	"intel_pt intel_bts cs_etm raw mem breakpoint rw r w x rwx u k h "
	"p pp ppp P G H uk ku up upp uppp kp kpp kppp uP kP S D uS kh "
	"ukh uh unknown L1-dcache-loads L1-dcache-load-misses "
	"L1-dcache-stores L1-dcache-store-misses L1-dcache-prefetches "
	"L1-dcache-prefetch-misses L1-icache-loads L1-icache-load-misses "
	"LLC-loads LLC-load-misses LLC-stores LLC-store-misses "
	"LLC-prefetches dTLB-loads dTLB-load-misses dTLB-stores "
	"dTLB-store-misses iTLB-loads iTLB-load-misses branch-loads "
	"branch-load-misses node-loads node-load-misses node-stores "
	"node-store-misses duration_time";

/* Return the length of the word at list. */
static size_t word_len(const char *list)
{
	return strcspn(list, " ");
}

bool rpt_is_known(const char *list, struct pd_str name)
{
	size_t len;

	for (; (len = word_len(list)); list += len + (list[len] == ' '))
		if (len == name.len && !memcmp(list, name.ptr, len))
			return true;
	return false;
}

size_t rpt_known_start(const char *list, struct pd_str name)
{
	size_t len;

	for (; (len = word_len(list)); list += len + (list[len] == ' '))
		if (len <= name.len && !memcmp(list, name.ptr, len))
			return len;
	return 0;
}
