#include "format/records/sample.h"

#include "format/file/layout.h"
#include "format/records/sample_id.h"
#include "tests/unit/both_orders.h"
#include "tests/unit/made_sample.h"

#define ALL_READ                                                   \
	(PD_READ_TOTAL_TIME_ENABLED | PD_READ_TOTAL_TIME_RUNNING | \
	 PD_READ_ID | PD_READ_LOST)

/* All bits but WEIGHT, which is WEIGHT_STRUCT's place. */
#define ALL_BITS (PD_SAMPLE_KNOWN & ~PD_SAMPLE_WEIGHT)

static struct pd_attr attr_of(uint64_t sample_type)
{
	return (struct pd_attr){
		.attr_len = 128,
		.sample_type = sample_type,
		.sample_period = 4711,
		.read_format = ALL_READ,
		.branch_sample_type = PD_BRANCH_HW_INDEX | PD_BRANCH_COUNTERS,
		.sample_regs_user = 0x105,
		.sample_regs_intr = 0x3,
		.flags = PD_ATTR_SAMPLE_ID_ALL,
	};
}

static void put_fixed(struct bytes *b, uint64_t bits)
{
	if (bits & PD_SAMPLE_IDENTIFIER)
		put_u64(b, 77);
	if (bits & PD_SAMPLE_IP)
		put_u64(b, 0x401000);
	if (bits & PD_SAMPLE_TID) {
		put_u32(b, 11);
		put_u32(b, 12);
	}
	if (bits & PD_SAMPLE_TIME)
		put_u64(b, 1234567890123);
	if (bits & PD_SAMPLE_ADDR)
		put_u64(b, 0xadd7);
	if (bits & PD_SAMPLE_ID)
		put_u64(b, 77);
	if (bits & PD_SAMPLE_STREAM_ID)
		put_u64(b, 78);
	if (bits & PD_SAMPLE_CPU) {
		put_u32(b, 5);
		put_u32(b, 0);
	}
	if (bits & PD_SAMPLE_PERIOD)
		put_u64(b, 250000);
}

static void put_count(struct bytes *b, uint64_t format)
{
	uint64_t nr = format & PD_READ_GROUP ? 2 : 1;

	put_u64(b, format & PD_READ_GROUP ? nr : 1000);
	if (format & PD_READ_TOTAL_TIME_ENABLED)
		put_u64(b, 501);
	if (format & PD_READ_TOTAL_TIME_RUNNING)
		put_u64(b, 502);
	for (uint64_t i = 0; i < nr; i++) {
		if (format & PD_READ_GROUP)
			put_u64(b, 1000 + i);
		if (format & PD_READ_ID)
			put_u64(b, 2000 + i);
		if (format & PD_READ_LOST)
			put_u64(b, 3000 + i);
	}
}

static void put_callchain(struct bytes *b)
{
	put_u64(b, 3);
	put_u64(b, PD_CONTEXT_USER);
	put_u64(b, 0x401000);
	put_u64(b, 0x402000);
}

static void put_raw(struct bytes *b)
{
	put_u32(b, 12);
	put_text(b, "raw of 12 by", 12);
}

/* mispred, abort, 77 cycles, type 3, spec 1, new_type 5, priv 2 */
#define BRANCH_FLAGS                                                 \
	(UINT64_C(1) | UINT64_C(1) << 3 | UINT64_C(77) << 4 |        \
	 UINT64_C(3) << 20 | UINT64_C(1) << 24 | UINT64_C(5) << 26 | \
	 UINT64_C(2) << 30)
/* The same from the top: 64 minus offset minus width. */
#define BRANCH_FLAGS_BIG                                              \
	(UINT64_C(1) << 63 | UINT64_C(1) << 60 | UINT64_C(77) << 44 | \
	 UINT64_C(3) << 40 | UINT64_C(1) << 38 | UINT64_C(5) << 34 |  \
	 UINT64_C(2) << 31)

static void put_branches(struct bytes *b)
{
	put_u64(b, 2);
	put_u64(b, 9);
	for (uint64_t i = 0; i < 2; i++) {
		put_u64(b, 0x1000 + i);
		put_u64(b, 0x2000 + i);
		put_u64(b, b->big_endian ? BRANCH_FLAGS_BIG : BRANCH_FLAGS);
	}
	put_u64(b, 31);
	put_u64(b, 32);
}

