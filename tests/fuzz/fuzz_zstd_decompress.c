/* fuzz_zstd_decompress.c: reads the input as payloads of COMPRESSED records,
 * each a length byte and so many bytes; and compresses the input, which must
 * come back unchanged. */
#include "format/base/limits.h"
#include "format/file/layout.h"
#include "format/records/zstd_compress.h"
#include "format/records/zstd_decompress.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static const struct pd_zstd_decompress_limits limits = { PD_LIMIT_ZSTD_RATIO,
							 PD_LIMIT_WINDOW_LEN };

static void decompress_parts(const uint8_t *data, size_t len)
{
	struct pd_zstd_decompress *z = pd_zstd_decompress_new(&limits);
	struct pd_record rec;
	struct pd_zstd_decompress_skip skip;
	int rc;

	for (size_t at = 0; at < len;) {
		size_t n = data[at++];

		n = n < len - at ? n : len - at;
		pd_zstd_decompress_feed(z, data + at, n, at);
		while ((rc = pd_zstd_decompress_next(z, false, &rec, &skip,
						     NULL)) != 0)
			must(rc < 0 || rec.len >= PD_RECORD_HEADER_LEN);
		at += n;
	}
	pd_zstd_decompress_free(z);
}

/* One record of the input, packed and unpacked. */
static void there_and_back(const uint8_t *data, size_t len)
{
	struct pd_zstd_compress *def = pd_zstd_compress_new(1, 1 << 16);
	struct pd_zstd_decompress *inf = pd_zstd_decompress_new(&limits);
	struct pd_buf plain = PD_BUF_INIT;
	const struct pd_buf *packed;
	struct pd_record rec, out;
	struct pd_zstd_decompress_skip skip;
	uint64_t hash;
	size_t start = pd_record_begin(&plain, PD_RECORD_SAMPLE, 0);

	pd_buf_bytes(&plain, data, len);
	pd_record_end(&plain, start);
	if (!pd_buf_status(&plain)) {
		must(!pd_zstd_compress_add(def, plain.data, plain.len));
		must(!pd_zstd_compress_end(def, &packed, &hash));
		must(!pd_record_read(packed->data, packed->len, 0, false, &rec,
				     NULL));
		pd_zstd_decompress_feed(inf, rec.data + 8, rec.len - 8u, 0);
		if (rec.len == packed->len) {
			must(pd_zstd_decompress_next(inf, false, &out, &skip,
						     NULL) == 1);
			must(out.len == plain.len);
			must(!memcmp(out.data, plain.data, plain.len));
			must(!pd_zstd_decompress_left(inf));
		}
	}
	pd_buf_release(&plain);
	pd_zstd_compress_free(def);
	pd_zstd_decompress_free(inf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	decompress_parts(data, len);
	there_and_back(data, len);
	return 0;
}
