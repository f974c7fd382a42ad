/* fuzz_trailer.c: reads the input as the body of a trailer, with a footer that
 * fits it, and as the end of a file. */
#include "format/file/trailer.h"

#include <stdlib.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* What was read is written and read again. */
static void read_again(const uint8_t *data, size_t len)
{
	struct pd_trailer t, u;
	struct pd_buf b = PD_BUF_INIT;

	if (pd_trailer_read(data, len, &t, NULL))
		return;
	pd_trailer_write(&b, &t);
	must(!pd_trailer_read(b.data, b.len, &u, NULL));
	must(t.frame_nr == u.frame_nr && t.loss_nr == u.loss_nr);
	for (size_t i = 0; i < t.frame_nr; i++)
		must(t.frames[i].file_off == u.frames[i].file_off &&
		     t.frames[i].has_sideband == u.frames[i].has_sideband);
	pd_trailer_release(&t);
	pd_trailer_release(&u);
	pd_buf_release(&b);
}

/* The footer of FORMAT.md "Trailer", right for this body. */
static void with_footer(const uint8_t *data, size_t len)
{
	struct pd_buf b = PD_BUF_INIT;

	pd_buf_bytes(&b, data, len);
	pd_buf_u64(&b, len);
	pd_buf_u64(&b, XXH3_64bits(data, len));
	pd_buf_u32(&b, 1);
	pd_buf_u32(&b, 0);
	pd_buf_u64(&b, UINT64_C(0x4c49525452494150));
	read_again(b.data, b.len);
	pd_buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	read_again(data, len);
	with_footer(data, len);
	return 0;
}