static void put_regs(struct bytes *b, uint64_t mask)
{
	put_u64(b, PD_REGS_ABI_64);
	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			put_u64(b, 0x7e50 + i);
}

static void put_stack(struct bytes *b)
{
	put_u64(b, 16);
	put_text(b, "stack of 16 byte", 16);
	put_u64(b, 10);
}

static void put_tail(struct bytes *b, uint64_t bits)
{
	if (bits & PD_SAMPLE_WEIGHT)
		put_u64(b, 0x123456789);
	if (bits & PD_SAMPLE_WEIGHT_STRUCT)
		put_u64(b, 0x0033002200000011);
	if (bits & PD_SAMPLE_DATA_SRC)
		put_u64(b, 0xd5);
	if (bits & PD_SAMPLE_TRANSACTION)
		put_u64(b, 0x74);
	if (bits & PD_SAMPLE_REGS_INTR)
		put_regs(b, 0x3);
	if (bits & PD_SAMPLE_PHYS_ADDR)
		put_u64(b, 0xf1);
	if (bits & PD_SAMPLE_CGROUP)
		put_u64(b, 0xc6);
	if (bits & PD_SAMPLE_DATA_PAGE_SIZE)
		put_u64(b, 4096);
	if (bits & PD_SAMPLE_CODE_PAGE_SIZE)
		put_u64(b, 65536);
	if (bits & PD_SAMPLE_AUX) {
		put_u64(b, 8);
		put_text(b, "aux data", 8);
	}
}

static void put_sample(struct bytes *b, bool big_endian,
		       const struct pd_attr *attr)
{
	uint64_t bits = attr->sample_type;

	begin_record(b, big_endian, PD_RECORD_SAMPLE, 0x4002);
	put_fixed(b, bits);
	if (bits & PD_SAMPLE_READ)
		put_count(b, attr->read_format);
	if (bits & PD_SAMPLE_CALLCHAIN)
		put_callchain(b);
	if (bits & PD_SAMPLE_RAW)
		put_raw(b);
	if (bits & PD_SAMPLE_BRANCH_STACK)
		put_branches(b);
	if (bits & PD_SAMPLE_REGS_USER)
		put_regs(b, 0x105);
	if (bits & PD_SAMPLE_STACK_USER)
		put_stack(b);
	put_tail(b, bits);
	end_record(b);
}

static int read_sample(const struct bytes *b, const uint8_t *data,
		       const struct pd_attr *attr, struct pd_sample *ret,
		       struct pd_err *err)
{
	struct pd_sample_layout layout;
	struct pd_record rec = { .seq = 0 };

	pd_sample_layout_init(&layout, attr);
	assert_int_equal(
		pd_record_read(data, b->len, 0, bytes_swap(b), &rec, NULL), 0);
	return pd_sample_read(&layout, &rec, ret, err);
}

static void check_fixed(const struct pd_sample *s, uint64_t bits)
{
	const bool has_id = bits & (PD_SAMPLE_IDENTIFIER | PD_SAMPLE_ID);

	assert_int_equal(s->present, bits);
	assert_int_equal(s->misc, 0x4002);
	assert_int_equal(s->id, has_id ? 77 : 0);
	assert_int_equal(s->ip, bits & PD_SAMPLE_IP ? 0x401000 : 0);
	assert_int_equal(s->pid, bits & PD_SAMPLE_TID ? 11 : 0);
	assert_int_equal(s->tid, bits & PD_SAMPLE_TID ? 12 : 0);
	assert_int_equal(s->time_ns, bits & PD_SAMPLE_TIME ? 1234567890123 : 0);
	assert_int_equal(s->addr, bits & PD_SAMPLE_ADDR ? 0xadd7 : 0);
	assert_int_equal(s->stream_id, bits & PD_SAMPLE_STREAM_ID ? 78 : 0);
	assert_int_equal(s->cpu, bits & PD_SAMPLE_CPU ? 5 : 0);
	assert_int_equal(s->period, bits & PD_SAMPLE_PERIOD ? 250000 : 4711);
}

