/* record_body.h: the content of records other than samples, a struct for each
 * type.
 *
 * pd_body_read() decodes any record by a table, and pd_body_write() writes it
 * by the same table.  Strings and arrays point into the record.  sample_id.h
 * reads the trailer behind kernel records.  Layouts: FORMAT.md "Records".
 */
#ifndef PD_RECORD_BODY_H
#define PD_RECORD_BODY_H

#include "format/file/attr.h"
#include "format/file/layout.h"
#include "format/records/record.h"

/* MMAP and MMAP2: a file was mapped, or memory of the kernel */
struct pd_mmap {
	uint32_t pid;
	uint32_t tid;
	uint64_t addr;
	uint64_t map_len;
	uint64_t pgoff;
	struct pd_str filename;
	/* MMAP2 only, else 0: */
	uint8_t build_id_len; /* 0: maj .. ino_generation are set instead */
	uint8_t build_id[PD_BUILD_ID_LEN_MAX];
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	uint64_t ino_generation;
	uint32_t prot;	/* PROT_* */
	uint32_t flags; /* MAP_* */
};

struct pd_comm {
	uint32_t pid;
	uint32_t tid;
	struct pd_str comm;
};

/* FORK and EXIT */
struct pd_task {
	uint32_t pid;
	uint32_t ppid;
	uint32_t tid;
	uint32_t ptid;
	uint64_t time_ns;
};

struct pd_lost {
	uint64_t id;
	uint64_t lost_nr;
};

struct pd_lost_samples {
	uint64_t lost_nr;
};

/* THROTTLE and UNTHROTTLE */
struct pd_throttle {
	uint64_t time_ns;
	uint64_t id;
	uint64_t stream_id;
};

struct pd_aux {
	uint64_t aux_offset;
	uint64_t aux_len;
	uint64_t flags;
};

struct pd_itrace_start {
	uint32_t pid;
	uint32_t tid;
};

/* SWITCH_CPU_WIDE; SWITCH has no body */
struct pd_switch {
	uint32_t next_prev_pid;
	uint32_t next_prev_tid;
};

/* The pairs dev, ino are in the order net, uts, ipc, pid, user, mnt, cgroup. */
struct pd_namespaces {
	uint32_t pid;
	uint32_t tid;
	uint64_t nr;
	struct pd_u64s links; /* 2 words each */
};

struct pd_ksymbol {
	uint64_t addr;
	uint32_t sym_len;
	uint16_t ksym_type; /* 1 BPF, 2 out of line */
	uint16_t flags;	    /* bit 0: unregistered */
	struct pd_str name;
};

struct pd_bpf_event {
	uint16_t event_type; /* 1 load, 2 unload */
	uint16_t flags;
	uint32_t prog_id;
	uint8_t tag[8];
};

struct pd_cgroup {
	uint64_t cgroup_id;
	struct pd_str path;
};

struct pd_text_poke {
	uint64_t addr;
	uint16_t old_len;
	uint16_t new_len;
	const uint8_t *bytes; /* the old ones, then the new ones */
};

struct pd_aux_output_hw_id {
	uint64_t hw_id;
};

struct pd_callchain_deferred {
	uint64_t cookie;
	struct pd_u64s ips;
};

/* READ: the counts of an event in a thread, when the thread ended */
struct pd_read {
	uint32_t pid;
	uint32_t tid;
	struct pd_u64s words; /* value, then what read_format asks for */
};

struct pd_header_attr {
	struct pd_attr attr;
	struct pd_u64s ids;
};

struct pd_header_event_type {
	uint64_t event_id;
	struct pd_str name;
};

/* The payload follows the record in the file. */
struct pd_header_tracing_data {
	uint32_t blob_len;
};

struct pd_header_build_id {
	int32_t pid; /* -1: the host's kernel and modules */
	uint8_t build_id_len;
	uint8_t build_id[PD_BUILD_ID_LEN_MAX];
	struct pd_str filename;
};

struct pd_id_index {
	uint64_t nr;
	struct pd_u64s entries; /* 4 words each: id, idx, cpu, tid */
	struct pd_u64s guests;	/* none, or 2 words each: machine pid, vCPU */
};

struct pd_auxtrace_info {
	uint32_t auxtrace_type;
	struct pd_u64s priv;
};

/* trace_len bytes of payload follow the record in the file. */
struct pd_auxtrace {
	uint64_t trace_len;
	uint64_t offset;
	uint64_t reference;
	uint32_t idx;
	uint32_t tid;
	uint32_t cpu;
};

struct pd_auxtrace_error {
	uint32_t error_type;
	uint32_t code;
	uint32_t cpu;
	uint32_t pid;
	uint32_t tid;
	uint32_t fmt; /* 0: no time; 2: with machine_pid and vcpu */
	uint64_t ip;
	uint64_t time_ns;
	struct pd_str msg;
	uint32_t machine_pid;
	uint32_t vcpu;
};

struct pd_thread_map {
	uint64_t nr;
	const uint8_t *entries; /* 24 bytes each, see pd_thread_map_at() */
};

enum {
	PD_CPU_MAP_LIST = 0,
	PD_CPU_MAP_MASK = 1,
	PD_CPU_MAP_RANGE = 2,
};

/* A list, a mask or a range; pd_cpu_map_at() reads list and mask. */
struct pd_cpu_map {
	uint16_t map_type;
	uint16_t nr;		/* CPUs, or words of the mask */
	uint16_t mask_word_len; /* 4 or 8; 0 for a list */
	const uint8_t *words;
	bool swap; /* of the words */
	bool any_cpu;
	uint16_t start_cpu;
	uint16_t end_cpu;
};

