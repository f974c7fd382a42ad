#include "record/snapshot/snapshot_put.h"

enum { COMM_LEN_MAX = 15 }; /* TASK_COMM_LEN without the NUL */

void rec_put_body(struct pd_buf *b, size_t id_len, uint16_t misc,
		  const struct pd_body *body)
{
	const size_t start = pd_record_begin(b, body->type, misc);

	pd_body_write_fields(b, body);
	pd_buf_zero(b, id_len);
	pd_record_end(b, start);
}

void rec_put_comm(struct pd_buf *b, size_t id_len, uint32_t pid, uint32_t tid,
		  struct pd_str comm)
{
	struct pd_body body = {
		.type = PD_RECORD_COMM,
		.u.comm = { .pid = pid, .tid = tid, .comm = comm },
	};

	if (comm.len > COMM_LEN_MAX)
		body.u.comm.comm.len = COMM_LEN_MAX;
	rec_put_body(b, id_len, 0, &body);
}

/* perf marks these as forks before an exec, so that the reader does not copy
 * the parent's maps: the task's own maps follow. */
void rec_put_fork(struct pd_buf *b, size_t id_len, const struct pd_task *task)
{
	const struct pd_body body = { .type = PD_RECORD_FORK, .u.task = *task };

	rec_put_body(b, id_len, PD_MISC_FORK_EXEC, &body);
}

void rec_put_namespaces(struct pd_buf *b, size_t id_len, uint32_t pid,
			uint32_t tid,
			const uint64_t links[2 * REC_NAMESPACE_NR])
{
	const struct pd_body body = {
		.type = PD_RECORD_NAMESPACES,
		.u.namespaces = {
			.pid = pid,
			.tid = tid,
			.nr = REC_NAMESPACE_NR,
			.links = {
				.raw = (const uint8_t *)links,
				.nr = (size_t)2 * REC_NAMESPACE_NR,
			},
		},
	};

	rec_put_body(b, id_len, 0, &body);
}