static void check_arrays(const struct pd_sample *s, uint64_t bits)
{
	if (bits & PD_SAMPLE_CALLCHAIN)
		assert_int_equal(pd_u64s_at(&s->callchain, 2), 0x402000);
	assert_int_equal(s->callchain.nr, bits & PD_SAMPLE_CALLCHAIN ? 3 : 0);
	assert_int_equal(s->raw_len, bits & PD_SAMPLE_RAW ? 12 : 0);
	if (bits & PD_SAMPLE_RAW)
		assert_memory_equal(s->raw, "raw of 12 by", 12);
	assert_int_equal(s->stack_len, bits & PD_SAMPLE_STACK_USER ? 16 : 0);
	assert_int_equal(s->stack_dyn_len,
			 bits & PD_SAMPLE_STACK_USER ? 10 : 0);
	if (bits & PD_SAMPLE_STACK_USER)
		assert_memory_equal(s->stack, "stack of 16 byte", 16);
	assert_int_equal(s->aux_len, bits & PD_SAMPLE_AUX ? 8 : 0);
	if (bits & PD_SAMPLE_AUX)
		assert_memory_equal(s->aux, "aux data", 8);
}

static void check_branches(const struct pd_sample *s)
{
	struct pd_branch branch = pd_sample_branch_at(s, 1);

	assert_int_equal(s->branches.nr, 6);
	assert_int_equal(s->branch_hw_idx, 9);
	assert_int_equal(branch.from, 0x1001);
	assert_int_equal(branch.to, 0x2001);
	assert_int_equal(branch.flags, BRANCH_FLAGS);
	assert_int_equal(s->branch_counters.nr, 2);
	assert_int_equal(pd_u64s_at(&s->branch_counters, 1), 32);
}

static void check_regs(const struct pd_sample *s, uint64_t bits)
{
	if (bits & PD_SAMPLE_REGS_USER) {
		assert_int_equal(s->regs_user.abi, PD_REGS_ABI_64);
		assert_int_equal(s->regs_user.mask, 0x105);
		assert_int_equal(s->regs_user.regs.nr, 3);
		assert_int_equal(pd_u64s_at(&s->regs_user.regs, 2), 0x7e58);
	}
	if (bits & PD_SAMPLE_REGS_INTR) {
		assert_int_equal(s->regs_intr.mask, 3);
		assert_int_equal(s->regs_intr.regs.nr, 2);
		assert_int_equal(pd_u64s_at(&s->regs_intr.regs, 1), 0x7e51);
	}
}

static void check_tail(const struct pd_sample *s, uint64_t bits)
{
	uint64_t weight = bits & PD_SAMPLE_WEIGHT	   ? 0x123456789
			  : bits & PD_SAMPLE_WEIGHT_STRUCT ? 0x11
							   : 0;

	assert_int_equal(s->weight, weight);
	assert_int_equal(s->ins_lat, bits & PD_SAMPLE_WEIGHT_STRUCT ? 0x22 : 0);
	assert_int_equal(s->p_stage_cyc,
			 bits & PD_SAMPLE_WEIGHT_STRUCT ? 0x33 : 0);
	assert_int_equal(s->data_src, bits & PD_SAMPLE_DATA_SRC ? 0xd5 : 0);
	assert_int_equal(s->transaction,
			 bits & PD_SAMPLE_TRANSACTION ? 0x74 : 0);
	assert_int_equal(s->phys_addr, bits & PD_SAMPLE_PHYS_ADDR ? 0xf1 : 0);
	assert_int_equal(s->cgroup_id, bits & PD_SAMPLE_CGROUP ? 0xc6 : 0);
	assert_int_equal(s->data_page_size,
			 bits & PD_SAMPLE_DATA_PAGE_SIZE ? 4096 : 0);
	assert_int_equal(s->code_page_size,
			 bits & PD_SAMPLE_CODE_PAGE_SIZE ? 65536 : 0);
}

static void check_sample(const struct pd_sample *s, uint64_t bits)
{
	check_fixed(s, bits);
	check_arrays(s, bits);
	if (bits & PD_SAMPLE_BRANCH_STACK)
		check_branches(s);
	check_regs(s, bits);
	check_tail(s, bits);
}

/* The set of bits number i: each bit alone, none, all. */
static uint64_t bits_of(unsigned i)
{
	if (i < 25)
		return PD_BIT(i);
	return i == 25 ? 0 : ALL_BITS;
}

