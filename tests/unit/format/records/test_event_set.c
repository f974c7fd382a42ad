#include "format/records/event_set.h"

#include "format/file/layout.h"
#include "tests/unit/both_orders.h"

static void add(struct pd_event_set *set, uint64_t sample_type,
		const uint64_t *ids, size_t nr)
{
	struct pd_attr attr = {
		.sample_type = sample_type,
		.flags = PD_ATTR_SAMPLE_ID_ALL,
		.attr_len = 64,
	};
	struct pd_u64s list = { .raw = (const uint8_t *)ids, .nr = nr };
	int idx = (int)set->nr;

	assert_int_equal(pd_event_set_add(set, &attr, &list, NULL), 0);
	assert_int_equal(set->nr, idx + 1);
}

#define ID_TYPE                                                         \
	(PD_SAMPLE_IP | PD_SAMPLE_TID | PD_SAMPLE_TIME | PD_SAMPLE_ID | \
	 PD_SAMPLE_CPU)

static void two_events(struct pd_event_set *set, uint64_t sample_type)
{
	static const uint64_t first[] = { 101, 102 }, second[] = { 201, 202 };

	*set = (struct pd_event_set){ .nr = 0 };
	add(set, sample_type, first, 2);
	add(set, sample_type, second, 2);
}

static void put_id_sample(struct bytes *b, bool big_endian, uint64_t id)
{
	begin_record(b, big_endian, PD_RECORD_SAMPLE, 0);
	put_u64(b, 0x401000);
	put_u64(b, 1);
	put_u64(b, 5000);
	put_u64(b, id);
	put_u64(b, 0);
	end_record(b);
}

static void put_id_comm(struct bytes *b, bool big_endian, uint64_t id)
{
	begin_record(b, big_endian, PD_RECORD_COMM, 0);
	put_text(b, "", 16);
	put_u64(b, 1);
	put_u64(b, 6000);
	put_u64(b, id);
	put_u64(b, 0);
	end_record(b);
}

static void test_event_set__samples_and_others_by_id(void **state)
{
	struct pd_event_set set;

	(void)state;
	two_events(&set, ID_TYPE);
	for (int order = 0; order < 2; order++) {
		static const uint64_t ids[] = { 101, 102, 201, 202, 0, 999 };
		static const int want[] = { 0, 0, 1, 1, 0, -1 };

		for (size_t i = 0; i < 6; i++) {
			const struct pd_event *e =
				want[i] < 0 ? NULL : &set.events[want[i]];
			struct pd_record rec;
			struct bytes b;

			put_id_sample(&b, order, ids[i]);
			rec = record_of(&b);
			assert_ptr_equal(pd_event_set_of_record(&set, &rec), e);
			assert_int_equal(pd_event_set_time_of(&set, &rec),
					 e ? 5000 : 0);
			put_id_comm(&b, order, ids[i]);
			rec = record_of(&b);
			assert_ptr_equal(pd_event_set_of_record(&set, &rec), e);
			assert_int_equal(pd_event_set_time_of(&set, &rec),
					 e ? 6000 : 0);
		}
	}
	pd_event_set_release(&set);
}

static void test_event_set__identifier_is_the_first_and_the_last_word(void **s)
{
	struct pd_event_set set;
	struct pd_record rec;
	struct bytes b;

	(void)s;
	two_events(&set, PD_SAMPLE_IDENTIFIER | PD_SAMPLE_TIME);
	begin_record(&b, true, PD_RECORD_SAMPLE, 0);
	put_u64(&b, 202);
	put_u64(&b, 5000);
	end_record(&b);
	rec = record_of(&b);
	assert_ptr_equal(pd_event_set_of_record(&set, &rec), &set.events[1]);
	begin_record(&b, true, PD_RECORD_SWITCH, 0);
	put_u64(&b, 6000);
	put_u64(&b, 201);
	end_record(&b);
	rec = record_of(&b);
	assert_ptr_equal(pd_event_set_of_record(&set, &rec), &set.events[1]);
	assert_int_equal(pd_event_set_time_of(&set, &rec), 6000);
	pd_event_set_release(&set);
}

static void test_event_set__all_records_belong_to_an_only_event(void **state)
{
	static const uint64_t ids[] = { 101 };
	struct pd_event_set set = { .nr = 0 };
	struct pd_record rec;
	struct bytes b;

	(void)state;
	put_id_sample(&b, false, 999);
	rec = record_of(&b);
	assert_null(pd_event_set_of_record(&set, &rec));
	assert_int_equal(pd_event_set_time_of(&set, &rec), 0);
	add(&set, ID_TYPE, ids, 1);
	assert_ptr_equal(pd_event_set_of_record(&set, &rec), &set.events[0]);
	assert_int_equal(pd_event_set_time_of(&set, &rec), 5000);
	pd_event_set_release(&set);
}