enum {
	PD_UPDATE_UNIT = 0,
	PD_UPDATE_SCALE = 1,
	PD_UPDATE_NAME = 2,
	PD_UPDATE_CPUS = 3,
};

struct pd_event_update {
	uint64_t what; /* PD_UPDATE_*: which of the fields below is set */
	uint64_t id;
	struct pd_str text; /* the unit or the name */
	double scale;
	struct pd_cpu_map cpus;
};

struct pd_time_conv {
	uint64_t time_shift;
	uint64_t time_mult;
	uint64_t time_zero;
	uint64_t time_cycles; /* 0 in records from before Linux 5.10 */
	uint64_t time_mask;
	uint8_t cap_user_time_zero;
	uint8_t cap_user_time_short;
};

struct pd_header_feature {
	uint64_t feature; /* enum pd_feature */
	const uint8_t *payload;
	size_t payload_len;
	uint64_t payload_off; /* in the file */
};

/* The tags of STAT_CONFIG. */
enum {
	PD_STAT_CONFIG_AGGR_MODE = 0, /* what counts are added up to */
	PD_STAT_CONFIG_INTERVAL = 1,  /* ms; 0: none */
	PD_STAT_CONFIG_SCALE = 2,     /* 1: extrapolated */
};

struct pd_stat_config {
	uint64_t nr;
	struct pd_u64s entries; /* tag, value */
};

struct pd_stat {
	uint64_t id;
	uint32_t cpu;
	uint32_t thread;
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

/* The types of STAT_ROUND. */
enum {
	PD_STAT_ROUND_INTERVAL = 0,
	PD_STAT_ROUND_FINAL = 1,
};

struct pd_stat_round {
	uint64_t round_type;
	uint64_t time_ns;
};

/* COMPRESSED and COMPRESSED2 */
struct pd_compressed {
	const uint8_t *payload;
	size_t payload_len;
};

struct pd_bpf_metadata {
	struct pd_str prog_name;
	uint64_t nr;
	const uint8_t *entries; /* each a name of 64 and a value of 256 bytes */
};

/* Large: a union with one member for each record type of the format. */
struct pd_body {
	uint32_t type;	   /* of the record: which member is set */
	uint16_t misc;	   /* of a record that was read */
	size_t fields_len; /* of header and fields; the rest is padding */
	union {
		struct pd_mmap mmap;
		struct pd_comm comm;
		struct pd_task task;
		struct pd_lost lost;
		struct pd_lost_samples lost_samples;
		struct pd_throttle throttle;
		struct pd_aux aux;
		struct pd_itrace_start itrace_start;
		struct pd_switch cpu_switch;
		struct pd_namespaces namespaces;
		struct pd_ksymbol ksymbol;
		struct pd_bpf_event bpf_event;
		struct pd_cgroup cgroup;
		struct pd_text_poke text_poke;
		struct pd_aux_output_hw_id aux_output_hw_id;
		struct pd_callchain_deferred callchain_deferred;
		struct pd_read read;
		struct pd_header_attr header_attr;
		struct pd_header_event_type header_event_type;
		struct pd_header_tracing_data tracing_data;
		struct pd_header_build_id header_build_id;
		struct pd_id_index id_index;
		struct pd_auxtrace_info auxtrace_info;
		struct pd_auxtrace auxtrace;
		struct pd_auxtrace_error auxtrace_error;
		struct pd_thread_map thread_map;
		struct pd_cpu_map cpu_map;
		struct pd_event_update event_update;
		struct pd_time_conv time_conv;
		struct pd_header_feature header_feature;
		struct pd_stat_config stat_config;
		struct pd_stat stat;
		struct pd_stat_round stat_round;
		struct pd_compressed compressed;
		struct pd_bpf_metadata bpf_metadata;
	} u;
};

/* Decode the body of rec, whose last id_len bytes are its sample_id trailer (0
 * for types from PD_RECORD_USER_START up).  Return -ENOTSUP for an unknown type
 * (also SAMPLE and SCHEDSTAT_*) or kind of CPU map or update, -ENODATA if the
 * record is too short, -EBADMSG if a field cannot be right. */
int pd_body_read(const struct pd_record *rec, size_t id_len,
		 struct pd_body *ret, struct pd_err *err);

/* Append a record without a sample_id trailer: header, body, and padding except
 * for COMPRESSED and HEADER_FEATURE.  To write one with a trailer, call
 * pd_record_begin(), pd_body_write_fields(), pd_sample_id_write() and
 * pd_record_end().  b fails with -ENOTSUP for an unknown type. */
void pd_body_write(struct pd_buf *b, uint16_t misc, const struct pd_body *body);
void pd_body_write_fields(struct pd_buf *b, const struct pd_body *body);

/* Return the misc flags that the body needs, such as that of a build-id in
 * MMAP2.  pd_body_write() adds them; pass them to pd_record_begin(). */
uint16_t pd_body_misc(const struct pd_body *body);

struct pd_thread_map_entry {
	uint64_t tid;
	struct pd_str comm;
};
/* Return entry idx < nr. */
struct pd_thread_map_entry pd_thread_map_at(const struct pd_thread_map *map,
					    size_t idx, bool swap);

/* Return CPU idx < nr of a list (65535: any), or word idx < nr of a mask. */
uint64_t pd_cpu_map_at(const struct pd_cpu_map *map, size_t idx);

/* Return how many places for CPUs a map of any type has: those of a mask are
 * its bits, most of them empty. */
uint32_t pd_cpu_map_place_nr(const struct pd_cpu_map *map);
/* Set *ret to the CPU at a place, -1: any.  Return false if there is none. */
bool pd_cpu_map_cpu(const struct pd_cpu_map *map, uint32_t place, int32_t *ret);

#endif