static void test_sample__every_bit_of_both_orders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * 27; i++) {
		struct pd_attr attr = attr_of(bits_of(i / 2));
		struct pd_sample s;
		struct bytes b;

		put_sample(&b, i & 1, &attr);
		assert_int_equal(read_sample(&b, b.data, &attr, &s, NULL), 0);
		check_sample(&s, attr.sample_type);
	}
}

static void test_sample__counts_of_every_read_format(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 64; i++) {
		struct pd_attr attr =
			attr_of(PD_SAMPLE_READ | PD_SAMPLE_CGROUP);
		struct pd_read_value v;
		struct pd_sample s;
		struct bytes b;
		uint64_t f = i / 2;
		size_t last = f & PD_READ_GROUP ? 1 : 0;

		attr.read_format = f;
		put_sample(&b, i & 1, &attr);
		assert_int_equal(read_sample(&b, b.data, &attr, &s, NULL), 0);
		assert_int_equal(s.cgroup_id, 0xc6);
		assert_int_equal(s.counts.nr, last + 1);
		assert_int_equal(s.counts.time_enabled, f & 1 ? 501 : 0);
		assert_int_equal(s.counts.time_running, f & 2 ? 502 : 0);
		v = pd_sample_count_at(&s.counts, last);
		assert_int_equal(v.value, 1000 + last);
		assert_int_equal(v.id, f & PD_READ_ID ? 2000 + last : 0);
		assert_int_equal(v.lost, f & PD_READ_LOST ? 3000 + last : 0);
	}
}

static void test_sample__writes_what_it_read(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 27; i++) {
		struct pd_attr attr = attr_of(bits_of(i));
		struct pd_buf out = PD_BUF_INIT;
		struct pd_sample_layout layout;
		struct pd_sample s;
		struct bytes b = { .big_endian = false };

		put_sample(&b, bytes_swap(&b), &attr);
		assert_int_equal(read_sample(&b, b.data, &attr, &s, NULL), 0);
		pd_sample_layout_init(&layout, &attr);
		made_sample_write(&out, &layout, &s);
		assert_int_equal(pd_buf_status(&out), 0);
		assert_int_equal(out.len, b.len);
		assert_memory_equal(out.data, b.data, b.len);
		pd_buf_release(&out);
	}
}

/* A sample of the other order, written, is this machine's own. */
static void test_sample__turns_the_other_order_round(void **state)
{
	struct pd_attr attr = attr_of(ALL_BITS);
	struct pd_buf out = PD_BUF_INIT;
	struct pd_sample_layout layout;
	struct pd_sample s;
	struct bytes b = { .big_endian = true }, want;

	(void)state;
	put_sample(&b, bytes_swap(&b), &attr);
	put_sample(&want, !b.big_endian, &attr);
	assert_int_equal(read_sample(&b, b.data, &attr, &s, NULL), 0);
	pd_sample_layout_init(&layout, &attr);
	made_sample_write(&out, &layout, &s);
	assert_int_equal(out.len, want.len);
	assert_memory_equal(out.data, want.data, want.len);
	pd_buf_release(&out);
}

static void test_sample__cut_at_every_length_is_an_error(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 27; i++) {
		struct pd_attr attr = attr_of(bits_of(i));
		struct bytes whole;

		put_sample(&whole, i & 1, &attr);
		for (size_t len = 8; len < whole.len; len++) {
			uint8_t *copy = malloc(len);
			struct bytes b = whole;
			struct pd_sample s;

			assert_non_null(copy);
			b.len = len;
			end_record(&b);
			memcpy(copy, b.data, len);
			assert_int_equal(read_sample(&b, copy, &attr, &s, NULL),
					 -ENODATA);
			free(copy);
		}
	}
}

static void test_sample__counts_that_do_not_fit(void **state)
{
	static const uint64_t bits[] = { PD_SAMPLE_CALLCHAIN, PD_SAMPLE_AUX,
					 PD_SAMPLE_BRANCH_STACK,
					 PD_SAMPLE_STACK_USER, PD_SAMPLE_READ };
	static const uint64_t counts[] = { 40, UINT64_MAX, UINT64_C(1) << 61,
					   UINT64_MAX / 24 + 2,
					   (UINT64_C(1) << 62) + 1 };

	(void)state;
	for (size_t i = 0; i < 25; i++) {
		struct pd_attr attr = attr_of(bits[i / 5]);
		struct pd_err err = PD_ERR_INIT;
		struct pd_sample s;
		struct bytes b;

		attr.read_format |= PD_READ_GROUP;
		begin_record(&b, false, PD_RECORD_SAMPLE, 0);
		put_u64(&b, counts[i % 5]);
		for (int word = 0; word < 4; word++)
			put_u64(&b, 1);
		end_record(&b);
		assert_int_equal(read_sample(&b, b.data, &attr, &s, &err),
				 -ENODATA);
		assert_string_equal(err.text, "sample ends too early");
	}
}

