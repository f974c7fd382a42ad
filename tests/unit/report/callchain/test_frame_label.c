#include "report/callchain/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* A fixed program's code at 0x759b40 has no name; a symbol of the same file
 * starts at that offset. */
static void frame_label__an_address_is_no_start_of_a_symbol(void **state)
{
	static const struct rpt_symbol sym = { .start = 0x759b40,
					       .end = 0x759c60,
					       .name = "f" };
	struct rpt_frame items[] = {
		{ .ip = 0x759b40, .dso_rank = 1 },
		{ .ip = 0xb59b44, .dso_rank = 1, .sym = &sym },
		{ .ip = 0xb59b48, .dso_rank = 1, .sym = &sym },
		{ .ip = 0x759b40, .dso_rank = 1 },
		{ .ip = 0x759b40, .dso_rank = 2 },
	};
	struct rpt_frame_flags flags[5] = { { .label = 0 } };
	struct rpt_frames frames = { .items = items, .flags = flags, .nr = 5 };

	(void)state;
	assert_int_equal(rpt_frame_label(&frames, 0), 0);
	assert_int_equal(rpt_frame_label(&frames, 1), 1);
	assert_int_equal(rpt_frame_label(&frames, 2), 1);
	assert_int_equal(rpt_frame_label(&frames, 3), 0);
	assert_int_equal(rpt_frame_label(&frames, 4), 4);
	rpt_address_hash_release(&frames.labels.first_frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			frame_label__an_address_is_no_start_of_a_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
