/* fuzz_sample.c: reads a sample of any attr and byte order, touches every byte
 * that it points to, writes it and reads it again.  Input: bytes 0..3:
 * sample_type; 4: read_format; 5: 1 swaps, 2 and 4 are branch bits 17 and 19;
 * 6, 7: masks of registers; then the body. */
#include "format/records/event_set.h"
#include "format/records/sample.h"
#include "format/records/sample_id.h"

#include <stdlib.h>
#include "format/file/layout.h"
#include "tests/unit/made_sample.h"

#define HEAD_LEN 8u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static struct pd_attr attr_of(const uint8_t *head)
{
	struct pd_attr attr = { .flags = PD_ATTR_SAMPLE_ID_ALL };
	uint32_t type;

	memcpy(&type, head, sizeof(type));
	attr.sample_type = type & PD_SAMPLE_KNOWN;
	attr.read_format = head[4];
	attr.branch_sample_type = (head[5] & 2 ? PD_BRANCH_HW_INDEX : 0) |
				  (head[5] & 4 ? PD_BRANCH_COUNTERS : 0);
	attr.sample_regs_user = head[6];
	attr.sample_regs_intr = head[7];
	return attr;
}

static uint64_t sum_words(const struct pd_u64s *a)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < a->nr; i++)
		sum += pd_u64s_at(a, i);
	return sum;
}

static uint64_t sum_bytes(const uint8_t *p, uint64_t len)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < len; i++)
		sum += p[i];
	return sum;
}

static uint64_t touch(const struct pd_sample *s)
{
	uint64_t sum =
		sum_words(&s->callchain) + sum_words(&s->branches) +
		sum_words(&s->branch_counters) + sum_words(&s->regs_user.regs) +
		sum_words(&s->regs_intr.regs) + sum_bytes(s->raw, s->raw_len) +
		sum_bytes(s->stack, s->stack_len) +
		sum_bytes(s->aux, s->aux_len);

	for (size_t i = 0; i < pd_sample_branch_nr(s); i++)
		sum += pd_sample_branch_at(s, i).flags;
	for (uint64_t i = 0; i < s->counts.nr; i++)
		sum += pd_sample_count_at(&s->counts, (size_t)i).lost;
	return sum;
}

static void write_twice(const struct pd_sample_layout *layout,
			const struct pd_sample *sample)
{
	struct pd_buf first = PD_BUF_INIT, second = PD_BUF_INIT;
	struct pd_record rec = { .seq = 0 };
	struct pd_sample again;

	made_sample_write(&first, layout, sample);
	if (!pd_buf_status(&first)) {
		expect(!pd_record_read(first.data, first.len, 0, false, &rec,
				       NULL));
		expect(!pd_sample_read(layout, &rec, &again, NULL));
		made_sample_write(&second, layout, &again);
		expect(first.len == second.len);
		expect(!memcmp(first.data, second.data, first.len));
	}
	pd_buf_release(&first);
	pd_buf_release(&second);
}

/* What is found without decoding is what decoding finds. */
static void look_up(const struct pd_attr *attr, const struct pd_record *rec,
		    const struct pd_sample *sample)
{
	struct pd_event_set set = { .nr = 0 };

	if (!pd_event_set_add(&set, attr, NULL, NULL))
		expect(pd_event_set_time_of(&set, rec) == sample->time_ns);
	pd_event_set_release(&set);
}

static void run(const struct pd_attr *attr, struct pd_record *rec)
{
	static volatile uint64_t sink;
	struct pd_sample_layout layout;
	struct pd_sample_id id;
	struct pd_sample sample;

	pd_sample_layout_init(&layout, attr);
	if (!pd_sample_read(&layout, rec, &sample, NULL)) {
		sink = touch(&sample);
		(void)sink;
		write_twice(&layout, &sample);
		look_up(attr, rec, &sample);
	}
	rec->type = PD_RECORD_COMM;
	expect(!pd_sample_id_read(&layout, rec, &id, NULL) ==
	       (rec->len >= PD_RECORD_HEADER_LEN + layout.id_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_record rec;
	struct pd_attr attr;
	uint8_t *copy;

	if (len < HEAD_LEN || len > 60000)
		return 0;
	attr = attr_of(data);
	rec = (struct pd_record){
		.type = PD_RECORD_SAMPLE,
		.len = (uint16_t)(len - HEAD_LEN + PD_RECORD_HEADER_LEN),
		.swap = data[5] & 1,
	};
	copy = malloc(rec.len);
	if (!copy)
		return 0;
	memset(copy, 0, PD_RECORD_HEADER_LEN);
	memcpy(copy + PD_RECORD_HEADER_LEN, data + HEAD_LEN, len - HEAD_LEN);
	rec.data = copy;
	run(&attr, &rec);
	free(copy);
	return 0;
}
