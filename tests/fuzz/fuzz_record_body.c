/* fuzz_record_body.c: reads a record of any type and byte order, writes it and
 * reads it again.  Input: byte 0: 1 swaps, the other bits are the words of the
 * trailer; byte 1: the type; byte 2: the high bits of misc; then the body. */
#include "format/records/record_body.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect(bool holds)
{
	if (!holds)
		abort();
}

/* Every byte that a decoded body points to can be read. */
static uint64_t touch(const struct pd_body *body, bool swap)
{
	const struct pd_cpu_map *cpus = NULL;
	uint64_t sum = 0;

	if (body->type == PD_RECORD_CPU_MAP)
		cpus = &body->u.cpu_map;
	if (body->type == PD_RECORD_EVENT_UPDATE)
		cpus = &body->u.event_update.cpus;
	for (size_t i = 0; cpus && i < cpus->nr; i++)
		sum += pd_cpu_map_at(cpus, i);
	if (body->type != PD_RECORD_THREAD_MAP)
		return sum;
	for (uint64_t i = 0; i < body->u.thread_map.nr; i++)
		sum += pd_thread_map_at(&body->u.thread_map, i, swap).tid;
	return sum;
}

/* Once written, a body is written the same for ever. */
static void write_twice(const struct pd_body *body, uint16_t misc)
{
	struct pd_buf first = PD_BUF_INIT, second = PD_BUF_INIT;
	struct pd_record rec = { .seq = 0 };
	struct pd_body again;

	pd_body_write(&first, misc, body);
	if (!pd_buf_status(&first)) {
		expect(!pd_record_read(first.data, first.len, 0, false, &rec,
				       NULL));
		expect(!pd_body_read(&rec, 0, &again, NULL));
		pd_body_write(&second, misc, &again);
		expect(first.len == second.len);
		expect(!memcmp(first.data, second.data, first.len));
	}
	pd_buf_release(&first);
	pd_buf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static volatile uint64_t sink;
	struct pd_err err = PD_ERR_INIT;
	struct pd_body body;
	struct pd_record rec;
	uint8_t *copy;

	if (len < 3 || len > 60000)
		return 0;
	rec = (struct pd_record){
		.type = data[1],
		.misc = (uint16_t)(data[2] << 8),
		.len = (uint16_t)(len - 3 + PD_RECORD_HEADER_LEN),
		.swap = data[0] & 1,
	};
	copy = malloc(rec.len);
	if (!copy)
		return 0;
	memset(copy, 0, PD_RECORD_HEADER_LEN);
	memcpy(copy + PD_RECORD_HEADER_LEN, data + 3, len - 3);
	rec.data = copy;
	if (!pd_body_read(&rec, (size_t)(data[0] >> 1) * 8, &body, &err)) {
		expect(!err.code && body.type == rec.type);
		sink = touch(&body, rec.swap);
		write_twice(&body, rec.misc);
	} else {
		expect(err.code && err.text[0]);
	}
	(void)sink;
	free(copy);
	return 0;
}
