/* snapshot_put.h: append the snapshot's records to a buffer.
 *
 * All end in id_len zero bytes, the sample_id trailer.  Failures latch in the
 * buffer.
 */
#ifndef REC_SNAPSHOT_PUT_H
#define REC_SNAPSHOT_PUT_H

#include "format/records/record_body.h"
#include "record/snapshot/snapshot.h"

/* Append any record of struct pd_body. */
void rec_put_body(struct pd_buf *b, size_t id_len, uint16_t misc,
		  const struct pd_body *body);

/* Append a COMM record; comm is cut to 15 bytes, as in the kernel. */
void rec_put_comm(struct pd_buf *b, size_t id_len, uint32_t pid, uint32_t tid,
		  struct pd_str comm);

void rec_put_fork(struct pd_buf *b, size_t id_len, const struct pd_task *task);

enum { REC_NAMESPACE_NR = 7 }; /* net uts ipc pid user mnt cgroup */

/* links: device and inode of each. */
void rec_put_namespaces(struct pd_buf *b, size_t id_len, uint32_t pid,
			uint32_t tid,
			const uint64_t links[2 * REC_NAMESPACE_NR]);

/* The parts of rec_snapshot() that do not describe a task. */

/* Append KSYMBOL and BPF_EVENT of each loaded BPF program; none without the
 * right to list them. */
void rec_put_bpf_programs(const struct rec_snapshot_conf *conf,
			  struct pd_buf *out);

#endif