static void test_sample__no_registers(void **state)
{
	struct pd_attr attr = attr_of(PD_SAMPLE_REGS_USER |
				      PD_SAMPLE_STACK_USER | PD_SAMPLE_CGROUP);
	struct pd_sample s;
	struct bytes b;

	(void)state;
	begin_record(&b, true, PD_RECORD_SAMPLE, 0);
	put_u64(&b, PD_REGS_ABI_NONE);
	put_u64(&b, 0);
	put_u64(&b, 0xc6);
	end_record(&b);
	assert_int_equal(read_sample(&b, b.data, &attr, &s, NULL), 0);
	assert_int_equal(s.regs_user.regs.nr, 0);
	assert_int_equal(s.regs_user.mask, 0);
	assert_non_null(s.stack); /* where it would be */
	assert_int_equal(s.cgroup_id, 0xc6);
}

static void test_sample__link_register(void **state)
{
	static const uint64_t chain[] = { 0x400330 }, regs[] = { 5, 0x4003c4 };
	struct pd_sample s = {
		.callchain = { .raw = (const uint8_t *)chain, .nr = 1 },
		.regs_user = { .abi = PD_REGS_ABI_64,
			       .mask = PD_BIT(0) | PD_BIT(30),
			       .regs = { .raw = (const uint8_t *)regs,
					 .nr = 2 } },
	};

	(void)state;
	assert_int_equal(pd_sample_link(&s), 0x4003c4);
	s.regs_user.abi = PD_REGS_ABI_32;
	assert_int_equal(pd_sample_link(&s), 0);
	s.regs_user.abi = PD_REGS_ABI_64;
	s.callchain.nr = 0;
	assert_int_equal(pd_sample_link(&s), 0);
	s.callchain.nr = 1;
	s.regs_user.mask = PD_BIT(0) | PD_BIT(31);
	assert_int_equal(pd_sample_link(&s), 0);
	s.regs_user.mask = PD_BIT(30) | PD_BIT(31);
	assert_int_equal(pd_sample_link(&s), 5);
	s.regs_user.regs.nr = 0;
	assert_int_equal(pd_sample_link(&s), 0);
}

/* The example of sample.h. */
static void test_sample__example_of_the_header(void **state)
{
	struct pd_attr attr = attr_of(PD_SAMPLE_IP | PD_SAMPLE_TIME);
	struct pd_err err = PD_ERR_INIT;
	struct pd_sample_layout layout;
	struct pd_sample sample;
	struct pd_record rec;
	struct bytes b;

	(void)state;
	put_sample(&b, false, &attr);
	pd_record_read(b.data, b.len, 0, bytes_swap(&b), &rec, &err);
	pd_sample_layout_init(&layout, &attr);
	assert_int_equal(pd_sample_read(&layout, &rec, &sample, &err), 0);
	assert_int_equal(sample.ip, 0x401000);
	assert_int_equal(layout.time_off, 16);
	assert_int_equal(layout.fixed_len, 16);
	assert_int_equal(layout.id_off, -1);
	assert_int_equal(layout.id_len, 8);
	assert_int_equal(layout.time_off_back, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample__every_bit_of_both_orders),
		cmocka_unit_test(test_sample__counts_of_every_read_format),
		cmocka_unit_test(test_sample__writes_what_it_read),
		cmocka_unit_test(test_sample__turns_the_other_order_round),
		cmocka_unit_test(test_sample__cut_at_every_length_is_an_error),
		cmocka_unit_test(test_sample__counts_that_do_not_fit),
		cmocka_unit_test(test_sample__link_register),
		cmocka_unit_test(test_sample__no_registers),
		cmocka_unit_test(test_sample__example_of_the_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
