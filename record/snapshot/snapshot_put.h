/* snapshot_put.h: the snapshot's records, appended to a buffer.
 *
 * All end in id_len zero bytes, the sample_id trailer.  Failures latch in the
 * buffer.
 */
#ifndef REC_SNAPSHOT_PUT_H
#define REC_SNAPSHOT_PUT_H

#include "format/record_body.h"

/* Any record of struct pd_body. */
void rec_put_body(struct pd_buf *b, size_t id_len, uint16_t misc,
		  const struct pd_body *body);

/* comm is cut to the 15 bytes that a name of the kernel's has. */
void rec_put_comm(struct pd_buf *b, size_t id_len, uint32_t pid, uint32_t tid,
		  struct pd_str comm);

void rec_put_fork(struct pd_buf *b, size_t id_len, const struct pd_task *task);

enum { REC_NAMESPACE_NR = 7 }; /* net uts ipc pid user mnt cgroup */

/* links: dev, ino of each. */
void rec_put_namespaces(struct pd_buf *b, size_t id_len, uint32_t pid,
			uint32_t tid,
			const uint64_t links[2 * REC_NAMESPACE_NR]);

#endif
