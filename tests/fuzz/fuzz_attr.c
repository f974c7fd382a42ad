/* fuzz_attr.c: reads an attr of either byte order, writes it and reads it
 * again; both must be the same.  Input: byte 0: 1 swaps; then the attr. */
#include "format/file/attr.h"

#include <stdlib.h>
#include "format/file/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct pd_buf first = PD_BUF_INIT, second = PD_BUF_INIT;
	struct pd_attr attr;
	struct pd_cursor c;

	if (!len)
		return 0;
	pd_cursor_init(&c, data + 1, len - 1, 0, "attr");
	c.swap = data[0] & 1;
	if (pd_attr_read(&c, &attr))
		return 0;
	expect(attr.attr_len >= PD_ATTR_LEN_VER0 && c.pos == attr.attr_len);
	pd_attr_write(&first, &attr);
	expect(first.len == attr.attr_len);
	pd_cursor_init(&c, first.data, first.len, 0, "attr");
	expect(!pd_attr_read(&c, &attr));
	pd_attr_write(&second, &attr);
	expect(second.len == first.len);
	expect(!memcmp(first.data, second.data, second.len));
	pd_buf_release(&first);
	pd_buf_release(&second);
	return 0;
}