static void test_event_set__records_too_short_for_their_id(void **state)
{
	struct pd_event_set set;
	struct pd_record rec;
	struct bytes b;

	(void)state;
	two_events(&set, ID_TYPE);
	put_id_sample(&b, false, 201);
	b.len = 8 + 31;
	end_record(&b);
	rec = record_of(&b);
	assert_null(pd_event_set_of_record(&set, &rec));
	assert_int_equal(pd_event_set_time_of(&set, &rec), 0);
	begin_record(&b, false, PD_RECORD_SWITCH, 0);
	end_record(&b);
	rec = record_of(&b);
	assert_ptr_equal(pd_event_set_of_record(&set, &rec), &set.events[0]);
	assert_int_equal(pd_event_set_time_of(&set, &rec), 0);
	pd_event_set_release(&set);
}

static void test_event_set__user_records_belong_to_no_event(void **state)
{
	struct pd_event_set set;
	struct pd_record rec;
	struct bytes b;

	(void)state;
	two_events(&set, ID_TYPE);
	put_id_comm(&b, false, 201);
	rec = record_of(&b);
	rec.type = PD_RECORD_ID_INDEX;
	assert_null(pd_event_set_of_record(&set, &rec));
	assert_int_equal(pd_event_set_time_of(&set, &rec), 0);
	pd_event_set_release(&set);
}

static uint16_t misc_of_mmap2(const struct pd_event_set *set, bool big_endian,
			      uint32_t maj)
{
	struct pd_record rec;
	struct bytes b;

	begin_record(&b, big_endian, PD_RECORD_MMAP2,
		     PD_CPUMODE_USER | PD_MISC_MMAP_BUILD_ID);
	for (unsigned i = 0; i < 4; i++)
		put_u64(&b, 4096);
	put_u32(&b, maj);
	end_record(&b);
	rec = record_of(&b);
	return pd_event_set_misc(set, &rec);
}

static void test_event_set__asks_for_build_ids_or_not(void **state)
{
	struct pd_attr attr = { .attr_len = 64, .flags = PD_ATTR_BUILD_ID };
	const uint16_t with = PD_CPUMODE_USER | PD_MISC_MMAP_BUILD_ID;
	struct pd_event_set set = { .nr = 0 };

	(void)state;
	add(&set, PD_SAMPLE_IP, NULL, 0);
	assert_int_equal(misc_of_mmap2(&set, false, 8), PD_CPUMODE_USER);
	assert_int_equal(misc_of_mmap2(&set, true, 8), PD_CPUMODE_USER);
	assert_int_equal(misc_of_mmap2(&set, false, 20), with);
	assert_int_equal(misc_of_mmap2(&set, false, 16), with);
	assert_int_equal(pd_event_set_add(&set, &attr, NULL, NULL), 0);
	assert_int_equal(misc_of_mmap2(&set, false, 8), with);
	pd_event_set_release(&set);
}

static void test_event_set__many_ids_are_found(void **state)
{
	struct pd_event_set set = { .nr = 0 };
	const uint64_t id_nr = 20000;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		add(&set, ID_TYPE, NULL, 0);
	for (uint64_t id = 1; id <= id_nr; id++)
		assert_int_equal(pd_event_set_add_id(&set, id % 5, id << 32),
				 0);
	for (uint64_t id = 1; id <= id_nr; id++)
		assert_ptr_equal(pd_event_set_by_id(&set, id << 32),
				 &set.events[id % 5]);
	assert_null(pd_event_set_by_id(&set, (id_nr + 1) << 32));
	assert_null(pd_event_set_by_id(&set, 1));
	assert_int_equal(set.events[0].id_nr, 4000);
	pd_event_set_release(&set);
}

static void
test_event_set__an_id_belongs_to_the_first_that_lists_it(void **state)
{
	static const uint64_t ids[] = { 7 };
	struct pd_event_set set = { .nr = 0 };

	(void)state;
	assert_null(pd_event_set_by_id(&set, 7));
	add(&set, ID_TYPE, ids, 1);
	add(&set, ID_TYPE, ids, 1);
	assert_ptr_equal(pd_event_set_by_id(&set, 7), &set.events[0]);
	assert_int_equal(set.events[1].leader_idx, 1);
	assert_int_equal(set.events[1].member_nr, 1);
	pd_event_set_release(&set);
	pd_event_set_release(&set);
	pd_event_set_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_event_set__samples_and_others_by_id),
		cmocka_unit_test(
			test_event_set__identifier_is_the_first_and_the_last_word),
		cmocka_unit_test(
			test_event_set__all_records_belong_to_an_only_event),
		cmocka_unit_test(
			test_event_set__records_too_short_for_their_id),
		cmocka_unit_test(
			test_event_set__user_records_belong_to_no_event),
		cmocka_unit_test(test_event_set__asks_for_build_ids_or_not),
		cmocka_unit_test(test_event_set__many_ids_are_found),
		cmocka_unit_test(
			test_event_set__an_id_belongs_to_the_first_that_lists_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
